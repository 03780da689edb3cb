//! Patterns of paths: `*`, `?` and `[abc]` within a name, `**` for any number of directories, `{a,b}`, and
//! ` !PATTERN` behind another for what is left out.
//!
//! As in `.gitignore`, a pattern without `/` matches a name anywhere, and one that names a directory
//! everything below it. They are matched without being compiled: a hook looks at each of them once.

use crate::model::rules::LineRules;

/// Longest pattern in bytes.
const MOST_BYTES: usize = 512;
/// Stands before a pattern of what is left out.
const EXCEPT: &str = " !";
/// Most patterns that the braces of one stand for.
const MOST_BRACES: usize = 64;

/// Checks a pattern.
///
/// # Errors
/// Says what is wrong with it.
pub fn check(glob: &str) -> Result<(), String> {
    if glob.len() > MOST_BYTES {
        return Err(format!("a glob has at most {MOST_BYTES} bytes"));
    }
    if glob.starts_with('/') || glob.split('/').any(|part| part == "..") {
        return Err("a glob is relative to the root of the repository".to_owned());
    }
    if glob.contains(")*") {
        return Err("a glob holds no `)*`, which ends the marker".to_owned());
    }
    let mut parts = glob.split(EXCEPT);
    let most = parts.next().unwrap_or_default();
    if parts.any(str::is_empty) {
        return Err("a pattern stands behind `!`".to_owned());
    }
    let (all, except) = (expanded(most), expanded(glob.get(most.len()..).unwrap_or_default()));
    let is_closed = |glob: &String| !glob.contains(['{', '}']);
    if all.len().max(except.len()) >= MOST_BRACES || !all.iter().chain(&except).all(is_closed) {
        return Err("its braces are not closed, or stand for too much".to_owned());
    }
    if all.iter().any(|glob| glob.trim_matches(['*', '/']).is_empty()) {
        return Err("it matches every file".to_owned());
    }
    Ok(())
}

/// Returns true if a pattern matches a path. Both have `/` and are relative to the same directory.
#[must_use]
pub fn matches(glob: &str, path: &str) -> bool {
    let mut parts = glob.split(EXCEPT);
    let mut is_in = |glob: &str| expanded(glob).iter().any(|glob| matches_one(glob, path));
    parts.next().is_some_and(&mut is_in) && !parts.any(is_in)
}

fn matches_one(glob: &str, path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let names = names(glob);
    // What is named without a wildcard may be a directory.
    let is_plain = names.last().is_some_and(|last| !last.contains(['*', '?', '[']));
    let most = if is_plain { 1 } else { parts.len() };
    (most..=parts.len()).any(|end| parts.get(..end).is_some_and(|parts| along(&names, parts)))
}

/// Returns true if a pattern names files below a directory, as far as its names before a wildcard say.
#[must_use]
pub fn is_below(glob: &str, dir: &str) -> bool {
    let parts: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();
    let glob = glob.split(EXCEPT).next().unwrap_or_default();
    expanded(glob).iter().any(|glob| {
        let plain = names(glob).into_iter().take_while(|name| !name.contains(['*', '?', '[']));
        let plain: Vec<&str> = plain.collect();
        !plain.is_empty() && plain.starts_with(&parts)
    })
}

/// Returns true if who works in a directory works in the place that a pattern names: some of its
/// files are there, and it names the way there.
#[must_use]
pub fn reaches(glob: &str, dir: &str) -> bool {
    if dir.is_empty() {
        return false;
    }
    let parts: Vec<&str> = dir.split('/').collect();
    let glob = glob.split(EXCEPT).next().unwrap_or_default();
    expanded(glob).iter().any(|glob| {
        let names = names(glob);
        let first = names.iter().take_while(|name| **name == "**").count();
        (first + 1..=names.len()).any(|end| {
            let rest = names.get(end..).unwrap_or_default();
            let rest = rest.strip_prefix(&["**"]).unwrap_or(rest);
            let is_files = rest.len() <= 1 && rest.iter().all(|name| name.contains(['*', '?']));
            let way = names.get(..end).unwrap_or_default();
            is_files && along(way, &parts)
        })
    })
}

/// Where somebody works: paths relative to the root of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkArea {
    pub dirs: Vec<String>,
    /// Files that a prompt names, or that a tool has touched.
    pub files: Vec<String>,
}

impl WorkArea {
    /// Returns true if an entry with these rules counts here.
    #[must_use]
    pub fn has(&self, rules: &LineRules) -> bool {
        let mut places = rules.places().peekable();
        places.peek().is_none() || places.any(|glob| self.is_in(glob))
    }

