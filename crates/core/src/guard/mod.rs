//! Guards: what a rule of an entry forbids, looked for in what a tool is about to do. Pure.
//!
//! A guard is a rail and no wall. Only what a tool adds counts, not what stood there; expressions are
//! matched in linear time.

pub mod glob;
pub mod shell;
#[cfg(test)]
mod shell_tests;

use std::collections::HashMap;

use regex::{Regex, RegexBuilder};

use self::shell::SimpleCommand;
use crate::model::rules::LineRule;

/// Longest expression in bytes.
const MOST_BYTES: usize = 1024;
/// Bytes of memory of a compiled expression at most.
const MOST_MEMORY: usize = 1 << 20;

/// Checks a rule.
///
/// # Errors
/// Says what is wrong with it.
pub fn check(rule: &LineRule) -> Result<(), String> {
    match rule {
        LineRule::Place(glob) | LineRule::Protect(glob) => glob::check(glob),
        LineRule::ForbidCommand(pattern) => compiled(pattern).map(drop),
        LineRule::Forbid { pattern, place } => {
            compiled(pattern)?;
            place.as_deref().map_or(Ok(()), glob::check)
        }
    }
}

/// Compiles an expression.
fn compiled(pattern: &str) -> Result<Regex, String> {
    if pattern.len() > MOST_BYTES {
        return Err(format!("an expression has at most {MOST_BYTES} bytes"));
    }
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(MOST_MEMORY).dfa_size_limit(MOST_MEMORY);
    let regex = builder.build().map_err(|error| {
        // The rest of the message draws the pattern.
        let message = error.to_string();
        message.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
    })?;
    if regex.is_match("") { Err("it matches every line".to_owned()) } else { Ok(regex) }
}

/// What a tool is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolAct<'a> {
    /// Writes a file that had the text `before`, or a part of one. The path is relative to the root.
    Write {
        path: &'a str,
        before: &'a str,
        after: &'a str,
    },
    /// Changes a file in ways that cannot be seen.
    Change {
        path: &'a str,
    },
    /// Deletes or moves a file, or a directory with all that is in it.
    Remove {
        path: &'a str,
    },
    Run(&'a SimpleCommand),
}

/// What of an act a guard is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardHit {
    pub rule: LineRule,
    /// The line, the command or the path.
    pub what: String,
}

/// Looks for what guards forbid; expressions are compiled when they are needed, once.
#[derive(Default)]
pub struct Sentry {
    compiled: HashMap<String, Option<Regex>>,
}

impl Sentry {
    /// Returns what of an act a rule forbids. A rule that is not usable forbids nothing.
    pub fn find(&mut self, rule: &LineRule, act: ToolAct<'_>) -> Option<GuardHit> {
        let hit = |what: &str| Some(GuardHit { rule: rule.clone(), what: what.to_owned() });
        match (rule, act) {
            (LineRule::Protect(glob), ToolAct::Write { path, .. } | ToolAct::Change { path }) => {
                glob::matches(glob, path).then(|| hit(path)).flatten()
            }
            (LineRule::Protect(glob), ToolAct::Remove { path }) => {
                let is_meant = glob::matches(glob, path) || glob::is_below(glob, path);
                is_meant.then(|| hit(path)).flatten()
            }
            (LineRule::Forbid { pattern, place }, ToolAct::Write { path, before, after }) => {
                let here = place.as_ref().is_none_or(|glob| glob::matches(glob, path));
                if !here || !may_match(pattern, after) {
                    return None;
                }
                let regex = self.regex(pattern)?;
                added(regex, before, after).and_then(hit)
            }
            (LineRule::ForbidCommand(pattern), ToolAct::Run(command)) => {
                let mut lines = command.lines().filter(|line| may_match(pattern, line)).peekable();
                lines.peek()?;
                let regex = self.regex(pattern)?;
                lines.find(|line| regex.is_match(line)).and_then(|line| hit(&line))
            }
            _ => None,
        }
    }

