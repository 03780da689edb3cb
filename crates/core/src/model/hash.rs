//! Hash functions: those for the ids of entries (ours, and pi's), and one for hash tables; and
//! hexadecimal digits. Numbers of 32 are read quickly: thousands of them stand in a ledger of trust.

use std::{
    collections::{HashMap, HashSet},
    fmt::Write as _,
    hash::{BuildHasher, Hasher, RandomState},
};

use sha2::{Digest, Sha256};

/// The hash of no bytes.
pub const FNV1A64: u64 = 0xcbf2_9ce4_8422_2325;

/// 64-bit FNV-1a over bytes (<http://www.isthe.com/chongo/tech/comp/fnv/>).
#[must_use]
pub fn fnv1a64(parts: &[&[u8]]) -> u64 {
    let mut hash = FNV1A64;
    for part in parts {
        for byte in *part {
            hash = fnv1a64_more(hash, *byte);
        }
    }
    hash
}

/// Returns the first 64 bits of the SHA-256 of `bytes`, in hexadecimal. Collisions cannot be
/// chosen.
#[must_use]
pub fn short_sha256(bytes: &[u8]) -> String {
    format!("{:016x}", first_64(Sha256::new_with_prefix(bytes)))
}

/// The first 64 bits of a SHA-256.
#[must_use]
pub fn first_64(hash: Sha256) -> u64 {
    hash.finalize().first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

#[must_use]
pub const fn fnv1a64_more(hash: u64, byte: u8) -> u64 {
    (hash ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3)
}

/// pi's 32-bit hash: FNV-1a over UTF-16 code units in which the product is an IEEE double, so its
/// low bits are rounded away before it is reduced modulo 2^32. Needed only to read pi's snapshots.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "reproduces JavaScript's ToUint32 of an integral double below 2^57"
)]
pub fn pi32(text: &str) -> u32 {
    let mut hash: u32 = 0x811c_9dc5;
    for unit in text.encode_utf16() {
        // JavaScript's `^` yields a signed 32-bit integer, so the product may be negative.
        let mixed = (hash ^ u32::from(unit)).cast_signed();
        let product = f64::from(mixed) * f64::from(0x0100_0193);
        hash = (product as i64) as u32;
    }
    hash
}

/// A map keyed by ids, which are hashes or random numbers themselves.
pub type IdMap<K, V> = HashMap<K, V, Seeded>;
pub type IdSet<K> = HashSet<K, Seeded>;

/// A fast hash for ids: one multiplication, folded. The random seed defeats logs made to collide;
/// nothing may depend on iteration order.
#[derive(Debug, Clone, Copy)]
pub struct Seeded(u64);

impl Default for Seeded {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0_u64))
    }
}

impl BuildHasher for Seeded {
    type Hasher = Folded;

    fn build_hasher(&self) -> Folded {
        Folded(self.0)
    }
}

/// The hasher of [`Seeded`].
#[derive(Debug)]
pub struct Folded(u64);

impl Hasher for Folded {
    fn write(&mut self, bytes: &[u8]) {
        self.write_u64(fnv1a64(&[bytes]));
    }

    fn write_u64(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value) * 0x9e37_79b9_7f4a_7c15;
        let [low, high] = [product & u128::from(u64::MAX), product >> 64];
        self.0 = u64::try_from(low ^ high).unwrap_or(0);
    }

    fn write_u128(&mut self, value: u128) {
        self.write_u64(u64::try_from(value & u128::from(u64::MAX)).unwrap_or(0));
        self.write_u64(u64::try_from(value >> 64).unwrap_or(0));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Bytes in hexadecimal.
#[must_use]
pub fn write_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Parses 32 lower-case hex digits.
#[must_use]
pub fn read_hex(line: &[u8]) -> Option<u128> {
    let (high, low) = line.split_at_checked(16)?;
    Some(u128::from(read_half(high)?) << 64 | u128::from(read_half(low)?))
}

/// Parses 16 lower-case hex digits.
#[must_use]
pub fn read_half(text: &[u8]) -> Option<u64> {
    let ([high, low], []) = text.as_chunks() else { return None };
    let is_number = text.iter().fold(true, |all, byte| all & is_digit(*byte));
    is_number.then(|| digits(*high) << 32 | digits(*low))
}

fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// Converts eight digits at once.
fn digits(digits: [u8; 8]) -> u64 {
    let text = u64::from_be_bytes(digits);
    // Only letters have bit 6 set. Their low four bits start at 1, so 9 is added.
    let each = (text & 0x0f0f_0f0f_0f0f_0f0f) + 9 * (text >> 6 & 0x0101_0101_0101_0101);
    let pairs = (each | each >> 4) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff;
    (fours | fours >> 16) & 0xffff_ffff
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn agrees_with_the_table() {
        let table = include_str!("../../../../fixtures/scoring/hash.tsv");
        let mut rows = 0;
        for line in table.lines().filter(|line| !line.starts_with('#')).skip(1) {
            let cells: Vec<&str> = line.split('\t').collect();
            assert_eq!(format!("{:016x}", fnv1a64(&[cells[0].as_bytes()])), cells[1], "{line}");
            assert_eq!(format!("{:08x}", pi32(cells[0])), cells[2], "{line}");
            rows += 1;
        }
        assert!(rows >= 5, "the table holds the vectors of the specification");
    }

    #[test]
    fn close_ids_land_apart() {
        let seed = Seeded::default();
        let low_bits: HashSet<u64> = (0..1000_u64).map(|id| seed.hash_one(id) & 0xffff).collect();
        assert!(low_bits.len() > 950, "{}", low_bits.len());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(number: u128, cut in 0_usize..32, other: u8) {
            let mut line = format!("{number:032x}").into_bytes();
            prop_assert_eq!(write_hex(&number.to_be_bytes()).into_bytes(), line.clone());
            prop_assert_eq!(read_hex(&line), Some(number));
            prop_assert_eq!(read_hex(&line[cut + 1..]), None);
            line[cut] = other;
            let text = String::from_utf8_lossy(&line).into_owned();
            let lower = other.is_ascii_digit() || (b'a'..=b'f').contains(&other);
            prop_assert_eq!(read_hex(&line), u128::from_str_radix(&text, 16).ok().filter(|_| lower));
            let half = u64::from_str_radix(text.get(..16).unwrap_or("?"), 16).ok();
            let want = half.filter(|_| lower || cut >= 16);
            prop_assert_eq!(line.get(..16).and_then(read_half), want);
            prop_assert_eq!(read_half(&line), None);
        }
    }
}
