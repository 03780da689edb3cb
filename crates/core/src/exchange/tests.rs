//! Round-trip tests of every format: what a format can express survives, and output is
//! deterministic.

use proptest::prelude::*;

use super::*;
use crate::{
    markdown::topic::TopicDoc,
    model::{
        category::{Categories, CategorySpec, Traits},
        entry::{EntryId, EventId},
        event::{Author, EventKind, Provenance},
        operation::UserState,
        time::Timestamp,
    },
    safety::text::EntryText,
};

/// The built-in categories, and two more, one of which shares its topic with another.
fn categories() -> Categories {
    let spec = |name: &'static str, topic: &'static str| CategorySpec {
        name: name.into(),
        topic: topic.into(),
        tau_days: 30.0,
        max_active: 4,
        section: "X".into(),
        section_tokens: 200,
        window_days: None,
        fill: 1.5,
        traits: Traits::OTHER,
    };
    Categories::new(vec![spec("runbook", "run-books"), spec("hint", "lessons")])
}

/// Category, text and pin of items, which every format preserves.
fn gist(items: &[ExchangeItem]) -> Vec<(Option<String>, String, bool)> {
    items.iter().map(|item| (item.category.clone(), item.text.clone(), item.pinned)).collect()
}

fn sorted<T: Ord>(mut all: Vec<T>) -> Vec<T> {
    all.sort();
    all
}

/// Generates valid texts, some of which look like markup.
fn any_text() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "- item",
        "# heading",
        "#lesson tag",
        "[ ] task",
        "@file.md",
        "```",
        "<!-- pimem:end -->",
        "<!-- note -->",
        "---",
        "name: x",
        "1. one",
        "| a | b |",
        "> quoted",
        "Intro:",
        "\"quoted\"",
        "[a](b.md) — c",
        "{\"text\": 1}",
        "naïve café 👍",
        "a: b # c",
        "'x'",
    ]);
    let words =
        "[a-zA-Z0-9é`*\\[\\]:#\"'<>|\\\\-]{1,8}( [a-zA-Z0-9é`*\\[\\]:#\"'<>|\\\\-]{1,8}){0,6}";
    let text = prop_oneof![
        words.prop_map(|text| text),
        odd.clone().prop_map(str::to_owned),
        (odd, words).prop_map(|(odd, words)| format!("{odd} {words}")),
    ];
    text.prop_filter_map("storable", |text| {
        let text = EntryText::new(&text).ok().filter(|text| !text.pinned())?;
        Some(text.as_str().to_owned())
    })
}

fn any_item() -> impl Strategy<Value = ExchangeItem> {
    let names: Vec<String> = categories().iter().map(|(_, spec)| spec.name.to_string()).collect();
    (prop::sample::select(names), any_text(), any::<bool>()).prop_map(|(category, text, pinned)| {
        ExchangeItem { category: Some(category), text, pinned, ..ExchangeItem::default() }
    })
}

/// Generates distinct items, in the order of an export.
fn any_items() -> impl Strategy<Value = Vec<ExchangeItem>> {
    prop::collection::vec(any_item(), 0..8).prop_map(|mut items| {
        items.sort_by(|a, b| (&a.category, &a.text).cmp(&(&b.category, &b.text)));
        items.dedup_by(|a, b| (&a.category, &a.text) == (&b.category, &b.text));
        items
    })
}

fn any_kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![
        Just(EventKind::Add(Cue::Structural, None)),
        (1..9_u32).prop_map(EventKind::Reinforce),
        Just(EventKind::Pin),
        Just(EventKind::Forget),
        (0..9_u64).prop_map(|id| EventKind::Edit(EntryId(id), None)),
        (0..9_i64).prop_map(|at| EventKind::Expire(Timestamp(at * 1_000))),
    ]
}

fn any_whole() -> impl Strategy<Value = ExchangeItem> {
    let time = (0..4_000_000_000_000_i64).prop_map(Timestamp);
    let score = (0..u32::MAX, prop::sample::select(Cue::ALL.to_vec()), time.clone(), time)
        .prop_map(|(evidence, cue, first_seen, last_reinforced)| PiScore {
            evidence,
            cue,
            first_seen,
            last_reinforced,
            user: UserState::Forgotten,
        });
    let events = prop::collection::vec((any_kind(), 0..9_i64, any::<u64>()), 0..4);
    let until = prop::option::of(Just(Date::parse("2026-12-31").unwrap()));
    (any_item(), prop::option::of(score), events, until, "[a-z]{1,6}").prop_map(
        |(item, score, events, until, tag)| {
            let event = |(kind, at, random)| {
                let ts = Timestamp(at);
                let id = EventId::new(ts, u128::from(random));
                let event = Event { id, ts, entry: EntryId(7), by: Author::Person, kind };
                let line = event.write(&Provenance::default());
                (event, line)
            };
            let cue = score.as_ref().map(|score| score.cue);
            let events = events.into_iter().map(event).collect();
            let (tags, topic) = (vec![tag.clone()], Some(tag));
            ExchangeItem { topic, cue, tags, until, score, events, ..item }
        },
    )
}

