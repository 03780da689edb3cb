//! Reads sentences for what they would make an agent do: an order is a combination of concepts in
//! one sentence.

#[cfg_attr(not(test), expect(clippy::wildcard_imports, reason = "all concepts are constants"))]
use super::{injection_concepts::*, lexicon::Concepts};

/// A word of a text in lower case.
pub(super) struct OrderWord<'a> {
    /// Byte offset in the text.
    at: usize,
    pub(super) text: &'a str,
    /// It stands in backticks or double quotes.
    quoted: bool,
    /// A sentence begins with it.
    begins: bool,
    /// A comma stands before it.
    after_comma: bool,
    /// The byte that follows it.
    next: Option<u8>,
}

/// A combination of concepts that makes a sentence an order.
struct Rule {
    does: &'static str,
    /// The sentence has a concept of each.
    all: &'static [Concepts],
    /// It has none of these.
    none: Concepts,
    /// Quoted words count: it is about a command.
    is_command: bool,
}

const fn command(does: &'static str, all: &'static [Concepts], none: Concepts) -> Rule {
    Rule { does, all, none: none | FORBIDDEN | ABOUT, is_command: true }
}

const fn stated(does: &'static str, all: &'static [Concepts], none: Concepts) -> Rule {
    Rule { does, all, none: none | ABOUT, is_command: false }
}

const RUNS: &str = "orders to run what comes from the network";
const SENDS: &str = "orders to give away secrets or instructions";
const IGNORES: &str = "orders to ignore what was said before";
const APPROVES: &str = "takes an approval for given";
const LIFTS: &str = "orders to lift a safeguard";
const HIDES: &str = "orders to keep something from people";
const DESTROYS: &str = "orders to destroy or open the home directory";

