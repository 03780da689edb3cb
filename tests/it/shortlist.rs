//! The report of a large store from its shortlist is that of all its entries, whatever happens to the
//! store.

use std::{
    cell::Cell,
    collections::HashSet,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    rc::Rc,
    sync::LazyLock,
    time::{Duration, SystemTime},
};

use pimem_core::report::budget::Tokens;
use pimem_engine::{
    config::env::Env,
    memory::{
        AddRequest, Memory, NewText, ReportRequest, Silent, StoreWish, Vantage, curate::Proof,
        next::Prospect, pins::PinAction, shortlist,
    },
};
use proptest::{prelude::*, sample::Index};

static BASE: LazyLock<SystemTime> = LazyLock::new(SystemTime::now);
const DAY: Duration = Duration::from_hours(24);
const CATEGORIES: [&str; 4] = ["lesson", "preference", "decision", "mistake"];
const WORDS: [&str; 16] = [
    "anchors", "berths", "cranes", "davits", "engines", "fenders", "gangways", "hatches",
    "lighters", "moorings", "pilots", "quays", "rudders", "slipways", "tugs", "winches",
];

/// Opens the store in `root` so many days after its files were written.
fn open(root: &Path, days: u32) -> Memory {
    open_with(root, days, Some(root.join("cache")))
}

fn open_with(root: &Path, days: u32, cache: Option<PathBuf>) -> Memory {
    let mut env = Env::default();
    env.home = Some(root.join("home"));
    env.cache = cache;
    env.state = Some(root.join("state"));
    let clock = *BASE + DAY * days;
    let (wish, silent) = (StoreWish::default(), Rc::new(Silent));
    Memory::open(root.join("p"), clock, wish, env, Vantage::Typed, silent).unwrap()
}

fn add(memory: &Memory, category: &str, texts: &[String]) -> Vec<Prospect> {
    let texts = texts.iter().map(|text| NewText::stated(memory, category, text).unwrap());
    let request = AddRequest { texts: texts.collect(), ..AddRequest::default() };
    memory.writing().add(request).unwrap().into_iter().map(|added| added.next).collect()
}

/// Adds a text by the shortlist, after the same without one. Compares what is said of the next report.
fn add_both(root: &Path, category: &str, text: &str) {
    let before = root.with_file_name("before");
    let _gone = fs::remove_dir_all(&before);
    copy(root, &before);
    fs::remove_dir_all(root.join("cache")).unwrap();
    let whole = add(&open(root, 61), category, &[text.to_owned()]);
    fs::remove_dir_all(root).unwrap();
    copy(&before, root);
    renew(&open(root, 61));
    assert_eq!(add(&open(root, 61), category, &[text.to_owned()]), whole, "{text}");
}

/// Returns a text that is like no other, and now and then about what another is about.
fn text(number: usize) -> String {
    if number.is_multiple_of(40) {
        return format!("The {} go through {}", WORDS[number / 40 % 16], WORDS[number % 7]);
    }
    let word = |at: u32| WORDS[(number / 16_usize.pow(at) + 3 * at as usize) % 16];
    let mut words: Vec<&str> = (0..3).map(word).collect();
    words.extend((0..number % 9).map(|at| WORDS[(number + at) % 16]));
    format!("Never trust {} {number:x}f", words.join(" "))
}

/// Makes a store of 1,800 entries, learned on 60 days.
fn make(root: &Path) {
    fs::create_dir_all(root.join("p/.pi/memory")).unwrap();
    // A repository of its own.
    fs::create_dir_all(root.join("p/.git")).unwrap();
    for day in 0..60 {
        let texts: Vec<String> = (0..30).map(|at| text(day * 30 + at)).collect();
        let memory = open(root, u32::try_from(day).unwrap());
        drop(add(&memory, CATEGORIES[day % 4], &texts));
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() { copy(&path, &to) } else { assert!(fs::copy(path, to).is_ok()) }
    }
}

