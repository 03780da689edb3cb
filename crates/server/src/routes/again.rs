//! Requests that are sent again, known by their `Idempotency-Key`.

use axum::http::{HeaderMap, StatusCode};
use deadpool_postgres::Client;
use sha2::{Digest as _, Sha256};

use crate::{
    auth::{Caller, Project},
    db::{self, TenantRole},
    http::problem::Problem,
    seal::{VaultColumn, VaultText},
};

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

/// Returns the answer to an earlier request with this key.
///
/// # Errors
/// It asked for something else; or the database is away.
pub async fn answered(
    client: &mut Client,
    caller: &Caller,
    project: &Project,
    key: &Key,
) -> Result<Option<(StatusCode, String)>, Problem> {
    let transaction = db::begin(client, TenantRole::App, &caller.within(project)).await?;
    let vault = caller.vault()?;
    let (name, request) = (vault.request(&key.name), vault.hash(&key.request));
    let known = "select request, status, answer, sealed, epoch from pimem.idempotency \
        where org_id = $1 and key_id = $2 and key = $3 and at > now() - interval '1 day'";
    let statement = transaction.prepare_cached(known).await?;
    let known = transaction.query_opt(&statement, &[&caller.org, &caller.key, &name]).await?;
    let Some(row) = known else { return Ok(None) };
    if row.get::<_, Vec<u8>>(0) != request {
        return Err(Problem::refused("this Idempotency-Key was used for another request"));
    }
    let status = u16::try_from(row.get::<_, i16>(1)).ok();
    let status = status.and_then(|status| StatusCode::from_u16(status).ok());
    let kept = VaultText::at(&row, 2);
    let answer = vault.open(place(caller, project, &name, &request), kept)?;
    let answer = answer.ok_or_else(Problem::internal)?;
    Ok(Some((status.unwrap_or(StatusCode::OK), answer)))
}

/// Notes an answer for a day.
///
/// # Errors
/// The database is away.
pub async fn note(
    client: &mut Client,
    caller: &Caller,
    project: &Project,
    key: &Key,
    status: StatusCode,
    answer: &str,
) -> Result<(), Problem> {
    let transaction = db::begin(client, TenantRole::App, &caller.within(project)).await?;
    let old = "delete from pimem.idempotency where at < now() - interval '1 day'";
    transaction.execute(&transaction.prepare_cached(old).await?, &[]).await?;
    let row = "insert into pimem.idempotency (org_id, project_id, key_id, key, request, status, answer, sealed, epoch) \
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing";
    let statement = transaction.prepare_cached(row).await?;
    let status = i16::try_from(status.as_u16()).unwrap_or_default();
    let vault = caller.vault()?;
    let (name, request) = (vault.request(&key.name), vault.hash(&key.request));
    let VaultText { text, sealed, key } =
        vault.seal(place(caller, project, &name, &request), answer)?;
    transaction
        .execute(
            &statement,
            &[
                &caller.org,
                &project.id,
                &caller.key,
                &name,
                &request,
                &status,
                &text,
                &sealed,
                &key,
            ],
        )
        .await?;
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