    /// Returns the lines of a file that a rule forbids, with their numbers from 1.
    pub fn lines<'a>(
        &mut self,
        rule: &LineRule,
        path: &str,
        text: &'a str,
    ) -> Vec<(usize, &'a str)> {
        let LineRule::Forbid { pattern, place } = rule else { return Vec::new() };
        let here = place.as_ref().is_none_or(|glob| glob::matches(glob, path));
        if !here || !may_match(pattern, text) {
            return Vec::new();
        }
        let Some(regex) = self.regex(pattern) else { return Vec::new() };
        (1..).zip(text.lines()).filter(|(_, line)| regex.is_match(line)).collect()
    }

    fn regex(&mut self, pattern: &str) -> Option<&Regex> {
        let known = self.compiled.entry(pattern.to_owned());
        known.or_insert_with(|| compiled(pattern).ok()).as_ref()
    }
}

/// Returns the first line with a match that is new, if there are more such lines than before: one
/// that is moved or changed elsewhere is none.
fn added<'a>(regex: &Regex, before: &str, after: &'a str) -> Option<&'a str> {
    let matching = |line: &&str| regex.is_match(line);
    let found: Vec<&str> = after.lines().filter(matching).map(str::trim).collect();
    if found.is_empty() {
        return None;
    }
    let mut known: Vec<&str> = before.lines().filter(matching).map(str::trim).collect();
    if found.len() <= known.len() {
        return None;
    }
    found.into_iter().find(|line| {
        let at = known.iter().position(|known| known == line);
        at.map(|at| known.swap_remove(at)).is_none()
    })
}

/// Returns false if a text has not what an expression needs. That is found without compiling it,
/// which takes longer than looking through a file.
fn may_match(pattern: &str, text: &str) -> bool {
    let needle = needle(pattern);
    needle.is_empty() || memchr::memmem::find(text.as_bytes(), needle.as_bytes()).is_some()
}