#[derive(Debug, Clone, Copy)]
enum Step {
    /// The shortlist is made anew.
    Renew,
    Add(usize),
    Reinforce(Index),
    Harm(Index),
    Forget(Index),
    Pin(Index),
    /// A line is edited, removed or repeated by hand.
    Edit(Index),
    Remove(Index),
    Repeat(Index),
    /// A key of the ledger of trust is removed.
    Distrust(Index),
    Reword(Index),
    /// The log of another branch comes, which may know former wordings.
    Merge(Index),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let at = any::<Index>;
    let step = prop_oneof![
        4 => Just(Step::Renew),
        4 => (0..200_usize).prop_map(Step::Add),
        6 => at().prop_map(Step::Reinforce),
        1 => at().prop_map(Step::Harm),
        1 => at().prop_map(Step::Forget),
        1 => at().prop_map(Step::Pin),
        1 => at().prop_map(Step::Edit),
        1 => at().prop_map(Step::Remove),
        1 => at().prop_map(Step::Repeat),
        1 => at().prop_map(Step::Distrust),
        2 => at().prop_map(Step::Reword),
        3 => at().prop_map(Step::Merge),
    ];
    prop::collection::vec(step, 1..9)
}

/// Returns the ids of entries in the log.
fn ids(root: &Path) -> Vec<String> {
    let log = fs::read_to_string(root.join("p/.pi/memory/evidence.jsonl")).unwrap();
    let id = |line: &str| Some(line.split_once("\"entry\":\"")?.1.get(..16)?.to_owned());
    log.lines().filter_map(id).collect()
}

fn pick(root: &Path, at: Index) -> Vec<String> {
    vec![at.get(&ids(root)).clone()]
}

/// Changes a file line by line: `change` gets the lines and the place of one of them.
fn change(path: &Path, at: Index, change: impl FnOnce(&mut Vec<String>, usize)) {
    let text = fs::read_to_string(path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if lines.len() > 2 {
        let at = 2 + at.index(lines.len() - 2);
        change(&mut lines, at);
        fs::write(path, lines.join("\n") + "\n").unwrap();
    }
}

fn topics(root: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(root.join("p/.pi/memory/topics")).unwrap().flatten();
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).collect();
    files.sort();
    files
}

fn take(root: &Path, step: Step) {
    let memory = open(root, 61);
    let topic = |at: Index| at.get(&topics(root)).clone();
    // What is gone or forgotten already may be refused.
    match step {
        Step::Renew => renew(&memory),
        Step::Add(number) => add_both(root, CATEGORIES[number % 4], &text(5_000 + number)),
        Step::Reinforce(at) => drop(memory.writing().reinforce(&pick(root, at), Proof::Right(1))),
        Step::Harm(at) => drop(memory.writing().reinforce(&pick(root, at), Proof::Wrong(1))),
        Step::Forget(at) => drop(memory.writing().curate(PinAction::Forgot, &pick(root, at))),
        Step::Pin(at) => drop(memory.writing().curate(PinAction::Pinned, &pick(root, at))),
        Step::Edit(at) => change(&topic(at), at, |lines, at| lines[at] += " of steel"),
        Step::Remove(at) => change(&topic(at), at, |lines, at| drop(lines.remove(at))),
        Step::Repeat(at) => change(&topic(at), at, |lines, at| lines.push(lines[at].clone())),
        Step::Distrust(at) => change(&ledger(root), at, |lines, at| drop(lines.remove(at))),
        Step::Reword(at) => {
            let reword = |text: &str| Ok(format!("{text} in {}", WORDS[at.index(WORDS.len())]));
            drop(memory.writing().edit(&pick(root, at)[0], reword));
        }
        Step::Merge(at) => merge(root, &pick(root, at)[0]),
    }
}

/// Returns the ledger of trust of the project's store, which is the largest.
fn ledger(root: &Path) -> PathBuf {
    let all = fs::read_dir(root.join("state/pimem/trust")).unwrap().flatten();
    let size = |path: &PathBuf| path.metadata().map_or(0, |meta| meta.len());
    all.map(|file| file.path()).max_by_key(size).unwrap()
}

/// Appends what another clone noted of an entry, after all that this one did.
fn merge(root: &Path, id: &str) {
    let log = root.join("p/.pi/memory/evidence.jsonl");
    let mut text = fs::read_to_string(&log).unwrap();
    let last = text.lines().last().unwrap();
    let at = last.split_once("\"ts\":\"").unwrap().1.split_once('"').unwrap().0.to_owned();
    writeln!(
        text,
        "{{\"id\":\"01{:0>24}\",\"ts\":\"{at}\",\"entry\":\"{id}\",\"op\":\"reinforce\",\"n\":9,\"by\":\"claude\"}}",
        text.len()
    )
    .unwrap();
    fs::write(&log, text).unwrap();
}

