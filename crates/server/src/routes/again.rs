//! Requests that are sent again, known by their `Idempotency-Key`.

use std::time::Duration;

use axum::http::{HeaderMap, StatusCode};
use deadpool_postgres::Client;
use sha2::{Digest as _, Sha256};
use tokio_postgres::types::ToSql;

use crate::{
    auth::{Caller, Project},
    db::{self, TenantRole},
    http::problem::Problem,
    seal::{VaultColumn, VaultText},
};

/// How long a request may take before its key is free for another one.
const CLAIM: Duration = Duration::from_mins(1);

/// A key with what was asked for under it.
#[derive(Debug)]
pub struct Key {
    name: String,
    request: Vec<u8>,
}

/// Reads the key of a request; `None` if it has none.
///
/// # Errors
/// It is not 1 to 255 visible characters.
pub fn key(headers: &HeaderMap, body: &serde_json::Value) -> Result<Option<Key>, Problem> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    let name = value.to_str().unwrap_or_default();
    if !(1..=255).contains(&name.len()) || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Problem::usage("Idempotency-Key is 1 to 255 visible characters"));
    }
    let request = Sha256::digest(body.to_string()).to_vec();
    Ok(Some(Key { name: name.to_owned(), request }))
}

/// Claims a key; returns the answer to an earlier request with it. The claim of a process that died ends
/// after a minute.
///
/// # Errors
/// A request with it is under way, or asked for something else; or the database is away.
pub async fn claim(
    client: &mut Client,
    caller: &Caller,
    project: &Project,
    key: &Key,
) -> Result<Option<(StatusCode, String)>, Problem> {
    let transaction = db::begin(client, TenantRole::App, &caller.within(project)).await?;
    let old = "delete from pimem.idempotency where at < now() - interval '1 day' \
        or status = 0 and at < now() - make_interval(secs => $1)";
    let claimed = CLAIM.as_secs_f64();
    transaction.execute(&transaction.prepare_cached(old).await?, &[&claimed]).await?;
    let vault = caller.vault()?;
    let (name, request) = (vault.request(&key.name), vault.hash(&key.request));
    // Another one waits here until the first has committed, and then finds its row.
    let row = "insert into pimem.idempotency (org_id, project_id, key_id, key, request, status, sealed) \
        values ($1, $2, $3, $4, $5, 0, '') on conflict do nothing";
    let statement = transaction.prepare_cached(row).await?;
    let values: [&(dyn ToSql + Sync); 5] = [&caller.org, &project.id, &caller.key, &name, &request];
    if transaction.execute(&statement, &values).await? == 1 {
        transaction.commit().await?;
        return Ok(None);
    }
    let known = "select request, status, answer, sealed, epoch from pimem.idempotency \
        where org_id = $1 and key_id = $2 and key = $3";
    let statement = transaction.prepare_cached(known).await?;
    let known = transaction.query_opt(&statement, &[&caller.org, &caller.key, &name]).await?;
    let row = known.ok_or_else(Problem::under_way)?;
    if row.get::<_, Vec<u8>>(0) != request {
        return Err(Problem::refused("this Idempotency-Key was used for another request"));
    }
    let status = u16::try_from(row.get::<_, i16>(1)).unwrap_or_default();
    if status == 0 {
        return Err(Problem::under_way());
    }
    let kept = VaultText::at(&row, 2);
    let answer = vault.open(place(caller, project, &name, &request), kept)?;
    let answer = answer.ok_or_else(Problem::internal)?;
    Ok(Some((StatusCode::from_u16(status).unwrap_or(StatusCode::OK), answer)))
}

/// Ends the claim of a key: with an answer, which is kept for a day, or so that it may be tried again.
///
/// # Errors
/// The database is away.
pub async fn end_claim(
    client: &mut Client,
    caller: &Caller,
    project: &Project,
    key: &Key,
    answer: Option<(StatusCode, &str)>,
) -> Result<(), Problem> {
    let transaction = db::begin(client, TenantRole::App, &caller.within(project)).await?;
    let vault = caller.vault()?;
    let (name, request) = (vault.request(&key.name), vault.hash(&key.request));
    let claim = "delete from pimem.idempotency \
        where org_id = $1 and key_id = $2 and key = $3 and status = 0";
    let statement = transaction.prepare_cached(claim).await?;
    transaction.execute(&statement, &[&caller.org, &caller.key, &name]).await?;
    if let Some((status, answer)) = answer {
        let row = "insert into pimem.idempotency (org_id, project_id, key_id, key, request, status, answer, sealed, epoch) \
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing";
        let statement = transaction.prepare_cached(row).await?;
        let status = i16::try_from(status.as_u16()).unwrap_or_default();
        let VaultText { text, sealed, key } =
            vault.seal(place(caller, project, &name, &request), answer)?;
        let values: [&(dyn ToSql + Sync); 9] =
            [&caller.org, &project.id, &caller.key, &name, &request, &status, &text, &sealed, &key];
        transaction.execute(&statement, &values).await?;
    }
    Ok(transaction.commit().await?)
}

fn place<'a>(
    caller: &Caller,
    project: &Project,
    name: &'a str,
    request: &'a [u8],
) -> VaultColumn<'a> {
    VaultColumn::Answer { project: project.id, key: caller.key, name: name.as_bytes(), request }
}
