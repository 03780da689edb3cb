//! Codex runs hooks only after the user has trusted each of them. Pure.
//!
//! The trust is a table in `config.toml` for each hook, `[hooks.state."PATH:EVENT:GROUP:HOOK"]`,
//! where PATH is the file of the hooks and the numbers are positions in it.

use super::settings::{self, Layout, Refusal};
use pimem_core::exchange::json_scan::Value;

/// Returns how many of our hooks in `hooks` Codex does not run yet. `paths` are the spellings of
/// the path of that file.
pub(crate) fn untrusted(
    config: &str,
    hooks: &[u8],
    layout: &Layout,
    paths: &[String],
) -> Result<usize, Refusal> {
    Ok(keys(hooks, layout)?.iter().filter(|key| !is_known(config, paths, key)).count())
}

/// Returns true if Codex runs a hook of a file: of an event, and at a position among its groups and
/// hooks. `files` are the names that Codex may have for the file.
pub(crate) fn is_trusted(
    config: &str,
    files: &[String],
    event: &str,
    (group, hook): (usize, usize),
) -> bool {
    is_known(config, files, &format!("{}:{group}:{hook}", snake(event)))
}

fn is_known(config: &str, files: &[String], key: &str) -> bool {
    files.iter().any(|file| {
        let name = format!("{file}:{key}");
        let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
        config.contains(&format!("[hooks.state.\"{escaped}\"]"))
            || config.contains(&format!("[hooks.state.'{name}']"))
    })
}

/// Returns the keys of our hooks without the path: `session_start:0:0`.
fn keys(hooks: &[u8], layout: &Layout) -> Result<Vec<String>, Refusal> {
    let mut keys = Vec::new();
    settings::each_element(hooks, layout, |event, at, element| {
        let inner = element.member("hooks").map_or(&[][..], Value::parts);
        for (hook, part) in inner.iter().enumerate() {
            if settings::ours(hooks, &part.value, layout, event).is_some() {
                keys.push(format!("{}:{at}:{hook}", snake(event)));
            }
        }
    })?;
    Ok(keys)
}

/// `SessionStart` as `session_start`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::{
        install::{Content, Reach},
        spec::Agent,
    };

    #[test]
    fn each_hook_is_trusted_by_its_place() {
        let files = Agent::Codex.files(Reach::User);
        let (_, Content::Settings(layout)) = &files[0] else { panic!() };
        let other = br#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"lint"}]}]}}"#;
        let hooks = settings::with(Some(other), layout).unwrap().unwrap();
        let paths = ["/h/.codex/hooks.json".to_owned(), "/real/h\"/hooks.json".to_owned()];
        let missing = |config: &str| untrusted(config, &hooks, layout, &paths).unwrap();
        assert_eq!(missing(""), 6);
        let table =
            |key: &str| format!("[hooks.state.\"/h/.codex/{key}\"]\ntrusted_hash = \"9\"\n");
        assert_eq!(missing(&table("hooks.json:session_start:0:0")), 5);
        // Behind the hook of somebody else.
        assert_eq!(missing(&table("hooks.json:stop:0:0")), 6);
        assert_eq!(missing(&table("hooks.json:stop:1:0")), 5);
        assert_eq!(missing("[hooks.state.\"/real/h\\\"/hooks.json:post_tool_use:0:0\"]"), 5);
        assert_eq!(missing("[hooks.state.'/h/.codex/hooks.json:session_end:0:0']"), 5);
        assert_eq!(missing(&table("other.json:session_start:0:0")), 6);
    }
}
