//! The pages of `--html`, without scripts or outside references, which are the same bytes for the same
//! values. What has no room on the first stands on pages of its own.

use std::{
    collections::BTreeSet,
    fmt::{self, Display},
    ops::Range,
};

use pimem_core::{report::budget::thousands, safety::safe_text, score::stability::State};

use crate::memory::{
    page::{PageRow, PageView, Week, pictures},
    status::{StoreStatus, TrustStatus},
    telemetry::summary::Use,
};

/// Maximum number of entries on a page, and of bytes that they take.
const ROWS: usize = 1_000;
const BYTES: usize = 200_000;

/// The id of a section, its heading, and what draws it.
type Section<'a> = (&'static str, &'static str, &'a dyn Fn(&mut Markup));

/// Renders the pages; `name` returns the file name of one, by its number from 0.
#[must_use]
pub fn render(page: &PageView, name: &dyn Fn(usize) -> String) -> Vec<String> {
    let rows: Vec<String> = rows(page);
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut bytes = 0;
    for (number, row) in rows.iter().enumerate() {
        let has_room = |part: &&mut Range<usize>| part.len() < ROWS && bytes + row.len() <= BYTES;
        if let Some(part) = parts.last_mut().filter(has_room) {
            part.end = number + 1;
        } else {
            parts.push(number..number + 1);
            bytes = 0;
        }
        bytes += row.len();
    }
    let listed = |part: usize| Listed { page, rows: &rows, parts: &parts, part, name };
    let first = whole(page, &listed(0));
    let more = (1..parts.len()).map(|part| {
        let mut out = Markup::default();
        let title = format!("Memory of {}, page {} of {}", page.title, part + 1, parts.len());
        begin(&mut out, &title);
        out.raw("</header>\n<main id=\"main\">\n");
        listed(part).draw(&mut out);
        end(&mut out);
        out.finish()
    });
    std::iter::once(first).chain(more).collect()
}

/// The page with all sections.
fn whole(page: &PageView, entries: &Listed<'_>) -> String {
    let sections: [Section<'_>; 8] = [
        ("health", "Health", &|out| health(out, page)),
        ("seen", "What the agent sees now", &|out| seen(out, page)),
        ("outside", "Just outside", &|out| outside(out, page)),
        ("ahead", "What fades, and when", &|out| ahead(out, page)),
        ("use", "What was used", &|out| used(out, page)),
        ("entries", "All entries", &|out| entries.draw(out)),
        ("links", "Links", &|out| links(out, page)),
        ("history", "What happened", &|out| history(out, page)),
    ];
    let mut out = Markup::default();
    begin(&mut out, &format!("Memory of {}", page.title));
    out.element("<p class=\"soft\">As of ", page.now, ", by pimem.</p>\n");
    out.raw("<nav aria-label=\"Sections\"><ul>\n");
    for (id, heading, _) in &sections {
        out.raw("<li><a href=\"#").raw(id).raw("\">").raw(heading).raw("</a></li>\n");
    }
    out.raw("</ul></nav>\n</header>\n<main id=\"main\">\n");
    for (id, heading, draw) in &sections {
        out.raw("<section aria-labelledby=\"").raw(id).raw("\">\n<h2 id=\"").raw(id).raw("\">");
        out.raw(heading).raw("</h2>\n");
        draw(&mut out);
        out.raw("</section>\n");
    }
    end(&mut out);
    out.finish()
}

/// Adds everything up to the heading, within `header`.
pub(super) fn begin(out: &mut Markup, title: &str) {
    out.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    // Nothing is loaded and nothing runs, whatever a text may hold.
    out.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n");
    out.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    out.element("<title>", title, "</title>\n");
    out.raw("<style>\n").raw(include_str!("style.css")).raw("</style>\n</head>\n<body>\n");
    out.raw("<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header>\n");
    out.element("<h1>", title, "</h1>\n");
}

/// Ends what [`begin`] began, and `main`.
pub(super) fn end(out: &mut Markup) {
    out.raw("</main>\n</body>\n</html>\n");
}

/// A document that grows. What is pushed by [`Markup::raw`] is a constant of the program, so that
/// nothing else becomes markup.
#[derive(Debug, Default)]
pub(super) struct Markup(String);

