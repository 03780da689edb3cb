//! Retry policy: after which failures, how often, and how much later a question is asked again.

use std::time::Duration;

/// Maximum number of attempts.
const ATTEMPTS: u32 = 3;
/// Wait before the second attempt, if the server specifies none; doubled for each further attempt.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// The failure of an attempt, as far as it matters for retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failed {
    /// No connection, or a lost one.
    Connection,
    /// Status of the response, and its `Retry-After`.
    Status(u16, Option<Duration>),
    /// A permanent failure.
    ForGood,
}

/// Returns the wait before the next attempt; `None` if there is none. `made` is the number of
/// attempts so far, `left` the remaining time.
pub(crate) fn wait(failed: Failed, made: u32, left: Duration) -> Option<Duration> {
    let backoff = FIRST_WAIT * 2_u32.saturating_pow(made.saturating_sub(1));
    let wait = match failed {
        Failed::Connection | Failed::Status(408, None) => backoff,
        Failed::Status(408 | 429 | 500..=599, said) => said.unwrap_or(backoff),
        Failed::Status(..) | Failed::ForGood => return None,
    };
    // No attempt is made that would be too late.
    (made < ATTEMPTS && wait < left).then_some(wait)
}

/// Parses the seconds of a `Retry-After`. A date is ignored, because clocks differ.
pub(crate) fn retry_after(header: &str) -> Option<Duration> {
    let seconds = header.trim().parse::<f64>().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        let (millis, secs) = (Duration::from_millis, Duration::from_secs);
        let minute = secs(60);
        for (failed, made, left, want) in [
            (Failed::Connection, 1, minute, Some(millis(500))),
            (Failed::Connection, 2, minute, Some(secs(1))),
            (Failed::Connection, 3, minute, None),
            (Failed::Connection, 1, millis(500), None),
            (Failed::Connection, 1, millis(501), Some(millis(500))),
            (Failed::Status(429, Some(secs(7))), 1, minute, Some(secs(7))),
            (Failed::Status(429, Some(secs(0))), 2, minute, Some(secs(0))),
            (Failed::Status(429, Some(secs(0))), 3, minute, None),
            (Failed::Status(429, Some(secs(70))), 1, minute, None),
            (Failed::Status(429, None), 2, minute, Some(secs(1))),
            (Failed::Status(408, None), 1, minute, Some(millis(500))),
            (Failed::Status(500, None), 1, minute, Some(millis(500))),
            (Failed::Status(529, Some(secs(2))), 1, minute, Some(secs(2))),
            (Failed::Status(302, None), 1, minute, None),
            (Failed::Status(400, None), 1, minute, None),
            (Failed::Status(401, Some(secs(1))), 1, minute, None),
            (Failed::Status(404, None), 1, minute, None),
            (Failed::ForGood, 1, minute, None),
        ] {
            assert_eq!(wait(failed, made, left), want, "{failed:?} {made} {left:?}");
        }
    }

    #[test]
    fn headers() {
        for (header, want) in [
            ("0", Some(0)),
            (" 12 ", Some(12)),
            ("-1", None),
            ("1e400", None),
            ("NaN", None),
            ("soon", None),
            ("Wed, 21 Oct 2026 07:28:00 GMT", None),
        ] {
            assert_eq!(retry_after(header), want.map(Duration::from_secs), "{header}");
        }
        assert_eq!(retry_after("0.5"), Some(Duration::from_millis(500)));
    }
}
