//! Keys: `pmk_<8 characters>_<32 random bytes in base 62>_<CRC-32>`; and how often one may ask.
//!
//! Secret scanners know a key by its look, and a mistyped one is told from a wrong one without a
//! question to the database. Each has a bucket of tokens in the memory of this process.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX: usize = 8;
/// Digits of 256 bits in base 62.
const SECRET: usize = 43;
/// Digits of 32 bits in base 62.
const SUM: usize = 6;

/// A key. It does not show itself in messages.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessKey(String);

impl AccessKey {
    /// Makes a key.
    ///
    /// # Errors
    ///
    /// The system has no random bytes.
    pub fn new() -> Result<Self, getrandom::Error> {
        let mut random = [0_u8; 32 + 8];
        getrandom::fill(&mut random)?;
        let (secret, prefix) = random.split_at(32);
        let front = format!("pmk_{}_{}", base62(prefix, PREFIX), base62(secret, SECRET));
        let sum = sum(&front);
        Ok(Self(format!("{front}_{sum}")))
    }

    /// Reads a key, if it has the look of one and its checksum fits.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (front, end) = text.rsplit_once('_')?;
        let mut parts = front.strip_prefix("pmk_")?.split('_');
        let is = |part: Option<&str>, length: usize| {
            part.is_some_and(|part| {
                part.len() == length && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
            })
        };
        let fits = is(parts.next(), PREFIX) && is(parts.next(), SECRET) && parts.next().is_none();
        (fits && sum(front) == end).then(|| Self(text.to_owned()))
    }

    /// The part that is stored as it is, to find the key by.
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.0.get(4..4 + PREFIX).unwrap_or_default()
    }

    /// What is stored of the key. 256 random bits need no slow hash.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// Compares with a stored hash, in the same time wherever they differ.
    #[must_use]
    pub fn is(&self, hash: &[u8]) -> bool {
        self.hash().as_slice().ct_eq(hash).into()
    }

    /// Shows the key, once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for AccessKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pmk_{}_…", self.prefix())
    }
}

/// Writes bytes as one number of `digits` digits; more significant ones are dropped.
fn base62(bytes: &[u8], digits: usize) -> String {
    let mut number = bytes.to_vec();
    let mut text = vec![b'0'; digits];
    for digit in text.iter_mut().rev() {
        let mut rest = 0_u32;
        for byte in &mut number {
            let value = rest << 8 | u32::from(*byte);
            *byte = u8::try_from(value / 62).unwrap_or_default();
            rest = value % 62;
        }
        *digit = usize::try_from(rest).ok().and_then(|at| DIGITS.get(at)).copied().unwrap_or(b'0');
    }
    text.into_iter().map(char::from).collect()
}

fn sum(front: &str) -> String {
    base62(&crc32fast::hash(front.as_bytes()).to_be_bytes(), SUM)
}

/// Buckets above which full ones are thrown away.
const MANY: usize = 10_000;

#[derive(Debug)]
pub struct Limiter {
    /// Tokens a second.
    rate: f64,
    /// Tokens of a full bucket.
    burst: f64,
    buckets: Mutex<HashMap<Uuid, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    tokens: f64,
    at: Instant,
}

/// What is left after a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeftTokens {
    /// Whether the request may proceed.
    pub is_allowed: bool,
    /// Whole tokens that are left.
    pub tokens: u32,
    /// Time until the next token.
    pub wait: Duration,
}

impl Limiter {
    /// Returns a limiter of `rate` requests a second and `burst` at once.
    #[must_use]
    pub fn new(rate: u32, burst: u32) -> Self {
        Self { rate: rate.into(), burst: burst.into(), buckets: Mutex::default() }
    }

    #[must_use]
    pub fn burst(&self) -> f64 {
        self.burst
    }

    /// Takes a token of `key` at the time `now`.
    pub fn take(&self, key: Uuid, now: Instant) -> LeftTokens {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let filled = |bucket: &Bucket| {
            let more = now.saturating_duration_since(bucket.at).as_secs_f64() * self.rate;
            (bucket.tokens + more).min(self.burst)
        };
        if buckets.len() > MANY {
            buckets.retain(|_, bucket| filled(bucket) < self.burst);
        }
        let bucket = buckets.entry(key).or_insert(Bucket { tokens: self.burst, at: now });
        *bucket = Bucket { tokens: filled(bucket), at: now };
        let is_allowed = bucket.tokens >= 1.0;
        if is_allowed {
            bucket.tokens -= 1.0;
        }
        let missing = (1.0 - bucket.tokens).max(0.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to burst")]
        let tokens = bucket.tokens as u32;
        LeftTokens { is_allowed, tokens, wait: Duration::from_secs_f64(missing / self.rate) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back_and_a_mistyped_one_is_not() {
        let key = AccessKey::new().unwrap();
        let text = key.reveal();
        assert_eq!(text.len(), 4 + PREFIX + 1 + SECRET + 1 + SUM);
        assert_eq!(AccessKey::read(text), Some(key.clone()));
        assert!(key.is(&key.hash()) && !key.is(&AccessKey::new().unwrap().hash()) && !key.is(b""));
        for at in 0..text.len() {
            let mut other = text.as_bytes().to_vec();
            other[at] = if other[at] == b'a' { b'b' } else { b'a' };
            assert_eq!(AccessKey::read(&String::from_utf8(other).unwrap()), None, "{at}");
            assert_eq!(AccessKey::read(&text[..at]), None);
        }
        assert!(!format!("{key:?}").contains(&text[13..30]));
    }

    #[test]
    fn numbers_in_base_62() {
        assert_eq!(base62(&[0, 61], 3), "00z");
        assert_eq!(base62(&[0, 62], 3), "010");
        assert_eq!(base62(&[255; 32], SECRET).len(), SECRET);
        assert_eq!(base62(&[255, 255, 255, 255], SUM), "4gfFC3");
    }

    #[test]
    fn a_bucket_empties_and_fills_and_is_each_keys_own() {
        let limiter = Limiter::new(2, 3);
        let (key, other, start) = (Uuid::from_u128(1), Uuid::from_u128(2), Instant::now());
        let at = |millis| start + Duration::from_millis(millis);
        let allowed: Vec<bool> = (0..4).map(|_| limiter.take(key, start).is_allowed).collect();
        assert_eq!(allowed, [true, true, true, false]);
        assert_eq!(limiter.take(key, start).wait, Duration::from_millis(500));
        assert!(limiter.take(other, start).is_allowed);
        assert!(!limiter.take(key, at(499)).is_allowed);
        assert!(limiter.take(key, at(500)).is_allowed);
        assert!(!limiter.take(key, at(501)).is_allowed);
        // A minute later the bucket is full, not fuller.
        assert_eq!(limiter.take(key, at(60_000)).tokens, 2);
    }
}
