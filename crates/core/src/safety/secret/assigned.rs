//! Detects values that are assigned to a name of a secret: `DB_PASSWORD=…`, `"apiKey": "…"`,
//! `Authorization: Bearer …`, `--token …`, `<password>…</password>`, `IDENTIFIED BY '…'`.

use std::sync::LazyLock;

use super::{
    Found,
    rules::word,
    value::{self, Class, SecretValue, is_secret},
};

/// Maximum number of characters examined in a name.
const NAME: usize = 64;

/// Finds the first secret whose sign of assignment is at or after byte `from`. The span covers the
/// value only.
pub(super) fn find(text: &str, from: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let mut at = from;
    let is_sign = |byte: &u8| matches!(byte, b'=' | b':' | b'>' | b'\'' | b'-' | b' ');
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(is_sign)) {
        let sign = at + found;
        at = sign + 1;
        let Some((class, span, value)) = assigned(text, sign) else { continue };
        // A value that stands before its name was found already.
        if span.end <= from {
            continue;
        }
        if is_secret(class, value) {
            let name = match class {
                Class::Password | Class::Beside => "a password",
                Class::Token => "a token",
            };
            return Some((span, name));
        }
    }
    None
}

type Assigned<'a> = (Class, std::ops::Range<usize>, SecretValue<'a>);

/// Returns the value assigned by the sign at a byte, with its span, if its name is that of a
/// secret.
fn assigned(text: &str, sign: usize) -> Option<Assigned<'_>> {
    let (before, behind) = text.split_at_checked(sign)?;
    match behind.as_bytes() {
        [b'=', b'=' | b'~', ..] | [b':', b':' | b'=', ..] => None,
        [b'=' | b':', ..] => {
            let before = before.trim_end_matches([' ', '\t']);
            if before.ends_with(['=', '!', '<', '>', '+'])
                || (before.ends_with(':') && !behind.starts_with('='))
            {
                return None;
            }
            let before = before.strip_suffix([':', '?']).map_or(before, str::trim_end);
            let said = [" is", " ist", " lautet"].iter().find_map(|said| before.strip_suffix(said));
            let before = said.map_or(before, str::trim_end);
            let (name, query) = name(before)?;
            let class = class(name).or_else(|| of_two_words(before, name));
            let class = class.or_else(|| annotated(before)).or_else(|| of_something(before))?;
            let skip = if behind.starts_with("=>") { 2 } else { 1 };
            let start = blank(text, sign + skip)?;
            let (span, value) = read(text, start, query)?;
            if class == Class::Password {
                return Some((class, span, value));
            }
            // `Bearer …`
            let said = scheme(text.get(span.start..)?);
            let start = if said > 0 && !value.quoted { span.start + said } else { start };
            let (span, value) = read(text, start, query)?;
            let said = if value.quoted { said } else { 0 };
            let text = value.text.get(said..)?;
            Some((class, span.start + said..span.end, SecretValue { text, ..value }))
        }
        [b'>', ..] => {
            let (name, _) = name(before)?;
            let opens = before.strip_suffix(name)?.ends_with('<');
            let class = class(name).filter(|_| opens)?;
            read(text, sign + 1, false).map(|(span, value)| (class, span, value))
        }
        // PASSWORD '…', IDENTIFIED BY '…'
        [b'\'', ..] => {
            let before = before.strip_suffix(' ')?;
            let (name, _) = name(before)?;
            let rest = before.strip_suffix(name)?.trim_end();
            let says = class(name) == Some(Class::Password)
                || name.eq_ignore_ascii_case("by") && ends_with(rest, "identified");
            let (span, value) = read(text, sign, false).filter(|_| says)?;
            Some((Class::Password, span, value))
        }
        [b'-', ..] => option(text, sign),
        // The password is …, das Passwort der Datenbank lautet …; machine … login … password …
        [b' ', ..] => {
            if let Some(found) = told_after(before, behind) {
                return Some(found);
            }
            // Most words are none of these.
            let bare = before.trim_end_matches(['"', '\'', '`', ']', '*']);
            if !may_be_said(bare) || !SAID.iter().chain(BESIDE).any(|word| ends_with(bare, word)) {
                return None;
            }
            let (said, _) = name(before)?;
            let rest = before.strip_suffix(said)?.trim_end();
            let class = match said {
                "password" if tail(rest).rsplit(' ').nth(1) == Some("login") => Class::Password,
                said if SAID.contains(&said) => told(before_verb(rest))?,
                said if BESIDE.iter().any(|word| said.eq_ignore_ascii_case(word)) => Class::Beside,
                _ => return None,
            };
            let (span, value) = read(text, sign + 1, false)?;
            Some((class, span, value))
        }
        _ => None,
    }
}