const ORDERS: &[Rule] = &[
    command(RUNS, &[PIPED, FOREIGN], INSTALLS),
    command(RUNS, &[CURL, FOREIGN, RUN, OCCASION], QUIET),
    command(RUNS, &[CURL | FETCH, REMOTE_SCRIPT, RUN], INSTALLS),
    command(RUNS, &[CURL | FETCH, FOREIGN, RUN_IT], INSTALLS | QUIET),
    command(RUNS, &[SCRIPT, FOREIGN, RUN | FOLLOW, OCCASION | CONDITION], INSTALLS),
    command(RUNS, &[SCRIPT | REMOTE_SCRIPT, FOREIGN, STARTS, WORKING], INSTALLS),
    command(RUNS, &[FOREIGN, RUN_IT | STARTS, RUN_IT | WORKING, OCCASION], INSTALLS | QUIET),
    command(RUNS, &[REMOTE_SCRIPT, RUN, SCRIPT | OCCASION], INSTALLS),
    command(RUNS, &[FOLLOW, DIRECTIVES | RULES, FOREIGN, OCCASION], INSTALLS),
    command(SENDS, &[SECRET_FILE, SEND | CURL, TO], 0),
    command(SENDS, &[SECRET | ENVIRONMENT, SEND, TO], API),
    command(SENDS, &[TALK, SEND | LANDS, TO], API),
    command(SENDS, &[SECRET_FILE, ATTACH | SEND | LANDS, OUTPUT | GIVING], API),
    command(SENDS, &[SECRET_FILE | SECRET, ATTACH | SEND, OUTPUT], API),
    command(SENDS, &[ENVIRONMENT, ATTACH | SEND, OUTPUT, EACH], API),
    command(SENDS, &[SECRET, ATTACH | SEND, REQUEST, QUERY], API),
    command(SENDS, &[SECRET | SECRET_FILE | ENVIRONMENT, LITERAL, OUTPUT | GIVING], API),
    command(SENDS, &[TO, SEND | LANDS, WORKING], 0),
    command(SENDS, &[TO, SEND | LANDS, WORKPIECE], API),
    command(SENDS, &[SECRET_FILE, SEND | ATTACH, AWAY], 0),
    command(SENDS, &[SECRET_FILE | TALK, SEND | LANDS, AWAY, EACH | WORKING], 0),
    command(SENDS, &[SECRET | ENVIRONMENT, SEND, AWAY], API),
    command(SENDS, &[SECRET | ENVIRONMENT, LITERAL, SEND, AWAY], QUERY),
    stated(IGNORES, &[DIRECTIVES, AUTHORITY | PRIOR, VOID], PRODUCT),
    command(RUNS, &[TREAT, FOREIGN | FETCH], 0),
    command(RUNS, &[ENTRANCE, FOREIGN], 0),
    stated(IGNORES, &[SAYS, AUTHORITY, VOID], PRODUCT),
    stated(IGNORES, &[RULES, AUTHORITY, VOID], PRODUCT),
    stated(IGNORES, &[RULE_FILE, VOIDED], PRODUCT),
    stated(IGNORES, &[SECOND, AUTHORITY, DIRECTIVES | SAYS], PRODUCT),
    stated(IGNORES, &[VOID, RULES | DIRECTIVES, PRIOR, SELF], PRODUCT),
    stated(IGNORES, &[AUTHORITY | PRIOR, ONLY_THIS, RULES | DIRECTIVES | AUTHORITY], 0),
    stated(IGNORES, &[SELF, PREVAILS, AUTHORITY | DIRECTIVES], 0),
    stated(IGNORES, &[RULES | DIRECTIVES, RULED, ENDED], PRODUCT | NAMED_PLACE),
    stated(IGNORES, &[IGNORE, DISMISSES, DIRECTIVES | SAYS], FORBIDDEN),
    stated(APPROVES, &[APPROVED, PERSON, EACH, ACTION], CONDITION),
    stated(APPROVES, &[APPROVED, EACH, ACTION], CONDITION | NOT | MUST),
    stated(APPROVES, &[CONSENT | APPROVED, PRESUMED, EACH | GRAVE], CONDITION),
    stated(
        APPROVES,
        &[AGREED, PERSON | PRESUMED, EACH | GRAVE, ACTION | GRAVE],
        CONDITION | FORBIDDEN,
    ),
    stated(APPROVES, &[PROMPT, YES], FORBIDDEN | DEVICE),
    stated(APPROVES, &[AUTO, EACH, ACTION | CONSENT], FORBIDDEN),
    stated(APPROVES, &[UNASKED, GRAVE], FORBIDDEN),
    stated(APPROVES, &[WAIVED, CONSENT, EACH | GRAVE], FORBIDDEN | CONDITION),
    stated(APPROVES, &[UNASKED, ACTION, EACH], FORBIDDEN | CONDITION),
    command(APPROVES, &[FLAG, USE], FORBIDDEN),
    stated(APPROVES, &[TAKEN, GATE, EACH | GRAVE], FORBIDDEN | CONDITION),
    stated(
        APPROVES,
        &[ASSUME, APPROVED | AGREED | CONSENT, ALREADY, EACH | GRAVE],
        CONDITION | NOT,
    ),
    stated(APPROVES, &[BOTHER, UNASKED, CONSENT, PERSON], PRODUCT),
    stated(LIFTS, &[GRANT, ACCESS], FORBIDDEN),
    stated(LIFTS, &[OFF, SAFEGUARD], FORBIDDEN | DEVICE),
    stated(LIFTS, &[CHECKS, OFF, EACH | WORKING | OCCASION], FORBIDDEN | DEVICE),
    Rule { does: LIFTS, all: &[OFF, HINDERED], none: FORBIDDEN | DEVICE, is_command: false },
    stated(LIFTS, &[OFF, SCANNING], FORBIDDEN | NAMED_PLACE),
    stated(LIFTS, &[OFF, PROMPT], FORBIDDEN | DEVICE),
    stated(HIDES, &[SILENT, TELL, PERSON, DOING], PRODUCT | CONDITION),
    stated(HIDES, &[UNTOLD, PERSON, DOING | SEND], PRODUCT),
    stated(HIDES, &[CONCEAL, HEARER | REPORTING, DOING], PRODUCT),
    stated(HIDES, &[REPORTING, SILENT | LEFT_OUT, DOING], PRODUCT | CONDITION),
    stated(HIDES, &[ASKED, QUESTIONED, TELL, DOING, NOT | PERSON], PRODUCT),
    stated(HIDES, &[ASKED, DOUBTED, SCRIPTED], PRODUCT),
    stated(HIDES, &[THIS_RULE, OWN_SECRET, PERSON | ASKED], PRODUCT),
    command(DESTROYS, &[DESTROY, HOME | ROOT], 0),
    command(DESTROYS, &[OPEN, OPENLY, HOME | ROOT], 0),
];

