//! The page of what changed between two times.

use pimem_core::report::{budget::thousands, render::DifferenceKind};

use crate::memory::{
    diff::{Diff, DiffChange, SideView},
    page::html::{CountOf, Markup, begin, end},
};

/// Kinds of changes with their headings, in the order of the page.
const KINDS: &[(DifferenceKind, &str, &str)] = &[
    (DifferenceKind::Entered, "came", "Came into the report"),
    (DifferenceKind::Left, "left", "Left the report"),
    (DifferenceKind::Added, "new", "New, and not in the report"),
    (DifferenceKind::Gone, "gone", "Gone"),
    (DifferenceKind::Changed, "otherwise", "Changed otherwise"),
];

#[must_use]
pub fn compare(diff: &Diff) -> String {
    let mut out = Markup::default();
    begin(&mut out, "What changed in memory");
    out.element("<p class=\"soft\">From ", diff.from, " to ")
        .text(diff.to)
        .raw(", by pimem.</p>\n");
    out.raw("</header>\n<main id=\"main\">\n<dl class=\"cards\">\n");
    for (kind, _, heading) in KINDS {
        let count = diff.changes.iter().filter(|change| change.change == *kind).count();
        out.raw("<div><dt>").raw(heading).element("</dt><dd>", count, "</dd></div>\n");
    }
    out.raw(
        "</dl>\n<section aria-labelledby=\"reports\">\n<h2 id=\"reports\">What agents see</h2>\n",
    );
    out.raw("<div class=\"pair\">\n");
    let [before, after] = &diff.reports;
    for (heading, tokens, text, other, class) in [
        ("Before", diff.tokens.before, before, after, "gone"),
        ("After", diff.tokens.after, after, before, "added"),
    ] {
        out.raw("<div>\n<h3>").raw(heading);
        out.element(
            " <span class=\"soft\">(",
            thousands(tokens as usize),
            " tokens)</span></h3>\n",
        );
        out.raw("<ul class=\"plain\">\n");
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let heading = line.trim_start_matches('#');
            // The line with the sizes differs always.
            let is_new = heading.len() == line.len() && other.lines().all(|known| known != line);
            if heading.len() != line.len() {
                out.element("<li class=\"bare\"><strong>", heading.trim(), "</strong></li>\n");
            } else if is_new {
                out.raw("<li class=\"").raw(class).raw("\"><span class=\"soft\">");
                out.raw(if class == "gone" { "only before" } else { "only after" });
                out.element(":</span> ", line.strip_prefix("- ").unwrap_or(line), "</li>\n");
            } else {
                out.element("<li>", line.strip_prefix("- ").unwrap_or(line), "</li>\n");
            }
        }
        out.raw("</ul>\n</div>\n");
    }
    out.raw("</div>\n</section>\n");
    for (kind, id, heading) in KINDS {
        let changes: Vec<&DiffChange> =
            diff.changes.iter().filter(|change| change.change == *kind).collect();
        if changes.is_empty() {
            continue;
        }
        out.raw("<section aria-labelledby=\"").raw(id).raw("\">\n<h2 id=\"").raw(id).raw("\">");
        out.raw(heading).raw("</h2>\n").table(
            &format!("Table: {heading}"),
            CountOf(changes.len(), "entry", "entries"),
            &["entry", "before", "after"],
        );
        for change in changes {
            row(&mut out, change);
        }
        out.end_table().raw("</section>\n");
    }
    end(&mut out);
    out.finish()
}

fn row(out: &mut Markup, change: &DiffChange) {
    let Some(known) = change.after.as_ref().or(change.before.as_ref()) else { return };
    let entry = &known.judged.entry;
    out.element(
        "<tr><td class=\"text\">",
        format_args!("[{}] {} ", entry.category, entry.text),
        "",
    );
    out.element("<code>", &entry.short, "</code></td>");
    for side in [&change.before, &change.after] {
        out.raw("<td>");
        if let Some(SideView { judged, factors }) = side {
            out.text(judged.entry.described_state()).raw(", ").text(factors.text(&judged.entry));
            out.element("; ", &judged.reason, "");
        } else {
            out.raw("<span class=\"soft\">not there</span>");
        }
        out.raw("</td>");
    }
    out.raw("</tr>\n");
}