    fn is_in(&self, glob: &str) -> bool {
        self.dirs.iter().any(|dir| reaches(glob, dir))
            || self.files.iter().any(|file| matches(glob, file))
    }
}

/// Returns the paths that a text may name, as they stand in it.
pub fn named(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "\"'`()[]<>,;".contains(c)).filter_map(|word| {
        let word = word.trim_start_matches('@').trim_end_matches(['.', ':', '?', '!']);
        // `src/a.rs:12:3` names a file.
        let file = word.split(':').next().unwrap_or(word).trim_start_matches("./");
        let name = file.trim_start_matches(['.', '/']);
        let is_path = !name.is_empty()
            && (file.contains('/') || name.get(1..).is_some_and(|rest| rest.contains('.')));
        (is_path && file.len() <= MOST_BYTES && !file.contains("//")).then_some(file)
    })
}

/// Returns the parts of a pattern without braces.
fn names(glob: &str) -> Vec<&str> {
    let below = glob.strip_suffix('/').map_or(glob, |dir| dir);
    let anywhere = !below.contains('/');
    let names = below.split('/').filter(|name| !name.is_empty() && *name != ".");
    anywhere.then_some("**").into_iter().chain(names).collect()
}

/// Returns true if parts of a pattern match parts of a path from the beginning to the end.
fn along(names: &[&str], parts: &[&str]) -> bool {
    match (names.split_first(), parts.split_first()) {
        (None, None) | (Some((&"**", [])), Some(_)) => true,
        (Some((&"**", rest)), Some((_, below))) => along(rest, parts) || along(names, below),
        (Some((name, rest)), Some((part, below))) => {
            within(name.as_bytes(), part.as_bytes()) && along(rest, below)
        }
        _ => false,
    }
}

/// Returns true if a name matches a part of a pattern.
fn within(mut pattern: &[u8], mut name: &[u8]) -> bool {
    // Where the last `*` stands, and what it has left of the name.
    let mut star: Option<(&[u8], &[u8])> = None;
    loop {
        let step = match (pattern.split_first(), name.split_first()) {
            (None, None) => return true,
            (Some((b'*', rest)), _) => {
                star = Some((rest, name));
                Some((rest, name))
            }
            (Some((b'?', rest)), Some((byte, left))) => {
                // One character, which may be several bytes.
                let more = left.iter().take_while(|byte| **byte & 0xc0 == 0x80).count();
                let more = if *byte < 0x80 { 0 } else { more };
                Some((rest, left.get(more..).unwrap_or_default()))
            }
            (Some((b'[', rest)), Some((byte, left))) => {
                class(rest).and_then(|(is_in, rest)| is_in(*byte).then_some((rest, left)))
            }
            (Some((b'\\', [escaped, rest @ ..])), Some((byte, left))) => {
                (escaped == byte).then_some((rest, left))
            }
            (Some((wanted, rest)), Some((byte, left))) => (wanted == byte).then_some((rest, left)),
            _ => None,
        };
        if let Some(next) = step {
            (pattern, name) = next;
            continue;
        }
        let Some((rest, [_, left @ ..])) = star else { return false };
        star = Some((rest, left));
        (pattern, name) = (rest, left);
    }
}

/// Returns what a class matches, and what follows it; `None` if it is not closed.
fn class(inside: &[u8]) -> Option<(impl Fn(u8) -> bool + '_, &[u8])> {
    let (is_not, inside) = match inside {
        [b'!' | b'^', rest @ ..] => (true, rest),
        _ => (false, inside),
    };
    // A bracket that comes first is meant.
    let end = 1 + inside.get(1..)?.iter().position(|byte| *byte == b']')?;
    let (all, rest) = inside.split_at_checked(end)?;
    let is_in = move |byte: u8| {
        let is_range =
            |window: &[u8]| matches!(window, [from, b'-', to] if (*from..=*to).contains(&byte));
        (all.contains(&byte) || all.windows(3).any(is_range)) != is_not
    };
    Some((is_in, rest.get(1..)?))
}

/// Returns the patterns without braces that one with braces stands for.
fn expanded(glob: &str) -> Vec<String> {
    let mut open = vec![glob.to_owned()];
    let mut done = Vec::new();
    while let Some(glob) = open.pop() {
        let Some((before, inside, after)) = braces(&glob) else {
            done.push(glob);
            continue;
        };
        if open.len() + done.len() + inside.len() > MOST_BRACES {
            return vec![glob];
        }
        open.extend(inside.iter().map(|one| format!("{before}{one}{after}")));
    }
    done
}

