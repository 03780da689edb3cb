//! Migrations: numbered files, applied once, each in a transaction.

use anyhow::{Context as _, bail, ensure};
use sha2::{Digest as _, Sha256};
use tokio_postgres::Client;

/// Number, name and statements.
const MIGRATIONS: &[(i32, &str, &str)] = &[
    (1, "schema", include_str!("../../sql/0001_schema.sql")),
    (2, "index", include_str!("../../sql/0002_index.sql")),
    (3, "sealed", include_str!("../../sql/0003_sealed.sql")),
    (4, "accesses", include_str!("../../sql/0004_accesses.sql")),
];
/// Key of the lock that lets one `migrate` run at a time.
const LOCK: i64 = 0x7069_6d65_6d00_0001;

/// The cluster and the database in it: rows restored elsewhere bear numbers of another cluster.
pub const IDENTITY: &str = "select (select system_identifier from pg_control_system())::text || '/' \
    || (select oid from pg_database where datname = current_database())::text";

/// A migration and whether it was applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migration {
    pub number: i32,
    pub name: &'static str,
    pub applied: bool,
}

/// Returns the migrations in order.
///
/// # Errors
///
/// The schema is newer than this program, or was migrated with other statements.
pub async fn plan(client: &Client) -> anyhow::Result<Vec<Migration>> {
    let known = client.query_one("select to_regclass('pimem.migrations') is not null", &[]).await?;
    let rows = if known.get(0) {
        client.query("select number, checksum from pimem.migrations order by number", &[]).await?
    } else {
        Vec::new()
    };
    for row in &rows {
        let (number, checksum): (i32, Vec<u8>) = (row.get(0), row.get(1));
        let Some((_, name, text)) = MIGRATIONS.iter().find(|(known, ..)| *known == number) else {
            bail!(
                "the schema is at {number}, this program knows {}: take the newer pimem-server",
                MIGRATIONS.len()
            );
        };
        ensure!(
            checksum == digest(text),
            "migration {number} ({name}) was applied with other statements than this program has"
        );
    }
    let applied = |number| rows.iter().any(|row| row.get::<_, i32>(0) == number);
    let step = |(number, name, _): &(i32, &'static str, &str)| Migration {
        number: *number,
        name,
        applied: applied(*number),
    };
    Ok(MIGRATIONS.iter().map(step).collect())
}

/// Applies what is missing and returns what was applied. A database that `is_restored` from an older
/// copy of its disk ends every cursor; that of a dump is recognised.
///
/// # Errors
///
/// As [`plan`]; or a statement failed, and its migration left nothing behind.
pub async fn migrate(client: &mut Client, is_restored: bool) -> anyhow::Result<Vec<Migration>> {
    client.execute("select pg_advisory_lock($1)", &[&LOCK]).await?;
    let done = locked(client, is_restored).await;
    client.execute("select pg_advisory_unlock($1)", &[&LOCK]).await?;
    done
}

async fn locked(client: &mut Client, is_restored: bool) -> anyhow::Result<Vec<Migration>> {
    let mut applied = Vec::new();
    for step in plan(client).await?.into_iter().filter(|step| !step.applied) {
        let found = MIGRATIONS.iter().find(|(number, ..)| *number == step.number);
        let Some((number, name, text)) = found else { continue };
        let transaction = client.transaction().await?;
        transaction
            .batch_execute(text)
            .await
            .with_context(|| format!("migration {number} ({name})"))?;
        transaction.batch_execute("set local role pimem_owner").await?;
        let row = "insert into pimem.migrations (number, name, checksum) values ($1, $2, $3)";
        transaction.execute(row, &[number, name, &digest(text)]).await?;
        transaction.commit().await?;
        applied.push(Migration { applied: true, ..step });
    }
    settle(client, is_restored).await?;
    Ok(applied)
}

/// Notes the cluster. After a restore into another one, all rows are given numbers of this one, and
/// every cursor ends: a number of the old cluster may lie in the future here, where no page would
/// reach it.
async fn settle(client: &mut Client, is_restored: bool) -> anyhow::Result<()> {
    let identity: String = client.query_one(IDENTITY, &[]).await?.get(0);
    let transaction = client.transaction().await?;
    transaction.batch_execute("set local role pimem_owner").await?;
    let known = transaction.query_opt("select identity from pimem.cluster for update", &[]).await?;
    match known.map(|row| row.get::<_, String>(0)) {
        Some(known) if known == identity && !is_restored => {}
        None => {
            let mut secret = [0_u8; 32];
            getrandom::fill(&mut secret)?;
            let row = "insert into pimem.cluster (identity, secret) values ($1, $2)";
            transaction.execute(row, &[&identity, &secret.as_slice()]).await?;
        }
        Some(_) => {
            for org in transaction.query("select id::text from pimem.orgs", &[]).await? {
                let org: String = org.get(0);
                transaction.execute("select set_config('pimem.org', $1, true)", &[&org]).await?;
                transaction.batch_execute(RENUMBER).await?;
            }
            let row = "update pimem.cluster set identity = $1";
            transaction.execute(row, &[&identity]).await?;
        }
    }
    transaction.commit().await?;
    Ok(())
}

const RENUMBER: &str = "\
    select set_config('pimem.projects', (select coalesce(array_agg(id), '{}')::text from pimem.projects), true); \
    update pimem.entries set xid = pg_current_xact_id(); \
    update pimem.events set xid = pg_current_xact_id(); \
    update pimem.orgs set epoch = gen_random_uuid() where id = current_setting('pimem.org')::uuid";

/// Checks that this program and the database go together.
///
/// # Errors
///
/// The schema is older or newer, the database was restored from another cluster, or the role of
/// the server is above row-level security.
pub async fn check(client: &Client) -> anyhow::Result<()> {
    let missing = plan(client).await?.iter().filter(|step| !step.applied).count();
    ensure!(missing == 0, "the schema is older than this program: run `pimem-server migrate`");
    let identity: String = client.query_one(IDENTITY, &[]).await?.get(0);
    let known: String = client.query_one("select identity from pimem.cluster", &[]).await?.get(0);
    ensure!(
        known == identity,
        "this database was restored from another cluster: run `pimem-server migrate`"
    );
    let role = "select rolsuper or rolbypassrls from pg_roles where rolname = 'pimem_app'";
    let is_above: bool = client.query_one(role, &[]).await?.get(0);
    ensure!(!is_above, "the role pimem_app is above row-level security");
    Ok(())
}

fn digest(text: &str) -> Vec<u8> {
    Sha256::digest(text.as_bytes()).to_vec()
}

#[cfg(test)]
mod tests {
    use super::MIGRATIONS;

    #[test]
    fn numbers_count_up_from_one() {
        let numbers: Vec<i32> = MIGRATIONS.iter().map(|(number, ..)| *number).collect();
        assert_eq!(numbers, (1..=numbers.len().try_into().unwrap()).collect::<Vec<_>>());
    }
}
