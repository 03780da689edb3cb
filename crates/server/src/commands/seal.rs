//! Keys of sealed organisations.

use anyhow::{Context as _, bail, ensure};
use tokio_postgres::{Client, Transaction};
use uuid::Uuid;

use crate::{
    commands::admin::{begin, enter},
    seal::keeper::Keeper,
};

/// Makes a new epoch of a sealed organisation. What is written from then on is under its key, and
/// the worker re-encrypts the rest.
///
/// # Errors
///
/// There is no such organisation, it is not sealed, or the key is missing or another.
pub async fn rotate(client: &mut Client, keeper: &Keeper, name: &str) -> anyhow::Result<String> {
    let transaction = begin(client).await?;
    let org = enter(&transaction, Some(name)).await?;
    // Two that rotate at once make two epochs.
    let mode = "select key_mode from orgs where id = $1 for update";
    let mode: String = transaction.query_one(mode, &[&org]).await?.get(0);
    ensure!(mode == "sealed", "{name} is not sealed, and its mode was chosen once");
    let last = "select max(key_id) from org_keys where org_id = $1";
    let last: Option<i32> = transaction.query_one(last, &[&org]).await?.get(0);
    if last.is_some() {
        keeper.read(&transaction, org).await?;
    } else {
        check_empty(&transaction, name).await?;
    }
    let epoch = last.unwrap_or(0) + 1;
    keeper.add(&transaction, org, epoch).await?;
    note(&transaction, org, "seal rotate", &format!("epoch {epoch}")).await?;
    transaction.commit().await?;
    Ok(format!("{name}: epoch {epoch}\n"))
}

/// An organisation of an older version of this program may be called sealed and have rows in the
/// clear, which a first key would leave where they are.
async fn check_empty(transaction: &Transaction<'_>, name: &str) -> anyhow::Result<()> {
    let all = "select set_config('pimem.projects',
        (select coalesce(array_agg(id), '{}')::text from projects), true)";
    transaction.execute(all, &[]).await?;
    let is_empty = "select not exists (select from entries) and not exists (select from events)";
    let is_empty: bool = transaction.query_one(is_empty, &[]).await?.get(0);
    ensure!(
        is_empty,
        "{name} has rows in the clear, from a version that sealed nothing: make a new organisation \
         and push to it"
    );
    Ok(())
}

/// Wraps the data keys of all organisations with another key. All are, or none.
///
/// # Errors
///
/// A key is missing, or does not open what is there.
pub async fn rewrap(client: &mut Client, old: &Keeper, new: &Keeper) -> anyhow::Result<String> {
    if let Some(why) = new.trouble() {
        bail!("the new key: {why}");
    }
    let transaction = begin(client).await?;
    let orgs = "select name from orgs where key_mode = 'sealed' order by name for update";
    let (mut keys, mut count) = (0, 0);
    for row in transaction.query(orgs, &[]).await? {
        let name: String = row.get(0);
        let org = enter(&transaction, Some(&name)).await?;
        let all = "select key_id, wrapped from org_keys where org_id = $1";
        for row in transaction.query(all, &[&org]).await? {
            let (id, wrapped): (i32, Vec<u8>) = (row.get(0), row.get(1));
            let key = old.unwrap(org, id, &wrapped).with_context(|| name.clone())?;
            let wrapped = new.wrap(org, id, &key)?;
            let update = "update org_keys set wrapped = $3 where org_id = $1 and key_id = $2";
            transaction.execute(update, &[&org, &id, &wrapped]).await?;
            keys += 1;
        }
        note(&transaction, org, "seal rewrap", "").await?;
        count += 1;
    }
    transaction.commit().await?;
    Ok(format!("{keys} keys of {count} organisations: start servers with the new key\n"))
}

async fn note(
    transaction: &Transaction<'_>,
    org: Uuid,
    action: &str,
    target: &str,
) -> anyhow::Result<()> {
    let row = "insert into audit (org_id, action, target) values ($1, $2, $3)";
    transaction.execute(row, &[&org, &action, &target]).await?;
    Ok(())
}
