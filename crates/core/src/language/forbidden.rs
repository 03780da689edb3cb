//! Sentences whose check is plain: `never edit files in gen/`, `never run git push --force`, `use pnpm,
//! not npm`. What they forbid is proposed to a person and never applied unasked.
//!
//! Precision comes before recall: a sentence that forbids something only sometimes, or a part of
//! something, proposes nothing.

use super::{
    lexicon::{
        Words,
        forbidden::{
            ADVERBS, BOUNDS, CONTAINERS, EDITS, FILES, NOUNS, OPENINGS, PACKAGES, PYTHONS, REASONS,
            RUNNERS, RUNS, TESTERS,
        },
    },
    sentence,
};
use crate::{
    guard::{self, glob},
    model::rules::LineRule,
};

/// Programs of which one is used instead of another.
const TOOLS: [&Words; 5] = [&PACKAGES, &PYTHONS, &RUNNERS, &TESTERS, &CONTAINERS];
/// Most words of a title.
const TITLE: usize = 4;
/// Most rules of one text.
const MOST: usize = 4;

/// A word of a sentence, or what stands in backticks.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SentencePart {
    /// In lower case, unless it is code.
    text: String,
    is_code: bool,
    /// True if a comma, a full stop, a dash or another mark stands behind it.
    ends: bool,
}

/// Returns the rules that a text plainly states.
#[must_use]
pub fn rules(text: &str) -> Vec<LineRule> {
    let sentences = sentence::sentences(text);
    let found = sentences.iter().flat_map(|sentence| of_sentence(&sentence.text));
    let mut rules: Vec<LineRule> = found.filter(|rule| guard::check(rule).is_ok()).collect();
    rules.sort_unstable();
    rules.dedup();
    if rules.len() > MOST { Vec::new() } else { rules }
}

fn of_sentence(sentence: &str) -> Vec<LineRule> {
    // A few words before a colon are a title.
    let title = sentence
        .split_once(':')
        .filter(|(title, _)| title.split_whitespace().count() <= TITLE && !title.contains('`'));
    let parts = parts(title.map_or(sentence, |(_, rest)| rest.trim_start_matches('*')));
    let mut rest = parts.as_slice();
    while let Some((first, more)) = rest.split_first()
        && !first.is_code
        && OPENINGS.contains(&first.text)
    {
        rest = more;
    }
    if rest.iter().any(|part| !part.is_code && BOUNDS.contains(&part.text)) {
        // `instead of` is a comparison.
        return instead(rest).unwrap_or_default();
    }
    negated(rest).and_then(forbidden).or_else(|| instead(rest)).unwrap_or_default()
}

/// Splits a sentence into its parts.
fn parts(sentence: &str) -> Vec<SentencePart> {
    let mut found: Vec<SentencePart> = Vec::new();
    let mut rest = sentence;
    while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
        rest = rest.get(start..).unwrap_or_default();
        if let Some((code, after)) = rest.strip_prefix('`').and_then(|rest| rest.split_once('`')) {
            found.push(SentencePart { text: code.trim().to_owned(), is_code: true, ends: false });
            rest = after;
            continue;
        }
        let end = rest.find(|c: char| c.is_whitespace() || c == '`').unwrap_or(rest.len());
        let (word, after) = rest.split_at(end.max(rest.chars().next().map_or(1, char::len_utf8)));
        rest = after;
        let is_mark = |c: char| !c.is_alphanumeric() && !"/._-@*'’".contains(c);
        let begins = word.starts_with(|c: char| is_mark(c) || c == '.' && word.len() == 1);
        if begins && let Some(last) = found.last_mut() {
            last.ends = true;
        }
        let bare = word.trim_matches(|c: char| is_mark(c) || c == '*');
        let ends = word.ends_with(|c: char| is_mark(c) || c == '.');
        let bare = bare.trim_end_matches('.');
        if !bare.is_empty() && bare.chars().any(char::is_alphanumeric) {
            let text = bare.to_lowercase().replace('’', "'");
            found.push(SentencePart { text, is_code: false, ends });
        } else if let Some(last) = found.last_mut() {
            // A mark that stands alone, as a dash does.
            last.ends = true;
        }
    }
    found
}

/// Returns what follows `never` or `do not`.
fn negated(parts: &[SentencePart]) -> Option<&[SentencePart]> {
    let word =
        |at: usize| parts.get(at).filter(|part| !part.is_code).map(|part| part.text.as_str());
    let after = match (word(0)?, word(1)) {
        ("never" | "don't" | "dont" | "mustn't", _) => 1,
        ("do" | "must" | "should", Some("not")) => 2,
        _ => return None,
    };
    // `never, ever`
    let after = after + usize::from(word(after) == Some("ever"));
    parts.get(after..)
}