/// Returns the longest text that every match holds; empty where none is sure.
fn needle(pattern: &str) -> String {
    // Flags change what letters mean, and what is between `|` need not be there.
    if pattern.contains('|') || pattern.contains("(?") {
        return String::new();
    }
    let (mut best, mut run) = (String::new(), String::new());
    let mut end = |run: &mut String| {
        if run.len() > best.len() {
            best.clone_from(run);
        }
        run.clear();
    };
    let mut depth = 0_usize;
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        let literal = match c {
            '(' => {
                depth += 1;
                None
            }
            ')' => {
                depth = depth.saturating_sub(1);
                None
            }
            '[' => {
                // A bracket that comes first is meant.
                chars.next_if_eq(&'^');
                chars.next_if_eq(&']');
                while let Some(c) = chars.next() {
                    match c {
                        '\\' => drop(chars.next()),
                        // A class in a class ends none.
                        '[' => return String::new(),
                        ']' => break,
                        _ => {}
                    }
                }
                None
            }
            '{' => {
                chars.by_ref().take_while(|c| *c != '}').for_each(drop);
                None
            }
            '.' | '^' | '$' | '*' | '?' | '+' => None,
            '\\' => match chars.next() {
                // What is a letter or a digit stands for something else.
                Some(c) if !c.is_alphanumeric() => Some(c),
                // The names of Unicode, and characters by number, follow in braces.
                Some('p' | 'P' | 'x' | 'u' | 'U') => return String::new(),
                _ => None,
            },
            c => Some(c),
        };
        let mut repeats = chars.clone().take_while(|c| matches!(c, '*' | '?' | '+' | '{'));
        let is_optional = match repeats.next() {
            None => false,
            // Repeated once more, it may be missing.
            Some('+') => repeats.next().is_some(),
            Some(_) => true,
        };
        match literal.filter(|_| depth == 0 && !is_optional) {
            Some(c) => run.push(c),
            None => end(&mut run),
        }
        // What may come again ends a run behind itself.
        if chars.peek() == Some(&'+') {
            end(&mut run);
        }
    }
    end(&mut run);
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rule(text: &str) -> LineRule {
        LineRule::read(text).unwrap()
    }

    fn write<'a>(path: &'a str, before: &'a str, after: &'a str) -> ToolAct<'a> {
        ToolAct::Write { path, before, after }
    }

    #[test]
    fn what_is_added_counts() {
        let moment = "forbid: /from ['\"]moment/ in src/**";
        for (rule_, act, want) in [
            (
                moment,
                write("src/a.ts", "", "x\nimport m from 'moment'\n"),
                Some("import m from 'moment'"),
            ),
            (moment, write("docs/a.md", "", "from 'moment'"), None),
            (moment, write("src/a.ts", "from 'moment'", "from 'date-fns'"), None),
            (moment, write("src/a.ts", "a from 'moment'", "b from 'moment'"), None),
            (
                moment,
                write("src/a.ts", "a from 'moment'", "c from \"moment\"\na from 'moment'"),
                Some("c from \"moment\""),
            ),
            (
                "protect: migrations/**",
                write("migrations/1.sql", "a", "b"),
                Some("migrations/1.sql"),
            ),
            (
                "protect: migrations/**",
                ToolAct::Change { path: "migrations/1.sql" },
                Some("migrations/1.sql"),
            ),
            ("protect: migrations/**", ToolAct::Change { path: "src/1.sql" }, None),
            ("forbid: /(/", write("a", "", "("), None),
            ("forbid: /(?i)MOMENT/", write("a", "", "moment"), Some("moment")),
        ] {
            let hit = Sentry::default().find(&rule(rule_), act);
            assert_eq!(hit.as_ref().map(|hit| hit.what.as_str()), want, "{rule_} {act:?}");
        }
    }

    #[test]
    fn commands_are_seen_one_by_one() {
        let force = rule("forbid command: /git push .*--force/");
        let holds = |line: &str| {
            let mut sentry = Sentry::default();
            shell::commands(line).iter().any(|one| sentry.find(&force, ToolAct::Run(one)).is_some())
        };
        for line in [
            "git push --force",
            "cd x && git push origin main --force",
            "bash -c 'git push -f --force'",
        ] {
            assert!(holds(line), "{line}");
        }
        for line in
            ["git push origin main", "echo 'git push x --force'", "git push && make --force"]
        {
            assert!(!holds(line), "{line}");
        }
    }

    #[test]
    fn bad_rules() {
        let long = format!("forbid: /{}/", "a".repeat(10 << 10));
        for bad in [
            "forbid: /(/",
            "forbid: /.*/",
            "forbid command: /a?/",
            &long,
            "forbid: /a/ in **",
            "forbid: /a{9999}{9999}/",
        ] {
            assert!(check(&rule(bad)).is_err(), "{bad:.30}");
        }
        assert_eq!(check(&rule("forbid: /from ['\"]moment/ in src/**")), Ok(()));
    }

    #[test]
    fn needles() {
        for (pattern, want) in [
            ("from ['\"]moment", "moment"),
            ("git push .*--force", "git push "),
            ("ab+c", "ab"),
            ("ab+*c", "a"),
            ("colou?r", "colo"),
            ("a(bcd)*ef", "ef"),
            ("a|b", ""),
            ("console\\.log\\(", "console.log("),
            ("\\bunwrap\\(\\)", "unwrap()"),
            ("x{2}yz", "yz"),
            ("[]a]bc", "bc"),
            ("\\x41bc", ""),
        ] {
            assert_eq!(needle(pattern), want, "{pattern}");
        }
    }

    proptest! {
        /// What an expression matches holds its needle.
        #[test]
        fn a_match_holds_the_needle(
            pattern in "[ab.*?+(){}\\[\\]|^$\\\\d-]{0,12}",
            text in "[ab.*?+(){}\\[\\]|^$\\\\d0-]{0,12}",
        ) {
            if let Ok(regex) = Regex::new(&pattern) {
                prop_assert!(!regex.is_match(&text) || may_match(&pattern, &text), "{}", needle(&pattern));
            }
        }
    }
}
