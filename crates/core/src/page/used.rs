//! The page of `pimem telemetry`: which entries were put into prompts, and which were used.

use super::{
    begin, end,
    markup::{Count, Markup},
    pictures,
    sections::card,
};
use crate::{
    report::budget::thousands,
    view::telemetry::{EntryUse, NamedUse, Summary, percent},
};

/// Renders a summary of telemetry as HTML.
#[must_use]
pub fn used(summary: &Summary) -> String {
    let mut out = Markup::default();
    begin(&mut out, "What agents were given, and used");
    let date = |time: &Option<String>| {
        let time = time.as_deref().and_then(|time| time.split('T').next());
        time.unwrap_or_default().to_owned()
    };
    let (Some(_), Some(_)) = (&summary.from, &summary.to) else {
        out.raw("</header>\n<main id=\"main\">\n<p>Nothing was recorded; agents are once <code>pimem hooks install</code> was run.</p>\n");
        end(&mut out);
        return out.finish();
    };
    out.element("<p class=\"soft\">From ", date(&summary.from), " to ").text(date(&summary.to));
    out.raw(", by pimem.</p>\n</header>\n<main id=\"main\">\n<dl class=\"cards\">\n");
    for (name, value) in [
        ("sessions", thousands(summary.sessions)),
        ("prompts", thousands(summary.prompts)),
        ("entries injected", thousands(summary.entries)),
        ("tokens of these, a session", thousands(summary.tokens / summary.sessions.max(1))),
        ("of these used", percent(summary.usage.rate)),
        ("entries never used", thousands(summary.never_used)),
    ] {
        card(&mut out, name, value);
    }
    out.raw(
        "</dl>\n<section aria-labelledby=\"days\">\n<h2 id=\"days\">Entries injected a day</h2>\n",
    );
    pictures::days(&mut out, &summary.days);
    out.raw("</section>\n<section aria-labelledby=\"which\">\n<h2 id=\"which\">Which entries</h2>\n<div class=\"pair\">\n");
    entries(&mut out, "Used most", &summary.most_used);
    entries(&mut out, "Never used", &summary.least_used);
    out.raw("</div>\n</section>\n<section aria-labelledby=\"who\">\n<h2 id=\"who\">Used of what was given</h2>\n");
    let text = format!(
        "{} with an answer that was seen, of {}. An entry counts once a session.",
        Count(summary.measured_sessions, "session", "sessions"),
        thousands(summary.sessions)
    );
    out.element("<p>", text, "</p>\n<div class=\"pair\">\n");
    shares(&mut out, "By category", "category", &summary.categories);
    shares(&mut out, "By agent", "agent", &summary.agents);
    out.raw("</div>\n</section>\n");
    end(&mut out);
    out.finish()
}

fn shares(out: &mut Markup, caption: &'static str, what: &'static str, rows: &[NamedUse]) {
    out.table(&format!("Table: {caption}"), caption, &[what, "injected", "used", "of seen"]);
    for NamedUse { name, usage } in rows {
        out.element("<tr><td>", name, "</td>");
        out.element("<td class=\"number\">", usage.injected, "</td>");
        out.element("<td class=\"number\">", usage.used, "</td>");
        out.element("<td class=\"meter\">", percent(usage.rate), "");
        if let Some(rate) = usage.rate {
            pictures::meter(out, rate);
        }
        out.raw("</td></tr>\n");
    }
    out.end_table();
}

fn entries(out: &mut Markup, heading: &'static str, entries: &[EntryUse]) {
    if entries.is_empty() {
        out.element("<p class=\"soft\">", heading, ": none</p>\n");
        return;
    }
    out.table(&format!("Table: {heading}"), heading, &["used", "of", "entry"]);
    for entry in entries {
        out.element("<tr><td class=\"number\">", entry.usage.used, "</td>");
        out.element("<td class=\"number\">", entry.usage.seen, "</td>");
        out.element("<td class=\"text\">", &entry.text, " <code class=\"soft\">");
        out.text(&entry.short).raw("</code></td></tr>\n");
    }
    out.end_table();
}