proptest! {
    #[test]
    fn jsonl_keeps_everything(item in any_whole()) {
        let line = jsonl::render(&item);
        let read = jsonl::read(&line, jsonl::WHOLE).unwrap();
        prop_assert_eq!(&read, &item);
        prop_assert_eq!(jsonl::render(&read), line);
    }

    #[test]
    fn agents_block_there_and_back(items in any_items(), before in ".{0,40}") {
        let categories = categories();
        let block = agents::render(&items, &categories);
        let found = agents::read("A", &block, &categories);
        prop_assert_eq!(&found.left, &Vec::new());
        prop_assert_eq!(sorted(gist(&found.items)), sorted(gist(&items)));
        prop_assert_eq!(agents::render(&found.items, &categories), block.clone());
        // Into a page, then again into the same page.
        let page = agents::insert(before.as_bytes(), &block).unwrap();
        prop_assert!(page.starts_with(before.as_bytes()));
        prop_assert_eq!(agents::insert(&page, &block).unwrap(), page);
    }

    #[test]
    fn claude_files_there_and_back(items in any_items()) {
        let files = claude::render(&items);
        let found = claude::read(&files, &categories());
        prop_assert_eq!(&found.left, &Vec::new());
        prop_assert_eq!(sorted(gist(&found.items)), sorted(gist(&items)));
        let named = |files: Vec<ExchangeFile>| sorted(files.into_iter().map(|file| (file.name, file.text)).collect());
        let mut back = found.items;
        back.sort_by(|a, b| (&a.category, &a.text).cmp(&(&b.category, &b.text)));
        prop_assert_eq!(named(claude::render(&back)), named(files));
    }

    #[test]
    fn pi_memory_there_and_back(items in any_items()) {
        let categories = categories();
        for notes in ["", "# Notes\n\ntext\n", "## Memories\r\n\r\n- a note\r\n"] {
            let page = pi::render_notes(notes.as_bytes(), &items);
            let text = String::from_utf8(page.clone()).unwrap();
            let (found, rest) = pi::read("M", &text, &categories);
            prop_assert_eq!(gist(&found.items), gist(&items));
            let (kept, _) = pi::merge(b"", &rest, &categories);
            let (again, fresh) = pi::merge(&kept, &rest, &categories);
            prop_assert_eq!((again, fresh), (kept, 0));
        }
    }

    #[test]
    fn pi_topics_there_and_back(items in any_items()) {
        let categories = categories();
        let files = pi::render(&items);
        let mut back = Vec::new();
        for file in &files {
            let doc = TopicDoc::parse(file.text.clone().into_bytes(), &categories);
            back.extend(doc.entries.into_iter().map(|entry| ExchangeItem {
                category: Some(categories.spec(entry.category).name.to_string()),
                text: entry.text,
                pinned: entry.markers.pinned,
                ..ExchangeItem::default()
            }));
        }
        prop_assert_eq!(gist(&back), gist(&items));
        prop_assert_eq!(pi::render(&back), files);
    }

    #[test]
    fn no_page_is_too_strange(text in any::<String>(), lines in prop::collection::vec(any_text(), 0..12)) {
        let categories = categories();
        for text in [text, lines.join("\n"), lines.join("\r\n  ")] {
            let files = [ExchangeFile { name: "a.md".into(), text: text.clone() }];
            drop(claude::read(&files, &categories));
            drop(agents::read("a", &text, &categories));
            let (_, rest) = pi::read("a", &text, &categories);
            let (page, _) = pi::merge(b"", &rest, &categories);
            prop_assert_eq!(pi::merge(&page, &rest, &categories).1, 0);
        }
    }
}

fn agents_of(text: &str) -> Vec<String> {
    let found = agents::read("A", text, &Categories::default());
    let item = |item: &ExchangeItem| {
        let likely = item.likely.as_ref().map(|name| format!("{name}?"));
        let category = item.category.clone().or(likely);
        format!("{}: {}", category.as_deref().unwrap_or("-"), item.text)
    };
    let mut all: Vec<String> = found.items.iter().map(item).collect();
    all.extend(found.left.iter().map(|left| format!("{} {}", left.place, left.reason)));
    all.extend(found.included.iter().map(|(place, file)| format!("{place} includes {file}")));
    all
}

