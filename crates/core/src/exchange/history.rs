//! What was said before: statements of people in transcripts of agents, reverts and decisions in
//! messages of commits, and records of decisions. Pure.
//!
//! Nothing of a model and nothing of a tool is taken, and all of it waits for a review.

use std::collections::{BTreeMap, BTreeSet};

use super::{ExchangeItem, agents};
use crate::{
    language::{
        cues::{Family, SentenceReading},
        preference::{self, Hearing},
        sentence, words,
    },
    model::{event::Cue, time::Timestamp},
    session::transcript::{Message, Role},
};

/// Words that a reason for a revert has at least.
const REASON: usize = 4;
/// Most characters of a line that is made.
const LINE: usize = 300;

/// Words by which a commit says that it takes back another.
const REVERTS: &[&str] = &["this", "reverts", "revert", "reverting", "commit", "pr"];
/// Words of which a sentence that tells a decision in a commit has one: what was not chosen, or that
/// somebody chose.
const CHOICES: &[&str] = &[
    "instead of",
    "rather than",
    " over ",
    "decided",
    "chose",
    "opted",
    "settled on",
    "in favor of",
    "in favour of",
];
/// First words of sentences that are understood with the one before only.
const LEANING: &[&str] = &[
    "so", "now", "to", "in", "further", "also", "then", "this", "that", "it", "here", "with",
    "the", "but", "and", "however", "as", "if", "when",
];

/// A statement and where it was made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PastStatement {
    pub text: String,
    pub category: &'static str,
    /// Day, as `2026-06-01`.
    pub date: String,
    /// In words for people: `said in a session of claude on 2026-06-01`.
    pub source: String,
    /// What counts once however often it was said there: a session or a commit.
    pub place: String,
}

/// Returns what a person stated in a session of an agent.
#[must_use]
pub fn of_session(agent: &str, id: &str, messages: &[Message]) -> Vec<PastStatement> {
    let mut found = Vec::new();
    for message in messages.iter().filter(|message| message.role == Role::User) {
        let date = message.when.map_or_else(String::new, Timestamp::date);
        for stated in preference::find_heard(&message.text, Hearing::Past)
            .into_iter()
            .filter(|one| one.secret.is_none())
        {
            let category = match stated.family {
                Family::Correction => "mistake",
                Family::Decision => "decision",
                Family::Finding => "lesson",
                Family::Naming | Family::Identity => "preference",
                _ => agents::category_of(&stated.text).unwrap_or("lesson"),
            };
            let on = if date.is_empty() { String::new() } else { format!(" on {date}") };
            found.push(PastStatement {
                text: stated.text,
                category,
                source: format!("said in a session of {agent}{on}"),
                place: format!("{agent}:{id}"),
                date: date.clone(),
            });
        }
    }
    found
}

/// A commit, as `git log` tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitMessage<'a> {
    pub id: &'a str,
    /// Day, as `2026-06-01`.
    pub date: &'a str,
    pub message: &'a str,
}

