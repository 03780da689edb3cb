//! How often a key may ask: a bucket of tokens for each, in the memory of this process.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use uuid::Uuid;

/// Buckets above which full ones are thrown away.
const MANY: usize = 10_000;

/// Buckets by key.
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

    /// The size of a bucket.
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
