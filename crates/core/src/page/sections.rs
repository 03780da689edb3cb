//! The sections of a page.

use super::{
    markup::{Count, Markup},
    pictures,
};
use crate::{
    report::budget::thousands,
    view::{
        page::{Page, Row, Week},
        status::{Store, Trust},
        telemetry::Use,
    },
};

/// Maximum number of entries that a week names.
const NAMED: usize = 6;

pub(super) fn health(out: &mut Markup, page: &Page) {
    let status = &page.status;
    let report = &status.report;
    out.raw("<dl class=\"cards\">\n");
    card(out, "entries in the report", report.entries);
    card(out, "left out", report.left_out);
    let counted = report.tokens.saturating_sub(report.pinned_tokens);
    card(out, "tokens", of_budget(counted, report.budget));
    if report.pinned_tokens > 0 {
        card(out, "tokens of pinned entries", thousands(report.pinned_tokens as usize));
    }
    card(out, "findings of pimem doctor", status.findings);
    out.raw("</dl>\n");
    if let Some(budget) = report.budget {
        pictures::bar(out, counted, budget);
    }
    for store in &status.stores {
        of_store(out, store);
    }
    if !status.mirrors.is_empty() {
        out.raw("<h3>Mirrors of what others have shared</h3>\n<ul class=\"plain\">\n");
        for mirror in &status.mirrors {
            out.element("<li>", &mirror.project, ": ").text(Count(
                mirror.entries,
                "entry",
                "entries",
            ));
            if mirror.withheld > 0 {
                out.text(format_args!(", {} withheld until somebody has looked", mirror.withheld));
            }
            out.raw("</li>\n");
        }
        out.raw("</ul>\n");
    }
    out.raw("<p>Hooks: ");
    let agents: Vec<String> = status
        .hooks
        .agents
        .iter()
        .map(|agent| format!("{} {}", agent.agent, agent.state))
        .collect();
    out.text(if agents.is_empty() { "no agent calls pimem".to_owned() } else { agents.join(", ") });
    out.raw(".</p>\n");
    if !status.unusable.is_empty() {
        out.element(
            "<p>",
            Count(status.unusable.len(), "setting is", "settings are"),
            " ignored: pimem doctor.</p>\n",
        );
    }
}

fn of_store(out: &mut Markup, store: &Store) {
    out.raw("<h3>").raw(if store.scope == "user" {
        "Your own store"
    } else {
        "The project's store"
    });
    if !store.place.is_empty() {
        out.raw(" <code class=\"soft\">").text(&store.place).raw("</code>");
    }
    out.raw("</h3>\n<dl class=\"cards\">\n");
    for (name, count) in store.states.counts() {
        card(out, name, count);
    }
    // They are counted among the states, too.
    for (name, count) in store.marks.counts().into_iter().filter(|(_, count)| *count > 0) {
        card(out, &format!("of these {name}"), count);
    }
    card(out, "archived", store.archived);
    words(out, "review", store.awaiting.in_words.as_deref().unwrap_or("nothing waits"));
    words(
        out,
        "trust",
        match store.trust {
            Trust::Own => "your own",
            Trust::Always => "always trusted",
            Trust::Foreign => "of another user, left out",
            Trust::Here => "made or reviewed here",
            Trust::Part => "reviewed in part",
            Trust::None => "not reviewed here",
        },
    );
    words(out, "last dream", store.dream.last.as_deref().unwrap_or("never"));
    words(out, "index", &store.index.in_words);
    out.raw("</dl>\n");
}

pub(super) fn seen(out: &mut Markup, page: &Page) {
    if page.given.is_empty() {
        out.raw("<p>Nothing: there is no entry to show.</p>\n");
        return;
    }
    out.raw("<p>What ").text(page.given_to.unwrap_or("an agent"));
    out.raw(" is given when a new session starts, word for word.</p>\n");
    out.table("What the agent is given", "Every line, with what it costs", &["tokens", "line"]);
    for line in page.given.iter().filter(|line| !line.text.trim().is_empty()) {
        out.element("<tr><td class=\"number\">", line.tokens, "</td><td class=\"text\">");
        if let Some(heading) = line.text.strip_prefix('#') {
            out.element("<strong>", heading.trim_start_matches('#').trim(), "</strong>");
        } else {
            out.text(line.text.strip_prefix("- ").unwrap_or(&line.text));
        }
        if let Some(id) = &line.id {
            reference(out.raw(" "), id);
        }
        out.raw("</td></tr>\n");
    }
    out.end_table();
}

