//! Detects secrets that neither a fixed part nor a name gives away: random text of the length of a
//! key, and the words of a wallet.

use std::{ops::Range, sync::LazyLock};

use memchr::memmem::Finder;

use super::{Found, assigned, rules::word, value::is_random};

/// A key that is a run of letters and digits: name, length, alphabet.
type Key = (&'static str, usize, fn(&u8) -> bool);

/// The first is that of `sync.seal`.
const KEYS: [Key; 2] = [
    ("a key of 256 bits", 64, |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
    ("an Azure DevOps token", 52, |byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7')),
];
/// Length of the shortest of them, in bytes.
pub(super) const LEAST: usize = 52;
/// Maximum number of bytes before and behind a run that may say what it is.
const AROUND: (usize, usize) = (96, 48);

/// Number of words before a run of which one may be the name of a file.
const NEAR: usize = 5;

/// Words that are of a hash, also within longer ones.
const HASHES: &str = "hash digest checksum summe fingerprint fingerabdruck integrity revision";
/// The same, each a word of its own or with a number or an s.
const NAMED: &str = "artifact blake blob block build cid commit container docker etag image \
    layer manifest merkle object sha shasum sum transaction txid";

/// Those of them that may have a key too.
const OWNERS: &str = "artifact build container docker image manifest object block transaction";

/// Finds the first such key that begins at or after byte `from`, unless the words around it say that
/// it is a hash.
pub(super) fn key(text: &str, from: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let mut start = from;
    for at in from..=bytes.len() {
        if bytes.get(at).is_some_and(|byte| word(char::from(*byte))) {
            continue;
        }
        let run = std::mem::replace(&mut start, at + 1)..at;
        let key = KEYS.iter().find(|(_, length, _)| run.len() == *length);
        let Some((name, _, alphabet)) = key else { continue };
        if bytes.get(run.clone())?.iter().all(alphabet)
            && text.get(run.clone()).is_some_and(is_random)
            && (is_apart(text, &run) || naming(text, &run) == Some(Naming::Full))
            && !is_of_hash(text, &run)
        {
            return Some((run, name));
        }
    }
    None
}

/// Returns true if a run stands between words. In quotes, behind a colon or a slash it is nearly
/// always a hash in code, in an address or of an image.
fn is_apart(text: &str, run: &Range<usize>) -> bool {
    let before = text.get(..run.start).and_then(|before| before.chars().next_back());
    let behind = text.get(run.end..).unwrap_or_default();
    before.is_none_or(|c| " \n`,=(".contains(c))
        && behind.chars().next().is_none_or(|c| c.is_whitespace() || "`,;.:!?)".contains(c))
        // The output of `sha256sum`.
        && !behind.starts_with("  ")
        && !behind.starts_with(" *")
}

/// How a text names a run as a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// As any key.
    Some,
    /// As one that is secret.
    Full,
}

/// Words of which one before a run names it as a secret.
const SECRETS: &str = "seal secret secrets token tokens password passwort passphrase geheimnis \
    schlüssel sealkey siegel siegelschlüssel";
/// Number of words before a run of which one may name it.
const NAMING_WORDS: usize = 7;

/// Returns how the words before a run name it as a key.
fn naming(text: &str, run: &Range<usize>) -> Option<Naming> {
    let from = text.floor_char_boundary(run.start.saturating_sub(AROUND.0));
    let before = text.get(from..run.start)?.rsplit('\n').next()?.to_lowercase();
    let words: Vec<&str> = before.split(|c: char| !c.is_alphanumeric()).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let last = words.len().saturating_sub(NAMING_WORDS);
    (last..words.len()).rev().find_map(|at| {
        let word = words.get(at)?;
        let owner = at.checked_sub(1).and_then(|at| words.get(at)).unwrap_or(&"");
        if assigned::is_listed(assigned::OF_DATA, owner) {
            return None;
        }
        let is_secret = |word: &str| assigned::is_listed(SECRETS, word);
        let some = matches!(*word, "key" | "keys");
        let full = is_secret(word)
            || some && (assigned::is_listed(assigned::KEYS, owner) || is_secret(owner));
        if full { Some(Naming::Full) } else { some.then_some(Naming::Some) }
    })
}

/// Returns true if a word near a run says that it is a hash, or one of its neighbours is the
/// name of a file. Where the run is named as a key, such a name and weaker words are of the key.
fn is_of_hash(text: &str, run: &Range<usize>) -> bool {
    let from = text.floor_char_boundary(run.start.saturating_sub(AROUND.0));
    let until = text.floor_char_boundary(run.end + AROUND.1);
    let before =
        text.get(from..run.start).and_then(|text| text.rsplit('\n').next()).unwrap_or_default();
    let behind =
        text.get(run.end..until).and_then(|text| text.split('\n').next()).unwrap_or_default();
    let is_named = naming(text, run).is_some();
    let says = |text: &str| {
        text.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| {
            let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
            let one = stem.strip_suffix('s').unwrap_or(stem);
            HASHES.split(' ').any(|hash| word.contains(hash))
                || NAMED.split(' ').any(|name| {
                    let is_owner = || is_named && assigned::is_listed(OWNERS, name);
                    (name == stem || name == one) && !is_owner()
                })
        })
    };
    let file = |word: &str| {
        let end = word.trim_matches(|c: char| "`\"'(),:".contains(c)).rsplit_once('.');
        end.is_some_and(|(stem, end)| {
            !stem.is_empty()
                && (1..=6).contains(&end.len())
                && end.chars().all(|c| c.is_ascii_alphanumeric())
        })
    };
    says(before)
        || says(behind)
        || !is_named && before.split_whitespace().rev().take(NEAR).any(file)
        || !is_named && behind.split_whitespace().next().is_some_and(file)
}

/// What people call the words of a wallet, in lower case, with bars between.
const WALLETS: &str = "seed phrase|seed-phrase|seedphrase|seed words|mnemonic|recovery phrase|\
    recovery words|backup phrase|secret phrase|wiederherstellungsphrase|\
    wiederherstellungswörter|wiederherstellungssatz";
/// How many words a wallet has.
const COUNTS: [usize; 5] = [12, 15, 18, 21, 24];
/// Common words that no wallet has: a sentence about one has some of them.
const NONE: &str = "and are been but does for from had has her his how its not our the their was \
    were which who with";
/// Maximum number of bytes between the name and the words.
const BETWEEN: usize = 60;
/// Minimum number of bytes of a name and its words.
const SHORTEST: usize = 8 + 12 * 4;
/// Maximum number of bytes of the words.
const LONGEST: usize = 400;

/// Letters of which every name has some, and most texts have none.
static IN_WALLETS: LazyLock<[Finder<'_>; 4]> =
    LazyLock::new(|| ["hrase", "nemonic", "ords", "herstellungs"].map(Finder::new));

/// Finds the first words of a wallet whose name is at or after byte `from`.
pub(super) fn wallet(text: &str, from: usize) -> Option<Found> {
    let may = |part: &Finder<'_>| part.find(text.as_bytes()).is_some();
    if text.len() < SHORTEST || !IN_WALLETS.iter().any(may) {
        return None;
    }
    let bytes = text.as_bytes();
    (from..bytes.len()).find_map(|at| {
        let begins = bytes.get(at).is_some_and(|byte| b"smrbwSMRBW".contains(byte));
        let name =
            begins.then(|| WALLETS.split('|').find(|name| reads(text, at, name))).flatten()?;
        words(text, at + name.len())
    })
}

/// Returns true if a text has a name at a byte, whatever its case.
fn reads(text: &str, at: usize, name: &str) -> bool {
    text.get(at..at + name.len()).is_some_and(|text| text.eq_ignore_ascii_case(name))
}

/// Returns the words of a wallet behind its name, which a sign or "is" may follow.
fn words(text: &str, name: usize) -> Option<Found> {
    let behind = text.get(name..text.floor_char_boundary(name + BETWEEN + LONGEST))?;
    let near = behind.get(..behind.floor_char_boundary(BETWEEN))?;
    let mut starts: Vec<usize> =
        [": ", ":\n", "= ", "=", " is ", " ist ", " lautet ", " are ", " sind "]
            .iter()
            .filter_map(|sign| near.find(sign).map(|at| at + sign.len()))
            .collect();
    starts.push(0);
    starts.into_iter().find_map(|start| {
        let (from, to) = row(behind.get(start..)?)?;
        Some((name + start + from..name + start + to, "a seed phrase"))
    })
}

/// Returns the span of the words at the start of a text, if they are as many as those of a wallet.
/// They may be numbered.
fn row(text: &str) -> Option<(usize, usize)> {
    let (mut count, mut span) = (0, None);
    let mut at = 0;
    for part in text.split_inclusive(|c: char| c.is_whitespace() || c == ',') {
        let bare = part.trim_matches(|c: char| c.is_whitespace() || ",\"'`*".contains(c));
        let start = at + part.find(bare).unwrap_or_default();
        at += part.len();
        let number = bare.trim_end_matches(['.', ')']);
        if bare.is_empty() || number.len() < 3 && number.bytes().all(|b| b.is_ascii_digit()) {
            continue;
        }
        // These words stood before others, which were more than a wallet's.
        if bare.starts_with("[redacted:") {
            return None;
        }
        let last = bare.trim_end_matches(['.', '!', ';', ')']);
        let fits = (3..=8).contains(&last.len())
            && last.bytes().all(|byte| byte.is_ascii_lowercase())
            && NONE.split(' ').all(|word| word != last);
        if !fits {
            break;
        }
        count += 1;
        let (from, _) = span.unwrap_or((start, start));
        span = Some((from, start + last.len()));
        if last.len() < bare.len() {
            break;
        }
    }
    span.filter(|_| COUNTS.contains(&count))
}