/// Words between a name and its value.
const SAID: &[&str] = &[
    "is", "to", "as", "ist", "lautet", "heißt", "auf", "als", "was", "be", "now", "still",
    "equals", "becomes", "became", "war", "lautete", "sei", "jetzt", "nun", "noch", "bleibt",
    "est", "es", "è", "é",
];
/// Further words of a verb that ends in one of [`SAID`]: "should be", "has been set to", "is still".
const VERB: &str = "should must will would can could shall may has have had been set changed soll \
    muss wird kann immer always";
/// Names that a password follows at once: "log in with password …".
const BESIDE: &[&str] =
    &["password", "passwort", "kennwort", "passphrase", "passwd", "pw", "wachtwoord", "senha"];
/// For the last byte of each word of [`SAID`] and [`BESIDE`], the lengths that such words have, as bits.
static LENGTHS: LazyLock<[u16; 256]> = LazyLock::new(|| {
    let mut lengths = [0; 256];
    for word in SAID.iter().chain(BESIDE) {
        let last = word.as_bytes().last().copied().unwrap_or_default();
        if let Some(of_last) = lengths.get_mut(usize::from(last)) {
            *of_last |= 1 << word.len();
        }
    }
    lengths
});

/// Returns false for most texts that do not end in a word of [`SAID`] or [`BESIDE`], by its last letter
/// and its length.
fn may_be_said(text: &str) -> bool {
    let bytes = text.as_bytes();
    let last = bytes.last().map_or(0, u8::to_ascii_lowercase);
    let lengths = LENGTHS.get(usize::from(last)).copied().unwrap_or_default();
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let word: &[u8] = {
        let length = bytes.iter().rev().take(16).take_while(is_part).count();
        bytes.get(bytes.len() - length..).unwrap_or_default()
    };
    // Not every character that is not ASCII is part of a word.
    lengths != 0 && (!word.is_ascii() || word.len() < 16 && lengths & 1 << word.len() != 0)
}

/// Phrases whose word before them is a password, as in "… is the password for staging".
const BEHIND: &str = " is the password| is the passphrase| is the db password| is my password\
    | is our password| as the password| as password| ist das passwort| ist das kennwort\
    | ist mein passwort| ist unser passwort| als passwort| als kennwort\
    | lautet das passwort";
/// Words that lead from a name to what it is of, or to a verb at the end: "the password for
/// staging", "das Passwort der Datenbank", "the password was changed".
const LEADING: &str = "am an at auf aus bei beim by changed der des dort für for from fuer here hier \
    im in jetzt now of on there to unter vom von was wurde zu zum zur";
/// Maximum number of words between a name and the word before its value.
const BETWEEN: usize = 4;

/// Returns the value that a text ends in, if what is behind calls it a password.
fn told_after<'a>(before: &'a str, behind: &str) -> Option<Assigned<'a>> {
    if !behind.starts_with([' ']) || !matches!(behind.as_bytes().get(1), Some(b'i' | b'a' | b'l')) {
        return None;
    }
    let calls =
        |said: &str| behind.get(..said.len()).is_some_and(|text| text.eq_ignore_ascii_case(said));
    BEHIND.split('|').find(|said| calls(said))?;
    let quotes = ['"', '\'', '`'];
    let bare = before.trim_end_matches(quotes);
    let start = bare.rfind(|c: char| c.is_whitespace() || quotes.contains(&c));
    let start = start.map_or(0, |at| {
        at + bare.get(at..).map_or(1, |c| c.chars().next().map_or(1, char::len_utf8))
    });
    let text = bare.get(start..)?;
    let value = SecretValue { text, quoted: bare.len() < before.len() };
    Some((Class::Beside, start..bare.len(), value))
}

/// Returns what stands before all words of the verb that a text ends in.
fn before_verb(mut text: &str) -> &str {
    for _ in 0..BETWEEN {
        let last = text.rsplit(' ').next().unwrap_or_default();
        if !SAID.contains(&last) && !is_listed(VERB, last) {
            break;
        }
        text = text.strip_suffix(last).unwrap_or_default().trim_end();
    }
    text
}

/// Returns the class of the name that a text ends in, perhaps with what it is of.
fn told(before: &str) -> Option<Class> {
    let (last, _) = name(before)?;
    class(last).or_else(|| of_two_words(before, last)).or_else(|| of_something(before))
}

