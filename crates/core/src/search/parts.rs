//! The questions of a prompt. Real prompts are several sentences, some of them beside code or a log; as
//! one query, they find less than any of them alone.

use super::{social_gate, tokens};
use crate::language::{
    preference,
    sentence::{self, CodeFence},
};

/// Bytes of a prompt at each of its ends that are read.
const READ: usize = 8 << 10;
/// Maximum number of sentences that are queries of their own.
const PARTS: usize = 8;
/// Minimum number of characters of such a sentence.
const SHORTEST: usize = 8;

/// Returns the queries of a prompt: all that is said in it, then each sentence. What is no question or
/// order about the project is set aside: code, quotes and logs, thanks, orders to do any work, and
/// rules to be learned. A prompt of nothing else is one query.
#[must_use]
pub fn parts(prompt: &str) -> Vec<String> {
    let said = questions(prompt);
    match said.as_slice() {
        [] => vec![prompt.to_owned()],
        [_] => said,
        _ => {
            let whole = said.join(" ");
            // What is long says most; the order of the prompt decides among equals.
            let mut longest: Vec<usize> = (0..said.len()).collect();
            longest.sort_by_key(|at| std::cmp::Reverse(said.get(*at).map_or(0, String::len)));
            longest.truncate(PARTS);
            longest.sort_unstable();
            let parts = longest.iter().filter_map(|at| said.get(*at).cloned());
            std::iter::once(whole).chain(parts).collect()
        }
    }
}

/// Returns the sentences of a prompt that ask or tell something about the project.
#[must_use]
pub fn questions(prompt: &str) -> Vec<String> {
    let texts = ends(prompt).into_iter().map(without_output);
    let sentences = texts.flat_map(|text| preference::sentences(&text).collect::<Vec<_>>());
    let mut said: Vec<String> =
        sentences.map(|(text, ..)| text).filter(|text| asks(text)).collect();
    said.dedup();
    said
}

/// Returns the beginning and the end of a text, cut between lines, or all of it.
fn ends(text: &str) -> Vec<&str> {
    if text.len() <= 2 * READ {
        return vec![text];
    }
    let (head, tail) = (text.floor_char_boundary(READ), text.ceil_char_boundary(text.len() - READ));
    let (head, tail) = (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default());
    let head = head.rsplit_once('\n').map_or(head, |(whole, _)| whole);
    let tail = tail.split_once('\n').map_or(tail, |(_, whole)| whole);
    vec![head, tail]
}

/// Returns a text without what programs printed. By itself, half of an output looks like any sentence:
/// what stands between lines that do not is set aside with them, and figures below them.
fn without_output(text: &str) -> String {
    let mut fence = CodeFence::default();
    let mut block: Vec<(&str, bool)> = Vec::new();
    let mut rest = String::with_capacity(text.len());
    for line in text.lines() {
        let bare = line.trim();
        let is_code = fence.holds(bare);
        if bare.is_empty() && !is_code {
            push_typed(&mut rest, &block);
            block.clear();
            rest.push('\n');
        } else {
            block.push((line, is_code || sentence::pasted(bare)));
        }
    }
    push_typed(&mut rest, &block);
    rest
}

/// Appends the lines of a block above and below its output. `true` beside a line says that it was surely
/// printed.
fn push_typed(rest: &mut String, block: &[(&str, bool)]) {
    let is_printed = |(_, is_printed): &(&str, bool)| *is_printed;
    let is_figure = |(line, _): &&(&str, bool)| {
        let mut words = line.split_whitespace();
        line.contains(|c: char| c.is_ascii_digit())
            && !line.trim_end().ends_with(['.', '!', '?', ':'])
            && !words.next().is_some_and(tokens::is_question_word)
    };
    let first = block.iter().position(is_printed).unwrap_or(block.len());
    let end = block.iter().rposition(is_printed).map_or(block.len(), |last| last + 1);
    let below = block.iter().skip(end).skip_while(is_figure);
    for (line, _) in block.iter().take(first).chain(below) {
        rest.push_str(line);
        rest.push('\n');
    }
}