/// Returns what stands before, in and after the first braces with no others inside.
fn braces(glob: &str) -> Option<(&str, Vec<&str>, &str)> {
    let (until, after) = glob.split_once('}')?;
    let (before, inside) = until.rsplit_once('{')?;
    Some((before, inside.split(',').collect(), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        for (glob, yes, no) in [
            ("src/**", "src/a src/a/b.ts", "src lib/src/a xsrc/a"),
            ("src/**/*.ts", "src/a.ts src/a/b/c.ts", "src/a.js a.ts"),
            ("**/*.ts", "a.ts a/b.ts", "a.tsx ts"),
            ("*.lock", "Cargo.lock a/b.lock", "lock a.lock.txt"),
            ("migrations", "migrations migrations/1.sql db/migrations/1.sql", "migrations2/1.sql"),
            (
                "db/migrations/",
                "db/migrations/1.sql db/migrations/a/2.sql",
                "x/db/migrations/1.sql",
            ),
            ("src/*", "src/a", "src/a/b"),
            ("src/*/b", "src/a/b src/a/b/c", "src/b"),
            ("{src,lib}/**/*.{ts,tsx}", "src/a.ts lib/b/c.tsx", "app/a.ts src/a.js"),
            ("a?c/[x-z][!0-9].md", "abc/yq.md aéc/zz.md", "abc/y1.md ac/yq.md abc/wq.md"),
            ("**/gen/**", "gen/a a/gen/b/c", "gen a/gent/b"),
            ("a*b*c", "abc aXbYc aabbcc", "abcd acb"),
            ("[]]x", "]x", "[]]x"),
            ("src/** !*.test.ts", "src/a.ts", "src/a.test.ts a.ts"),
            ("src/** !*.{snap,md} !src/gen/**", "src/a.ts", "src/a.md src/b/a.snap src/gen/a.ts"),
            ("{unclosed", "{unclosed", "unclosed"),
        ] {
            for path in yes.split(' ') {
                assert!(matches(glob, path), "{glob} {path}");
            }
            for path in no.split(' ') {
                assert!(!matches(glob, path), "{glob} {path}");
            }
        }
    }

    #[test]
    fn work_in_a_directory() {
        for (glob, dir, want) in [
            ("packages/web/**", "packages/web", true),
            ("packages/web/**", "packages/web/src", true),
            ("packages/web/**", "packages/api", false),
            ("packages/web/**", "packages", false),
            ("packages/web/**", "", false),
            ("packages/web/**/*.ts", "packages/web/src/deep", true),
            ("packages/web/*.ts", "packages/web", true),
            ("packages/web/*.ts", "packages/web/src", false),
            ("packages/*/src/**", "packages/web/src", true),
            ("packages/*/src/**", "packages/web", false),
            ("**/*.ts", "packages/web", false),
            ("migrations", "db/migrations", true),
            ("src/lock.rs", "src", false),
            ("{packages,apps}/web/**", "apps/web", true),
        ] {
            assert_eq!(reaches(glob, dir), want, "{glob} {dir}");
        }
    }

    #[test]
    fn an_entry_with_a_place_counts_there() {
        let rules = LineRules::read("place: packages/web/**\nplace: **/*.ts");
        let area = |dir: &str, text: &str| WorkArea {
            dirs: vec![dir.to_owned()],
            files: named(text).map(str::to_owned).collect(),
        };
        for (dir, text, want) in [
            ("packages/web", "", true),
            ("packages/api", "", false),
            ("", "fix packages/web/index.html.", true),
            ("", "why does `src/a.ts:12:3` fail?", true),
            ("", "a.ts", true),
            ("", "see https://example.org/a.ts and the web", false),
            ("", "e.g. this", false),
            ("", "... and / or ../ that", false),
        ] {
            assert_eq!(area(dir, text).has(&rules), want, "{dir} {text}");
            assert!(area(dir, text).has(&LineRules::read("forbid: /x/ in src/**")));
        }
    }

    #[test]
    fn bad_patterns() {
        for glob in [
            "/abs/**",
            "../x",
            "**",
            "*",
            "**/*",
            "a)*b",
            &"{a,b}".repeat(7),
            "{a",
            "x".repeat(600).as_str(),
        ] {
            assert!(check(glob).is_err(), "{glob}");
        }
        for glob in ["src/**", "*.lock", "{src,lib}/**", "a/{b,c}/{d,e}"] {
            assert_eq!(check(glob), Ok(()), "{glob}");
        }
    }
}
