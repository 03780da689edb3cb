//! `pimem model eval`: how well a search finds, on questions with known answers.

use std::path::PathBuf;

use pimem_engine::{
    error::Failure,
    memory::eval::{Division, EvalRequest, Evaluation, Figures, Injection, ShownPassage},
    view::count,
};

use crate::{
    globals::choices,
    shell::{Exit, Shell},
    ui::{self, Human, Ui},
};

/// Measure what searches find, on questions with known answers
///
/// Without FILE it asks your own stores: for the entries that answers used of what recorded prompts
/// were given, and for each entry by some of its words, without the most telling ones.
///
/// Runs every question in every mode and prints the share of answers among the first 5 and 10 hits,
/// the mean reciprocal rank and nDCG@10. Then what recall would put into a prompt: the share of
/// questions for which it has an answer, the share of its lines that are answers, the share of
/// questions without any answer for which nothing is recalled, the number of the others, and tokens.
/// Last is the median time of a search. The format of sets is in pimem-format(5).
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem model eval\n  pimem model eval fixtures/eval/harbor.json\n  \
    pimem model eval --by class --json set.json\n  pimem model eval --injection fixtures/eval/harbor.json\n  \
    PIMEM_EMBEDDING_MODEL=bge-small-en-v1.5 pimem model eval set.json"
)]
pub(crate) struct EvalArgs {
    /// Retrieval sets [default: your own stores]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Leave out questions of this class (repeatable; '' leaves out none)
    #[arg(long, hide_short_help = true, value_name = "CLASS", default_value = "adversarial")]
    without: Vec<String>,
    /// Break the figures down
    #[arg(long, value_name = "WHAT", value_parser = choices(DIVISIONS))]
    by: Option<Division>,
    /// Compare what a model is shown with and without a search, by where the answer is
    #[arg(long, conflicts_with = "by")]
    injection: bool,
}

const DIVISIONS: &[(&str, &str, Division)] = &[
    ("class", "By class of question", Division::Class),
    ("source", "By where the answer is", Division::Source),
];

pub(crate) fn run(ctx: &Shell, args: &EvalArgs) -> Result<Exit, Failure> {
    let request = EvalRequest { files: args.files.clone(), without: args.without.clone() };
    if args.injection {
        ctx.ui.show(&ctx.memory.modeling().compare_injection(&request)?);
        return Ok(Exit::Done);
    }
    // Prompts and words of entries have little in common.
    let by = args.by.or(args.files.is_empty().then_some(Division::Class));
    let found = ctx.memory.modeling().evaluate(&request, by, &ui::stopwatch())?;
    ctx.ui.show(&found);
    if args.files.is_empty() && !found.misses.is_empty() {
        let missed = count(found.misses.len(), "question");
        ctx.ui.note(&format!(
            "{missed} without an answer among the first five hits: pimem model eval --json"
        ));
    }
    Ok(Exit::Done)
}

impl Human for Evaluation {
    fn human(&self, ui: &Ui) {
        let mut header = vec!["set"];
        if self.results.iter().any(|line| line.group.is_some()) {
            header.push("group");
        }
        header.extend([
            "mode",
            "asked",
            "R@5",
            "R@10",
            "MRR",
            "nDCG@10",
            "served",
            "precision",
            "abstained",
            "needless",
            "tokens",
            "ms",
        ]);
        ui.table(&header, self.results.iter().map(cells).collect());
    }
}

fn cells(line: &Figures) -> Vec<String> {
    let figure = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.3}"));
    let mut cells = vec![line.set.clone()];
    cells.extend(line.group.clone());
    cells.extend([line.mode.to_owned(), line.questions.to_string()]);
    let means = line.means;
    cells.extend([
        figure(means.map(|means| means.recall_at_5)),
        figure(means.map(|means| means.recall_at_10)),
        figure(means.map(|means| means.mrr)),
        figure(means.map(|means| means.ndcg_at_10)),
        figure(line.served),
        figure(line.precision),
        figure(line.abstained),
        match line.nothing_to_find {
            0 => "-".to_owned(),
            all => format!("{}/{all}", line.needless),
        },
        format!("{:.1}", line.injected_tokens),
        format!("{:.2}", line.milliseconds),
    ]);
    cells
}

impl Human for Injection {
    fn human(&self, ui: &Ui) {
        let row = |ShownPassage { set, source, questions, without, with, gain }: &ShownPassage| {
            let of = |part: &usize| format!("{part}/{questions}");
            let gain = format!("{:+.0} %", 100.0 * gain);
            vec![set.clone(), source.clone(), of(without), of(with), gain]
        };
        let header = ["set", "source", "without search", "with search", "gain"];
        ui.table(&header, self.results.iter().map(row).collect());
    }
}