pub(super) fn outside(out: &mut Markup, page: &Page) {
    if page.outside.is_empty() {
        out.raw("<p>Nothing: the report has every entry that can be in it.</p>\n");
        return;
    }
    out.table(
        "Entries just outside the report",
        "The strongest entries that the report leaves out, why, and what brings each in",
        &["entry", "why not", "what brings it in", "tokens"],
    );
    for outside in &page.outside {
        out.element("<tr><td class=\"text\">", &outside.entry.text, " ");
        reference(out, &outside.entry.short);
        out.element("</td><td>", outside.reason.trim_start_matches("out: "), "</td><td>");
        match &outside.cheapest {
            Some(command) => out.element("<code>", command, "</code>"),
            None => out.raw("<span class=\"soft\">more room</span>"),
        };
        out.element("</td><td class=\"number\">", outside.tokens, "</td></tr>\n");
    }
    out.end_table();
}

pub(super) fn ahead(out: &mut Markup, page: &Page) {
    if page.curves.is_empty() {
        out.raw("<p>There is no entry that fades.</p>\n");
        return;
    }
    out.raw("<p>The strongest entries that are not pinned, if nothing happens.</p>\n<ul class=\"curves\">\n");
    for curve in &page.curves {
        out.raw("<li>");
        pictures::curve(out, curve, &page.levels);
        out.element("<p>", &curve.text, " ");
        reference(out, &curve.id);
        out.raw("<br><span class=\"soft\">");
        match curve.leaves {
            Some(days) => out.text(format_args!("leaves the report within {days} days")),
            None => out.raw("stays in the report"),
        };
        out.raw("</span></p></li>\n");
    }
    out.raw("</ul>\n<h3>Week by week</h3>\n").table(
        "Coming changes",
        "What changes if nothing happens",
        &["week from", "leaves the report", "enters it", "other changes", "tokens at its end"],
    );
    for week in &page.weeks {
        of_week(out, week);
    }
    out.end_table();
}

fn of_week(out: &mut Markup, week: &Week) {
    out.element("<tr><td class=\"nowrap\">", week.from, "</td>");
    for entries in [&week.leaving, &week.entering] {
        out.raw("<td class=\"text\">");
        for (number, (id, text)) in entries.iter().take(NAMED).enumerate() {
            out.raw(if number > 0 { "<br>" } else { "" }).text(text).raw(" ");
            reference(out, id);
        }
        match entries.len().saturating_sub(NAMED) {
            0 if entries.is_empty() => out.raw("<span class=\"soft\">none</span>"),
            0 => out,
            more => out.text(format_args!(" and {more} more")),
        };
        out.raw("</td>");
    }
    out.raw("<td>");
    for (number, (what, count)) in week.changes.iter().enumerate() {
        out.raw(if number > 0 { "<br>" } else { "" }).text(format_args!("{count} × {what}"));
    }
    out.raw("</td>");
    out.element("<td class=\"number\">", thousands(week.tokens as usize), "</td></tr>\n");
}

pub(super) fn used(out: &mut Markup, page: &Page) {
    let mut rows: Vec<(&Row, &Use)> =
        page.entries.iter().filter_map(|row| Some((row, row.usage.as_ref()?))).collect();
    if rows.is_empty() {
        out.raw("<p>Nothing was noted yet: hooks note what they put into prompts, and what answers use of it.</p>\n");
        return;
    }
    let used = rows.iter().filter(|(_, usage)| usage.used > 0).count();
    let text = format_args!(
        "{} of {} were put into prompts, and {used} of these were used. The others have never been shown.",
        rows.len(),
        Count(page.entries.len(), "entry", "entries"),
    )
    .to_string();
    out.element("<p>", text, "</p>\n");
    rows.sort_by(|(a, x), (b, y)| {
        (y.used, y.injected)
            .cmp(&(x.used, x.injected))
            .then_with(|| a.entry.entry.id.cmp(&b.entry.entry.id))
    });
    out.table(
        "Use of entries",
        "Sessions that had an entry, and that used it",
        &["used", "injected", "entry"],
    );
    for (row, usage) in rows {
        out.element("<tr><td class=\"number\">", usage.used, "</td>");
        out.element("<td class=\"number\">", usage.injected, "</td>");
        out.element("<td class=\"text\">", &row.entry.entry.text, " ");
        reference(out, &row.entry.entry.short);
        out.raw("</td></tr>\n");
    }
    out.end_table();
}

