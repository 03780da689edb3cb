//! Tokens of a text: lower-case words, names, marks, and exact text.

use super::{
    lists::{self, List},
    words,
};

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
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) text: String,
    pub(super) surface: String,
}

impl Token {
    pub(super) fn new(kind: TokenKind, text: &str, surface: &str) -> Self {
        Self { kind, text: text.to_owned(), surface: surface.to_owned() }
    }

    /// Returns true for this plain word.
    pub(super) fn is(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text == word
    }

    /// Returns true for one of these plain words.
    pub(super) fn is_any(&self, words: &[&str]) -> bool {
        self.kind == TokenKind::Word && words.contains(&self.text.as_str())
    }

    /// Returns true for a plain word on the list.
    pub(super) fn is_in(&self, list: List) -> bool {
        self.kind == TokenKind::Word && lists::is(list, &self.text)
    }

    pub(super) fn is_mark(&self, mark: &str) -> bool {
        self.kind == TokenKind::Mark && self.text == mark
    }

    fn mark(text: &str) -> Self {
        Self::new(TokenKind::Mark, text, text)
    }
}

/// Characters that do not occur in plain prose: foreign quotes, templates, pipes, links.
const FOREIGN: &[char] = &['{', '|', '\\', '‘', '‚', '„', '«', '»', '‹', '›', '「', '『'];

/// Returns the tokens of a text; `None` if it is not plain prose.
pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    let foreign = |c: char| FOREIGN.contains(&c) || (c.is_control() && !c.is_whitespace());
    if text.contains(foreign) || text.contains("[[") || text.contains("$(") {
        return None;
    }
    let mut tokens = Vec::new();
    for chunk in chunks(text)? {
        read(&chunk, &mut tokens);
    }
    if tokens.last().is_some_and(|last| last.is_mark(".")) {
        tokens.pop();
    }
    for token in &mut tokens {
        if token.is_mark(".") {
            ";".clone_into(&mut token.text);
        }
    }
    Some(tokens)
}

/// Splits at white space outside of quotes; `None` if a quote is not closed.
pub(crate) fn chunks(text: &str) -> Option<Vec<String>> {
    let mut chunks = Vec::new();
    let mut chunk = String::new();
    let mut quote = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let c = match c {
            '“' | '”' if quote != Some('`') => '"',
            '’' if quote.is_none() => '\'',
            c => c,
        };
        let last = chars.peek().is_none_or(|next| !next.is_alphanumeric());
        match quote {
            Some('\'') if c == '\'' && !last => {}
            Some(open) if c == open => quote = None,
            None if matches!(c, '`' | '"') || (c == '\'' && matches!(chunk.as_str(), "" | "(")) => {
                quote = Some(c);
            }
            None if c.is_whitespace() => {
                chunks.push(std::mem::take(&mut chunk));
                continue;
            }
            _ => {}
        }
        chunk.push(c);
    }
    chunks.push(chunk);
    chunks.retain(|chunk| !chunk.is_empty());
    quote.is_none().then_some(chunks)
}

/// Adds the tokens of a chunk.
fn read(chunk: &str, tokens: &mut Vec<Token>) {
    match chunk {
        "-" | "–" | "—" => return tokens.push(Token::mark("—")),
        "&" => return tokens.push(Token::new(TokenKind::Word, "and", chunk)),
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
        word(rest, tokens);
    }
    tokens.extend(marks.into_iter().rev());
}

/// Splits punctuation of prose off the end of a chunk. Other endings, as in `./...` or `a=`, belong
/// to the chunk.
fn split_mark(chunk: &str) -> Option<(&str, &str)> {
    let (at, mark) = chunk.char_indices().next_back()?;
    let (inner, end) = chunk.split_at(at);
    let ends_a_word =
        inner.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | '`' | '"' | '\'' | '%'));
    let splits = match mark {
        '.' | ',' | ';' | ':' | '!' => ends_a_word,
        '?' => ends_a_word && !inner.contains(['/', '*']),
        ')' => !inner.contains('('),
        _ => false,
    };
    splits.then_some((inner, end))
}

/// Adds a chunk without punctuation: one token, or several for a contraction.
fn word(chunk: &str, tokens: &mut Vec<Token>) {
    let joints = |c: char| matches!(c, '\'' | '-');
    let plain = chunk.chars().all(|c| c.is_ascii_alphabetic() || joints(c))
        && chunk.split(joints).all(|part| !part.is_empty());
    if !plain {
        return tokens.push(Token::new(TokenKind::Exact, chunk, chunk));
    }
    let starts = tokens.last().is_none_or(|last| {
        last.kind == TokenKind::Mark
            && matches!(last.text.as_str(), "." | ";" | ":" | "!" | "?" | "(" | "—")
    });
    let lower = chunk.to_ascii_lowercase();
    let capitals = chunk.chars().filter(char::is_ascii_uppercase).count();
    let capitalised = capitals == 1 && chunk.starts_with(|c: char| c.is_ascii_uppercase());
    let kind = if chunk == "A" || (lower == "a" && starts) {
        // An article, or the first of A and B: kept as it is.
        return tokens.push(Token::new(TokenKind::Exact, if starts { "a" } else { chunk }, chunk));
    } else if capitals == 0 || chunk == "I" || lists::is(List::Emphasis, chunk) {
        TokenKind::Word
    } else if lists::is(List::Abbreviation, chunk) || lists::is(List::Brand, chunk) {
        TokenKind::Name
    } else if lists::is(List::Abbreviations, chunk) || (capitalised && starts && chunk.len() > 1) {
        TokenKind::Word
    } else if capitalised
        && chunk.len() > 1
        && !words::is_function(&lower)
        && !lists::is(List::Cased, &lower)
    {
        TokenKind::Name
    } else {
        TokenKind::Exact
    };
    if kind != TokenKind::Word {
        let text = if kind == TokenKind::Name { &lower } else { chunk };
        return tokens.push(Token::new(kind, text, chunk));
    }
    match words::expand(&lower) {
        Some(expanded) => {
            let parts = expanded.split(' ').filter(|part| !part.is_empty());
            tokens.extend(parts.map(|part| Token::new(TokenKind::Word, part, chunk)));
        }
        None => tokens.push(Token::new(TokenKind::Word, &lower, chunk)),
    }
}
