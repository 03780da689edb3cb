//! HTML: words of the program as they are, everything else escaped.

use std::fmt::{self, Display};

use crate::safety::safe_text;

/// A document that grows. What is pushed by [`Markup::raw`] is a constant of the program, so that
/// nothing else becomes markup.
#[derive(Debug, Default)]
pub(super) struct Markup(String);

impl Markup {
    /// Adds markup.
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

    /// Adds a number with at most one decimal, as SVG takes it.
    pub(super) fn number(&mut self, number: f64) -> &mut Self {
        let rounded = (number * 10.0).round() / 10.0;
        self.0.push_str(&rounded.to_string());
        self
    }

    /// Adds an element with text.
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
pub(super) struct Count(pub(super) usize, pub(super) &'static str, pub(super) &'static str);

impl Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, one, many) = self;
        write!(f, "{count} {}", if *count == 1 { one } else { many })
    }
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
            format!("{}, {}", Count(1, "entry", "entries"), Count(0, "entry", "entries")),
            "1 entry, 0 entries"
        );
    }
}
