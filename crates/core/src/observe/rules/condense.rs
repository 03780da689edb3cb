//! Shortens the observations of a long conversation to a share of its length.
//!
//! What the user said stays, and so does the outcome of each turn, the agent's last report. Texts
//! are cut and the agent's other notes dropped in steps, the least important first, until the rest
//! fits.

use crate::{
    language::preference,
    observe::document::{
        Below, ImportanceMark, Observations, ObservedItem, ObservedLine, ObservedNote,
    },
};

/// Observations take at most one part in this many of what they are made from.
const SHARE: usize = 4;
/// Characters of a conversation up to which it is not condensed: 8,000 tokens.
const SHORT: usize = 32_000;

/// How much of a turn stays.
struct Step {
    /// Characters of an observation.
    longest: usize,
    /// The least mark of the agent's notes that are not reports.
    least: ImportanceMark,
    reports: usize,
}

const STEPS: [Step; 6] = [
    Step { longest: 240, least: ImportanceMark::Info, reports: 8 },
    Step { longest: 160, least: ImportanceMark::Info, reports: 8 },
    Step { longest: 160, least: ImportanceMark::Maybe, reports: 6 },
    Step { longest: 160, least: ImportanceMark::Important, reports: 4 },
    Step { longest: 160, least: ImportanceMark::Important, reports: 2 },
    Step { longest: 120, least: ImportanceMark::Important, reports: 1 },
];

/// Condenses the observations from a conversation of `chars` characters.
pub(super) fn condense(mut found: Observations, chars: usize) -> Observations {
    if chars <= SHORT {
        return found;
    }
    for step in &STEPS {
        if found.to_string().chars().count() <= chars / SHARE {
            break;
        }
        for line in found.days.iter_mut().flat_map(|day| &mut day.lines) {
            if let ObservedLine::Item(item) = line {
                shorten(item, step);
            }
        }
    }
    found
}