pub(super) fn entries(out: &mut Markup, page: &Page) {
    if page.entries.is_empty() {
        out.raw("<p>There is none yet: <code>pimem add TEXT</code> makes the first.</p>\n");
        return;
    }
    let mut headings = vec![
        "id",
        "category",
        "text",
        "state",
        "score",
        "evidence",
        "first seen",
        "last reinforced",
    ];
    headings.extend(page.has_authors.then_some("author"));
    let count = Count(page.entries.len(), "entry", "entries");
    out.table("Table of all entries", format_args!("{count}, strongest first"), &headings);
    for Row { entry, author, .. } in &page.entries {
        let entry = &entry.entry;
        out.raw("<tr id=\"e")
            .text(&entry.short)
            .raw("\"><td><code>")
            .text(&entry.short)
            .raw("</code></td>");
        out.element("<td>", &entry.category, "</td>");
        out.element("<td class=\"text\">", &entry.text, "");
        if let Some(label) = entry.label() {
            out.element(" <span class=\"soft\">(", label, ")</span>");
        }
        out.raw("</td><td>");
        out.raw("<span class=\"state ").raw(entry.state).raw("\">").raw(entry.state).raw("</span>");
        if let Some(mark) = entry.mark {
            out.raw(" ").text(mark);
        }
        out.element("</td><td class=\"number\">", entry.formatted_score(), "</td>");
        out.element("<td class=\"number\">", entry.evidence, "</td>");
        out.element("<td class=\"nowrap\">", entry.first_seen.date(), "</td>");
        out.element("<td class=\"nowrap\">", entry.last_reinforced.date(), "</td>");
        if page.has_authors {
            out.element("<td>", author.as_deref().unwrap_or("not committed"), "</td>");
        }
        out.raw("</tr>\n");
    }
    out.end_table();
}

pub(super) fn links(out: &mut Markup, page: &Page) {
    if page.links.is_empty() {
        out.raw("<p>No entry has a <code>[[link]]</code>.</p>\n");
        return;
    }
    pictures::links(out, &page.links);
    out.raw("<ul class=\"plain\">\n");
    for link in &page.links {
        out.element("<li>", &link.name, ": ");
        for id in &link.entries {
            reference(out, id);
            out.raw(" ");
        }
        out.raw("</li>\n");
    }
    out.raw("</ul>\n");
}

pub(super) fn history(out: &mut Markup, page: &Page) {
    if page.history.iter().all(|week| week.added + week.reinforced + week.dropped == 0) {
        out.raw("<p>Nothing in the last half year.</p>\n");
        return;
    }
    pictures::history(out, &page.history);
    out.raw("<details><summary>The same in numbers</summary>\n");
    out.table(
        "History in numbers",
        "Events by week",
        &["week from", "added", "reinforced", "dropped"],
    );
    for week in &page.history {
        out.element("<tr><td class=\"nowrap\">", week.from, "</td>");
        for count in [week.added, week.reinforced, week.dropped] {
            out.element("<td class=\"number\">", count, "</td>");
        }
        out.raw("</tr>\n");
    }
    out.end_table().raw("</details>\n");
}

pub(super) fn card(out: &mut Markup, name: &str, value: impl std::fmt::Display) {
    out.element("<div><dt>", name, "</dt>").element("<dd>", value, "</dd></div>\n");
}

fn words(out: &mut Markup, name: &str, value: &str) {
    out.element("<div><dt>", name, "</dt>").element("<dd class=\"words\">", value, "</dd></div>\n");
}

/// A link to the row of an entry.
fn reference(out: &mut Markup, id: &str) {
    out.raw("<a href=\"#e").text(id).raw("\"><code>").text(id).raw("</code></a>");
}

fn of_budget(tokens: u32, budget: Option<u32>) -> String {
    let of =
        budget.map_or_else(String::new, |budget| format!(" of {}", thousands(budget as usize)));
    format!("{}{of}", thousands(tokens as usize))
}
