//! Words that decide about preferences, grouped by their effect on a sentence. All in lower case.

use memchr::memmem;

use crate::language::word_list::Filter;

/// A list of words separated by spaces. A process makes too few lookups to pay for building a hash
/// table.
pub(crate) struct Words {
    list: &'static str,
    filter: Filter<16>,
}

impl Words {
    pub(crate) const fn new(list: &'static str) -> Self {
        Self { list, filter: Filter::NONE.with(list.as_bytes(), b' ') }
    }

    /// Returns true if the list contains a word.
    pub(crate) fn contains(&self, word: &str) -> bool {
        let list = self.list.as_bytes();
        let space = |at: Option<&u8>| at.is_none_or(|byte| *byte == b' ');
        let stands = |at: usize| {
            space(at.checked_sub(1).and_then(|at| list.get(at))) && space(list.get(at + word.len()))
        };
        // A text with a space would match two words.
        let may = !word.is_empty() && self.filter.may_hold(word) && !word.contains(' ');
        may && memmem::find_iter(list, word).any(stands)
    }
}

/// First words of questions.
pub(crate) static QUESTIONS: Words =
    Words::new("what why how who whom whose which where what's how's who's");

/// First words of questions, before a pronoun.
pub(crate) static AUXILIARIES: Words = Words::new(
    "do does did is are was were am can could would will shall should may might must has have \
    had don't doesn't didn't isn't aren't can't couldn't won't wouldn't shouldn't",
);

/// Second words of such questions.
pub(super) static PRONOUNS: Words = Words::new(
    "i we you he she they it the my this that there your our anyone someone these those a an",
);

/// Words after which a statement of the user may continue.
pub(super) static JOINTS: Words =
    Words::new("because since and but so though also personally generally usually btw remember");

/// Words of reported speech.
pub(crate) static REPORTS: Words = Words::new(
    "said says say told tells thinks claims claimed suggests suggested recommends recommended \
    mentions mentioned argues asked asks wrote writes states stated reads whether suppose \
    imagine pretend assuming assume according apparently unless example e.g titled named \
    called prints outputs doubt wonder wondering quote translate rumour typed enters \
    sends story stories complains complained warns warned insists insisted demands demanded",
);

/// Words that negate a clause.
pub(crate) static DENIALS: Words = Words::new(
    "don't doesn't didn't not isn't wasn't aren't can't cannot won't wouldn't shouldn't \
    hardly stop no dont",
);

/// Nouns after "this" that limit a sentence to one task.
pub(super) static ONE: Words = Words::new(
    "time once pr commit file function method case one task change feature ticket branch \
    session test line class component endpoint bug issue refactor refactoring migration \
    sprint step query script conversation chat prompt demo week morning afternoon role roleplay \
    role-play game scenario exercise",
);

/// Phrases for a single occasion.
pub(super) const ONCE: &[&str] = &[
    "for now",
    "right now",
    "for today",
    "at the moment",
    "for the moment",
    "just once",
    "temporarily",
    "today",
    "tomorrow",
    "tonight",
    "until then",
    "for the time being",
    "used to",
    "not anymore",
    "just kidding",
];

/// Words that refer to something without naming it.
pub(crate) static POINTERS: Words =
    Words::new("it them this that these those either both neither him her one whatever whichever");

/// First words of a subject.
pub(super) static DETERMINERS: Words = Words::new(
    "the a an my our their its some all most many it they he she which that who people users \
    tests workers",
);

/// As in "make sure to".
pub(super) static SURE: Words = Words::new("sure remember forget certain careful");

/// As in "I want you to".
pub(super) static WANTS: Words =
    Words::new("want need like expect prefer love wish only would use work review merge");

/// Verbs of obligation.
pub(super) static DUTIES: Words =
    Words::new("should must shall needs need has have can may gets go goes");

/// Verbs for what happens to people, intended or not.
pub(crate) static HAPPENINGS: Words = Words::new(
    "get see forget end hit lose confuse struggle fail receive find seem wind hear need have \
    had was am got saw think thought knew know felt feel believed assume wonder mix mess \
    come notice suspect worry stumble trip misread mistype break crash face encounter land \
    miss regret ran made did went took told said forgot wrote lost kept came used be been \
    believe screw pay spend read meant or and but",
);

/// Words about a wrong value.
pub(crate) static FAULTS: Words = Words::new(
    "not wrong broken ignored incorrect missing off being displayed shown lost reset empty \
    getting never always used stored saved there invalid null undefined unset hardcoded \
    hard-coded too so messed misspelled irrelevant unknown no now overflowing full parsed \
    converted truncated cut on set spelled in at below above listed attached",
);

/// Systems that people work on.
pub(super) static SYSTEMS: Words = Words::new(
    "windows linux macos mac osx os ubuntu debian fedora arch nixos nix wsl wsl2 freebsd \
    openbsd macbook laptop thinkpad chromebook raspberry pop_os alpine rhel centos vm \
    android",
);

/// Words after "at" and the like that are not places of work.
pub(super) static HERE: Words = Words::new(
    "here there now me once home fast long soon much well quickly usual hard intended expected if though",
);

/// Nouns after "the" that are not places of work either.
pub(super) static VAGUE: Words = Words::new(
    "moment morning evening afternoon meantime same end time start level file code editor terminal \
    background other last next first second latest current keyboard",
);

/// Words that make a habit.
pub(super) static MOSTLY: Words = Words::new("mostly mainly daily only exclusively usually always");

/// Words before a colon and a quotation.
pub(super) static QUOTED: Words =
    Words::new("types type answers answer input prompt text message string");

/// Subjects of sentences that address nobody.
pub(super) static SUBJECTS: Words = Words::new(
    "it there they he she that this these those the a an i'm i'll i've it's it'll that's they'll \
    he'll she'll my your is",
);

/// First words of a task, to which the sentence is limited.
pub(crate) static TASKS: Words = Words::new(
    "generate write create translate draft compose add print render implement build make insert put \
    rename change replace update fix test summarize rewrite type design refactor show validate describe \
    invent simulate define document explain log",
);

/// Words about failures.
pub(crate) static TROUBLES: Words = Words::new(
    "fails fail failing crashes crash error errors broken wrong stops bug 400 401 403 404 500 \
    twice still doesn't isn't can't won't why unfortunately missing hangs",
);

/// Last words of a clause about one place in the code.
pub(super) static PLACES: Words = Words::new("here there yet");

/// Nouns after "the" for one thing in the code.
pub(crate) static THINGS: Words = Words::new(
    "variable function method field label button name title column parameter argument class module",
);
