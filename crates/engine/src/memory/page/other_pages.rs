//! The pages of a diff, of an evaluation and of what was used.

use pimem_core::report::{budget::thousands, render::DifferenceKind};

use crate::memory::{
    diff::{Diff, DiffChange, SideView},
    eval::{Evaluation, Figures, MissedPassage},
    page::{
        html::{CountOf, Markup, begin, card, end},
        pictures,
    },
    telemetry::summary::{EntryUse, NamedUse, TelemetrySummary, percent},
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

/// Maximum number of misses that are shown.
const SHOWN: usize = 100;

/// Renders how well searches find as HTML.
#[must_use]
pub fn found(evaluation: &Evaluation) -> String {
    let mut out = Markup::default();
    begin(&mut out, "What searches find");
    out.element("<p class=\"soft\">With the model ", &evaluation.model, ", by pimem.</p>\n");
    out.raw("</header>\n<main id=\"main\">\n");
    // Last is the best mode, of all sets where there are several.
    let (best, all) = evaluation.results.last().map_or(("", ""), |line| (line.mode, &*line.set));
    let is_best = |line: &&Figures| line.mode == best && line.set == all;
    // The share of all its groups, by their questions.
    let mean = |part: fn(&Figures) -> Option<f64>| {
        let lines = || evaluation.results.iter().filter(is_best);
        let weighed: f64 =
            lines().filter_map(|line| Some(part(line)? * line.questions as f64)).sum();
        let asked: usize =
            lines().filter(|line| part(line).is_some()).map(|line| line.questions).sum();
        (asked > 0).then(|| weighed / asked as f64)
    };
    out.raw("<dl class=\"cards\">\n");
    let asked: usize = evaluation.results.iter().filter(is_best).map(|line| line.questions).sum();
    card(&mut out, "questions", asked);
    card(
        &mut out,
        "answers among the first five hits",
        percent(mean(|line| Some(line.means?.recall_at_5))),
    );
    card(&mut out, "prompts for which recall has an answer", percent(mean(|line| line.served)));
    card(&mut out, "recalled lines that are answers", percent(mean(|line| line.precision)));
    out.raw("</dl>\n");
    if evaluation.is_own {
        out.raw("<p>A <strong>prompt</strong> is one that an agent was given and for whose answer it used entries: these are its answers, and what was never recalled is none. \
                 <strong>Words</strong> are some of an entry, without its most telling ones, as somebody asks who half remembers it.</p>\n");
    }
    figures(&mut out, evaluation);
    out.raw("<section aria-labelledby=\"misses\">\n<h2 id=\"misses\">What is not found</h2>\n");
    misses(&mut out, evaluation, best);
    out.raw("</section>\n");
    end(&mut out);
    out.finish()
}

fn figures(out: &mut Markup, evaluation: &Evaluation) {
    out.raw("<section aria-labelledby=\"figures\">\n<h2 id=\"figures\">By kind of search</h2>\n");
    out.table(
        "Figures",
        "Shares of answers among the first hits, and what recall puts into prompts",
        &[
            "questions of",
            "search",
            "asked",
            "first five",
            "first ten",
            "MRR",
            "nDCG@10",
            "served",
            "precision",
            "silent",
            "tokens",
        ],
    );
    for line in &evaluation.results {
        out.element("<tr><td>", line.group.as_ref().unwrap_or(&line.set), "</td>");
        out.element("<td>", line.mode, "</td>").element(
            "<td class=\"number\">",
            line.questions,
            "</td>",
        );
        out.raw("<td class=\"meter\">");
        if let Some(means) = line.means {
            out.text(percent(Some(means.recall_at_5)));
            pictures::meter(out, means.recall_at_5);
        }
        out.raw("</td>");
        for cell in [
            percent(line.means.map(|means| means.recall_at_10)),
            decimals(line.means.map(|means| means.mrr)),
            decimals(line.means.map(|means| means.ndcg_at_10)),
            percent(line.served),
            percent(line.precision),
            percent(line.abstained),
            format!("{:.1}", line.injected_tokens),
        ] {
            out.element("<td class=\"number\">", cell, "</td>");
        }
        out.raw("</tr>\n");
    }
    out.end_table().raw("</section>\n");
}

fn misses(out: &mut Markup, Evaluation { is_own, misses, .. }: &Evaluation, mode: &str) {
    if misses.is_empty() {
        out.raw("<p>Every question has an answer among the first five hits.</p>\n");
        return;
    }
    let text = format!(
        "{} without an answer among the first five hits of a {mode} search.",
        CountOf(misses.len(), "question", "questions")
    );
    out.element("<p>", text, "</p>\n");
    out.table(
        "Questions that are missed",
        "What was asked, what answers it, and what came instead",
        &["question", "answer", "rank", "first hits", "what helps"],
    );
    for miss in misses.iter().take(SHOWN) {
        out.element("<tr><td>", &miss.question, "</td>");
        passages(out, &miss.wanted);
        out.raw("<td class=\"number\">");
        match miss.rank {
            Some(rank) => out.text(rank),
            None => out.raw("over 10"),
        };
        out.raw("</td>");
        passages(out, &miss.instead);
        out.raw("<td>");
        if let Some(wanted) = miss.wanted.first().filter(|_| *is_own) {
            out.raw(if miss.alike {
                "one of the like, or words that tell them apart: "
            } else {
                "saying it in these words: "
            });
            out.element("<code>pimem edit ", &wanted.id, "</code>");
        }
        out.raw("</td></tr>\n");
    }
    out.end_table();
    if misses.len() > SHOWN {
        out.element("<p class=\"soft\">And ", misses.len() - SHOWN, " more.</p>\n");
    }
}

fn passages(out: &mut Markup, passages: &[MissedPassage]) {
    out.raw("<td class=\"text\">");
    if passages.is_empty() {
        out.raw("<span class=\"soft\">nothing</span>");
    }
    for (number, passage) in passages.iter().enumerate() {
        out.raw(if number > 0 { "<br>" } else { "" }).text(&passage.text);
        out.element(" <code class=\"soft\">", &passage.id, "</code>");
    }
    out.raw("</td>");
}

fn decimals(number: Option<f64>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.3}"))
}

#[must_use]
pub fn used(summary: &TelemetrySummary) -> String {
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
        CountOf(summary.measured_sessions, "session", "sessions"),
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
