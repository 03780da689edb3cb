//! The pages of `--html` and the picture of `--svg`: one file each, without scripts or outside references, which is the same
//! bytes for the same values.

mod compare;
mod found;
mod markup;
mod pictures;
mod sections;
mod used;

use self::markup::Markup;
pub use self::{compare::compare, found::found, pictures::curves, used::used};
use crate::view::page::Page;

/// The id of a section, its heading, and what draws it.
type Section = (&'static str, &'static str, fn(&mut Markup, &Page));

/// In the order of the page.
const SECTIONS: &[Section] = &[
    ("health", "Health", sections::health),
    ("seen", "What the agent sees now", sections::seen),
    ("outside", "Just outside", sections::outside),
    ("ahead", "What fades, and when", sections::ahead),
    ("use", "What was used", sections::used),
    ("entries", "All entries", sections::entries),
    ("links", "Links", sections::links),
    ("history", "What happened", sections::history),
];

/// Renders a page as HTML.
#[must_use]
pub fn render(page: &Page) -> String {
    let mut out = Markup::default();
    begin(&mut out, &format!("Memory of {}", page.title));
    out.element("<p class=\"soft\">As of ", page.now, ", by pimem.</p>\n");
    out.raw("<nav aria-label=\"Sections\"><ul>\n");
    for (id, heading, _) in SECTIONS {
        out.raw("<li><a href=\"#").raw(id).raw("\">").raw(heading).raw("</a></li>\n");
    }
    out.raw("</ul></nav>\n</header>\n<main id=\"main\">\n");
    for (id, heading, section) in SECTIONS {
        out.raw("<section aria-labelledby=\"").raw(id).raw("\">\n<h2 id=\"").raw(id).raw("\">");
        out.raw(heading).raw("</h2>\n");
        section(&mut out, page);
        out.raw("</section>\n");
    }
    end(&mut out);
    out.finish()
}

/// Adds everything up to the heading, within `header`.
fn begin(out: &mut Markup, title: &str) {
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
fn end(out: &mut Markup) {
    out.raw("</main>\n</body>\n</html>\n");
}
