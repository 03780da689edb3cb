//! The day's context for a session that starts: open items, the newest handoff, the log, and notes.

use pimem_core::{
    markdown::handoff as blocks,
    report::working::{AT_HAND, AtHand, WorkingPart, at_hand},
    safety::safe_text::SafeText,
};
use pimem_engine::{
    local_time,
    memory::{
        handoff::{self, LeftByAgent},
        report,
        trust::TrustNotes,
    },
    store::{Store, notes},
};

use super::{
    answer::{HookAnswer, ShownText},
    call::{Call, hash},
    start::StartExtent,
};
use crate::agents::hook_input::PromptSource;

/// Characters of the agent's limit that the report leaves for the day's context.
pub(crate) const RESERVED: usize = 1500;

/// Collects the day's context. Unreadable files are skipped, because a hook has no place to report
/// them.
pub(crate) fn sources(call: &Call<'_>) -> AtHand {
    let today = local_time::local(call.ctx.now.0).date;
    let shown = TrustNotes::new(call.ctx, &call.stores);
    let read = |name: &str, read: &dyn Fn(&Store) -> Option<String>| {
        let stores =
            call.stores.iter().enumerate().filter(|(number, _)| shown.shows(*number, name));
        let texts = stores.filter_map(|(_, store)| read(store));
        let texts: Vec<String> = texts.filter(|text| !text.trim().is_empty()).collect();
        texts.join("\n\n")
    };
    let scratchpad = read(notes::SCRATCHPAD, &|store| report::open_items(store).ok());
    let log = [today, today.yesterday()].into_iter().find_map(|date| {
        let name = notes::daily(date);
        let text = read(&name, &|store| {
            let end = store.tail(&name, report::READ).ok()??;
            Some(store.trust.told(&blocks::without_blocks(&end)).into_owned())
        });
        (!text.is_empty()).then_some((date, text))
    });
    let list_is_known = list_is_known(call, &shown);
    let known = [log.as_ref().map_or("", |(_, log)| log), scratchpad.as_str()];
    let news = |left: &LeftByAgent<'_>| of_handoff(&left.told(), &known, list_is_known);
    let handoff = left(call, |left| !news(left).is_empty()).map(|left| (left.at, news(&left)));
    let notes = read(notes::NOTES, &|store| report::notes(store).ok());
    AtHand { scratchpad, handoff, log, notes }
}

/// Returns the lines of a handoff that are not in the texts shown beside it. Its open items are
/// dropped if the current list is shown, which is more recent.
fn of_handoff(block: &str, known: &[&str], list_is_known: bool) -> String {
    let is_wanted = |line: &&str| !list_is_known || !line.starts_with("- [ ] ");
    let block: Vec<&str> = block.lines().filter(is_wanted).collect();
    let news = blocks::news(&block.join("\n"), known);
    let is_said = |line: &&str| !line.starts_with("<!--") && !line.starts_with("## ");
    news.lines().filter(is_said).collect::<Vec<_>>().join("\n")
}

/// Returns true if there is a list of items and every such list is shown.
fn list_is_known(call: &Call<'_>, shown: &TrustNotes<'_>) -> bool {
    let has_list = |store: &Store| !matches!(store.file(notes::SCRATCHPAD), Ok(None));
    let lists = call.stores.iter().enumerate().filter(|(_, store)| has_list(store));
    let mut lists = lists.map(|(number, _)| number).peekable();
    lists.peek().is_some() && lists.all(|number| shown.shows(number, notes::SCRATCHPAD))
}

/// Returns the newest handoff for which `says` is true. After a compaction, only handoffs of this
/// session count.
fn left<'a>(
    call: &'a Call<'_>,
    says: impl Fn(&LeftByAgent<'_>) -> bool,
) -> Option<LeftByAgent<'a>> {
    let (ctx, stores) = (call.ctx, &call.stores);
    let found = if call.input.source == PromptSource::Compact {
        let id = call.session_id().as_deref().map(blocks::short_id);
        let known = &call.known().handoffs;
        handoff::newest_within(ctx, stores, handoff::KEPT, |left| {
            let its_own = known.is_empty() || known.contains(&hash(&left.text));
            left.session == id && its_own && left.is_ours() && says(left)
        })
    } else {
        handoff::newest_within(ctx, stores, handoff::RECENT, |left| {
            // Deciding this reads the whole log.
            says(left) && (left.is_ours() || ctx.shows_notes(left.store, &left.log))
        })
    };
    found.ok().flatten()
}

/// Returns the day's context beside a text of `taken` characters. News are
/// the parts that the session has not seen.
pub(crate) fn answer(
    call: &Call<'_>,
    sources: &AtHand,
    taken: usize,
    extent: StartExtent,
) -> HookAnswer {
    let limit = call.agent.limit();
    let room = call.ctx.config.settings.hook.working_chars;
    let mut room = room.min(limit.most().saturating_sub(taken));
    loop {
        let seen = |part: &WorkingPart| {
            extent == StartExtent::News && call.known().texts.contains(&hash(&part.text))
        };
        let parts: Vec<WorkingPart> =
            at_hand(sources, room).into_iter().filter(|p| !seen(p)).collect();
        if parts.is_empty() {
            return HookAnswer::default();
        }
        let mut answer = HookAnswer::default();
        answer.push_all(&SafeText::fixed(AT_HAND), None);
        for part in parts {
            answer.push_all(&part.render(), Some(ShownText::Passage(part.text.to_string())));
        }
        // The limit may be in bytes, while `room` is in characters.
        if taken + answer.size(limit) > limit.most() && room > 0 {
            room = room.min(answer.chars()) * 9 / 10;
            continue;
        }
        return answer;
    }
}
