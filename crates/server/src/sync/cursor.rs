//! Positions in the order of a project's objects, which only the server reads. They are signed, as
//! one of another project or server would leave objects out.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use tokio_postgres::Row;
use uuid::Uuid;

/// Version of the bytes.
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

    /// Writes a position.
    #[must_use]
    pub fn write(&self, position: CursorPosition) -> String {
        let mut bytes = vec![VERSION];
        bytes.extend(self.epoch);
        bytes.extend(position.xid.to_be_bytes());
        bytes.extend(position.seq.to_be_bytes());
        let mac = self.mac(&bytes).finalize().into_bytes();
        bytes.extend(mac.iter().take(MAC));
        pimem_core::model::hex::write(&bytes)
    }

    /// Reads a position back.
    ///
    /// # Errors
    ///
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
