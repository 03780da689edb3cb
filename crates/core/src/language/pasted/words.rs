//! Words for deciding who speaks. In lower case, except levels and SQL.

use crate::language::{preference::words::Words, word_list::Filter};

/// Code fences and long quotes.
pub(super) const TRIPLE: &[&str] = &["```", "~~~", "\"\"\"", "'''"];

/// Log levels and SQL keywords, in their usual case.
pub(super) static LEVELS: Words = Words::new(
    "ERROR ERR WARN WARNING INFO DEBUG TRACE FATAL NOTICE CRITICAL PANIC SELECT INSERT VALUES \
    WHERE DELETE UPDATE CREATE ALTER",
);

/// Verbs of orders to an agent.
pub(super) static ORDERS: Words = Words::new(
    "adapt add adjust align allow amend annotate apply arrange ask assume attach author avoid \
    backport bisect bring bump call catch choose clean cleanup clear close collapse combine \
    compare compile complete compress configure connect continue convert correct create declare \
    decouple define delete deploy deprecate derive develop disable do don't dont double-check \
    downgrade drop duplicate edit embed enable ensure escape evaluate examine expand expose \
    extend extract fetch find finish fix follow forbid forget generate get give go hide \
    implement improve include increase indent inline insert inspect instrument integrate \
    introduce investigate isolate join keep lay leave limit localise localize lower make merge \
    migrate move never normalise normalize optimise optimize overwrite parallelise parallelize \
    parametrise parse pass prefer prepare propose publish put raise read rebase rebuild redesign \
    redo reduce refactor reformat regenerate register reinstall relax remember remove rename \
    render reorder reorganise reorganize repair replace reproduce rerun resolve restore \
    restructure retry reuse revert rewrite rework rotate scaffold secure see send separate \
    serialise serialize shorten shrink simplify skip solve specify speed stick streamline submit \
    suggest sync tell think throw tidy trim tune undo unify unpin use validate verify warn write",
);

/// Verbs of orders that are as often nouns.
pub(super) static NOUNS: Words = Words::new(
    "archive benchmark build bundle cache cast change check clone comment commit copy count cover \
    cut debug design document draft draw estimate factor figure fill filter fold force format \
    group guard handle import index install land link lint list load lock log look map mark \
    measure mock name nest open order pack patch pick pin plan plot polish port print \
    profile prune pull push record release report request reset restart return review roll run \
    save scan schedule search set setup show sketch sort split squash stage start stop store \
    strip style support swap switch tag take test time trace track try turn type update upgrade \
    upload version wait walk watch wire work wrap",
);

/// Words that continue an order.
pub(super) static OBJECTS: Words = Words::new(
    "the a an my our your its their it this that these those them all every each any some both \
    with to in into and no only new old two three one again up out down off over \
    everything nothing me us what how which where x just first more less less fewer another",
);

/// First words of a verb's object.
pub(super) static GIVEN: Words =
    Words::new("the a an this that these those it them all each every my both");

/// Verbs of pages and manuals addressed to people.
pub(super) static OTHERS_DO: Words = Words::new(
    "click tap press select scroll swipe navigate fork star download subscribe visit join book buy \
    meet discover explore enjoy shop browse experience unlock imagine contact mail email call phone \
    sign cite insert attend hire invite vote follow watch join share like",
);

/// Words before a noun that are not verbs.
pub(super) static RELATIONS: Words = Words::new(
    "in on at by with without within before after under over above below behind between during \
    from into onto upon off out about around across along through throughout toward towards until \
    till since for because although though while when where whether unless once than then as like \
    unlike despite except per via and but or nor not so yet if that what which who whose how why \
    are was were has had have does did will would can could should may might must than both such \
    only even just also still again here there this these those all every each half quite rather \
    maybe perhaps hardly either neither inside outside near next past against among beyond given \
    hello dear and get",
);

/// Words that do not continue an order.
pub(super) static STATES: Words = Words::new("is are was were has had will failed finished by of");

/// Verbs of tasks on a text, which follows or precedes.
pub(super) static READINGS: Words = Words::new(
    "summarise summarize sum translate explain proofread paraphrase answer reply respond interpret \
    rate judge classify decode rephrase describe analyse analyze read spellcheck tl;dr tldr \
    recap shorten critique assess",
);

/// Verbs of inspection, which need a text to be named.
pub(super) static LOOKS: Words = Words::new(
    "check look see review verify help comment continue close handle debug inspect \
    examine investigate scan parse draft react follow apply act evaluate compare search",
);

/// Verbs with the object "this" that do not involve reading.
pub(super) static ACTS: Words = Words::new(
    "commit merge push ship deploy undo revert redo keep drop remove delete finish do repeat stop \
    try run save",
);

/// Verbs for how a text arrived.
pub(super) static SENT: Words = Words::new("sent got gave received forwarded copied pasted mailed");

/// Words after "answer" that say how, and not what.
pub(super) static HOWS: Words =
    Words::new("in with briefly shortly short concisely me plainly only always using");

/// Texts written by others.
pub(super) static TEXTS: Words = Words::new(
    "mail mails email emails e-mail message messages letter thread threads chat conversation \
    discussion dialogue ticket tickets issue issues bugreport log logs output outputs trace \
    traceback stacktrace patch diff comment comments snippet page pages article post posts site \
    website blog readme agents.md claude.md readme.md contributing.md doc docs documentation \
    document config configuration settings yaml json toml list lists note notes query sql \
    transcript prompt text texts paragraph section sections excerpt quote table response result \
    results points instructions rules guidelines reply memo slack policy terms spec answer \
    statement error warning announcement newsletter review description changelog file files \
    script question setting row lines line words sentence entry report summary feed story",
);