/// Returns what commits say, given the newest first: what was taken back with its reason, unless it
/// came back since, and decisions.
#[must_use]
pub fn of_commits(commits: &[CommitMessage<'_>]) -> Vec<PastStatement> {
    let mut later: BTreeSet<&str> = BTreeSet::new();
    let mut found = Vec::new();
    for commit in commits {
        let (subject, body) =
            commit.message.trim().split_once('\n').unwrap_or((commit.message.trim(), ""));
        let subject = unnumbered(subject);
        let short = commit.id.get(..9).unwrap_or(commit.id);
        let source = |what: &str| format!("{what} in commit {short} of {}", commit.date);
        let new = |text: String, category, what| PastStatement {
            text,
            category,
            date: commit.date.to_owned(),
            source: source(what),
            place: commit.id.to_owned(),
        };
        match reverted(subject) {
            Some(of) if !later.contains(of) && reverted(of).is_none() => {
                if let Some(reason) = reason(body) {
                    let text = clipped(&format!("Taken back: {of}. {reason}"));
                    found.push(new(text, "mistake", "reverted"));
                }
            }
            Some(_) => {}
            None => {
                let said = decisions(body).into_iter();
                found.extend(said.map(|text| new(clipped(&text), "decision", "decided")));
            }
        }
        later.insert(
            subject.strip_prefix("Reapply \"").map_or(subject, |of| of.trim_end_matches('"')),
        );
    }
    found
}

/// Returns a subject without the number of a pull request: `Use a table (#12)`.
fn unnumbered(subject: &str) -> &str {
    let subject = subject.trim();
    let numbered = subject.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (#"));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    numbered.filter(|(_, number)| is_number(number)).map_or(subject, |(subject, _)| subject)
}

/// Returns the subject of the commit that one takes back.
fn reverted(subject: &str) -> Option<&str> {
    let quoted = subject.strip_prefix("Revert \"").and_then(|of| of.strip_suffix('"'));
    quoted.or_else(|| subject.strip_prefix("revert: ")).map(unnumbered)
}

/// Returns the key of a trailer: `Signed-off-by: NAME`.
fn trailer_key(line: &str) -> Option<&str> {
    let (key, _) = line.split_once(": ")?;
    let is_key = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (key.starts_with(|c: char| c.is_ascii_uppercase()) && key.bytes().all(is_key)).then_some(key)
}

/// Returns a body without the paragraph of trailers at its end, as git reads them.
fn without_trailers(body: &str) -> &str {
    let body = body.trim_end();
    let last = body.rfind("\n\n").map_or(0, |at| at + 2);
    let (rest, paragraph) = body.split_at_checked(last).unwrap_or((body, ""));
    let all =
        paragraph.lines().count() > 1 && paragraph.lines().all(|line| trailer_key(line).is_some());
    if all { rest } else { body }
}

/// Returns the sentences of a body that git and programs did not write.
fn own_sentences(body: &str) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in without_trailers(body).lines().map(str::trim_end) {
        // What goes on behind the hash is the reason.
        let line = line
            .strip_prefix("This reverts commit ")
            .map_or(line, |rest| rest.split_once(' ').map_or("", |(_, rest)| rest));
        let key = trailer_key(line).unwrap_or_default();
        let is_trailer =
            key.ends_with("-by") || matches!(key, "Change-Id" | "Fixes" | "Closes" | "Refs");
        let is_plain = !line.is_empty()
            && !is_trailer
            && !line.starts_with([' ', '\t', '#', '>', '|', '-', '*']);
        match paragraphs.last_mut().filter(|_| is_open && is_plain) {
            Some(last) => {
                last.push(' ');
                last.push_str(line);
            }
            None if is_plain => paragraphs.push(line.to_owned()),
            None => {}
        }
        is_open = is_plain;
    }
    let sentences = paragraphs.iter().flat_map(|text| sentence::as_they_stand(text));
    sentences.map(str::to_owned).collect()
}

/// Returns why something was taken back: up to two sentences.
fn reason(body: &str) -> Option<String> {
    // What is taken back is said already.
    let is_name = |word: &&str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_hash = word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        word.contains('/') || is_hash || is_number || REVERTS.contains(&&*word.to_lowercase())
    };
    let said = own_sentences(body);
    let tells = |one: &&String| {
        let words = one.split_whitespace().filter(|word| !is_name(word)).count();
        words >= REASON && !one.ends_with('?')
    };
    let said: Vec<&str> = said.iter().filter(tells).take(2).map(String::as_str).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// Returns the sentences of a body that tell a decision.
fn decisions(body: &str) -> Vec<String> {
    let mut said = own_sentences(body);
    said.retain(|text| {
        let lower = text.to_lowercase();
        let first = lower.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let is_choice = CHOICES.iter().any(|words| lower.contains(words));
        let opens = text.matches('(').count();
        is_choice
            && !LEANING.contains(&first)
            && opens == text.matches(')').count()
            && sentence::sentences(text).first().is_some_and(|first| {
                let words = words::words(&first.masked);
                let found = SentenceReading::new(first, &words).noted(false);
                found.is_some_and(|found| found.family == Family::Decision)
            })
    });
    said
}

/// Returns the decision of a record (`docs/adr/0005-queue.md`), if it is in force: its title and the
/// first sentence of its decision.
#[must_use]
pub fn of_record(name: &str, text: &str) -> Option<PastStatement> {
    let mut title = None;
    let (mut section, mut status, mut decided) = (String::new(), String::new(), String::new());
    for line in text.lines() {
        let line = line.trim();
        if let Some(heading) = line.strip_prefix("# ") {
            title.get_or_insert_with(|| {
                let rest = heading.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
                let rest = rest.strip_prefix("ADR").unwrap_or(rest);
                rest.trim_start_matches(|c: char| !c.is_alphabetic() && c != '`').to_owned()
            });
        } else if let Some(heading) = line.strip_prefix("## ") {
            section = heading.to_lowercase();
        } else if let Some((_, told)) =
            line.split_once(':').filter(|(key, _)| key.trim_matches(['*', '-', ' ']) == "Status")
        {
            told.trim_matches(['*', ' ']).to_lowercase().clone_into(&mut status);
        } else if section.starts_with("status") && status.is_empty() {
            status = line.to_lowercase();
        } else if section.starts_with("decision") && (decided.is_empty() || !line.is_empty()) {
            decided.push(' ');
            decided.push_str(line);
        }
    }
    let is_over = ["superseded", "deprecated", "rejected", "proposed", "draft"];
    if is_over.iter().any(|word| status.contains(word)) {
        return None;
    }
    let title = title.filter(|title| !title.is_empty())?;
    let first = sentence::as_they_stand(decided.trim()).first().map(|one| (*one).to_owned());
    let text = match first.filter(|one| one.split_whitespace().count() >= REASON) {
        Some(first) => format!("{title}: {first}"),
        None => title,
    };
    let (source, place) = (format!("recorded in {name}"), name.to_owned());
    Some(PastStatement {
        text: clipped(&text),
        category: "decision",
        date: String::new(),
        source,
        place,
    })
}

fn clipped(text: &str) -> String {
    if text.chars().count() <= LINE {
        return text.to_owned();
    }
    let cut: String = text.chars().take(LINE).collect();
    cut.rsplit_once(' ').map_or(cut.clone(), |(whole, _)| format!("{whole} …"))
}

/// Returns statements as items, each once: first what was said in several places, then corrections and
/// what was taken back, then the newest.
#[must_use]
pub fn items(all: Vec<PastStatement>) -> Vec<ExchangeItem> {
    let mut said: BTreeMap<String, (PastStatement, BTreeSet<String>)> = BTreeMap::new();
    for one in all {
        let key = one.text.to_lowercase();
        let (newest, places) = said.entry(key).or_insert_with(|| (one.clone(), BTreeSet::new()));
        places.insert(one.place.clone());
        if one.date > newest.date {
            *newest = one;
        }
    }
    let mut said: Vec<(PastStatement, usize)> =
        said.into_values().map(|(one, places)| (one, places.len())).collect();
    said.sort_by(|(a, often), (b, other)| {
        let is_mistake = |one: &PastStatement| one.category == "mistake";
        (other, is_mistake(b), &b.date, &a.text).cmp(&(often, is_mistake(a), &a.date, &b.text))
    });
    let item = |(one, often): (PastStatement, usize)| ExchangeItem {
        place: one.source.clone(),
        category: Some(one.category.to_owned()),
        text: one.text,
        cue: Some(Cue::Behavioral),
        source: Some(if often > 1 {
            format!("{}, and {} more", one.source, often - 1)
        } else {
            one.source
        }),
        often: u32::try_from(often).unwrap_or(u32::MAX),
        ..ExchangeItem::default()
    };
    said.into_iter().map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::transcript;

    #[test]
    fn commits_that_take_back_and_decide() {
        let commit = |id, message| CommitMessage { id, date: "2026-06-01", message };
        let found = of_commits(&[
            commit("9", "Tidy"),
            commit("8", "Reapply \"Use gRPC\"\n\nIt works with the new proxy after all."),
            commit(
                "7",
                "Revert \"Cache sessions in Redis\"\n\nThis reverts commit 1a2b.\n\nRedis loses sessions on failover; keep them in\nPostgres. Seen twice.\n\nSigned-off-by: A <a@example.invalid>",
            ),
            commit(
                "6",
                "Revert \"Use gRPC\"\n\nThe proxy does not let it through.\n\nRun-In: north\nRole: crew",
            ),
            commit("5", "Revert \"Bump\"\n\nThis reverts commit 77."),
            commit("4", "Revert \"Revert \"Old\"\"\n\nBecause we need the old one."),
            commit(
                "3",
                "Store orders in SQLite\n\nWe chose SQLite over Postgres because deployments are single-node.\nIt is fast.\n\n- list item that we chose over others because\n",
            ),
        ]);
        let texts: Vec<(&str, &str)> =
            found.iter().map(|one| (one.category, one.text.as_str())).collect();
        assert_eq!(
            texts,
            [
                (
                    "mistake",
                    "Taken back: Cache sessions in Redis. Redis loses sessions on failover; keep them in Postgres."
                ),
                ("decision", "We chose SQLite over Postgres because deployments are single-node."),
            ]
        );
        assert_eq!(found[0].source, "reverted in commit 7 of 2026-06-01");
    }

    #[test]
    fn records_of_decisions() {
        let text = |text: &str| of_record("docs/adr/0005-queue.md", text).map(|one| one.text);
        let whole = "# 5. Use a table as the queue\n\n## Status\n\nAccepted\n\n## Context\n\nx\n\n## Decision\n\nJobs are rows that\nworkers lock. More.\n";
        assert_eq!(
            text(whole).as_deref(),
            Some("Use a table as the queue: Jobs are rows that workers lock.")
        );
        assert_eq!(text(&whole.replace("Accepted", "Superseded by 7")), None);
        assert_eq!(
            text("# ADR-007: Use `pnpm`\n\n* Status: accepted\n").as_deref(),
            Some("Use `pnpm`")
        );
        assert_eq!(text("# Use npm\n\n- **Status**: rejected\n"), None);
        assert_eq!(text("no heading"), None);
    }

    /// Returns the lines of a fixture.
    fn lines(text: &str) -> Vec<&str> {
        text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect()
    }

    /// Something that is said beside a statement: the `n`th.
    fn other(all: &[&str], n: usize) -> String {
        let things =
            ["login form", "export dialog", "price table", "search box", "sidebar", "chart", "map"];
        let files = ["src/api/orders.ts", "lib/parse.py", "App.vue", "server.go", "models/user.rb"];
        let text = all[n % all.len()].replace("{thing}", things[n / all.len() % things.len()]);
        let text = text.replace("{file}", files[n % files.len()]);
        let text = text.replace("{number}", &(2 + n * 7 % 90).to_string());
        if text.ends_with(['.', '?']) { text } else { text + "." }
    }

    #[test]
    fn what_was_stated_in_sessions() {
        const LOG: &str = "thread 'main' panicked at src/pool.rs:88:17:\ncalled `Result::unwrap()` on an \
            `Err` value: Timeout\n   2: pool::acquire\n             at ./src/pool.rs:88:17\n\
            2026-05-02T10:11:12Z ERROR request failed status=500";
        let statements = lines(include_str!("../../../../fixtures/history/statements.txt"));
        let others = lines(include_str!("../../../../fixtures/history/others.txt"));
        let mut said = 0;
        let mut next = || {
            said += 1;
            other(&others, said - 1)
        };
        let mut messages: Vec<(String, Option<&str>)> = Vec::new();
        for (at, statement) in statements.iter().copied().enumerate() {
            let text = match at % 5 {
                0 => statement.to_owned(),
                1 => format!("{} {statement}.", next()),
                2 => format!("{statement}. {}", next()),
                3 => format!("{}\n\n{LOG}\n\n{statement}.", next()),
                _ => format!("{} {statement}. {}", next(), next()),
            };
            messages.push((text, Some(statement)));
        }
        messages.extend((0..1_900).map(|_| (next(), None)));
        let (mut hits, mut live, mut wrong) = (0, 0, String::new());
        for (n, (text, statement)) in messages.iter().enumerate() {
            let typed = |role, text: &str| Message { role, text: text.to_owned(), when: None };
            let answer = statement.unwrap_or("We always use tabs here");
            let messages = [typed(Role::User, text), typed(Role::Assistant, answer)];
            let is_it = |found: &String| {
                statement.is_some_and(|said| {
                    let (said, found) = (said.to_lowercase(), found.to_lowercase());
                    found.len() > 14 && (said.contains(&found) || found.contains(&said))
                })
            };
            let past = of_session("claude", &n.to_string(), &messages);
            let said =
                preference::find_heard(text, Hearing::Lasting).into_iter().map(|one| one.text);
            let (right, other): (Vec<_>, Vec<_>) =
                past.into_iter().map(|one| one.text).partition(is_it);
            let (heard, misheard): (Vec<_>, Vec<_>) = said.partition(is_it);
            hits += usize::from(!right.is_empty());
            live += usize::from(!heard.is_empty());
            wrong.extend(other.iter().chain(&misheard).map(|one| format!("{one}\n")));
        }
        // Of the past, and in a session, where it waits as well unless it says that it is a rule.
        let is_enough = hits >= 168 && live >= 165;
        assert!(is_enough, "{hits} and {live} of {}", statements.len());
        assert!(wrong.lines().count() <= 2, "{wrong}");
    }

    #[test]
    fn words_of_people_only_and_what_is_said_often_first() {
        let line = |session: &str, role: &str, text: &str| {
            let said = serde_json::json!({"type": role, "sessionId": session, "cwd": "/p", "uuid": text,
                "timestamp": "2026-06-01T10:00:00Z", "message": {"role": role, "content": text}});
            format!("{said}\n")
        };
        let rule = "From now on, always use pnpm here, never npm.";
        let sessions = [
            line("a", "user", "Never log tokens or cookies") + &line("a", "user", rule),
            line("b", "user", rule)
                + &line("b", "user", rule)
                + &line("b", "assistant", "From now on I prefer yarn."),
        ];
        let mut all = Vec::new();
        for session in sessions {
            let (session, messages) = transcript::read(session.as_bytes()).unwrap();
            all.extend(of_session(
                session.format.name(),
                session.id.as_deref().unwrap(),
                &messages,
            ));
        }
        let items = items(all);
        assert_eq!(items.len(), 2, "{items:?}");
        let kinds = |text: &str| {
            let said = Message { role: Role::User, text: text.to_owned(), when: None };
            of_session("claude", "a", &[said]).first().map(|one| one.category)
        };
        assert_eq!(kinds("the sandbox resets at midnight"), Some("lesson"));
        assert_eq!(kinds("we use zod for every external input"), Some("pattern"));
        assert_eq!(kinds("always use the wrapper script ./dev"), Some("preference"));
        assert!(items[0].text.contains("pnpm") && items[0].often == 2, "{items:?}");
        assert_eq!(
            items[0].source.as_deref(),
            Some("said in a session of claude on 2026-06-01, and 1 more")
        );
    }
}