/// Returns true if a sentence asks or tells something that a memory could be about.
fn asks(sentence: &str) -> bool {
    sentence.chars().nth(SHORTEST - 1).is_some()
        && !social_gate::is_trivial(sentence)
        && !social_gate::is_order(sentence)
        && preference::find(sentence).is_empty()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_prompt_is_its_questions() {
        let table: &[(&str, &[&str])] = &[
            ("Where do the tide tables come from?", &["Where do the tide tables come from?"]),
            (
                "From now on, squash commits before you merge them. And where do the tide tables come from?",
                &["where do the tide tables come from?"],
            ),
            (
                "Where do berths overlap? Then make the change, run the tests and show me the diff.",
                &["Where do berths overlap?"],
            ),
            (
                "The gate stays shut.\n```\nerror[E0425]: cannot find value `gate`\n  --> src/gate.rs:3:5\n```\nWhat locks it?",
                &["The gate stays shut. What locks it?", "The gate stays shut.", "What locks it?"],
            ),
            (
                "Hi! How do we deploy? How are secrets stored? Thanks!",
                &[
                    "How do we deploy? How are secrets stored?",
                    "How do we deploy?",
                    "How are secrets stored?",
                ],
            ),
            ("run the tests again", &["run the tests again"]),
            ("> quoted only", &["> quoted only"]),
            ("berth 3 is shut\nerror: no tide", &["berth 3 is shut"]),
            (
                "$ make check\n[1/2] compiling 212 units\n    at line 118\nelapsed 41.2 s\nexit status 1\nWhere are berths checked?",
                &["Where are berths checked?"],
            ),
            (
                "Traceback (most recent call last):\n  File \"main\", line 40, in run\n    step()\nValueError: unexpected end\nDuring handling of the above:\nKeyError: 'x'\nexit status 2\n\nWhich berths have 2 keys",
                &["Which berths have 2 keys"],
            ),
            (
                "error[E0308]: mismatched types\n  --> src/a.rs:12:9\nexpected one of 3 tides\n```\nfn a() {}\n\nlet b = 1;\n```\nwhy does gate 3 stay shut",
                &["why does gate 3 stay shut"],
            ),
            (
                "Set 4 keys aside.\n> as said\n\nWho holds them?",
                &["Set 4 keys aside. Who holds them?", "Set 4 keys aside.", "Who holds them?"],
            ),
            ("", &[""]),
            ("Wo liegen die Tabellen? Danach lass die Tests laufen.", &["Wo liegen die Tabellen?"]),
        ];
        for (prompt, want) in table {
            assert_eq!(parts(prompt), *want, "{prompt}");
        }
    }

    #[test]
    fn a_long_prompt_costs_no_more() {
        let long = "Where is berth 7 kept? ".repeat(20_000);
        assert_eq!(parts(&long).len(), 1, "said once is enough");
        let many: Vec<String> = (0..20_000).map(|n| format!("Where is berth {n} kept?")).collect();
        let many = many.join(" ");
        assert_eq!(parts(&many).len(), PARTS + 1);
        assert_eq!(parts(&"x".repeat(200_000)).len(), 1);
    }

    proptest! {
        #[test]
        fn any_prompt_has_a_query(prompt in "[a-zA-Z .?!`>\n]{0,120}") {
            prop_assert!(!parts(&prompt).is_empty());
        }

        /// A question in company is a query of its own.
        #[test]
        fn a_question_stands_alone(before in "(Thanks! |Run the tests\\. |Hi\\. |The build is slow today\\. )?", after in "( Then run the tests\\.| Thanks!|\n```\nerror: x\n```)?") {
            let question = "Where do the tide tables come from?";
            let found = parts(&format!("{before}{question}{after}"));
            prop_assert!(found.iter().any(|part| part == question), "{found:?}");
        }
    }
}
