//! The documents that `--json` prints: one type per schema. Human-readable output is rendered from
//! the same types.

pub mod factors;

use std::{borrow::Cow, cell::OnceCell, fmt::Display};

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::view::factors::Factors;
use pimem_core::{
    gate::{self, Facts, Verdict},
    model::{
        category::Categories,
        entry::{self, EntryId},
        hash::IdMap,
        mirror,
        operation::UserState,
        time::{Now, Timestamp},
    },
    report::{
        budget::thousands, explain::Arithmetic, replaced::ReplacedMarks, select::ReportVerdict,
    },
    score::{
        access::Access,
        caps::CapPlace,
        ranking::{self, Ranking, Scope, ScoredEntry},
        stability::{Standing, State},
    },
};

/// Names the schemas of documents.
macro_rules! documents {
    ($($view:ident: $schema:literal),* $(,)?) => {
        $(
            impl $crate::view::Document for $view {
                fn schema(&self) -> &'static str {
                    $schema
                }
            }
        )*
    };
}

/// A document printed by `--json`.
pub trait Document: Serialize {
    /// Returns the schema with its version: `pimem.topics/1`.
    fn schema(&self) -> &'static str;
}

/// A document in its printed form, with the schema first.
#[derive(Serialize)]
pub struct Tagged<'a, D> {
    schema: &'static str,
    #[serde(flatten)]
    document: &'a D,
}

impl<'a, D: Document> Tagged<'a, D> {
    pub fn new(document: &'a D) -> Self {
        Self { schema: document.schema(), document }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryView {
    /// The id, 16 hexadecimal digits.
    pub id: String,
    /// Shortest unique prefix of the id.
    pub short: String,
    pub category: String,
    /// Text, without markers, and with secrets masked.
    pub text: String,
    /// What it is asked for as besides, with secrets masked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
    /// Where it counts and what it forbids, as it stands in its markers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// Stability, 9999 if pinned, 0 if forgotten; serialised with six decimals.
    #[serde(serialize_with = "six_decimals")]
    pub score: f64,
    /// `active`, `provisional` and so on.
    pub state: &'static str,
    /// True if the entry is too young to be judged.
    pub fresh: bool,
    /// Decision of the user.
    pub user_state: &'static str,
    pub evidence: u64,
    /// Kind of evidence it was learned from.
    pub cue: &'static str,
    /// RFC 3339.
    #[serde(serialize_with = "displayed")]
    pub first_seen: Timestamp,
    /// RFC 3339.
    #[serde(serialize_with = "displayed")]
    pub last_reinforced: Timestamp,
    /// `project`, `user` or `team`; of a project's store further up, the way there: `..`.
    pub scope: &'static str,
    /// Who wrote a line of a mirror, if not the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Project of a line of a mirror.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Stem of the topic file.
    pub topic: String,
    /// Line in the topic file, from 1.
    pub line: usize,
    /// Branch of another work tree that it was learned on, and is not merged from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Last moment of validity, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// Id of the newer choice that seems to replace it, where that is looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seems_replaced_by: Option<String>,
    /// `false` if it was neither written nor reviewed on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewed: Option<bool>,
    /// The kind of secret that the text holds, for which no agent is told it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<&'static str>,
    /// True if no agent is told it, for whatever reason.
    #[serde(skip)]
    pub withheld: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    /// Annotation of the state: `pinned`, `fresh` and so on.
    #[serde(skip)]
    pub mark: Option<&'static str>,
}

/// Annotation of an entry that counts in another place.
const ELSEWHERE: &str = "elsewhere";

impl EntryView {
    /// Returns the file and the line where it stands.
    #[must_use]
    pub fn location(&self) -> String {
        if let Some(branch) = &self.branch {
            return format!("learned on {branch}, not merged");
        }
        let folder = if self.archived { "archive" } else { "topics" };
        let file = format!("{folder}/{}.md:{}", self.topic, self.line);
        let is_above = self.scope.starts_with("..");
        if is_above { format!("{}/.pi/memory/{file}", self.scope) } else { file }
    }

    /// Formats the entry as `[lesson] text (1a2b3c4)`.
    pub fn line(&self) -> String {
        format!("[{}] {} ({}){}", self.category, self.text, self.short, self.replaced_mark())
    }

    /// Returns what is said of an entry that seems to be replaced, as a search does.
    pub fn replaced_mark(&self) -> String {
        self.seems_replaced_by.as_ref().map_or_else(String::new, |by| {
            let short = by.get(..7).unwrap_or(by);
            format!(" (seems replaced by {short})")
        })
    }

    /// Returns what is said of an entry of another work tree: ` (on feature, not merged)`.
    pub fn branch_mark(&self) -> String {
        entry::on_branch(self.branch.as_deref())
    }

    /// Returns what is said of an entry that is asked for as something, and of its rules:
    /// ` (asked: time zone) (place: src/**)`.
    pub fn asides_mark(&self) -> String {
        let asked = self.asked.join("; ");
        let asked = Some(format!(" (asked: {asked})")).filter(|_| !self.asked.is_empty());
        let rules = self.rules.iter().map(|rule| format!(" ({rule})"));
        asked.into_iter().chain(rules).collect()
    }

    /// Returns the label of a line of a mirror: `anna, payments`.
    pub fn label(&self) -> Option<String> {
        let project = self.project.as_deref()?;
        Some(mirror::label(self.author.as_deref(), project))
    }

    /// Formats the state with its annotation: `active (fresh)`.
    pub fn described_state(&self) -> String {
        let mark = self.mark.map_or_else(String::new, |mark| format!(" ({mark})"));
        format!("{}{mark}", self.state)
    }

    /// Returns what would bring it into the report where no command does.
    pub fn otherwise(&self) -> &'static str {
        if self.mark == Some(ELSEWHERE) { "work in its place" } else { "more room" }
    }

    /// Formats the score as 9999, as 0, or with three decimals.
    pub fn formatted_score(&self) -> String {
        match self.user_state {
            "pinned" | "forgotten" => format!("{:.0}", self.score),
            _ => format!("{:.3}", self.score),
        }
    }
}

/// Renders entries of one ranking.
pub struct Entries<'a> {
    categories: &'a Categories,
    now: Now,
    ranking: &'a Ranking,
    /// Entries of mirrors.
    others: Vec<EntryId>,
    /// Entries that seem to be replaced, where that is looked for.
    replaced: Option<ReplacedMarks<'a>>,
    short: OnceCell<IdMap<EntryId, String>>,
}

