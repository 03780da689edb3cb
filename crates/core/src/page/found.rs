//! The page of `pimem eval`: how much searches find, and which questions they miss.

use super::{
    begin, end,
    markup::{Count, Markup},
    pictures,
    sections::card,
};
use crate::view::{
    eval::{Evaluation, Figures, Passage},
    telemetry::percent,
};

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
        Count(misses.len(), "question", "questions")
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

fn passages(out: &mut Markup, passages: &[Passage]) {
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
