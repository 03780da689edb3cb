//! Keys of the interface, and keys of sealed organisations.

use anyhow::{Context as _, bail, ensure};
use tokio_postgres::{Client, Transaction};
use uuid::Uuid;

use crate::{
    auth::{AccessKey, Right},
    commands::admin::{begin, enter, project_id, user_id},
    seal::Keeper,
};

/// What a new key is for.
#[derive(Debug)]
pub struct WantedKeys<'a> {
    pub org: Option<&'a str>,
    pub user: &'a str,
    pub scopes: &'a [Right],
    /// Empty for every project of the user.
    pub projects: &'a [String],
    /// Days until it expires.
    pub days: u32,
}

/// Makes a key and returns it. It is shown this once.
///
/// # Errors
/// There is no such user or project.
pub async fn create(client: &mut Client, wanted: &WantedKeys<'_>) -> anyhow::Result<String> {
    let transaction = begin(client).await?;
    let org = enter(&transaction, wanted.org).await?;
    let user = user_id(&transaction, wanted.user).await?;
    let mut projects = Vec::new();
    for slug in wanted.projects {
        projects.push(project_id(&transaction, slug).await?);
    }
    let projects = (!projects.is_empty()).then_some(projects);
    let scopes: Vec<&str> = wanted.scopes.iter().map(|scope| scope.scope()).collect();
    let key = AccessKey::new()?;
    let days = f64::from(wanted.days);
    let row = "insert into api_keys (org_id, user_id, prefix, hash, scopes, projects, expires_at) \
        values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7::float8 * 86400))";
    transaction
        .execute(
            row,
            &[&org, &user, &key.prefix(), &key.hash().as_slice(), &scopes, &projects, &days],
        )
        .await?;
    note(&transaction, org, "key create", key.prefix()).await?;
    transaction.commit().await?;
    Ok(format!("{}\n", key.reveal()))
}

/// Lists keys, without what makes them keys.
///
/// # Errors
/// The database is away.
pub async fn list(client: &mut Client, org: Option<&str>) -> anyhow::Result<String> {
    let transaction = begin(client).await?;
    enter(&transaction, org).await?;
    let query = "select concat_ws('  ', k.prefix, u.name, array_to_string(k.scopes, ','),
            (select string_agg(p.slug, ',' order by p.slug) from projects p where p.id = any (k.projects)),
            case when k.revoked_at is not null then 'revoked ' || k.revoked_at::date
                 when k.expires_at <= now() then 'expired ' || k.expires_at::date
                 when k.expires_at is null then 'never expires'
                 else 'expires ' || k.expires_at::date end,
            'last used ' || coalesce(k.last_used::text, 'never'))
        from api_keys k join users u on u.id = k.user_id order by k.created";
    let rows = transaction.query(query, &[]).await?;
    Ok(rows.iter().map(|row| row.get::<_, String>(0) + "\n").collect())
}

/// Ends a key at once.
///
/// # Errors
/// There is none with this prefix.
pub async fn revoke(
    client: &mut Client,
    org: Option<&str>,
    prefix: &str,
) -> anyhow::Result<String> {
    // The whole key is taken too, as that is what somebody has who must revoke it.
    let prefix =
        AccessKey::read(prefix).map_or_else(|| prefix.to_owned(), |key| key.prefix().to_owned());
    let transaction = begin(client).await?;
    let org = enter(&transaction, org).await?;
    let update = "update api_keys set revoked_at = coalesce(revoked_at, now()) where prefix = $1";
    let count = transaction.execute(update, &[&prefix]).await?;
    ensure!(count == 1, "there is no key {prefix:?}");
    note(&transaction, org, "key revoke", &prefix).await?;
    transaction.commit().await.context("nothing was revoked")?;
    Ok(format!("revoked {prefix}\n"))
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

/// Makes a new epoch of a sealed organisation. What is written from then on is under its key, and
/// the worker re-encrypts the rest.
///
/// # Errors
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