impl<'a> Entries<'a> {
    /// Returns a renderer. Short ids are unique among the entries of the ranking.
    pub fn new(now: Now, categories: &'a Categories, ranking: &'a Ranking) -> Self {
        let (others, replaced) = (Vec::new(), None);
        Self { categories, now, ranking, others, replaced, short: OnceCell::new() }
    }

    /// Keeps short ids unique among these entries too.
    #[must_use]
    pub fn beside(self, others: Vec<EntryId>) -> Self {
        Self { others, ..self }
    }

    /// Marks entries that seem to be replaced, as a search does.
    #[must_use]
    pub fn marking_replaced(self) -> Self {
        Self { replaced: Some(ReplacedMarks::new(self.ranking, self.categories)), ..self }
    }

    fn seems_replaced_by(&self, row: &ScoredEntry) -> Option<EntryId> {
        let marks = self.replaced.as_ref().filter(|_| row.entry.scope != Scope::Team)?;
        marks.of(row.entry.id)
    }

    /// Returns the fate of an entry; of one that seems to be replaced, where that is looked for.
    pub fn verdict(&self, row: &ScoredEntry) -> Verdict {
        Facts { yields_to: self.seems_replaced_by(row), ..row.facts() }.verdict()
    }

    /// Returns the shortest unique prefix of an id.
    pub fn short(&self, id: EntryId) -> String {
        let own = self.ranking.rows.iter().map(|row| row.entry.id);
        let ids = || ranking::short_ids(own.chain(self.others.iter().copied()));
        let short = self.short.get_or_init(ids);
        short.get(&id).cloned().unwrap_or_else(|| id.to_string())
    }

    /// Returns an entry with its verdict in the report.
    pub fn judged(&self, row: &ScoredEntry, verdict: &ReportVerdict) -> JudgedEntry {
        let (shown, reason) = (verdict.shown(), verdict.to_string());
        let wants_room = verdict.wants_room();
        JudgedEntry { entry: self.entry(row), shown, reason, wants_room, factors: None }
    }

