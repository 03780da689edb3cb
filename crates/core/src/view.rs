//! Values that commands show: one description of an entry for tables and JSON alike.

use std::cell::OnceCell;

use serde_json::{Map, Value, json};

use crate::{
    model::{category::Categories, entry::EntryId, hash::IdMap, time::Now},
    report::{budget::thousands, select::Verdict},
    score::{
        board::{self, Board, Row, Scope},
        evidence::UserState,
        stability::{Standing, State},
    },
    usage::sums::Access,
};

/// Renders entries of one board.
pub struct Entries<'a> {
    categories: &'a Categories,
    now: Now,
    board: &'a Board,
    short: OnceCell<IdMap<EntryId, String>>,
}

impl<'a> Entries<'a> {
    /// Short ids are unique among the board's entries.
    pub fn new(now: Now, categories: &'a Categories, board: &'a Board) -> Self {
        Self { categories, now, board, short: OnceCell::new() }
    }

    /// The shortest unique id prefix.
    pub fn short(&self, id: EntryId) -> String {
        let ids = || board::short_ids(self.board.rows.iter().map(|row| row.entry.id));
        let short = self.short.get_or_init(ids);
        short.get(&id).cloned().unwrap_or_else(|| id.to_string())
    }

    /// An entry as JSON, with what the report made of it.
    pub fn judged(&self, row: &Row, verdict: &Verdict) -> Value {
        let mut value = self.json(row);
        if let Some(fields) = value.as_object_mut() {
            fields.insert("shown".to_owned(), json!(verdict.shown()));
            fields.insert("reason".to_owned(), json!(verdict.to_string()));
        }
        value
    }

    /// An entry as JSON, with how often it was found or shown.
    pub fn accessed(&self, row: &Row, accessed: Access) -> Value {
        let mut value = self.json(row);
        if let Some(fields) = value.as_object_mut() {
            fields.insert("accessCount".to_owned(), json!(accessed.count));
            let last = accessed.last.map(|last| last.to_string());
            fields.insert("lastAccessed".to_owned(), json!(last));
        }
        value
    }

    /// The category's name.
    pub fn category(&self, row: &Row) -> &str {
        &self.categories.spec(row.entry.category).name
    }

    /// `[lesson] text (1a2b3c4)`.
    pub fn line(&self, row: &Row) -> String {
        let (text, short) = (&row.entry.text, self.short(row.entry.id));
        format!("[{}] {text} ({short})", self.category(row))
    }

    /// The state, with what sets it apart.
    pub fn state(row: &Row) -> String {
        let mark = Self::mark(row).map_or_else(String::new, |mark| format!(" ({mark})"));
        format!("{}{mark}", row.state.name())
    }

    /// What sets an entry apart from others in its state.
    pub fn mark(row: &Row) -> Option<&'static str> {
        match row.standing {
            _ if !row.entry.reviewed => Some("unreviewed"),
            Standing::Pinned => Some("pinned"),
            Standing::Forgotten => Some("forgotten"),
            Standing::Scored(_) if row.expired => Some("expired"),
            Standing::Scored(_) if row.superseded_by.is_some() => Some("superseded"),
            Standing::Scored(_) => {
                // Active ones need no mercy, and what has only done harm gets none.
                let spared = row.fresh && row.state != State::Active && row.evidence.count > 0;
                spared.then_some("fresh")
            }
        }
    }

    /// The score, as 9999, 0 or with three decimals.
    pub fn score(row: &Row) -> String {
        match row.standing {
            Standing::Scored(stability) => format!("{:.3}", stability.get()),
            other => format!("{:.0}", other.shown()),
        }
    }

    /// Everything about an entry.
    pub fn json(&self, row: &Row) -> Value {
        let mut out = Map::new();
        let mut put = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
        put("id", json!(row.entry.id.to_string()));
        put("short", json!(self.short(row.entry.id)));
        put("category", json!(self.category(row)));
        put("text", json!(row.entry.text));
        put("score", json!(rounded(row.standing.shown())));
        put("state", json!(row.state.name()));
        put("fresh", json!(row.fresh));
        put("userState", json!(user_state(row).name()));
        put("evidence", json!(row.evidence.count));
        put("cue", json!(row.evidence.cue.name()));
        put("firstSeen", json!(row.evidence.first_seen.to_string()));
        put("lastReinforced", json!(row.evidence.last_reinforced.to_string()));
        put("scope", json!(row.entry.scope.name()));
        put("topic", json!(row.entry.topic));
        put("line", json!(row.entry.line));
        if let Some(until) = row.evidence.until {
            put("validUntil", json!(until.to_string()));
        }
        if let Some(by) = row.superseded_by {
            put("supersededBy", json!(by.to_string()));
        }
        if !row.entry.reviewed {
            put("reviewed", json!(false));
        }
        Value::Object(out)
    }

    /// How long ago an entry was last reinforced.
    pub fn age(&self, row: &Row) -> String {
        self.now.since(row.evidence.last_reinforced).to_string()
    }
}

/// What the user decided, markers in the markdown included.
pub fn user_state(row: &Row) -> UserState {
    if row.standing == Standing::Pinned { UserState::Pinned } else { row.evidence.user }
}

/// `1 act`, `2,000 acts`.
pub fn count(number: usize, what: &str) -> String {
    format!("{} {what}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// Six decimals are enough for anybody, and keep JSON readable.
pub fn rounded(score: f64) -> f64 {
    (score * 1e6).round() / 1e6
}

/// Marks a text that was neither written nor reviewed on this machine.
pub fn mark_unreviewed(mut text: String, reviewed: bool) -> String {
    if !reviewed {
        text.push_str(" (unreviewed)");
    }
    text
}

/// Says whose a line is, where a list has lines of both stores.
pub struct Whose {
    both: bool,
}

impl Whose {
    /// For a list with lines of these stores.
    pub fn of(scopes: &(impl Iterator<Item = Scope> + Clone)) -> Self {
        let has = |wanted| scopes.clone().any(|scope| scope == wanted);
        Self { both: has(Scope::User) && has(Scope::Project) }
    }

    /// The text, marked if it is of the user's store and others are not.
    pub fn mark(&self, mut text: String, scope: Scope) -> String {
        if self.both && scope == Scope::User {
            text.push_str(" (yours)");
        }
        text
    }
}