#[test]
fn parts_of_a_page() {
    let table = include_str!("../../../../fixtures/exchange/agents/parts.txt");
    let parts: Vec<&str> = table.split("%%\n").skip(1).collect();
    assert!(parts.len() >= 40);
    for part in parts {
        let (page, want) = part.split_once("\n=>\n").unwrap();
        let got = agents_of(&page.replace('␍', "\r"));
        assert_eq!(got, want.lines().collect::<Vec<_>>(), "{page:?}");
    }
}

#[test]
fn lines_that_are_too_long() {
    let long = format!("- {}", "x".repeat(LONGEST + 1));
    assert_eq!(agents_of(&long), ["A:1 2001 characters are too long for one memory (2000)"]);
    let sentence = "Quays are swept at dawn by the crew of the day.";
    let long = format!("- **Sweeping:** {}", [sentence; 50].join(" "));
    let found = agents_of(&long);
    assert_eq!((found.len(), found[1].as_str()), (50, &*format!("-: **Sweeping:** {sentence}")));
}

/// Sentences, tables, commands and the reasons for what is left, of a page with everything.
#[test]
fn a_whole_page() {
    for (page, want) in [
        (
            include_str!("../../../../fixtures/exchange/agents/whole.md"),
            include_str!("../../../../fixtures/exchange/agents/whole.txt"),
        ),
        (
            include_str!("../../../../fixtures/exchange/agents/blocks.md"),
            include_str!("../../../../fixtures/exchange/agents/blocks.txt"),
        ),
    ] {
        let got = agents_of(page).join("\n") + "\n";
        assert_eq!(got, want, "\n{got}");
    }
}

#[test]
fn a_block_in_a_page() {
    let block = agents::render(&[], &Categories::default());
    let page = |text: &str| {
        agents::insert(text.as_bytes(), &block).map(|bytes| String::from_utf8(bytes).unwrap())
    };
    assert_eq!(page(""), Ok(block.clone()));
    assert_eq!(page("a\n"), Ok(format!("a\n\n{block}")));
    assert_eq!(page("a"), Ok(format!("a\n\n{block}")));
    let crlf = block.replace('\n', "\r\n");
    assert_eq!(page("a\r\n"), Ok(format!("a\r\n\r\n{crlf}")));
    let old = "x \r\n<!-- pimem:begin -->\r\n- old\r\n<!-- pimem:end -->\r\n\ty";
    assert_eq!(page(old), Ok(format!("x \r\n{crlf}\ty")));
    let shown = "```\n<!-- pimem:begin -->\n```\n";
    assert_eq!(page(shown), Ok(format!("{shown}\n{block}")));
    let open = page("a\n<!-- pimem:begin -->\n- x\n").unwrap_err();
    assert_eq!(open.to_string(), "the block that begins on line 2 has no <!-- pimem:end -->");
}

#[test]
fn files_of_claude() {
    let read = |name: &str, text: &str| {
        let files = [ExchangeFile { name: name.into(), text: text.into() }];
        let found = claude::read(&files, &Categories::default());
        let item =
            |item: &ExchangeItem| (item.category.clone().unwrap_or_default(), item.text.clone());
        let left: Vec<String> = found.left.iter().map(|left| left.reason.clone()).collect();
        (found.items.iter().map(item).collect::<Vec<_>>(), left)
    };
    let one = |category: &str, text: &str| (vec![(category.to_owned(), text.to_owned())], vec![]);
    let front = |keys: &str, body: &str| format!("---\n{keys}\n---\n{body}");
    for (text, want) in [
        (front("type: user", "\none\n"), one("preference", "one")),
        (front("metadata:\n  type: project", "- one"), one("decision", "- one")),
        (front("type: reference", "a\nb\n\n**Why:** c"), one("lesson", "a b **Why:** c")),
        (front("type: feedback\ndescription: 'it''s'", ""), one("preference", "it's")),
        (front("type: odd\ndescription: \"a \\\"b\\\"\"", "\n"), one("", "a \"b\"")),
        (front("type: user", "rule\n\n```\ncode\n```"), one("preference", "rule")),
        (
            front("type: user", "- a\n- b"),
            (vec![("preference".into(), "a".into()), ("preference".into(), "b".into())], vec![]),
        ),
        (
            "just prose\n".to_owned(),
            (vec![], vec!["it has neither front matter nor a list".to_owned()]),
        ),
    ] {
        assert_eq!(read("a.md", &text), want, "{text:?}");
    }
    let gone = read("MEMORY.md", "- [A](a.md) — x\n- plain\n");
    assert_eq!(gone, (one("", "plain").0, vec!["its file a.md is not there".to_owned()]));
}

