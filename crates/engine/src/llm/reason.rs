//! Extracts the reason from an error response of any provider.

use serde_json::Value;

/// Returns the reason in the body of an error.
pub(super) fn of(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        // An HTML page, as from a proxy, has no more information than the status.
        return if body.trim_start().starts_with('<') { String::new() } else { body.to_owned() };
    };
    of_document(&value).unwrap_or_default()
}

/// Returns the reason in a JSON document.
pub(super) fn of_document(value: &Value) -> Option<String> {
    let value = value.get(0).unwrap_or(value);
    let places = ["/error/message", "/error", "/message", "/detail"];
    let texts = places.iter().filter_map(|place| value.pointer(place)?.as_str());
    texts.map(str::to_owned).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons() {
        for (body, want) in [
            (r#"{"error":{"message":"no such model","type":"x"}}"#, "no such model"),
            (r#"{"type":"error","error":{"type":"x","message":"Overloaded"}}"#, "Overloaded"),
            (r#"[{"error":{"code":400,"message":"bad key"}}]"#, "bad key"),
            (r#"{"error":"model 'x' not found"}"#, "model 'x' not found"),
            (r#"{"detail":"Not Found"}"#, "Not Found"),
            (r#"{"error":{"code":3}}"#, ""),
            ("<html>Bad Gateway</html>", ""),
            ("upstream timed out", "upstream timed out"),
            ("", ""),
        ] {
            assert_eq!(of(body), want, "{body}");
        }
    }
}