fn renew(memory: &Memory) {
    for store in memory.readers().unwrap() {
        let cache = memory.cache_dir(&store).unwrap();
        fs::create_dir_all(&*cache).unwrap();
        shortlist::renew(memory, &store, &cache).unwrap();
    }
}

/// Compares both reports. Returns true if the shortlist served.
fn compare(root: &Path, days: u32, budget: Option<u32>) -> bool {
    let memory = open(root, days);
    let stores = memory.readers().unwrap();
    let mut settings = memory.report_settings(budget.map(Tokens), Tokens(0));
    settings.reasons = false;
    let source = |brief| {
        memory.reading().report_source(&stores, settings, Some(DAY), &HashSet::new(), brief)
    };
    let (brief, whole) = (source(true), source(false));
    assert_eq!(brief.report.text.to_string(), whole.report.text.to_string());
    assert_eq!(brief.report.crowded, whole.report.crowded);
    assert_eq!(brief.ranking.unreviewed(), whole.ranking.unreviewed());
    assert!(whole.ranking.rest.is_empty());
    let budget = budget.map(Tokens);
    let view = |memory: &Memory| {
        let request = ReportRequest { budget, ..ReportRequest::default() };
        memory.reading().report(&request).unwrap().view
    };
    assert_eq!(view(&memory), view(&open_with(root, days, None)));
    !brief.ranking.rest.is_empty()
}

#[test]
fn the_shortlist_serves_whatever_happened() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shortlist");
    let _gone = fs::remove_dir_all(&dir);
    // Trust is in a place.
    let (root, first) = (dir.join("store"), dir.join("first"));
    make(&root);
    let (memory, all) = (open(&root, 60), ids(&root));
    for id in all.iter().step_by(250) {
        let reword = |text: &str| Ok(format!("{text} at low tide"));
        memory.writing().edit(id, reword).unwrap();
    }
    renew(&open(&root, 61));
    // What was noted of a former wording counts for what became of it.
    for id in all.iter().step_by(250) {
        merge(&root, id);
        compare(&root, 61, Some(300));
    }
    // So it does where its line was away when the shortlist was made.
    let topic = topics(&root).into_iter().find_map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        text.contains("at low tide").then_some((path, text))
    });
    let (path, text) = topic.unwrap();
    let others = text.lines().filter(|line| !line.contains("at low tide"));
    fs::write(&path, others.collect::<Vec<_>>().join("\n") + "\n").unwrap();
    renew(&open(&root, 61));
    fs::write(&path, text).unwrap();
    for budget in [None, Some(300)] {
        assert!(compare(&root, 61, budget), "{budget:?}");
    }
    renew(&open(&root, 61));
    for (days, budget) in [(61, None), (62, Some(300)), (100, None), (900, Some(900))] {
        assert!(compare(&root, days, budget), "{days} {budget:?}");
    }
    assert!(!compare(&root, 30, None), "it is of a later time");
    copy(&root, &first);
    // A shortlist from before some keys were taken away, and one that knows of it.
    let keys = fs::read_to_string(ledger(&root)).unwrap();
    let kept = |(at, _): &(usize, &str)| at % 20 != 19;
    let kept: Vec<&str> = keys.lines().enumerate().filter(kept).map(|(_, key)| key).collect();
    fs::write(ledger(&root), kept.join("\n") + "\n").unwrap();
    assert!(!compare(&root, 61, None), "trust was withdrawn");
    renew(&open(&root, 61));
    assert!(compare(&root, 61, None), "some lines await review");
    let served = Cell::new((0, 0));
    let config =
        ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(steps in steps(), days in prop::sample::select(vec![61, 63, 200]))| {
        fs::remove_dir_all(&root).unwrap();
        copy(&first, &root);
        renew(&open(&root, 61));
        for step in steps {
            take(&root, step);
            let (all, yes) = served.get();
            served.set((all + 1, yes + usize::from(compare(&root, days, None))));
        }
    });
    let (all, yes) = served.get();
    assert!(yes * 3 > all, "the shortlist served {yes} of {all} times");
}
