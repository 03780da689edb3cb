//! Objects after a cursor, and cursors: positions in the order of a project's objects, which only the
//! server reads. They are signed, as one of another project or server would leave objects out.

use std::{pin::pin, time::Duration};

use deadpool_postgres::Pool;
use futures_util::TryStreamExt as _;
use hmac::{Hmac, KeyInit as _, Mac as _};
use pimem_core::{
    model::hash,
    sync::wire::{self, PulledPage, SyncEntry, SyncObject},
};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;
use tokio_postgres::{Row, types::ToSql};
use uuid::Uuid;

use crate::{
    auth::{Caller, Project},
    db::{self, Error, TenantRole},
    seal::{Vault, VaultColumn, VaultText},
};

/// Maximum number of objects in an answer.
pub const MOST: u32 = 5_000;
/// Number of bytes of objects after which an answer ends.
const BYTES: usize = 4 << 20;
/// How long an answer without objects waits for those that a transaction holds back, and how often it looks.
const WAIT: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(50);

/// Why there is no answer.
#[derive(Debug)]
pub enum RefusedPull {
    Cursor(Bad),
    /// The database was restored from another cluster, and not migrated since.
    Restored,
    Database(Error),
}

impl<E: Into<Error>> From<E> for RefusedPull {
    fn from(error: E) -> Self {
        Self::Database(error.into())
    }
}