/// Concepts that every order has one of: sentences without them are no orders.
const ESSENTIAL: Concepts = {
    let (mut all, mut at) = (0, 0);
    while at < ORDERS.len() {
        #[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
        let first = ORDERS[at].all[0];
        all |= first;
        at += 1;
    }
    all
};

/// Names that count in backticks too.
const NAMES: Concepts = AUTHORITY | SAFEGUARD | FLAG;

/// Returns the first sentence that is an order, of a text in lower case: the byte offset of the
/// word that tells, and what the order does.
pub(super) fn find(lower: &str) -> Option<(usize, &'static str)> {
    let words = words(lower);
    let mut rest = words.as_slice();
    while !rest.is_empty() {
        let length = 1 + rest.iter().skip(1).take_while(|word| !word.begins).count();
        let (sentence, later) = rest.split_at(length);
        if let Some(found) = order(sentence) {
            return Some(found);
        }
        rest = later;
    }
    None
}

fn order(sentence: &[OrderWord<'_>]) -> Option<(usize, &'static str)> {
    let mut each = Vec::with_capacity(sentence.len());
    each.extend((0..sentence.len()).map(|at| {
        let about = concepts(sentence, at) | shape(sentence, at);
        if about & AUTHORITY == 0 { about } else { about & !NAMED_PLACE }
    }));
    let (mut all, mut stated) = (0, 0);
    for (word, about) in sentence.iter().zip(&each) {
        all |= about;
        stated |= if word.quoted { about & NAMES } else { *about };
    }
    let silent = if all & TELL == 0 { 0 } else { SILENT };
    let unasked = if all & (ASKING | GRANTS) == 0 { 0 } else { UNASKED };
    let piped = if all & (SHELL | RUNNER | NETCAT | PACKAGE) == 0 { 0 } else { PIPED };
    if (all | silent | piped | unasked) & ESSENTIAL == 0 {
        return None;
    }
    let how = relations(sentence, &each);
    let rule = ORDERS.iter().find(|rule| {
        let has = how | if rule.is_command { all } else { stated };
        has & rule.none == 0 && rule.all.iter().all(|any| has & any != 0)
    })?;
    let told = rule.all.iter().fold(DEEDS, |told, any| told | any);
    let tells = |about: &Concepts| about & told != 0;
    let at = each.iter().position(tells).unwrap_or(0);
    Some((sentence.get(at)?.at, rule.does))
}

/// What a word may be forbidden to do.
const DEEDS: Concepts = RUN
    | CURL
    | FETCH
    | SEND
    | ATTACH
    | DESTROY
    | OPEN
    | SHELL
    | FOLLOW
    | USE
    | IGNORE
    | GRAVE
    | SECRET
    | SECRET_FILE
    | YES
    | AUTO
    | OFF;

/// What makes such a deed harmful.
const OBJECTS: Concepts = FOREIGN | SECRET | SECRET_FILE | ENVIRONMENT | HOME | ROOT;

/// Returns the concepts that the order of words makes.
fn relations(sentence: &[OrderWord<'_>], each: &[Concepts]) -> Concepts {
    let is = |at: usize, what: Concepts| each.get(at).is_some_and(|about| about & what != 0);
    let within = |range: std::ops::Range<usize>, what| range.into_iter().any(|at| is(at, what));
    let mut found = 0;
    for at in 0..each.len() {
        if is(at, NOT) && !is(at, UNASKED | IGNORE) {
            let denies = !is(at, UNLESS);
            let turn = (at + 1..each.len()).find(|at| is(*at, UNLESS)).unwrap_or(each.len());
            let in_clause = |at: &usize| sentence.get(*at).is_some_and(|word| !word.after_comma);
            let mut governed = (at + 1..turn.min(at + 5)).take_while(in_clause);
            let deed = governed.any(|at| is(at, DEEDS)) && !within(turn..each.len(), OBJECTS);
            if denies && (deed || within(at + 1..each.len(), UNASKED)) {
                found |= FORBIDDEN;
            }
            if denies && within(at + 1..at + 4, ASKING) && !is(at, UNLESS) {
                found |= UNASKED;
            }
            if within(at + 1..at + 7, TELL) && (denies || !within(0..at, NOT)) {
                found |= SILENT;
            }
        }
        if is(at, YOURS) || is(at, WORK) && within(at.saturating_sub(4)..at, TIME) {
            found |= WORKING;
        }
        let beside = at.saturating_sub(4)..at + 5;
        if is(at, DIRECTIVES | RULES) && within(beside, AUTHORITY) {
            found |= RULED;
        }
        let text = |at: usize| sentence.get(at).map_or("", |word| word.text);
        let names_thing = ATTRIBUTIVE.contains(text(at))
            && !(text(at + 1).is_empty() || FUNCTION.contains(text(at + 1)));
        if is(at, PERSON) && !names_thing {
            found |= HEARER;
        }
        if is(at, IGNORE) && within(at + 1..at + 5, PERSON | RULE_FILE) {
            found |= DISMISSES;
        }
        found |= told(at, sentence, each);
        if is(at, SAFEGUARD) && is(at + 1, ABOUT) {
            found |= HINDERED;
        }
        if is(at, TELL) && within(at + 1..at + 12, POST_NOT) {
            found |= SILENT;
        }
        let is_flag = |at: &usize| sentence.get(*at).is_some_and(|word| word.text.starts_with('-'));
        let next = (at + 1..each.len()).find(|at| !is_flag(at)).unwrap_or(each.len());
        let is_pipe =
            sentence.get(at).is_some_and(|word| matches!(word.text, "|" | "pipe" | "piped"));
        let from_network = CURL | FETCH | FOREIGN;
        if (is_pipe && within(at + 1..at + 3, SHELL) && within(0..at, from_network))
            || (is(at, SHELL) && is(next, CURL))
            // Elsewhere it is the text of a link.
            || (is(at, RUNNER) && is(next, FOREIGN) && sentence.get(at).is_some_and(|word| word.next == Some(b' ')))
            || (is(at, NETCAT) && within(at + 1..at + 6, SHELL))
            || (is(at, PACKAGE)
                && (at + 1..at + 8).any(|at| is(at, FOREIGN) && is_strange(text(at))))
        {
            found |= PIPED;
        }
    }
    found
}

/// Returns the concepts that a word makes with those around it: where a thing goes, and what is left
/// untold.
fn told(at: usize, sentence: &[OrderWord<'_>], each: &[Concepts]) -> Concepts {
    let is = |at: usize, what: Concepts| each.get(at).is_some_and(|about| about & what != 0);
    let text = |at: usize| sentence.get(at).map_or("", |word| word.text);
    let before = |back: usize| at.checked_sub(back).map_or("", text);
    let within = |range: std::ops::Range<usize>, what| range.into_iter().any(|at| is(at, what));
    let mut found = 0;
    let named = || {
        let of = matches!(text(at + 1), "de" | "d" | "of" | "for" | "für" | "von" | "del");
        of || !(before(1).is_empty() || PLAIN_MACHINES.contains(before(1)))
    };
    let is_place = is(at, REMOTE) || is(at, MACHINE) && named() || is_compound(text(at));
    let goes = || (1..=4).any(|back| DIRECTIONS.contains(before(back))) || text(at + 1) == "with";
    if is_place && (goes() || is(at.saturating_sub(2), SEND) || text(at + 2) == "with") {
        found |= AWAY;
    }
    let out = |at: usize| OUT.contains(text(at));
    if is(at, OMIT) && (text(at).starts_with("omit") || (at + 1..at + 9).any(out))
        || is(at, NOT) && within(at + 1..at + 3, LIST)
    {
        found |= LEFT_OUT;
    }
    if is(at, TURN) && (at + 1..at + 6).any(|at| matches!(text(at), "off" | "none")) {
        found |= OFF;
    }
    let denied_after = matches!(text(at + 1), "jamais" | "pas" | "nie" | "niemals" | "nicht");
    if is(at, NOT) && within(at + 1..at + 3, BOTHER)
        || is(at, NOBODY) && within(at + 1..at + 5, GRANTS) && within(at + 1..at + 4, MUST)
        || is(at, ASKING) && denied_after
    {
        found |= UNASKED;
    }
    if is(at, ASKED) && !matches!(text(at + 2), "to" | "for") {
        found |= QUESTIONED;
        let doubts = ["whether", "who", "if", "ob", "wer", "qui", "quién"];
        found |= if (at + 2..at + 4).any(|at| doubts.contains(&text(at))) { DOUBTED } else { 0 };
    }
    let denied = || within(at.saturating_sub(3)..at, NOT) || within(at + 1..at + 6, POST_NOT);
    if is(at, TELL) && within(at + 1..at + 4, THIS_RULE) && denied() {
        found |= OWN_SECRET;
    }
    if is(at, NOBODY) && within(at + 1..at + 7, TELL) {
        found |= SILENT;
    }
    found
}

/// Returns true for German names of machines that say what they are for: "Sammelserver".
fn is_compound(text: &str) -> bool {
    text.strip_suffix("server").is_some_and(|what| what.len() > 4)
}

/// Returns the concepts that the shape of a word tells.
fn shape(words: &[OrderWord<'_>], at: usize) -> Concepts {
    let Some(OrderWord { text, .. }) = words.get(at) else { return 0 };
    if *text == "/" {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        return if before.is_some_and(|word| word.text.starts_with('-')) { ROOT } else { 0 };
    }
    if !text.bytes().any(|byte| matches!(byte, b'.' | b'_' | b':' | b'/')) {
        return 0;
    }
    let before = at.checked_sub(1).and_then(|at| words.get(at)).map_or("", |word| word.text);
    let of =
        |parts: &[&str], what| if parts.iter().any(|part| text.contains(part)) { what } else { 0 };
    if let Some(host) = host(text) {
        return of(
            &["/health", "/status", "/metrics", "/api", "/ping", "/version", ".json"],
            QUIET,
        ) | of(&["github.com", "gitlab.", "bitbucket.org", "://api."], API)
            | match () {
                () if is_local(host) || is_known(text) => 0,
                () => {
                    let to = if FROM.contains(before) { 0 } else { TO };
                    to | FOREIGN | if is_script(text) { REMOTE_SCRIPT } else { 0 }
                }
            };
    }
    let file = text.rsplit('/').next().unwrap_or_default().trim_start_matches('@');
    if file == ".env" || file.strip_prefix(".env.").is_some_and(|of| !SAMPLES.contains(of)) {
        return if INTO.contains(before) { 0 } else { SECRET_FILE };
    }
    let place = if text.contains(['/', '.']) { NAMED_PLACE } else { 0 };
    place
        | of(SECRET_FILES, SECRET_FILE)
        | of(&["/authorized_keys"], ENTRANCE)
        | of(NAMED, SECRET)
        | if is_secret_name(text) { SECRET } else { 0 }
}

/// Returns true for the names of variables that hold something secret.
fn is_secret_name(text: &str) -> bool {
    let Some((before, last)) = text.rsplit_once('_') else { return false };
    let owner = before.rsplit('_').next().unwrap_or_default();
    match last {
        "password" | "passwd" | "passphrase" | "secret" => true,
        "token" | "tokens" => !PLAIN_TOKENS.contains(owner),
        "key" | "keys" => text.starts_with('$') || SECRET_KEYS.contains(owner),
        _ => false,
    }
}

/// Returns the host of an address.
fn host(text: &str) -> Option<&str> {
    let (address, named) = match (text.split_once("://"), text.split_once('@')) {
        (Some((_, rest)), _) => (rest, true),
        (None, Some((name, host))) => (host, !name.is_empty()),
        (None, None) => (text, false),
    };
    let end = address.find(['/', ':', '?', '#']).unwrap_or(address.len());
    let host = address.get(..end)?;
    let (before, last) = host.rsplit_once('.')?;
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    let is_domain = !before.is_empty()
        && !before.starts_with('.')
        && (ENDINGS.contains(last)
            || (host.split('.').count() == 4 && host.split('.').all(is_number)));
    // `tool@1.2` is a version.
    let is_name = named && last.bytes().all(|c| c.is_ascii_alphabetic());
    (is_name || is_domain).then_some(host)
}

fn is_local(host: &str) -> bool {
    let private = ["127.", "10.", "192.168.", "172.", "0.", "169.254.", "localhost", "$"];
    let ends = [".local", ".localhost", ".internal", ".lan", ".corp"];
    private.iter().any(|start| host.starts_with(start))
        || ends.iter().any(|end| host.ends_with(end))
}

/// Returns true for addresses of the makers of common tools, which a stranger cannot fill.
fn is_known(address: &str) -> bool {
    KNOWN.iter().any(|known| {
        let place = address.split_once("://").map_or(address, |(_, place)| place);
        place
            .strip_prefix(known)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ':']))
    })
}

/// Returns true for addresses that packages do not come from: a bare number, an unusual end of a
/// name, a repository or file of a stranger.
fn is_strange(address: &str) -> bool {
    let address = address.trim_start_matches("git+");
    let Some(host) = host(address) else { return false };
    let end = host.rsplit('.').next().unwrap_or_default();
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let is_file = [".tgz", ".tar.gz", ".whl", ".zip", ".gem", ".deb", ".rpm", ".vsix"];
    end.bytes().all(|c| c.is_ascii_digit())
        || STRANGE_ENDINGS.contains(end)
        || !path.contains("github.com/") && is_file.iter().any(|end| path.ends_with(end))
}

fn is_script(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    [".sh", ".py", ".ps1", ".js", ".exe", ".rb", ".pl", ".bat", ".bin"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// Splits a text in lower case into words, without most signs. Addresses stay whole.
fn words(lower: &str) -> Vec<OrderWord<'_>> {
    let bytes = lower.as_bytes();
    let mut words = Vec::with_capacity(lower.len() / 5 + 1);
    let (mut at, mut close, mut begins, mut after_comma) = (0, 0, true, false);
    while let Some(byte) = bytes.get(at) {
        let start = at;
        let mut colon = false;
        while let Some(byte) = bytes.get(at).filter(|byte| is_part(**byte)) {
            colon |= *byte == b':';
            at += 1;
        }
        if colon && lower.get(start..at).is_some_and(|word| word.contains("://")) {
            let rest = lower.get(at..).unwrap_or_default();
            let ends = |c: char| c.is_whitespace() || "`'\"<>()[]{}|’”,;".contains(c);
            at += rest.find(ends).unwrap_or(rest.len());
        }
        let whole = lower.get(start..at).unwrap_or_default();
        let text = whole.trim_end_matches(['.', ':']);
        let has_meaning =
            |text: &str| text.bytes().any(|c| c.is_ascii_alphanumeric() || c > 127 || c == b'~');
        if text == "/" || has_meaning(text) {
            let (quoted, next) = (start < close, bytes.get(at).copied());
            words.push(OrderWord { at: start, text, quoted, begins, after_comma, next });
            (begins, after_comma) = (false, false);
        }
        let stops = text.len() < whole.len() && whole.ends_with('.');
        if at > start {
            begins |= stops && start >= close && !text.ends_with("e.g");
            continue;
        }
        match byte {
            b'`' | b'"' if start >= close => {
                let inner = lower.get(at + 1..).unwrap_or_default();
                close = inner.find(char::from(*byte)).map_or(close, |end| at + 1 + end);
            }
            b'|' => {
                let (quoted, begins, next) = (false, false, None);
                words.push(OrderWord { at, text: "|", quoted, begins, after_comma, next });
            }
            b',' => after_comma = true,
            b'!' | b'?' => begins |= start >= close,
            _ => {}
        }
        at += if bytes.get(at..at + 2) == Some("“".as_bytes().get(..2).unwrap_or_default()) {
            3
        } else {
            1
        };
    }
    words
}

/// Returns true for the bytes of words: all but blanks and most signs.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'-' | b'_' | b'.' | b'/' | b'~' | b'$' | b'@' | b':' | b'+' | b'%' | b'\\'
        )
        || (byte > 127 && byte != 0xe2)
}
