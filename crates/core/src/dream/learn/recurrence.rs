//! Draws conclusions from new statements and those of earlier sessions.

use std::collections::BTreeMap;

use super::{
    HeardStatement, StatementSource,
    said_before::{KnownStatement, SaidBefore, StatementPlace},
};
use crate::{
    language::statement::{Statement, StatementKind},
    model::{event::Cue, time::Timestamp},
};

/// Number of sessions from which on any repeated sentence is a pattern.
const SESSIONS: usize = 3;
/// Number of fixes from which on a statement is a recurring mistake.
const FIXES: usize = 2;
/// Maximum number of places named in a reason.
const NAMED: usize = 4;

/// A statement that becomes an entry, or evidence for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conclusion {
    /// Category of the entry.
    pub category: &'static str,
    pub cue: Cue,
    pub text: String,
    /// What was said and where, on one line.
    pub reason: String,
    /// Ids of the sessions and days that support it and no earlier conclusion.
    pub sources: Vec<String>,
    /// The last time it was said, if known.
    pub said: Option<Timestamp>,
    /// The reason why the text may have been pasted. Such a conclusion is only listed in a plan.
    pub pasted: Option<&'static str>,
    /// True if it was concluded before. It is then evidence for the existing entry; if the entry is
    /// gone, it is not added again.
    pub again: bool,
}

/// Draws conclusions from new statements. A conclusion is new once; in later sessions it is
/// evidence. Sessions with few exchanges are ignored.
pub fn conclude(memory: &mut SaidBefore, heard: &[HeardStatement]) -> Vec<Conclusion> {
    let mut heard: Vec<&HeardStatement> = heard.iter().filter(|heard| heard.counts()).collect();
    heard.sort_by(|a, b| {
        let key = |heard: &'_ HeardStatement| (heard.source.when, heard.source.kind);
        key(a).cmp(&key(b)).then_with(|| a.source.id.cmp(&b.source.id))
    });
    let mut index = memory.index();
    let mut touched: BTreeMap<usize, Vec<StatementPlace>> = BTreeMap::new();
    for HeardStatement { source, statements, sentences, .. } in &heard {
        let place = StatementPlace::of(source);
        let statements =
            statements.iter().map(|found| (&found.text, Some(found.kind), found.again));
        for (text, kind, again) in
            statements.chain(sentences.iter().map(|text| (text, None, false)))
        {
            let news = memory.note(&mut index, &place, text, kind, again);
            let Some((at, new)) = news else { continue };
            let places = touched.entry(at).or_default();
            places.extend(new.then(|| place.clone()));
        }
    }
    let mut drawn = Vec::new();
    for (at, places) in touched {
        drawn.extend(memory.known.get_mut(at).and_then(|known| draw(known, &places)));
    }
    memory.shrink();
    drawn.sort_by(|(a, one), (b, other)| a.cmp(b).then_with(|| one.text.cmp(&other.text)));
    let mut drawn: Vec<Conclusion> = drawn.into_iter().map(|(_, conclusion)| conclusion).collect();
    for HeardStatement { source, pasted, .. } in heard {
        for (statement, why) in pasted {
            let known = drawn.iter().any(|one| one.text == statement.text);
            drawn.extend((!known).then(|| left_out(source, statement, why)));
        }
    }
    drawn
}

/// Returns the conclusion that a plan lists for a possibly pasted statement.
fn left_out(source: &StatementSource, statement: &Statement, why: &'static str) -> Conclusion {
    let place = StatementPlace::of(source);
    Conclusion {
        category: statement.kind.category(),
        cue: Cue::Behavioral,
        text: statement.text.clone(),
        reason: format!("{} in {}", statement.kind.category(), named(std::slice::from_ref(&place))),
        sources: vec![place.id],
        said: source.when,
        pasted: Some(why),
        again: false,
    }
}

/// Returns the conclusion from a statement that was made in the places `new`.
fn draw(known: &mut KnownStatement, new: &[StatementPlace]) -> Option<(StatementKind, Conclusion)> {
    let kind = known.kind();
    let enough = match kind {
        None => known.sessions() >= SESSIONS,
        Some(StatementKind::Mistake) => known.again || known.occasions() >= FIXES,
        Some(_) => true,
    };
    let again = known.drawn;
    known.drawn |= enough;
    let rests_on = if again { new } else { known.places.as_slice() };
    if !enough || rests_on.is_empty() {
        return None;
    }
    let what = match kind {
        None => "repeated request",
        Some(StatementKind::Preference) => "preference",
        Some(StatementKind::Lesson) => "correction",
        Some(StatementKind::Mistake) => "repeated mistake",
        Some(StatementKind::Pattern) => "convention",
        Some(StatementKind::Decision) => "choice",
        Some(StatementKind::Done) => "finished work",
    };
    let recurs = known.sessions() >= SESSIONS;
    let kind = kind.unwrap_or(StatementKind::Pattern);
    let conclusion = Conclusion {
        category: kind.category(),
        cue: if recurs { Cue::Recurrence } else { Cue::Behavioral },
        text: known.text.clone(),
        reason: format!("{what} {}in {}", if again { "again " } else { "" }, named(rests_on)),
        sources: rests_on.iter().map(|place| place.id.clone()).collect(),
        said: rests_on.iter().filter_map(StatementPlace::when).max(),
        pasted: None,
        again,
    };
    Some((kind, conclusion))
}

/// Returns the places in words for a reason.
fn named(places: &[StatementPlace]) -> String {
    let name = |place: &StatementPlace| {
        let plain = |text: &str, most: usize| -> String {
            text.chars()
                .filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c))
                .take(most)
                .collect()
        };
        match &place.agent {
            _ if place.log => format!("the log of {}", plain(&place.id, 10)),
            Some(agent) => format!("{} session {}", plain(agent, 20), plain(&place.id, 8)),
            None => format!("session {}", plain(&place.id, 8)),
        }
    };
    let names: Vec<String> = places.iter().take(NAMED).map(name).collect();
    match places.len().saturating_sub(NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}
