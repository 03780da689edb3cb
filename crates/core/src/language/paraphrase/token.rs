//! Tokens of a text: lower-case words, names, marks, and exact text.

use std::borrow::Cow;

use super::words::{self, List, WordLists};

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A plain word, in lower case.
    Word,
    /// A word with a capital inside a sentence, or an abbreviation, in lower case; not inflected.
    Name,
    /// A number, code, a quotation, a path or an identifier, compared byte by byte.
    Exact,
    /// Punctuation.
    Mark,
}

/// A token with its original spelling.
#[derive(Debug, Clone)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    pub(super) text: Cow<'a, str>,
    pub(super) surface: Cow<'a, str>,
    lists: WordLists,
    /// Those of its text in the singular.
    singular_lists: WordLists,
}

impl<'a> Token<'a> {
    pub(super) fn new(kind: TokenKind, text: Cow<'a, str>, surface: Cow<'a, str>) -> Self {
        let (lists, singular_lists) = lists_of(&text);
        Self { kind, text, surface, lists, singular_lists }
    }

    /// Replaces the text.
    pub(super) fn set(&mut self, text: impl Into<Cow<'a, str>>) {
        self.text = text.into();
        (self.lists, self.singular_lists) = lists_of(&self.text);
    }

    /// Returns true for this plain word.
    pub(super) fn is(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text == word
    }

    /// Returns true for one of these plain words.
    pub(super) fn is_any(&self, words: &[&str]) -> bool {
        self.kind == TokenKind::Word && words.contains(&&*self.text)
    }

    /// Returns true for a plain word on the list.
    pub(super) fn is_in(&self, list: List) -> bool {
        self.kind == TokenKind::Word && self.lists.has(list)
    }

    /// Returns true if the text is on the list, whatever the kind.
    pub(super) fn has(&self, list: List) -> bool {
        self.lists.has(list)
    }

    /// Returns the singular of a noun, or the plural of a verb; other words are unchanged.
    pub(super) fn singular(&self) -> Cow<'_, str> {
        words::singular_of(&self.text, self.lists)
    }

    pub(super) fn is_function(&self) -> bool {
        self.lists.has(List::Function)
    }

    /// Returns true if the word makes its neighbour a name.
    pub(super) fn is_naming(&self) -> bool {
        self.lists.has(List::Naming) || self.singular_lists.has(List::Naming)
    }

    /// Returns true for a noun of an idiom, in singular or plural.
    pub(super) fn is_idiom(&self) -> bool {
        self.singular_lists.has(List::Idiom)
    }

    /// Returns true if a word that is a verb before an article may also be a noun.
    pub(super) fn is_noun(&self) -> bool {
        self.lists.has(List::NounAndVerb) && !self.lists.has(List::VerbFirst)
    }

    /// Returns true if the singular may be a noun or an imperative.
    pub(super) fn is_noun_and_verb(&self) -> bool {
        self.singular_lists.has(List::NounAndVerb) || self.singular_lists.has(List::Imperative)
    }

    pub(super) fn is_mark(&self, mark: &str) -> bool {
        self.kind == TokenKind::Mark && self.text == mark
    }

    fn mark(text: &'static str) -> Self {
        Self::new(TokenKind::Mark, text.into(), text.into())
    }
}

fn lists_of(text: &str) -> (WordLists, WordLists) {
    let lists = WordLists::of(text);
    let singular = words::singular_of(text, lists);
    let is_other = singular.len() != text.len();
    (lists, if is_other { WordLists::of(&singular) } else { lists })
}

/// Characters that do not occur in plain prose: foreign quotes, templates, pipes, links.
const FOREIGN: &[char] = &['{', '|', '\\', '‘', '‚', '„', '«', '»', '‹', '›', '「', '『'];

/// Returns the tokens of a text; `None` if it is not plain prose.
pub(super) fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let foreign = |c: char| FOREIGN.contains(&c) || (c.is_control() && !c.is_whitespace());
    if text.contains(foreign) || text.contains("[[") || text.contains("$(") {
        return None;
    }
    let chunks = chunks(text)?;
    let mut tokens = Vec::with_capacity(2 * chunks.len());
    for chunk in chunks {
        match chunk {
            Cow::Borrowed(chunk) => read(chunk, Cow::Borrowed, &mut tokens),
            Cow::Owned(chunk) => read(&chunk, |part| Cow::Owned(part.to_owned()), &mut tokens),
        }
    }
    if tokens.last().is_some_and(|last| last.is_mark(".")) {
        tokens.pop();
    }
    for token in &mut tokens {
        if token.is_mark(".") {
            token.set(";");
        }
    }
    Some(tokens)
}