/// Drops notes of an item, the first ones of their kind first, and cuts all texts.
fn shorten(item: &mut ObservedItem, step: &Step) {
    let mut notes = vec![item.note.clone()];
    let mut others = Vec::new();
    for below in item.below.drain(..) {
        match below {
            Below::Note(_, note) => notes.push(note),
            other @ Below::Other(_) => others.push(other),
        }
    }
    let is_report = |note: &ObservedNote| {
        note.text.starts_with("Agent: ") && note.mark == ImportanceMark::Important
    };
    let all = notes.iter().filter(|note| is_report(note)).count();
    let mut dropped = all.saturating_sub(step.reports);
    // The first note may be the user's.
    let of_agent =
        |note: &ObservedNote| note.text.starts_with("Agent") || note.text.starts_with("Files: ");
    let spoken = notes.iter().filter(|note| !note.text.starts_with("Files: ")).count();
    let alone = spoken <= 1 || (spoken == 2 && all == 0);
    notes.retain(|note| {
        if is_report(note) {
            let drop = dropped > 0;
            dropped -= usize::from(drop);
            return !drop;
        }
        let is_outcome = alone && !note.text.starts_with("Files: ");
        !of_agent(note) || note.mark >= step.least || is_outcome
    });
    for note in &mut notes {
        let cut = preference::cut(&note.text, step.longest);
        if cut.len() < note.text.trim_end_matches('.').len() {
            note.text = format!("{cut} …");
        }
    }
    let mut notes = notes.into_iter();
    if let Some(first) = notes.next() {
        item.note = first;
    }
    item.below = notes.map(|note| Below::Note(1, note)).chain(others).collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::time::Date,
        observe::rules::{HeardTurn, observe},
        session::transcript::Role,
    };

    fn heard(turns: usize) -> Vec<HeardTurn> {
        let date = Date::parse("2026-06-29").unwrap();
        let said = |role, text: String| HeardTurn { role, text, date, minute: Some(480) };
        (0..turns)
            .flat_map(|turn| {
                let reports = (0..14).map(|at| {
                    format!(
                        "I fixed gauge {turn}-{at}, which read the tide twice after a restart. "
                    )
                });
                [
                    said(Role::User, format!("From now on, log gauge {turn} in UTC.")),
                    said(Role::Assistant, reports.collect()),
                ]
            })
            .collect()
    }

    #[test]
    fn a_long_session_becomes_a_quarter_and_keeps_what_matters() {
        let long = heard(450);
        let chars: usize = long.iter().map(|message| message.text.chars().count()).sum();
        let text = observe(&long).to_string();
        assert!(text.chars().count() <= chars / SHARE, "{} of {chars}", text.chars().count());
        for turn in 0..450 {
            assert!(text.contains(&format!("log gauge {turn} in UTC")), "what the user said");
            assert!(text.contains(&format!("I fixed gauge {turn}-13,")), "how the turn ended");
        }
    }

    /// Questions and small talk of the agent go before what the user decided does.
    #[test]
    fn what_matters_is_kept_wherever_it_is_said() {
        let filler = "The gauges of the harbour are read every minute and written to the log. ";
        let date = Date::parse("2026-06-29").unwrap();
        let said = |role, text: String| HeardTurn { role, text, date, minute: Some(480) };
        let long: Vec<HeardTurn> = (0..450)
            .flat_map(|turn| {
                let (before, after) = (filler.repeat(turn % 7), filler.repeat(7 - turn % 7));
                let asked = format!("{before}Rename gauge {turn} to pier {turn}. {after}");
                let answered =
                    format!("{before}All {turn} tests pass. {after}I renamed it to pier {turn}.");
                [said(Role::User, asked), said(Role::Assistant, answered)]
            })
            .collect();
        let chars: usize = long.iter().map(|message| message.text.chars().count()).sum();
        let text = observe(&long).to_string();
        assert!(text.chars().count() <= chars / SHARE, "{} of {chars}", text.chars().count());
        for turn in 0..450 {
            assert!(
                text.contains(&format!("[!] 08:00 User wants: Rename gauge {turn} to")),
                "{turn}"
            );
            assert!(
                text.contains(&format!("[!] 08:00 Agent: I renamed it to pier {turn}.")),
                "{turn}"
            );
        }
    }

    #[test]
    fn a_short_session_is_left_as_it_is() {
        let text = observe(&heard(20)).to_string();
        assert!((6..14).all(|at| text.contains(&format!("I fixed gauge 19-{at},"))), "{text}");
    }

    #[test]
    fn an_item_of_reports_keeps_the_last() {
        let report = |text: &str| ObservedNote {
            mark: ImportanceMark::Important,
            minute: None,
            text: text.to_owned(),
        };
        let files = ObservedNote {
            mark: ImportanceMark::Info,
            minute: None,
            text: "Files: a.rs".to_owned(),
        };
        let below = [report("Agent: I fixed b."), report("Agent: I fixed c."), files.clone()];
        let below = below.map(|note| Below::Note(1, note)).to_vec();
        let mut item = ObservedItem { note: report("Agent: I fixed a."), below };
        let step = |least| Step { longest: 120, least, reports: 1 };
        let mut bare = item.clone();
        shorten(&mut item, &step(ImportanceMark::Info));
        assert_eq!(item.note, report("Agent: I fixed c."));
        assert_eq!(item.below, [Below::Note(1, files)]);
        shorten(&mut bare, &step(ImportanceMark::Important));
        assert_eq!((bare.note, bare.below), (report("Agent: I fixed c."), Vec::new()));
        let long = format!("User said: {}", "berth ".repeat(60));
        let mut item = ObservedItem { note: report(&long), below: Vec::new() };
        shorten(&mut item, &step(ImportanceMark::Info));
        assert!(item.note.text.ends_with(" …") && item.note.text.chars().count() <= 122);
    }
}
