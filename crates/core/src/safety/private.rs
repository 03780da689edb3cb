//! Removes text marked as private.

/// Removes `<private>…</private>` from `raw`. An unclosed span extends to the end, so that a typing
/// mistake does not expose private text.
pub fn without_private(raw: &str) -> String {
    const OPEN: &str = "<private>";
    const CLOSE: &str = "</private>";
    let mut kept = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, inside)) = rest.split_once(OPEN) {
        kept.push_str(before);
        rest = inside.split_once(CLOSE).map_or("", |(_, after)| after);
        if kept.ends_with(' ') {
            rest = rest.trim_start_matches(' ');
        }
    }
    kept.push_str(rest);
    kept
}