/// Splits at white space outside of quotes, and makes quotes straight; `None` if one is not closed.
pub(crate) fn chunks(text: &str) -> Option<Vec<Cow<'_, str>>> {
    let mut chunks = Vec::with_capacity(text.len() / 5 + 1);
    // What of the chunk is not as it stands in the text, up to `from`.
    let (mut changed, mut from) = (String::new(), 0);
    let mut quote = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, written)) = chars.next() {
        let c = match written {
            '“' | '”' if quote != Some('`') => '"',
            '’' if quote.is_none() => '\'',
            c => c,
        };
        let last = chars.peek().is_none_or(|(_, next)| !next.is_alphanumeric());
        let before = || text.get(from..at).unwrap_or_default();
        match quote {
            Some('\'') if c == '\'' && !last => {}
            Some(open) if c == open => quote = None,
            None if matches!(c, '`' | '"')
                || (c == '\'' && changed.is_empty() && matches!(before(), "" | "(")) =>
            {
                quote = Some(c);
            }
            None if c.is_whitespace() => {
                push(&mut chunks, &mut changed, before());
                from = at + c.len_utf8();
                continue;
            }
            _ => {}
        }
        if c != written {
            changed.push_str(before());
            changed.push(c);
            from = at + written.len_utf8();
        }
    }
    push(&mut chunks, &mut changed, text.get(from..).unwrap_or_default());
    quote.is_none().then_some(chunks)
}

/// Adds a chunk, unless it is empty.
fn push<'a>(chunks: &mut Vec<Cow<'a, str>>, changed: &mut String, rest: &'a str) {
    if !changed.is_empty() {
        chunks.push(Cow::Owned(std::mem::take(changed) + rest));
    } else if !rest.is_empty() {
        chunks.push(Cow::Borrowed(rest));
    }
}

/// Adds the tokens of a chunk, whose parts `own` makes last.
fn read<'a, 'b>(chunk: &'b str, own: fn(&'b str) -> Cow<'a, str>, tokens: &mut Vec<Token<'a>>) {
    match chunk {
        "-" | "–" | "—" => return tokens.push(Token::mark("—")),
        "&" => return tokens.push(Token::new(TokenKind::Word, "and".into(), "&".into())),
        _ => {}
    }
    let mut rest = chunk;
    if let Some(inner) = rest.strip_prefix('(') {
        tokens.push(Token::mark("("));
        rest = inner;
    }
    let mut marks = Vec::new();
    while let Some((inner, mark)) = split_mark(rest) {
        marks.push(Token::mark(mark));
        rest = inner;
    }
    if !rest.is_empty() {
        word(rest, own, tokens);
    }
    tokens.extend(marks.into_iter().rev());
}

/// Splits punctuation of prose off the end of a chunk. Other endings, as in `./...` or `a=`, belong
/// to the chunk.
fn split_mark(chunk: &str) -> Option<(&str, &'static str)> {
    let at = chunk.len().checked_sub(1)?;
    let mark =
        [".", ",", ";", ":", "!", "?", ")"].into_iter().find(|mark| chunk.ends_with(mark))?;
    let inner = chunk.get(..at)?;
    let ends_a_word =
        inner.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | '`' | '"' | '\'' | '%'));
    let splits = match mark {
        "?" => ends_a_word && !inner.contains(['/', '*']),
        ")" => !inner.contains('('),
        _ => ends_a_word,
    };
    splits.then_some((inner, mark))
}

/// Adds a chunk without punctuation: one token, or several for a contraction.
fn word<'a, 'b>(chunk: &'b str, own: fn(&'b str) -> Cow<'a, str>, tokens: &mut Vec<Token<'a>>) {
    let joints = |c: char| matches!(c, '\'' | '-');
    let plain = chunk.chars().all(|c| c.is_ascii_alphabetic() || joints(c))
        && chunk.split(joints).all(|part| !part.is_empty());
    if !plain {
        return tokens.push(Token::new(TokenKind::Exact, own(chunk), own(chunk)));
    }
    let starts = tokens.last().is_none_or(|last| {
        last.kind == TokenKind::Mark
            && matches!(&*last.text, "." | ";" | ":" | "!" | "?" | "(" | "—")
    });
    let capitals = chunk.chars().filter(char::is_ascii_uppercase).count();
    let lower = if capitals == 0 { own(chunk) } else { chunk.to_ascii_lowercase().into() };
    let capitalised = capitals == 1 && chunk.starts_with(|c: char| c.is_ascii_uppercase());
    let kind = if chunk == "A" || (lower == "a" && starts) {
        // An article, or the first of A and B: kept as it is.
        let text = if starts { "a".into() } else { own(chunk) };
        return tokens.push(Token::new(TokenKind::Exact, text, own(chunk)));
    } else if capitals == 0 || chunk == "I" || words::is(List::Emphasis, chunk) {
        TokenKind::Word
    } else if words::is(List::Abbreviation, chunk) || words::is(List::Brand, chunk) {
        TokenKind::Name
    } else if words::is(List::Abbreviations, chunk) || (capitalised && starts && chunk.len() > 1) {
        TokenKind::Word
    } else if capitalised
        && chunk.len() > 1
        && !words::is(List::Function, &lower)
        && !words::is(List::Cased, &lower)
    {
        TokenKind::Name
    } else {
        TokenKind::Exact
    };
    if kind != TokenKind::Word {
        let text = if kind == TokenKind::Name { lower } else { own(chunk) };
        return tokens.push(Token::new(kind, text, own(chunk)));
    }
    match words::expand(&lower) {
        Some(expanded) => {
            let parts = expanded.split(' ').filter(|part| !part.is_empty());
            tokens.extend(parts.map(|part| Token::new(TokenKind::Word, part.into(), own(chunk))));
        }
        None => tokens.push(Token::new(TokenKind::Word, lower, own(chunk))),
    }
}