    pub fn accessed(&self, row: &ScoredEntry, accessed: Access) -> AccessedEntry {
        let last_accessed = accessed.last.map(|last| last.to_string());
        let (entry, age) = (self.entry(row), self.age(row));
        AccessedEntry { entry, access_count: accessed.count, last_accessed, age }
    }

    pub fn factors(&self, row: &ScoredEntry) -> Factors {
        let spec = self.categories.spec(row.entry.category);
        Factors::of(row, || Arithmetic::of(row, spec))
    }

    pub fn category(&self, row: &ScoredEntry) -> &str {
        &self.categories.spec(row.entry.category).name
    }

    /// Formats an entry as `[lesson] text (1a2b3c4)`.
    pub fn line(&self, row: &ScoredEntry) -> String {
        let (text, short) = (told(row), self.short(row.entry.id));
        format!("[{}] {text} ({short})", self.category(row))
    }

    pub fn state(row: &ScoredEntry) -> String {
        let mark = Self::mark(row).map_or_else(String::new, |mark| format!(" ({mark})"));
        format!("{}{mark}", row.state.name())
    }

    /// Returns the annotation that distinguishes an entry from others in its state.
    pub fn mark(row: &ScoredEntry) -> Option<&'static str> {
        match row.standing {
            _ if !row.entry.reviewed => Some("unreviewed"),
            _ if row.entry.secret.is_some() => Some("secret"),
            _ if row.place == CapPlace::Elsewhere => Some(ELSEWHERE),
            Standing::Pinned => Some("pinned"),
            Standing::Forgotten => Some("forgotten"),
            Standing::Scored(_) if row.expired => Some("expired"),
            Standing::Scored(_) if row.superseded_by.is_some() => Some("replaced"),
            Standing::Scored(_) if row.place == CapPlace::Unset => Some("category not set"),
            Standing::Scored(_) => {
                // Active entries need no grace period, and entries with only harmful evidence get
                // none.
                let spared = row.fresh && row.state != State::Active && row.evidence.count > 0;
                spared.then_some("fresh")
            }
        }
    }

    /// Formats the score as 9999, as 0, or with three decimals.
    pub fn score(row: &ScoredEntry) -> String {
        match row.standing {
            Standing::Scored(score) => format!("{:.3}", score.get()),
            other => format!("{:.0}", other.shown()),
        }
    }

    pub fn entry(&self, row: &ScoredEntry) -> EntryView {
        EntryView {
            id: row.entry.id.to_string(),
            short: self.short(row.entry.id),
            category: self.category(row).to_owned(),
            text: told(row).into_owned(),
            asked: asked(row),
            rules: rules(row),
            branch: row.entry.branch.clone(),
            score: row.standing.shown(),
            state: row.state.name(),
            fresh: row.fresh,
            user_state: user_state(row).name(),
            evidence: row.evidence.count,
            cue: row.evidence.cue.name(),
            first_seen: row.evidence.first_seen,
            last_reinforced: row.evidence.last_reinforced,
            scope: row.entry.scope.name(),
            author: None,
            project: None,
            topic: row.entry.topic.clone(),
            line: row.entry.line,
            valid_until: row.evidence.until.map(|until| until.to_string()),
            superseded_by: row.superseded_by.map(|by| by.to_string()),
            seems_replaced_by: self.seems_replaced_by(row).map(|by| by.to_string()),
            reviewed: (!row.entry.reviewed).then_some(false),
            secret: row.entry.secret,
            withheld: row.withheld().is_some(),
            archived: false,
            mark: Self::mark(row),
        }
    }

    /// Returns the full view of an entry as JSON.
    pub fn json(&self, row: &ScoredEntry) -> Value {
        serde_json::to_value(self.entry(row)).unwrap_or_default()
    }

    /// Returns the time since the last reinforcement.
    pub fn age(&self, row: &ScoredEntry) -> String {
        self.now.since(row.evidence.last_reinforced).to_string()
    }
}

/// Returns the text of an entry for a person. A secret is masked even if nobody has reviewed it, and
/// in a line of a mirror, which no fact says it of.
pub fn told(row: &ScoredEntry) -> Cow<'_, str> {
    match row.entry.secret {
        None if row.entry.scope != Scope::Team => Cow::Borrowed(&row.entry.text),
        _ => gate::masked(&row.entry.text),
    }
}