/// Returns the class of a name with what it is of.
fn of_something(before: &str) -> Option<Class> {
    let mut rest = before;
    let mut leads = false;
    for _ in 0..=BETWEEN {
        let (last, _) = name(rest)?;
        if leads && let Some(class) = class(last).or_else(|| of_two_words(rest, last)) {
            return Some(class);
        }
        leads = is_listed(LEADING, last);
        rest = rest.strip_suffix(last)?.strip_suffix(' ')?;
    }
    None
}

/// Parses a command-line option: `--password …`, `-u NAME:…`, or `-p…` for programs that accept it.
fn option(text: &str, sign: usize) -> Option<Assigned<'_>> {
    let (before, behind) = text.split_at_checked(sign)?;
    if before.ends_with(|c: char| word(c) || c == '-') {
        return None;
    }
    let length = behind.find(|c: char| !(word(c) || c == '-')).unwrap_or(behind.len());
    let (flag, rest) = behind.split_at_checked(length.min(NAME))?;
    let value = rest.strip_prefix(' ').filter(|value| !value.starts_with('-'));
    if let (Some(class), Some(_)) = (flag.strip_prefix("--").and_then(class), value) {
        return read(text, sign + flag.len() + 1, false).map(|(span, value)| (class, span, value));
    }
    if let ("-u" | "--user", Some(_)) = (flag, value) {
        let (span, value) = read(text, sign + flag.len() + 1, false)?;
        let (name, password) = value.text.split_once(':')?;
        let span = span.start + name.len() + 1..span.end;
        return Some((Class::Password, span, SecretValue { text: password, ..value }));
    }
    let programs = ["mysql", "mysqldump", "mysqladmin", "mariadb", "sshpass"];
    let takes =
        flag.starts_with("-p") && tail(before).split([' ', '`']).any(|w| programs.contains(&w));
    if takes {
        let start = sign + if flag == "-p" && value.is_some() { 3 } else { 2 };
        return read(text, start, false).map(|(span, value)| (Class::Password, span, value));
    }
    None
}

/// Returns the name before a sign, without quotes, and whether it is a query parameter in an
/// address.
fn name(before: &str) -> Option<(&str, bool)> {
    let quotes = ['"', '\'', '`'];
    let keyed = before.strip_suffix(']').and_then(|inside| inside.strip_suffix(quotes));
    let bare = keyed.or_else(|| before.strip_suffix(quotes)).unwrap_or(before);
    let bare = bare.strip_suffix("**").unwrap_or(bare);
    let part = |c: &char| c.is_alphanumeric() || "_-.".contains(*c);
    let length = bare.chars().rev().take(NAME).take_while(part).map(char::len_utf8).sum();
    let start = bare.len().checked_sub(length)?;
    let name = bare.get(start..)?;
    let query = bare.get(..start)?.ends_with(['?', '&']);
    (!name.is_empty()).then_some((name, query))
}

/// Returns the class of secret that a name stands for.
fn class(name: &str) -> Option<Class> {
    let name = name.trim_matches(['-', '.']);
    let passwords = "password passwd passphrase passwort kennwort pwd wachtwoord senha contraseña";
    if passwords.split(' ').any(|end| ends_with(name, end)) {
        return Some(Class::Password);
    }
    if last_word(name) == "pw" {
        return Some(Class::Password);
    }
    let words = "token secret geheimnis schlüssel schluessel key key_base pass credential \
        credentials authorization _auth";
    let end = words.split(' ').find(|end| ends_with(name, end))?;
    let rest = name.get(..name.len() - end.len())?;
    let before = last_word(rest);
    match end {
        "token" if is_listed(COUNTED, &before) => None,
        "schlüssel" | "schluessel" => is_german_key(&before).then_some(Class::Token),
        "key" => {
            let capitals = !name.contains(|c: char| c.is_ascii_lowercase()) && !before.is_empty();
            let of_data = is_listed(OF_DATA, &before);
            (is_listed(KEYS, &before) || capitals && !of_data).then_some(Class::Token)
        }
        // `pass` alone is a verb, and `bypass` is a word.
        "pass" => {
            let begins =
                rest.ends_with(['_', '-', '.']) || name.ends_with("Pass") && !rest.is_empty();
            begins.then_some(Class::Password)
        }
        _ => Some(Class::Token),
    }
}

/// Words before `token` for tokens of text or of paging, which are not secret.
const COUNTED: &str = "bos cls continuation cursor end eos first image input last lexer mask max \
    min next num output pad page prev sep special start stop sync unk";

/// Words before `key` that make it secret.
pub(super) const KEYS: &str = "access account admin api app application auth client deploy \
    encryption hmac integration jwt license master private secret server service session shared \
    signing storage subscription webhook";

