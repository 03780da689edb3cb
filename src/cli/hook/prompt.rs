//! The user has said something: what it brings to mind, and what it tells about the user.

use std::collections::HashSet;

use super::{
    call::{Answer, Call, Shown, hash},
    start,
};
use crate::{
    cli::{
        error::Failure,
        find::{self, Hit},
        learning::{self, What},
        recalled,
        wanted::Wanted,
    },
    model::entry::EntryId,
    recall::{bm25::Query, corpus::SourceKind, gate},
    store::session::{self, Note},
};

/// Past sessions that a prompt brings to mind.
const SESSIONS: usize = 3;
/// Summaries that are read beyond those shown. They are long, and the first look ranks them well.
const READ: usize = 8;
/// Summaries that are looked past because they were shown.
const MANY: usize = 16;
/// Least characters of a message that a summary of the session may use.
const SAID: usize = 15;
/// Preferences that are learned from one session, at most: pasted text may look like them.
const PREFERENCES: usize = 20;
/// Messages of a session that are kept for its summary, at most.
const MESSAGES: usize = 40;

/// What a prompt brings to mind that the session has not seen yet.
pub(super) fn prompt(call: &Call<'_>) -> Answer {
    let mut answer = Answer::default();
    if !call.listens() {
        return answer;
    }
    // The first hook of a session brings the report, also where none is called at its start.
    if call.has_session() && !call.known().reported {
        answer = start::memories(call);
    }
    // A later call of the model within a turn has no new prompt.
    if call.input.invocation > 0 {
        return answer;
    }
    let prompt = call.input.prompt.as_deref().unwrap_or_default();
    if !gate::is_trivial(prompt) {
        let there = answer.entries.iter().map(|shown| shown.id).collect();
        answer.extend(recall(call, prompt, there));
    }
    answer
}

fn recall(call: &Call<'_>, prompt: &str, there: HashSet<EntryId>) -> Answer {
    let (ctx, known) = (call.ctx, call.known());
    let query = Query::from_prompt(prompt);
    let mut except = known.seen.clone();
    except.extend(there);
    let limit = usize::try_from(ctx.config.whole("recall.limit")).unwrap_or(usize::MAX);
    let entries = Wanted {
        except: Some(&except),
        ..Wanted::recall(ctx, &query, limit.saturating_mul(2), &[SourceKind::Topic])
    };
    let more = SESSIONS + known.texts.len().min(MANY);
    let sessions = Wanted {
        pool: Some(READ + more),
        ..Wanted::recall(ctx, &query, more, &[SourceKind::Session])
    };
    let mut found = find::find_each(ctx, &call.stores, &[entries, sessions]).into_iter();
    let (entries, sessions) = (found.next().unwrap_or_default(), found.next().unwrap_or_default());
    let mut answer = Answer { stale: entries.stale, ..Answer::default() };
    let hits = recalled::alive(ctx, &call.stores, entries.hits, limit);
    if !hits.is_empty() {
        answer.text.push_str("# Contextually Relevant Memories\n\n");
        for hit in hits {
            answer.text.push_str(&recalled::line(ctx, &hit));
            answer.entries.extend(shown(hit));
        }
    }
    let unseen = |hit: &Hit| !known.texts.contains(&hash(&hit.text));
    let sessions: Vec<Hit> = sessions.hits.into_iter().filter(unseen).take(SESSIONS).collect();
    if !sessions.is_empty() {
        let gap = if answer.text.is_empty() { "" } else { "\n" };
        answer.text.push_str(gap);
        answer.text.push_str("# Relevant Past Sessions\n\n");
        answer.sessions = sessions.len();
        for hit in sessions {
            answer.text.push_str(&recalled::session_line(&hit));
            answer.others.push(hit.text);
        }
    }
    answer
}

/// An entry that was found.
pub(super) fn shown(hit: Hit) -> Option<Shown> {
    Some(Shown { id: hit.entry?, text: hit.text, score: Some(hit.score) })
}

/// Keeps what the user said for a summary, and learns preferences from it.
pub(super) fn learn(call: &Call<'_>) -> Result<(), Failure> {
    let said = call.prompt();
    let usable = said.chars().count() >= SAID && !gate::is_trivial(&said);
    if usable && call.known().said.len() < MESSAGES {
        call.note(&[Note::Said { text: said }]);
    }
    let most = PREFERENCES.saturating_sub(call.known().learned);
    let (Some(prompt), Some(home)) = (&call.input.prompt, call.home()) else { return Ok(()) };
    if most == 0 || call.input.invocation > 0 {
        return Ok(());
    }
    let learned = learning::learn(call.ctx, home, prompt, most, call.who())?;
    // Whoever said it need not be told.
    let known = learned.iter().filter(|learned| learned.what != What::Recent);
    let ids: Vec<EntryId> = known.filter_map(|learned| learned.id).collect();
    if !ids.is_empty() {
        let seen = session::seen(ids.iter().copied(), Vec::new());
        call.note(&[Note::Learned { count: ids.len() }]);
        call.note(seen.as_slice());
    }
    Ok(())
}