/// Returns what an entry is asked for as. A line with a secret, and one of a mirror, shows none of it.
fn asked(row: &ScoredEntry) -> Vec<String> {
    let questions = row.entry.asides.asked.questions().iter();
    questions.map(|question| gate::masked(question).into_owned()).collect()
}

/// Returns the rules that an entry carries.
fn rules(row: &ScoredEntry) -> Vec<String> {
    let rules = row.entry.asides.rules.iter();
    rules.map(|rule| gate::masked(&rule.to_string()).into_owned()).collect()
}

/// Returns the user's decision, including markers in the Markdown.
pub fn user_state(row: &ScoredEntry) -> UserState {
    if row.standing == Standing::Pinned { UserState::Pinned } else { row.evidence.user }
}

/// Formats a count with its noun: `1 act`, `2,000 acts`.
pub fn count(number: usize, what: &str) -> String {
    format!("{} {what}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// Formats `1 entry` or `2 entries`.
pub fn counted(number: usize, one: &str, more: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { more })
}

/// Rounds to six decimals, which keeps JSON readable.
pub fn rounded(score: f64) -> f64 {
    (score * 1e6).round() / 1e6
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
pub(crate) fn six_decimals<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*number))
}

#[expect(clippy::ref_option, reason = "the signature is serde's")]
pub(crate) fn maybe_six_decimals<S: Serializer>(
    number: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    number.map(rounded).serialize(serializer)
}

/// Shortens a state with an annotation to one word: `fresh` for `candidate (fresh)`.
pub fn state_word(described: &str) -> &str {
    let marked = described.split_once(" (").and_then(|(_, mark)| mark.strip_suffix(')'));
    let word = |mark: &&str| !mark.contains(' ');
    marked.filter(word).or(described.split(' ').next()).unwrap_or_default()
}

/// Serialises a value by its `Display` form.
pub(crate) fn displayed<T: Display, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Appends ` (unreviewed)` to a text that was neither written nor reviewed on this machine.
pub fn mark_unreviewed(mut text: String, reviewed: bool) -> String {
    if !reviewed {
        text.push_str(" (unreviewed)");
    }
    text
}

/// Appends the label of a line of a mirror to its text, if it has one.
pub fn labelled(text: String, label: Option<String>) -> String {
    match label {
        Some(label) => format!("{text} ({label})"),
        None => text,
    }
}

/// Marks the lines of the user's store in a list with lines of both stores.
pub struct Whose {
    both: bool,
}

impl Whose {
    /// Creates the marker for a list whose lines come from the stores with these names.
    pub fn of<'a>(mut scopes: impl Iterator<Item = &'a str>) -> Self {
        let first = scopes.next();
        Self { both: scopes.any(|scope| Some(scope) != first) }
    }

    /// Appends ` (yours)` to a text of the user's store if the list has lines of both, and the way to
    /// its directory to one of a project's store further up.
    pub fn mark(&self, mut text: String, scope: &str) -> String {
        if self.both && scope == Scope::User.name() {
            text.push_str(" (yours)");
        } else if scope.starts_with("..") {
            text.push_str(" (of ");
            text.push_str(scope);
            text.push(')');
        }
        text
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorView {
    /// `usage`, `not-found`, `ambiguous`, `refused`, `config`, `io`, `locked` or `model`.
    pub kind: &'static str,
    /// One sentence.
    pub message: String,
    pub hints: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessedEntry {
    #[serde(flatten)]
    pub entry: EntryView,
    pub access_count: u64,
    /// Time of the last access, RFC 3339; `null` if never accessed.
    pub last_accessed: Option<String>,
    /// Age since the last reinforcement: `now`, `3d`.
    #[serde(skip)]
    pub age: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgedEntry {
    #[serde(flatten)]
    pub entry: EntryView,
    pub shown: bool,
    pub reason: String,
    /// True if it could be shown and only has no room.
    #[serde(skip)]
    pub wants_room: bool,
    /// Set if explanations were requested.
    #[serde(flatten)]
    pub factors: Option<Factors>,
}

documents! {
    ErrorView: "pimem.error/1",
}