impl Markup {
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Adds text, which becomes no markup, as an element's content or within the quotes of an
    /// attribute. Dangerous characters are shown as `\u{202e}`.
    pub(super) fn text(&mut self, text: impl Display) -> &mut Self {
        let text = text.to_string();
        for c in safe_text::terminal(&text).chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                c => self.0.push(c),
            }
        }
        self
    }

    /// Adds what was drawn before.
    fn drawn(&mut self, markup: &str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Adds a number with at most one decimal, as SVG takes it.
    pub(super) fn number(&mut self, number: f64) -> &mut Self {
        let rounded = (number * 10.0).round() / 10.0;
        self.0.push_str(&rounded.to_string());
        self
    }

    pub(super) fn element(
        &mut self,
        start: &'static str,
        text: impl Display,
        end: &'static str,
    ) -> &mut Self {
        self.raw(start).text(text).raw(end)
    }

    /// Begins a table that can be scrolled; `label` names it for screen readers.
    pub(super) fn table(
        &mut self,
        label: &str,
        caption: impl Display,
        headings: &[&'static str],
    ) -> &mut Self {
        self.raw("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"").text(label);
        self.element("\">\n<table>\n<caption>", caption, "</caption>\n<thead><tr>");
        for heading in headings {
            self.raw("<th scope=\"col\">").raw(heading).raw("</th>");
        }
        self.raw("</tr></thead>\n<tbody>\n")
    }

    /// Ends what [`Markup::table`] began.
    pub(super) fn end_table(&mut self) -> &mut Self {
        self.raw("</tbody>\n</table>\n</div>\n")
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// A number with its noun: `1 entry`, `2 entries`.
pub(super) struct CountOf(pub(super) usize, pub(super) &'static str, pub(super) &'static str);

impl Display for CountOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, one, many) = self;
        write!(f, "{count} {}", if *count == 1 { one } else { many })
    }
}

/// Maximum number of entries that a week names.
const NAMED: usize = 6;

pub(super) fn health(out: &mut Markup, page: &PageView) {
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
    card(out, "findings of pimem check", status.findings);
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
            out.element("<li>", &mirror.project, ": ").text(CountOf(
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
            CountOf(status.unusable.len(), "setting is", "settings are"),
            " ignored: pimem check.</p>\n",
        );
    }
}

fn of_store(out: &mut Markup, store: &StoreStatus) {
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
            TrustStatus::Own => "your own",
            TrustStatus::Always => "always trusted",
            TrustStatus::Foreign => "of another user, left out",
            TrustStatus::Here => "made or reviewed here",
            TrustStatus::Part => "reviewed in part",
            TrustStatus::None => "not reviewed here",
        },
    );
    words(out, "last dream", store.dream.last.as_deref().unwrap_or("never"));
    words(out, "index", &store.index.in_words);
    out.raw("</dl>\n");
}

pub(super) fn seen(out: &mut Markup, page: &PageView) {
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

pub(super) fn outside(out: &mut Markup, page: &PageView) {
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
            None => out.element("<span class=\"soft\">", outside.entry.otherwise(), "</span>"),
        };
        out.element("</td><td class=\"number\">", outside.tokens, "</td></tr>\n");
    }
    out.end_table();
}

