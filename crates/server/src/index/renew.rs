//! Re-encrypts the rows of older epochs, little by little, behind everything else.

use chrono::{DateTime, Utc};
use deadpool_postgres::Pool;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::{
    db::{self, Error, TenantRole, TenantScope},
    seal::{
        keys::Keeper,
        vault::{VaultColumn, VaultText},
    },
};

const ROWS: i64 = 200;

/// How far the rows of an organisation are. What does not open is passed over, not tried for ever.
#[derive(Debug, Default)]
pub struct Renewal {
    org: Option<Uuid>,
    began: DateTime<Utc>,
    /// True if a row was of an older epoch.
    found: bool,
    table: usize,
    /// Project and keys of the last row.
    after: (Uuid, Vec<u8>, Vec<u8>),
}

impl Renewal {
    /// The next organisation comes after this one.
    fn passed(org: Uuid) -> Self {
        Self { after: (org, Vec::new(), Vec::new()), ..Self::default() }
    }
}

/// A table with sealed rows: its name, and the columns that a row is found and sealed by.
struct Table {
    name: &'static str,
    first: &'static str,
    second: &'static str,
    /// Bound to the text, and no part of the key.
    third: &'static str,
}

const TABLES: [Table; 3] = [
    Table { name: "entries", first: "hash", second: "''::bytea", third: "fnv" },
    Table { name: "events", first: "id", second: "digest", third: "entry" },
    Table { name: "memories", first: "entry", second: "''::bytea", third: "''::bytea" },
];

/// Does one piece of work; false if there is none for now.
///
/// # Errors
/// The database is away.
pub async fn step(pool: &Pool, keeper: &Keeper, renewal: &mut Renewal) -> Result<bool, Error> {
    let mut client = db::take(pool).await?;
    let Some(org) = renewal.org else {
        let everybody = db::begin(&mut client, TenantRole::Worker, &TenantScope::default()).await?;
        // Each in its turn, as one may have rows that do not open.
        let unsettled = "select org_id, now() from pimem.org_keys where settled is null and key_id > 1 \
            order by org_id <= $1, org_id limit 1";
        let statement = everybody.prepare_cached(unsettled).await?;
        let org = everybody.query_opt(&statement, &[&renewal.after.0]).await?;
        *renewal = org.map_or_else(Renewal::default, |row| Renewal {
            org: Some(row.get(0)),
            began: row.get(1),
            ..Renewal::default()
        });
        return Ok(renewal.org.is_some());
    };
    let (projects, vault) = {
        let scope = TenantScope { org, ..TenantScope::default() };
        let transaction = db::begin(&mut client, TenantRole::Worker, &scope).await?;
        let projects = transaction.query("select id from pimem.projects", &[]).await?;
        let projects: Vec<Uuid> = projects.iter().map(|row| row.get(0)).collect();
        (projects, keeper.read(&*transaction, org).await)
    };
    // Whatever is asked of a closed organisation says so; others have their turn.
    let vault = if let Err(Error::Closed(_)) = vault { None } else { Some(vault?) };
    let Some((epoch, vault)) = vault.and_then(|vault| Some((vault.epoch()?, vault))) else {
        *renewal = Renewal::passed(org);
        return Ok(false);
    };
    let scope = TenantScope { org, user: Uuid::nil(), projects };
    let transaction = db::begin(&mut client, TenantRole::Worker, &scope).await?;
    let Some(Table { name, first, second, third }) = TABLES.get(renewal.table) else {
        // Whoever wrote under an older key began before this one was made, and had ended when the
        // pass began. One that found rows is followed by another, as some may have been locked.
        let settled = "update pimem.org_keys set settled = now() where org_id = $1 and settled is null \
            and created < $2::timestamptz - interval '1 minute' and not $3::bool";
        transaction.execute(settled, &[&org, &renewal.began, &renewal.found]).await?;
        transaction.commit().await?;
        *renewal = Renewal::passed(org);
        return Ok(false);
    };
    let old = format!(
        "select project_id, {first} as first, {second} as second, {third} as third, sealed, key_id \
         from pimem.{name} where org_id = $1 and key_id < $2 \
         and (project_id, {first}, {second}) > ($3, $4, $5) \
         order by project_id, first, second limit $6 for update skip locked"
    );
    let statement = transaction.prepare_cached(&old).await?;
    let (project, one, two) = &renewal.after;
    let rows = transaction.query(&statement, &[&org, &epoch, project, one, two, &ROWS]).await?;
    let update = format!(
        "update pimem.{name} set sealed = $5, key_id = $6 \
         where org_id = $1 and project_id = $2 and {first} = $3 and {second} = $4"
    );
    let update = transaction.prepare_cached(&update).await?;
    for row in &rows {
        let found = Found::of(row);
        let kept = VaultText { text: None, sealed: row.get("sealed"), key: row.get("key_id") };
        let Some(text) = vault.open(found.place(renewal.table), kept) else { continue };
        let VaultText { sealed, key, .. } = vault.seal(found.place(renewal.table), &text)?;
        let Found { project, first, second, .. } = &found;
        transaction.execute(&update, &[&org, project, first, second, &sealed, &key]).await?;
        renewal.found = true;
    }
    transaction.commit().await?;
    if let Some(Found { project, first, second, .. }) = rows.last().map(Found::of) {
        renewal.after = (project, first, second);
    } else {
        let (began, found, table) = (renewal.began, renewal.found, renewal.table + 1);
        *renewal = Renewal { org: Some(org), began, found, table, ..Renewal::default() };
    }
    Ok(true)
}

/// What a row is found and sealed by.
struct Found {
    project: Uuid,
    first: Vec<u8>,
    second: Vec<u8>,
    third: Vec<u8>,
}

impl Found {
    fn of(row: &Row) -> Self {
        let bytes = |column| row.get::<_, Option<Vec<u8>>>(column).unwrap_or_default();
        let (first, second, third) = (bytes("first"), bytes("second"), bytes("third"));
        Self { project: row.get("project_id"), first, second, third }
    }

    fn place(&self, table: usize) -> VaultColumn<'_> {
        let Self { project, first, second, third } = self;
        match table {
            0 => VaultColumn::Entry { project: *project, hash: first, entry: third },
            1 => VaultColumn::Event { project: *project, id: first, digest: second, entry: third },
            _ => VaultColumn::Memory { project: *project, entry: first },
        }
    }
}