/// Words that refer to a text.
pub(super) static POINTERS: Words =
    Words::new("this that these those following below above attached attachment here's here");

/// Nouns after "this" that are not texts.
pub(super) static CODE: Words = Words::new(
    "function method bug test tests module class struct component branch feature crate package \
    repo repository project codebase handler endpoint loop build pipeline helper type field \
    service app api code pr refactor task one way style time week afternoon morning session",
);

/// Words of praise and criticism of finished work.
pub(super) static FEEDBACK: Words = Words::new(
    "looks good great nice perfect thanks thank thx ok okay cool awesome fine almost better much \
    well lgtm no nope yes yep yeah stop wait hmm sorry excellent wow hello hi hey super neat \
    correct right exactly done amazing brilliant lovely alright sure agreed wrong hm oops ugh \
    close merci danke perfekt again still morning not",
);

/// Fillers in such praise.
pub(super) static FILLERS: Words = Words::new(
    "work works worked working so far now job that it is was this very for the you to me not too a \
    bit one with like i thought what wanted start thing try see makes sense point catch idea \
    evening go on we are can do did looking very enough and but really just please as there",
);

/// Things people work with and complain about.
pub(super) static WORK: Words = Words::new(
    "tests test suite build builds ci pipeline linter compiler compilation output outputs answer \
    answers reply replies response responses diff diffs code formatting explanation explanations \
    plan plans summary summaries comments commit patch job jobs lint runs functions names commits header footer sidebar \
    button page layout parser migration migrations import imports function query queries endpoint endpoints server \
    login form cache worker config script pr branch loop mock mocks snapshot snapshots deploy api handler tooltip menu",
);

/// Complaints about them.
pub(super) static COMPLAINTS: Words = Words::new(
    "slow slower red broken flaky wrong long longer short noisy annoying ages forever expensive \
    fails failed failing crashes messy ugly verbose hard big huge much many unreadable confusing \
    tedious brittle late missing incomplete unclear loud painful green better good fine perfect \
    great works nice right close enough risky dangerous dirty stale off crashed crashing broke bug bugs error errors \
    empty flickers hangs leaks",
);

/// Words after "I" in messages to an agent.
pub(super) static SAYINGS: Words = Words::new(
    "prefer like love hate want need don't dont can't cannot dislike use work read find expect \
    wish appreciate would think keep always never usually mostly rarely mean meant only also \
    really just code write type test review run live speak",
);

/// Words after "I'm".
pub(super) static BEING: Words = Words::new(
    "a an the using tired new not colour color colourblind colorblind dyslexic blind deaf learning used happy fine allergic \
    more most very based living visually",
);

/// Words after "you" for what an agent did.
pub(super) static DEEDS: Words = Words::new(
    "forgot forget broke deleted delete removed remove changed change used use added add skipped \
    skip ignored ignore missed miss wrote write put edited edit renamed rename keep kept did \
    didn't always again were made make left pushed push committed commit ran run touched touch \
    mixed should should've shouldn't shouldnt never need can't cannot keep missed got reformatted \
    installed install invented guessed assume assumed",
);

/// Typed labels before a colon at the start of a sentence.
pub(super) const LABELS: &[&str] = &[
    "so",
    "and",
    "but",
    "also",
    "again",
    "note",
    "remember",
    "reminder",
    "important",
    "ps",
    "btw",
    "by the way",
    "fyi",
    "nb",
    "one thing",
    "please remember",
    "keep in mind",
    "small ask",
    "one request",
    "small request",
    "kleine bitte",
    "bitte",
    "zur info",
    "nicht vergessen",
    "one more thing",
    "another thing",
    "one rule",
    "general rule",
    "house rule",
    "new rule",
    "for the record",
    "for reference",
    "preference",
    "preferences",
    "feedback",
    "correction",
    "decision",
    "decided",
    "lesson",
    "lesson learned",
    "lessons learned",
    "gotcha",
    "takeaway",
    "learned",
    "til",
    "convention",
    "project convention",
    "wrong",
    "incorrect",
    "from now on",
    "going forward",
    "first",
    "second",
    "then",
    "please",
    "to be clear",
    "just to be clear",
];

/// Labels before tasks, of which nothing is learned.
pub(super) static TITLES: Words = Words::new(
    "bug todo question questions task goal problem next context idea update issue feature step plan \
    scenario background request follow-up followup part phase error goals tasks",
);

/// Names that users call agents by.
pub(super) static AGENTS: Words = Words::new(
    "claude codex gemini cursor opencode copilot pi antigravity assistant agent bot buddy there \
    again mate friend ai",
);

/// Phrases of letters.
pub(super) const LETTERS: &[&str] = &[
    "dear",
    "hi all",
    "hi team",
    "hi everyone",
    "hi folks",
    "hello all",
    "hello team",
    "hello everyone",
    "hey all",
    "hey team",
    "hey everyone",
    "hey folks",
    "regards",
    "best wishes",
    "kind regards",
    "sincerely",
    "yours truly",
    "viele grüße",
    "liebe grüße",
    "mit freundlichen grüßen",
    "cordialement",
    "saludos",
    "let me know",
    "looking forward to",
    "thanks in advance",
    "please find attached",
    "as discussed",
    "sent from my",
    "do not reply",
    "unsubscribe",
    "click here",
    "read more",
    "learn more",
    "all rights reserved",
    "exit code",
    "steps to reproduce",
];

/// Filter for the words of these phrases.
pub(super) static OF_LETTERS: Filter<8> = {
    let (mut filter, mut at) = (Filter::NONE, 0);
    while at < LETTERS.len() {
        #[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
        let words = LETTERS[at].as_bytes();
        filter = filter.with(words, b' ');
        at += 1;
    }
    filter
};