pub(super) fn ahead(out: &mut Markup, page: &PageView) {
    out.raw(if page.curves.is_empty() {
        "<p>Nothing leaves the report in these weeks.</p>\n<ul class=\"curves\">\n"
    } else {
        "<p>The strongest of those that leave the report, if nothing happens.</p>\n<ul class=\"curves\">\n"
    });
    for curve in &page.curves {
        out.raw("<li>");
        pictures::curve(out, curve, &page.levels);
        out.element("<p>", &curve.text, " ");
        reference(out, &curve.id);
        let days = curve.leaves.unwrap_or_default();
        out.raw("<br><span class=\"soft\">");
        out.text(format_args!("leaves the report within {days} days")).raw("</span></p></li>\n");
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

pub(super) fn used(out: &mut Markup, page: &PageView) {
    let mut rows: Vec<(&PageRow, &Use)> =
        page.entries.iter().filter_map(|row| Some((row, row.usage.as_ref()?))).collect();
    if rows.is_empty() {
        out.raw("<p>Nothing was noted yet: hooks note what they put into prompts, and what answers use of it.</p>\n");
        return;
    }
    let used = rows.iter().filter(|(_, usage)| usage.used > 0).count();
    let text = format_args!(
        "{} of {} were put into prompts, and {used} of these were used. The others have never been shown.",
        rows.len(),
        CountOf(page.entries.len(), "entry", "entries"),
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

/// A part of all entries, on a page of its own or on the first one.
struct Listed<'a> {
    page: &'a PageView,
    rows: &'a [String],
    parts: &'a [Range<usize>],
    part: usize,
    name: &'a dyn Fn(usize) -> String,
}

impl Listed<'_> {
    fn draw(&self, out: &mut Markup) {
        let Some(part) = self.parts.get(self.part) else {
            out.raw("<p>There is none yet: <code>pimem add TEXT</code> makes the first.</p>\n");
            return;
        };
        if self.parts.len() > 1 {
            out.raw("<nav aria-label=\"Pages of entries\"><ul>\n");
            for (number, part) in self.parts.iter().enumerate() {
                out.element("<li><a href=\"", (self.name)(number), "#entries\">");
                out.text(format_args!("{} to {}", part.start + 1, part.end)).raw("</a></li>\n");
            }
            out.raw("</ul></nav>\n");
        }
        filters(out, self.page);
        let headings = [
            "id",
            "category",
            "text",
            "state",
            "score",
            "evidence",
            "first seen",
            "last reinforced",
        ];
        let count = CountOf(self.page.entries.len(), "entry", "entries");
        out.raw("<div class=\"entries\">\n");
        out.table("Table of all entries", format_args!("{count}, strongest first"), &headings);
        for row in self.rows.get(part.clone()).unwrap_or_default() {
            out.drawn(row);
        }
        out.end_table().raw("</div>\n");
    }
}

/// Returns the categories that entries have, whose places are the names of their classes.
fn categories(page: &PageView) -> Vec<&str> {
    let all: BTreeSet<&str> =
        page.entries.iter().map(|row| row.entry.entry.category.as_str()).collect();
    all.into_iter().collect()
}

/// Which rows the filters of the page show; the rules are in the style sheet.
fn filters(out: &mut Markup, page: &PageView) {
    let categories = categories(page);
    out.raw("<fieldset class=\"filter\"><legend>Category</legend>\n");
    out.raw("<label><input type=\"radio\" name=\"category\" checked> all</label>\n");
    for (number, name) in categories.iter().enumerate() {
        out.raw("<label><input type=\"radio\" name=\"category\" id=\"c").number(number as f64);
        out.element("\"> ", name, "</label>\n");
    }
    out.raw("</fieldset>\n<fieldset class=\"filter\"><legend>State</legend>\n");
    out.raw("<label><input type=\"radio\" name=\"state\" checked> all</label>\n");
    for state in State::ALL {
        out.raw("<label><input type=\"radio\" name=\"state\" id=\"s-").raw(state.name());
        out.raw("\"> ").raw(state.name()).raw("</label>\n");
    }
    out.raw("</fieldset>\n<style>\n");
    for number in 0..categories.len() {
        out.raw("body:has(#c").number(number as f64).raw(":checked) tr.e:not(.c");
        out.number(number as f64).raw("){display:none}\n");
    }
    out.raw("</style>\n");
}

/// Draws the rows of all entries.
fn rows(page: &PageView) -> Vec<String> {
    let categories = categories(page);
    let row = |PageRow { entry, .. }: &PageRow| {
        let (entry, mut out) = (&entry.entry, Markup::default());
        let category = categories.iter().position(|name| *name == entry.category);
        out.raw("<tr class=\"e c").number(category.unwrap_or_default() as f64).raw(" s-");
        out.raw(entry.state).raw("\" id=\"e").text(&entry.short).raw("\"><td><code>");
        out.text(&entry.short).raw("</code></td>").element("<td>", &entry.category, "</td>");
        out.element(
            "<td class=\"text\">",
            format_args!("{}{}", entry.text, entry.asides_mark()),
            "",
        );
        if let Some(label) = entry.label() {
            out.element(" <span class=\"soft\">(", label, ")</span>");
        }
        out.raw("</td><td><span class=\"state ").raw(entry.state).raw("\">").raw(entry.state);
        out.raw("</span>");
        if let Some(mark) = entry.mark {
            out.raw(" ").text(mark);
        }
        out.element("</td><td>", entry.formatted_score(), "</td>");
        out.element("<td>", entry.evidence, "</td>");
        out.element("<td>", entry.first_seen.date(), "</td>");
        out.element("<td>", entry.last_reinforced.date(), "</td></tr>\n");
        out.finish()
    };
    page.entries.iter().map(row).collect()
}

pub(super) fn links(out: &mut Markup, page: &PageView) {
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

pub(super) fn history(out: &mut Markup, page: &PageView) {
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

fn reference(out: &mut Markup, id: &str) {
    out.raw("<a href=\"#e").text(id).raw("\"><code>").text(id).raw("</code></a>");
}

fn of_budget(tokens: u32, budget: Option<u32>) -> String {
    let of =
        budget.map_or_else(String::new, |budget| format!(" of {}", thousands(budget as usize)));
    format!("{}{of}", thousands(tokens as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        let mut page = Markup::default();
        page.raw("<p title=\"").text("\"><script>alert('1') & more\u{202e}\u{1b}[m").raw("\">");
        let want =
            "<p title=\"&quot;&gt;&lt;script&gt;alert(&#39;1&#39;) &amp; more\\u{202e}\\u{1b}[m\">";
        assert_eq!(page.finish(), want);
        let mut page = Markup::default();
        page.number(1.26).raw(" ").number(-0.04).raw(" ").number(7.0);
        assert_eq!(page.finish(), "1.3 -0 7");
        assert_eq!(
            format!("{}, {}", CountOf(1, "entry", "entries"), CountOf(0, "entry", "entries")),
            "1 entry, 0 entries"
        );
    }
}