/// Returns what a verb and its objects forbid.
fn forbidden(parts: &[SentencePart]) -> Option<Vec<LineRule>> {
    let (verb, rest) = parts.split_first()?;
    if !verb.is_code && EDITS.contains(&verb.text) {
        let (paths, rest) = paths(rest)?;
        return is_over(paths.last()?.ends, rest)
            .then(|| paths.iter().map(|path| LineRule::Protect(path.text.clone())).collect());
    }
    // A command may stand without a verb.
    let is_run = RUNS.contains(&verb.text) || verb.text == "use";
    let commands = if verb.is_code { Some(parts) } else { is_run.then_some(rest) }?;
    let (commands, rest) = listed(commands, |part| part.is_code && is_command(&part.text))?;
    is_over(commands.last()?.ends, rest)
        .then(|| commands.iter().map(|command| run(&command.text)).collect())
}

/// Returns the paths that follow a verb, without what they are called.
fn paths(parts: &[SentencePart]) -> Option<(Vec<SentencePart>, &[SentencePart])> {
    let skipped =
        parts.iter().take_while(|part| !part.is_code && FILES.contains(&part.text)).count();
    let (mut paths, mut rest) = listed(parts.get(skipped..)?, is_path)?;
    while let Some((noun, more)) = rest.split_first()
        && !noun.is_code
        && NOUNS.contains(&noun.text)
    {
        paths.last_mut()?.ends |= noun.ends;
        rest = more;
    }
    Some((paths, rest))
}

/// Returns the parts that fit and that commas, `or` and `and` join, and what follows them.
fn listed(
    parts: &[SentencePart],
    fits: impl Fn(&SentencePart) -> bool,
) -> Option<(Vec<SentencePart>, &[SentencePart])> {
    let mut found = Vec::new();
    let mut rest = parts;
    while let Some((first, more)) = rest.split_first() {
        let is_joint = !first.is_code && matches!(first.text.as_str(), "or" | "and" | "nor");
        if is_joint && more.first().is_some_and(&fits) && !found.is_empty() {
            rest = more;
        } else if fits(first) {
            found.push(first.clone());
            rest = more;
        } else {
            break;
        }
    }
    (!found.is_empty()).then_some((found, rest))
}

/// Returns true if nothing that bounds it follows an object.
fn is_over(ends: bool, rest: &[SentencePart]) -> bool {
    let adverbs = rest.iter().take_while(|part| !part.is_code && ADVERBS.contains(&part.text));
    let count = adverbs.clone().count();
    let ends = ends || adverbs.last().is_some_and(|part| part.ends);
    match rest.get(count) {
        None => true,
        Some(next) => ends || !next.is_code && REASONS.contains(&next.text),
    }
}

fn is_path(part: &SentencePart) -> bool {
    let text = &part.text;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-*{},@+".contains(c);
    let is_file = text.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty() && (1..=8).contains(&end.len()) && end.chars().all(char::is_alphanumeric)
    });
    let has_slash = text.contains('/') && text.len() > 1 && !text.starts_with('/');
    let is_named =
        has_slash || part.is_code && (is_file || text.starts_with('.') && text.len() > 2);
    is_named && text.chars().all(is_plain) && !text.contains("//") && glob::check(text).is_ok()
}

/// Returns true for a command with an operand or an option.
fn is_command(text: &str) -> bool {
    let mut words = text.split(' ');
    let name = words.next().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-/".contains(c);
    let is_plain = |word: &str| {
        word.chars().all(|c| c.is_ascii_alphanumeric() || "._-/:@=".contains(c)) && !word.is_empty()
    };
    let mut rest = words.peekable();
    rest.peek().is_some()
        && name.starts_with(|c: char| c.is_ascii_lowercase() || c == '.')
        && name.chars().all(is_name)
        && rest.all(is_plain)
}

/// Returns the rule against a command: its words in order, its options anywhere behind them.
fn run(command: &str) -> LineRule {
    let words: Vec<&str> = command.split(' ').collect();
    let (options, words): (Vec<&str>, Vec<&str>) =
        words.into_iter().partition(|word| word.starts_with('-'));
    let end = |word: &str| if word.ends_with(|c: char| c.is_alphanumeric()) { r"\b" } else { "" };
    let last = words.last().copied().unwrap_or_default();
    let mut pattern = format!("^{}{}", escaped(&words.join(" ")), end(last));
    for option in options {
        pattern.push_str(&format!(".* {}{}", escaped(option), end(option)));
    }
    LineRule::ForbidCommand(pattern)
}