/// Returns true if a word before `schlüssel` makes it secret.
fn is_german_key(before: &str) -> bool {
    const ALL: &str = "dienst geheim lizenz privater server signatur signier \
        sitzung sync verschlüsselung zugang zugriff";
    // A letter joins words.
    is_listed(KEYS, before)
        || ALL.split(' ').any(|all| all == before || before.strip_suffix('s') == Some(all))
}

/// Words before `key` for keys used for lookup, which are not secret.
pub(super) const OF_DATA: &str = "cache foreign group hash idempotency index lookup object \
    partition primary public registry row sort";

pub(super) fn is_listed(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

/// Returns the last word of a name's beginning, in lower case.
fn last_word(text: &str) -> String {
    let text = text.trim_end_matches(['_', '-', '.']);
    let last = text.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    // A capital after lower-case letters begins a word.
    let small = last.contains(|c: char| c.is_ascii_lowercase());
    let hump = last.rfind(|c: char| c.is_ascii_uppercase()).filter(|_| small).unwrap_or(0);
    last.get(hump..).unwrap_or_default().to_ascii_lowercase()
}

/// Returns the class of a name of two words: `API key: …`.
fn of_two_words(before: &str, last: &str) -> Option<Class> {
    let first = before.strip_suffix(last)?.strip_suffix(' ')?;
    let first = last_word(first);
    let is_key = last.eq_ignore_ascii_case("key") && is_listed(KEYS, &first);
    let german = ["Schlüssel", "Schluessel"].contains(&last) && is_german_key(&first);
    (is_key || german).then_some(Class::Token)
}

/// Returns the class of the name before a type annotation: `token: &str = …`.
fn annotated(before: &str) -> Option<Class> {
    let colon = before.char_indices().rev().take(NAME).find(|(_, c)| *c == ':')?.0;
    let kind = before.get(colon + 1..)?;
    let plain = |c: char| word(c) || " &'<>".contains(c);
    let (name, _) = name(before.get(..colon)?.trim_end())?;
    class(name).filter(|_| kind.chars().all(plain))
}

/// Returns the length in bytes of an authentication scheme before a value: `Bearer …`.
fn scheme(value: &str) -> usize {
    let schemes = ["bearer ", "basic ", "token ", "apikey ", "digest "];
    let said = |scheme: &&&str| {
        value.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    schemes.iter().find(said).map_or(0, |scheme| scheme.len())
}

/// Returns the offset after blanks and closing bold markup, if the line continues.
fn blank(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let bold = if rest.starts_with("** ") { 2 } else { 0 };
    let start = rest.get(bold..)?.find(|c: char| c != ' ' && c != '\t')?;
    (start <= NAME).then_some(at + bold + start)
}

/// Returns the value that begins at a byte.
fn read(text: &str, at: usize, query: bool) -> Option<(std::ops::Range<usize>, SecretValue<'_>)> {
    let rest = text.get(at..)?;
    // `r"…"`, `b'…'`
    let raw = rest.strip_prefix(['r', 'b', 'u', '@']).filter(|rest| rest.starts_with(['"', '\'']));
    let rest = raw.unwrap_or(rest);
    let at = at + usize::from(raw.is_some());
    let quote = rest.chars().next().filter(|c| ['"', '\'', '`'].contains(c));
    let (start, inside) = match quote {
        Some(_) => (at + 1, rest.get(1..)?),
        None => (at, rest),
    };
    let ends = |c: char| match quote {
        Some(quote) => c == quote || c == '\n',
        None => c.is_whitespace() || "\"'`,;<".contains(c) || (query && c == '&'),
    };
    let longest =
        inside.char_indices().nth(value::LONGEST + 1).map_or(inside.len(), |(end, _)| end);
    let whole = inside.get(..longest)?;
    let end = whole.find(ends).unwrap_or(whole.len());
    let text = whole.get(..end)?;
    let text = match quote {
        Some(_) => text,
        None => text.trim_end_matches(['.', ':', '!', '?', ')', ']', '}']),
    };
    Some((start..start + text.len(), SecretValue { text, quoted: quote.is_some() }))
}

/// Returns the end of the text before a sign, in which a command may begin.
fn tail(before: &str) -> &str {
    let start = before.char_indices().rev().nth(4 * NAME).map_or(0, |(at, _)| at);
    before.get(start..).unwrap_or_default()
}

fn ends_with(text: &str, end: &str) -> bool {
    let start = text.len().checked_sub(end.len());
    start.and_then(|start| text.get(start..)).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}
