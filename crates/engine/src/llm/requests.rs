//! Addresses of servers, and the proxies on the way to them; and after which failures, how often, and how
//! much later a question is asked again.

use std::{net::IpAddr, time::Duration};

use ureq::http::Uri;

use super::ApiKey;
use crate::config::env::Env;

/// The address of a server over http or https, with a trailing slash.
pub(crate) struct Url(Uri);

impl Url {
    /// Parses an address. Those with a password or a fragment are none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (base, query) = text.split_at(text.find('?').unwrap_or(text.len()));
        let text = format!("{base}{}{query}", if base.ends_with('/') { "" } else { "/" });
        let uri = text.parse::<Uri>().ok().filter(|_| !text.contains('#'))?;
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        let (authority, host) = (uri.authority()?.as_str(), uri.host()?);
        // A port that is none would become the default one.
        let is_plain = authority == host || uri.port_u16().is_some() && !authority.contains('@');
        (is_http && is_plain && !host.is_empty()).then_some(Self(uri))
    }

    /// Returns the address of a path below this one.
    pub(crate) fn join(&self, path: &str) -> String {
        let text = self.0.to_string();
        let (base, query) = text.split_at(text.find('?').unwrap_or(text.len()));
        format!("{base}{path}{query}")
    }

    #[cfg(feature = "sync")]
    pub(crate) fn is_https(&self) -> bool {
        self.0.scheme_str() == Some("https")
    }

    /// Returns the host, with the port if it has one, as the name of a directory.
    #[cfg(feature = "sync")]
    pub(crate) fn place(&self) -> String {
        let host = self.host();
        let fits = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
        let host: String = host.trim_start_matches('.').chars().map(fits).collect();
        self.0.port_u16().map_or(host.clone(), |port| format!("{host}_{port}"))
    }

    fn host(&self) -> String {
        self.0.host().unwrap_or_default().trim_matches(['[', ']']).to_lowercase()
    }
}

/// Returns true if a server is on this machine.
pub(crate) fn is_here(address: &Url) -> bool {
    let host = address.host();
    let is_loopback = host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
    host == "localhost" || host.ends_with(".localhost") || is_loopback
}

/// Returns the variable that names a proxy for an address, as curl reads them.
pub(crate) fn proxy(address: &str, env: &Env) -> Option<ApiKey> {
    let address = Url::parse(address).filter(|address| !is_here(address))?;
    let host = address.host();
    let first = |names: [&str; 2]| {
        let key = |name: &str| Some(ApiKey { variable: name.to_owned(), value: env.key(name)? });
        names.into_iter().find_map(key)
    };
    let exempt = first(["NO_PROXY", "no_proxy"]);
    let mut exempt = exempt.iter().flat_map(|key| key.value.split(','));
    if exempt.any(|entry| entry.trim() == "*" || is_exempt(&entry.trim().to_lowercase(), &host)) {
        return None;
    }
    let own = match address.0.scheme_str() {
        Some("https") => ["HTTPS_PROXY", "https_proxy"],
        _ => ["HTTP_PROXY", "http_proxy"],
    };
    first(own).or_else(|| first(["ALL_PROXY", "all_proxy"]))
}

/// Returns true if an entry of `NO_PROXY` is a host, a domain above it, or its network.
fn is_exempt(entry: &str, host: &str) -> bool {
    let Ok(ip) = host.parse::<IpAddr>() else {
        let domain = entry.strip_prefix('.').unwrap_or(entry);
        let above = host.strip_suffix(domain).filter(|_| !domain.is_empty());
        return above.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    };
    let bits = |ip: IpAddr| match ip {
        IpAddr::V4(ip) => (ip.to_ipv6_mapped().to_bits(), 96),
        IpAddr::V6(ip) => (ip.to_bits(), 0),
    };
    let (network, length) = entry.split_once('/').unwrap_or((entry, "128"));
    let (Ok(network), Ok(length)) = (network.parse().map(bits), length.parse::<u32>()) else {
        return false;
    };
    (bits(ip).0 ^ network.0).leading_zeros() >= length.saturating_add(network.1).min(128)
}

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
    fn what_is_here() {
        for (address, want) in [
            ("http://localhost:11434/", true),
            ("http://LOCALHOST/", true),
            ("http://127.8.0.1/", true),
            ("http://[::1]:8080/v1/", true),
            ("http://[::ffff:127.0.0.1]/", false),
            ("http://127.0.0.1.example.org/", false),
            ("http://localhost.example.org/", false),
            ("https://api.openai.com/v1/", false),
        ] {
            assert_eq!(is_here(&Url::parse(address).unwrap()), want, "{address}");
        }
    }

    #[test]
    fn addresses() {
        for (text, want) in [
            ("https://API.example.org/v1", Some("https://API.example.org/v1/chat")),
            ("http://h:80", Some("http://h:80/chat")),
            ("https://h/a?api-version=1", Some("https://h/a/chat?api-version=1")),
            ("http://[::1]:8080/v1/", Some("http://[::1]:8080/v1/chat")),
            ("http://h:99999/", None),
            ("http://u@h/", None),
            ("http://u:p@h:80/", None),
            ("http://h/#v1", None),
            ("h:80/v1", None),
            ("/v1", None),
            ("", None),
        ] {
            let url = Url::parse(text).map(|url| url.join("chat"));
            assert_eq!(url.as_deref(), want, "{text}");
        }
    }

    #[test]
    fn exemptions() {
        for (entry, host, want) in [
            ("example.org", "example.org", true),
            ("example.org", "api.example.org", true),
            (".example.org", "example.org", true),
            ("example.org", "badexample.org", false),
            ("", "example.org", false),
            ("10.0.0.7", "10.0.0.7", true),
            ("10.0.0.7", "10.0.0.6", false),
            ("10.0.0.0/8", "10.9.9.9", true),
            ("10.0.0.0/8", "11.0.0.0", false),
            ("0.0.0.0/0", "11.0.0.0", true),
            ("0.0.0.0/0", "fd00::1", false),
            ("fd00::/8", "fd12::1", true),
            ("fd00::/16", "fd12::1", false),
        ] {
            assert_eq!(is_exempt(entry, host), want, "{entry} {host}");
        }
    }

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