/// Returns a text as an expression that matches it.
fn escaped(text: &str) -> String {
    let escape = |c: char| {
        if c.is_alphanumeric() || " -_/@:=".contains(c) { vec![c] } else { vec!['\\', c] }
    };
    text.chars().flat_map(escape).collect()
}

/// Returns what `use pnpm, not npm or yarn` forbids.
fn instead(parts: &[SentencePart]) -> Option<Vec<LineRule>> {
    let [verb, tool, rest @ ..] = parts else { return None };
    if verb.is_code || verb.text != "use" {
        return None;
    }
    let group = TOOLS.iter().find(|group| group.contains(&tool.text))?;
    let rest = match rest {
        [one, two, more @ ..]
            if (one.text == "instead" || one.text == "rather") && two.text.len() < 5 =>
        {
            more
        }
        [one, more @ ..] if one.text == "not" || one.text == "never" => more,
        _ => return None,
    };
    let is_other = |part: &SentencePart| {
        part.text.split('/').all(|name| group.contains(name) && name != tool.text)
    };
    let (others, rest) = listed(rest, is_other)?;
    let is_bound = rest.iter().any(|part| !part.is_code && BOUNDS.contains(&part.text));
    let names = others.iter().flat_map(|part| part.text.split('/'));
    let rule = |name: &str| LineRule::ForbidCommand(format!(r"^{}\b", escaped(name)));
    (!is_bound && is_over(others.last()?.ends, rest)).then(|| names.map(rule).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_sentences() {
        for (text, want) in [
            (
                "Never edit anything in `.dart_tool/`, `build/`, or `.flutter-plugins-dependencies`.",
                "protect: .dart_tool/|protect: .flutter-plugins-dependencies|protect: build/",
            ),
            ("Don't edit files in frontend/ - only use as reference", ""),
            ("Don't edit files in `docs/plugins/` manually.", "protect: docs/plugins/"),
            ("Do not modify `gen/` by hand, it is made by make gen.", "protect: gen/"),
            ("**Generated code:** never touch `src/api/client.ts`", "protect: src/api/client.ts"),
            (
                "Don't edit files in any `_examples/` folder. They're reference content.",
                "protect: _examples/",
            ),
            ("Never edit `mods/baritone` without saying so in your report.", ""),
            ("Never edit `docs/src/content/` except hand-maintained `index.mdx`", ""),
            ("Never edit the shipped v1 migration in `packages/db/schema.ts`.", ""),
            ("Never edit existing migrations in `db/migrations/`", ""),
            ("NEVER edit core CPU logic inside `rtl/*.sv` or core tests inside `tb/`.", ""),
            ("Never edit a published release in place.", ""),
            ("Never run `git push --force`.", r"forbid command: /^git push\b.* --force\b/"),
            ("Never `npm install`, use pnpm", r"forbid command: /^npm install\b/"),
            ("Never `npm install` in the web folder", ""),
            (
                "Never run `git cherry-pick --abort`, never switch branches",
                r"forbid command: /^git cherry-pick\b.* --abort\b/",
            ),
            (
                "Never run `git add -A` or `git add .`: it sweeps in every file",
                r"forbid command: /^git add \./|forbid command: /^git add\b.* -A\b/",
            ),
            ("Never run `./gradlew test` at the root.", ""),
            ("Never run `git push` unless the user asks for it", ""),
            ("Do not run `npm run db:seed:prod` during preview", ""),
            ("If you do not run `stripe listen`, nothing is delivered.", ""),
            ("Do NOT run `code-review-checklist` here", ""),
            ("Do not run `db:migrate` live", ""),
            // Where a module may not be imported stands elsewhere most of the time.
            ("Never import `moment`.", ""),
            (
                "Use `pnpm`, not `npm`/`yarn`.",
                r"forbid command: /^npm\b/|forbid command: /^yarn\b/",
            ),
            (
                "**Package Manager**: Always use `pnpm`, not `npm` or `yarn`",
                r"forbid command: /^npm\b/|forbid command: /^yarn\b/",
            ),
            ("Use pnpm instead of npm.", r"forbid command: /^npm\b/"),
            ("Use uv, never pip", r"forbid command: /^pip\b/"),
            ("Use `pnpm`, not `npm`, for publishing only", ""),
            ("Use tabs, not spaces", ""),
            ("We never edit `gen/` on Fridays", ""),
            ("Edit `gen/` freely", ""),
        ] {
            let got: Vec<String> = rules(text).iter().map(ToString::to_string).collect();
            assert_eq!(got.join("|"), want, "{text} {:?}", sentence::sentences(text));
        }
    }
}