/// Returns at most `limit` objects after `cursor`, in the order in which transactions that wrote
/// them began. A transaction that runs holds back all that began after it, so that no object is
/// ever committed before a cursor that was handed out. Most such transactions are short, as those
/// of the index are, and are waited for: whoever pulls after a push has answered gets what it brought.
///
/// # Errors
/// [`RefusedPull`].
pub async fn pull(
    pool: &Pool,
    caller: &Caller,
    project: &Project,
    cursor: Option<&str>,
    limit: u32,
) -> Result<PulledPage, RefusedPull> {
    let end = Instant::now() + WAIT;
    loop {
        let (page, is_held) = page(pool, caller, project, cursor, limit).await?;
        if !is_held {
            return Ok(page);
        }
        if Instant::now() > end {
            return Ok(PulledPage { more: false, ..page });
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Returns what can be told now, of which there is more if anything stands after it, held back or not;
/// and whether all that there is is held back.
async fn page(
    pool: &Pool,
    caller: &Caller,
    project: &Project,
    cursor: Option<&str>,
    limit: u32,
) -> Result<(PulledPage, bool), RefusedPull> {
    let vault = caller.any_vault()?;
    let mut client = db::take(pool).await?;
    let transaction = db::begin(&mut client, TenantRole::App, &caller.within(project)).await?;
    let statement = transaction.prepare_cached(include_str!("../../sql/cluster.sql")).await?;
    let cluster = transaction.query_one(&statement, &[&caller.org]).await?;
    if !cluster.get::<_, bool>("is_own") {
        return Err(RefusedPull::Restored);
    }
    let signer = Signer::new(&cluster, caller.org, project.id);
    let start =
        cursor.map(|cursor| signer.read(cursor)).transpose().map_err(RefusedPull::Cursor)?;
    let mut at = start.unwrap_or_default();
    // A copy of an older disk has numbers yet to come that the client has seen.
    if at.xid >= number(&cluster, "xmax") {
        return Err(RefusedPull::Cursor(Bad::Ended));
    }
    let statement = transaction.prepare_cached(include_str!("../../sql/pull.sql")).await?;
    let (xid, most) = (at.xid.to_string(), i64::from(limit) + 1);
    let parameters: [&(dyn ToSql + Sync); 5] = [&caller.org, &project.id, &xid, &at.seq, &most];
    let rows = transaction.query_raw(&statement, parameters).await?;
    let mut rows = pin!(rows);
    let (mut objects, mut count, mut bytes, mut more) = (Vec::new(), 0, 0, false);
    while let Some(row) = rows.try_next().await? {
        more = count == limit || bytes > BYTES;
        if more {
            break;
        }
        at = CursorPosition { xid: number(&row, "xid"), seq: row.get("seq") };
        bytes += usize::try_from(row.get::<_, i32>("size")).unwrap_or_default();
        count += 1;
        objects.extend(object(vault, project.id, &row)?);
    }
    if !more {
        let statement = transaction.prepare_cached(include_str!("../../sql/beyond.sql")).await?;
        let xid = at.xid.to_string();
        let parameters: [&(dyn ToSql + Sync); 4] = [&caller.org, &project.id, &xid, &at.seq];
        more = transaction.query_one(&statement, &parameters).await?.get(0);
    }
    Ok((PulledPage { objects, cursor: signer.write(at), more }, more && count == 0))
}

/// Returns the object of a row; `None` for a sealed one that is not opened.
fn object(vault: &Vault, project: Uuid, row: &Row) -> Result<Option<SyncObject>, Error> {
    let (sealed, key): (Option<Vec<u8>>, Option<i32>) = (row.get("sealed"), row.get("key_id"));
    let unreadable = |error: std::string::FromUtf8Error| Error::Wrong(error.to_string());
    let wrong = |error: serde_json::Error| Error::Wrong(format!("an event: {error}"));
    let bytes = |column| row.get::<_, Option<Vec<u8>>>(column).unwrap_or_default();
    let object = if let Some(hash) = row.get::<_, Option<Vec<u8>>>("hash") {
        let line: Option<String> = row.get("line");
        // What a client sealed, which none of a sealed organisation does.
        if line.is_none() && key.is_none() && !vault.is_sealed() {
            let sealed = sealed.map(String::from_utf8).transpose().map_err(unreadable)?;
            let hash = hash::write_hex(&hash);
            SyncObject::of_entry(SyncEntry {
                hash,
                line,
                sealed,
                id: Some(hash::write_hex(&bytes("fnv"))),
            })
        } else {
            let entry = bytes("fnv");
            let place = VaultColumn::Entry { project, hash: &hash, entry: &entry };
            let line = vault.open(place, VaultText { text: line, sealed, key })?;
            let Some(line) = line else { return Ok(None) };
            let hash =
                if vault.is_sealed() { wire::content_hash(&line) } else { hash::write_hex(&hash) };
            SyncObject::of_entry(SyncEntry { hash, line: Some(line), ..SyncEntry::default() })
        }
    } else {
        let (id, digest, entry) = (bytes("id"), bytes("digest"), bytes("entry"));
        let place = VaultColumn::Event { project, id: &id, digest: &digest, entry: &entry };
        let doc = vault.open(place, VaultText { text: row.get("doc"), sealed, key })?;
        let Some(doc) = doc else { return Ok(None) };
        SyncObject::of_event(RawValue::from_string(doc).map_err(wrong)?)
    };
    Ok(Some(SyncObject { author: row.get("author"), ..object }))
}

/// Reads a number of a transaction, which has no type of its own here.
fn number(row: &Row, column: &str) -> u64 {
    row.get::<_, String>(column).parse().unwrap_or_default()
}

const VERSION: u8 = 1;
/// Version, epoch, transaction and number, and 16 bytes of signature.
const LENGTH: usize = 1 + 16 + 8 + 8 + MAC;
const MAC: usize = 16;

/// A position: the transaction that wrote an object, and its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct CursorPosition {
    pub xid: u64,
    pub seq: i64,
}

/// What cursors of one project on one server, as it is now, are signed with.
#[derive(Debug, Clone)]
pub struct Signer {
    secret: Vec<u8>,
    /// Changes whenever numbers of transactions begin anew.
    epoch: [u8; 16],
    org: Uuid,
    project: Uuid,
}

/// Why a cursor is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bad {
    /// It is not a cursor.
    Malformed,
    /// It is of another project, another server or version of it, or from before a restore.
    Ended,
}

impl Signer {
    /// Reads what the cluster's row has.
    #[must_use]
    pub fn new(row: &Row, org: Uuid, project: Uuid) -> Self {
        let (identity, timeline): (String, i32) = (row.get("identity"), row.get("timeline"));
        let epoch: Uuid = row.get("epoch");
        let text = format!("{identity} {timeline} {epoch}");
        let epoch = *Sha256::digest(text.as_bytes()).first_chunk().unwrap_or(&[0; 16]);
        Self { secret: row.get("secret"), epoch, org, project }
    }

    #[must_use]
    pub fn write(&self, position: CursorPosition) -> String {
        let mut bytes = vec![VERSION];
        bytes.extend(self.epoch);
        bytes.extend(position.xid.to_be_bytes());
        bytes.extend(position.seq.to_be_bytes());
        let mac = self.mac(&bytes).finalize().into_bytes();
        bytes.extend(mac.iter().take(MAC));
        pimem_core::model::hash::write_hex(&bytes)
    }

    /// Reads a position back.
    ///
    /// # Errors
    /// [`Bad`].
    pub fn read(&self, text: &str) -> Result<CursorPosition, Bad> {
        let bytes = unhex(text).ok_or(Bad::Malformed)?;
        if bytes.len() != LENGTH {
            return Err(Bad::Malformed);
        }
        let (signed, mac) = bytes.split_at(LENGTH - MAC);
        let is_ours = self.mac(signed).verify_truncated_left(mac).is_ok();
        if !is_ours || signed.first() != Some(&VERSION) || signed.get(1..17) != Some(&self.epoch) {
            return Err(Bad::Ended);
        }
        let number = |at: usize| signed.get(at..).and_then(<[u8]>::first_chunk).copied();
        let (Some(xid), Some(seq)) = (number(17), number(25)) else { return Err(Bad::Malformed) };
        Ok(CursorPosition { xid: u64::from_be_bytes(xid), seq: i64::from_be_bytes(seq) })
    }

    fn mac(&self, bytes: &[u8]) -> Hmac<Sha256> {
        #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.secret).expect("any length");
        mac.update(self.org.as_bytes());
        mac.update(self.project.as_bytes());
        mac.update(bytes);
        mac
    }
}

/// Reads hexadecimal digits.
pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
    if rest.is_empty() { bytes.collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signer(project: u128) -> Signer {
        let (secret, project) = (vec![7; 32], Uuid::from_u128(project));
        Signer { secret, epoch: [3; 16], org: Uuid::from_u128(1), project }
    }

    #[test]
    fn a_cursor_is_read_back_in_its_place_alone() {
        let at = CursorPosition { xid: u64::MAX - 1, seq: 42 };
        let text = signer(1).write(at);
        assert_eq!(signer(1).read(&text), Ok(at));
        assert_eq!(signer(2).read(&text), Err(Bad::Ended));
        assert_eq!(Signer { epoch: [4; 16], ..signer(1) }.read(&text), Err(Bad::Ended));
        assert_eq!(Signer { secret: vec![8; 32], ..signer(1) }.read(&text), Err(Bad::Ended));
        assert_eq!(Signer { org: Uuid::from_u128(2), ..signer(1) }.read(&text), Err(Bad::Ended));
        for at in 0..text.len() {
            let mut other = text.clone().into_bytes();
            other[at] = if other[at] == b'0' { b'1' } else { b'0' };
            assert!(signer(1).read(&String::from_utf8(other).unwrap()).is_err(), "{at}");
            assert_eq!(signer(1).read(&text[..at]), Err(Bad::Malformed));
        }
        assert_eq!(signer(1).read("é"), Err(Bad::Malformed));
    }
}