#[test]
fn pages_of_pi_memory() {
    let categories = Categories::default();
    let text = "# M\n\n<!-- 2026-02-15 14:30:00 [a1b2] -->\n#decision [[db]] Chose\nPostgreSQL.\n#lesson b\n\n## Only\n\n- #mistake c *(pinned)*\n\n## Kept\n- note\n  more\n#tag note\n";
    let (found, rest) = pi::read("M", text, &categories);
    let want = [
        ("decision", "[[db]] Chose PostgreSQL.", false),
        ("lesson", "b", false),
        ("mistake", "c", true),
    ];
    let want =
        want.map(|(category, text, pinned)| (Some(category.to_owned()), text.to_owned(), pinned));
    assert_eq!(gist(&found.items), want);
    let times: Vec<bool> = found.items.iter().map(|item| item.score.is_some()).collect();
    assert_eq!(times, [true, false, false]);
    let (page, blocks) = pi::merge(b"", &rest, &categories);
    assert_eq!(String::from_utf8(page).unwrap(), "# M\n\n## Kept\n- note\n  more\n#tag note\n");
    assert_eq!(blocks, 1, "a tag of no category starts nothing");
    let ours = b"# Ours\n\n## Kept\n- other\n\n## Last\n";
    let (page, _) = pi::merge(ours, &rest, &categories);
    let want = "# Ours\n\n## Kept\n- other\n- note\n  more\n#tag note\n\n## Last\n";
    assert_eq!(String::from_utf8(page).unwrap(), want);
    let secret =
        "- a\n- token ghp_0123456789abcdefghijABCDEFGHIJ456789\n- b <private>c</private>\n";
    let mut left = Vec::new();
    let clean = pi::clean("M", pi::pieces(secret, &categories), &mut left);
    let (page, _) = pi::merge(b"", &clean, &categories);
    assert_eq!(String::from_utf8(page).unwrap(), "- a\n- b\n");
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].place, "M:2");
    assert!(!left[0].reason.contains("ghp_"), "{}", left[0].reason);
}

#[test]
fn what_a_page_states_instead() {
    let all = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let gone = all(&[
        "Run `uv sync` before the first test of the day",
        "Deploys go through Jenkins",
        "Berths are numbered from the north",
        "Never log tokens or cookies of a session",
    ]);
    let fresh = all(&[
        "Never log tokens, cookies or headers of a session",
        "We deploy with Argo",
        "Run `uv sync --frozen` before the first test of the day",
        "Tides are told in metres",
    ]);
    assert_eq!(agents::rewordings(&gone, &fresh), [Some(2), Some(1), None, Some(0)]);
    // One line is what one line became.
    let twice = all(&["Cranes are painted blue", "Cranes are painted blue again"]);
    assert_eq!(agents::rewordings(&twice, &twice[1..]), [None, Some(0)]);
    assert_eq!(agents::rewordings(&gone, &[]), [None; 4]);
}

#[test]
fn a_bold_lead_and_a_choice_of_languages() {
    let page = "1. **Install what it needs:**\n\n   ```sh\n   make deps\n   ```\n\n\
                - [en](a.md) \u{2022} [de](b.md) \u{2022} [fr](c.md)\n\
                - See [a](a.md), [b](b.md) and [c](c.md) before a release\n";
    let found = agents::read("a.md", page, &Categories::default());
    let texts: Vec<&str> = found.items.iter().map(|item| item.text.as_str()).collect();
    let want = [
        "**Install what it needs:** `make deps`",
        "See [a](a.md), [b](b.md) and [c](c.md) before a release",
    ];
    assert_eq!(texts, want);
    assert_eq!(found.left[0].reason, "it is a list of links");
}

/// Code that a page leaves open does not swallow the block, which is found again.
#[test]
fn a_block_behind_code_without_an_end() {
    for (page, want) in [
        ("```", "```\n```\n\n"),
        ("a\n~~~ sh\nmake\n", "a\n~~~ sh\nmake\n~~~\n\n"),
        ("```\nx\n```\n", "```\nx\n```\n\n"),
    ] {
        let block = agents::render(&[], &categories());
        let once = agents::insert(page.as_bytes(), &block).unwrap();
        assert_eq!(String::from_utf8(once.clone()).unwrap(), format!("{want}{block}"));
        assert_eq!(agents::insert(&once, &block).unwrap(), once, "{page}");
    }
}
