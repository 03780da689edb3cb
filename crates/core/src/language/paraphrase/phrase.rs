//! Rewrites of a text's tokens that preserve its meaning.

use std::borrow::Cow;

use super::{
    token::{self, Token, TokenKind},
    words::{self, List},
};

/// Returns the rewritten tokens of a text; `None` if it equals only itself.
pub(super) fn read(text: &str) -> Option<Vec<Token<'_>>> {
    if !text.is_ascii() && text.chars().any(|c| c.is_alphabetic() && !c.is_ascii()) {
        return None;
    }
    let mut tokens = token::tokens(text)?;
    if !is_english(&tokens) || is_about_spelling(&tokens) {
        return None;
    }
    keep_arguments(&mut tokens);
    join(&mut tokens);
    drop_leads(&mut tokens);
    move_clause(&mut tokens);
    drop_leads(&mut tokens);
    lighten(&mut tokens);
    shorten_clauses(&mut tokens);
    drop_serial_comma(&mut tokens);
    sort_names(&mut tokens);
    spell(&mut tokens);
    Some(tokens)
}

/// Returns true if plain words look like English.
fn is_english(tokens: &[Token<'_>]) -> bool {
    let is_word = |token: &&Token<'_>| matches!(token.kind, TokenKind::Word | TokenKind::Name);
    let has = |list| tokens.iter().filter(is_word).any(|token| token.has(list));
    !has(List::NotEnglish) && has(List::English)
}

/// Returns the number or normalised spelling of a word.
fn normal<'a>(token: &'a Token<'_>) -> Cow<'a, str> {
    match (token.kind, words::number(&token.text)) {
        (TokenKind::Word, Some(number)) => Cow::Owned(number.to_string()),
        (TokenKind::Word | TokenKind::Name, _) => words::spelling(&token.text),
        _ => Cow::Borrowed(&token.text),
    }
}

/// Returns true if two spellings of one word occur, because the text may be about the difference.
fn is_about_spelling(tokens: &[Token]) -> bool {
    let mut met: Vec<(String, &str)> = Vec::new();
    for token in tokens {
        let light = token.is_function() || token.is_any(&["use", "uses"]);
        if token.kind == TokenKind::Mark || (light && token.kind == TokenKind::Word) {
            continue;
        }
        let normal = normal(token);
        let normal = words::singular(&normal).to_ascii_lowercase();
        if met.iter().any(|(other, surface)| *other == normal && *surface != token.surface) {
            return true;
        }
        met.push((normal, &token.surface));
    }
    false
}

/// Marks the arguments of commands as exact.
fn keep_arguments(tokens: &mut [Token]) {
    let mut inside = false;
    let mut after_make = false;
    for token in tokens {
        if inside {
            inside = match token.kind {
                TokenKind::Mark => false,
                TokenKind::Exact => true,
                _ if after_make && token.text == "sure" => false,
                _ => !token.is_function() || matches!(&*token.text, "a" | "the"),
            };
            if inside && token.kind != TokenKind::Exact {
                token.kind = TokenKind::Exact;
                token.set(token.surface.clone());
            }
        } else {
            inside = token.is_in(List::Command);
        }
        after_make = token.is("make");
    }
}

/// Rewrites `prior to` to `before`, and `rather than` to `instead of`.
fn join(tokens: &mut Vec<Token>) {
    let starts = |tokens: &[Token], words: &[&str]| {
        tokens.len() >= words.len() && words.iter().zip(tokens).all(|(word, token)| token.is(word))
    };
    if starts(tokens, &["in", "order", "to"]) {
        tokens.drain(..2);
    }
    let mut at = 0;
    while let Some(rest) = tokens.get_mut(at..).filter(|rest| !rest.is_empty()) {
        if starts(rest, &["prior", "to"]) {
            if let Some(token) = rest.first_mut() {
                token.set("before");
            }
            tokens.remove(at + 1);
        } else if starts(rest, &["rather", "than"]) {
            for (token, text) in rest.iter_mut().zip(["instead", "of"]) {
                token.set(text);
            }
        }
        at += 1;
    }
}

/// Drops leads that only ask to remember something, or say whose wish it is.
fn drop_leads(tokens: &mut Vec<Token>) {
    const LEADS: &[&[&str]] = &[
        &["please"],
        &["remember", "to"],
        &["always", "remember", "to"],
        &["make", "sure", "to"],
        &["be", "sure", "to"],
        &["do", "not", "forget", "to"],
        &["never", "forget", "to"],
        &["note", ":"],
        &["remember", ":"],
    ];
    loop {
        let begins = |words: &[&str]| {
            let same = |(word, token): (&&str, &Token)| token.is(word) || token.is_mark(word);
            tokens.len() > words.len() + 1 && words.iter().zip(tokens.iter()).all(same)
        };
        let verb = |at: usize| tokens.get(at).is_some_and(|token| token.is_in(List::Imperative));
        let prefers =
            |at: usize| tokens.get(at).is_some_and(|token| token.is_any(&["prefer", "prefers"]));
        let clause = tokens.get(2).is_some_and(opens_clause);
        let count = if let Some(lead) = LEADS.iter().find(|lead| begins(lead)) {
            lead.len()
        } else if clause && (begins(&["note", "that"]) || begins(&["remember", "that"]))
            || begins(&["the", "user"]) && prefers(2)
        {
            2
        } else if (begins(&["user"]) || begins(&["i"])) && prefers(1)
            || begins(&["always"]) && verb(1)
        {
            1
        } else {
            break;
        };
        tokens.drain(..count);
    }
    if let Some(first) = tokens.first_mut() {
        for (verb, base) in [("prefers", "prefer"), ("uses", "use")] {
            if first.is(verb) {
                first.set(base);
            }
        }
    }
}

/// Returns true if the word after `that` shows that it was a conjunction.
fn opens_clause(token: &Token) -> bool {
    const OPENERS: &[&str] = &["the", "a", "all", "every", "each", "no", "it", "we", "you", "they"];
    token.is_any(OPENERS) || (token.kind == TokenKind::Word && *token.singular() != *token.text)
}

/// Moves a clause from the start to the end, if it cannot attach to another part there.
fn move_clause(tokens: &mut Vec<Token>) {
    let mut marks = tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Mark);
    let (Some((comma, mark)), None) = (marks.next(), marks.next()) else { return };
    if !mark.is_mark(",") || comma < 2 || tokens.len() < comma + 3 {
        return;
    }
    let (clause, rest) = tokens.split_at(comma);
    let (Some(opener), Some(rest)) = (clause.first(), rest.get(1..)) else { return };
    let has = |part: &[Token], list: List| part.iter().any(|token| token.is_in(list));
    let place = opener.is_in(List::Place);
    let negated = has(tokens, List::Negation);
    let held = !(place || opener.is_in(List::Time))
        || has(rest, List::Focus)
        || clause.iter().any(|token| token.is_any(&["only", "just", "even"]))
        || has(rest, List::Time)
        || (place && has(rest, List::Preposition))
        || (negated && opener.is_any(&["for", "to", "with", "instead"]))
        || (negated && has(tokens, List::Quantifier));
    if !held {
        tokens.remove(comma);
        tokens.rotate_left(comma);
    }
}

/// Drops `using` after `prefer`, and `that` after `ensure`.
fn lighten(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while let Some([first, rest @ ..]) = tokens.get(at..) {
        let is = |at: usize, word: &str| rest.get(at).is_some_and(|token| token.is(word));
        let prefers = first.is_any(&["prefer", "prefers"]);
        let ensures = first.is_any(&["ensure", "sure"]);
        let count = if prefers && is(0, "using") && rest.len() > 1 {
            1
        } else if prefers && is(0, "to") && is(1, "use") && rest.len() > 2 {
            2
        } else {
            usize::from(ensures && is(0, "that") && rest.get(1).is_some_and(opens_clause))
        };
        tokens.drain(at + 1..at + 1 + count);
        at += 1;
    }
}

/// Rewrites `before you commit` and a final `before commit` to `before committing`.
fn shorten_clauses(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while let Some([first, rest @ ..]) = tokens.get(at..) {
        let verb = |at: usize| rest.get(at).is_some_and(|token| token.is_in(List::Imperative));
        let ends = rest.get(1).is_none_or(|token| token.kind == TokenKind::Mark);
        let you = rest.first().is_some_and(|token| token.is("you"));
        if first.is_any(&["before", "after", "when", "while"]) && you && verb(1) {
            tokens.remove(at + 1);
        } else if !(first.is_any(&["before", "after"]) && verb(0) && ends) {
            at += 1;
            continue;
        }
        if let Some(token) = tokens.get_mut(at + 1) {
            token.set(words::gerund(&token.text));
        }
        at += 1;
    }
}

/// Rewrites `a, b, and c` to `a, b and c`.
fn drop_serial_comma(tokens: &mut Vec<Token>) {
    let comma = tokens.windows(2).rposition(
        |pair| matches!(pair, [comma, next] if comma.is_mark(",") && next.is_any(&["and", "or"])),
    );
    let Some(comma) = comma else { return };
    let before = tokens.get(..comma).unwrap_or_default();
    let Some(previous) = before.iter().rposition(|token| token.kind == TokenKind::Mark) else {
        return;
    };
    let item = before.get(previous + 1..).unwrap_or_default();
    let plain = !item.iter().any(Token::is_function);
    if before.get(previous).is_some_and(|mark| mark.is_mark(",")) && item.len() <= 3 && plain {
        tokens.remove(comma);
    }
}

/// Sorts listed names: `Alice and Bob` equals `Bob and Alice`.
fn sort_names(tokens: &mut [Token]) {
    let ands: Vec<usize> = (0..tokens.len())
        .filter(|at| tokens.get(*at).is_some_and(|token| token.is_any(&["and", "or"])))
        .collect();
    let [and] = ands[..] else { return };
    let name = |at: usize| {
        tokens.get(at).is_some_and(|token| {
            let capital = token.surface.starts_with(|c: char| c.is_ascii_uppercase());
            token.kind == TokenKind::Name || (at == 0 && token.kind == TokenKind::Word && capital)
        })
    };
    let mut items = vec![and + 1];
    let mut end = and;
    while let Some(item) = end.checked_sub(1).filter(|item| name(*item)) {
        items.push(item);
        match item.checked_sub(1) {
            Some(comma) if tokens.get(comma).is_some_and(|token| token.is_mark(",")) => end = comma,
            _ => break,
        }
    }
    let (Some(first), true) = (items.last().copied(), items.len() > 1 && name(and + 1)) else {
        return;
    };
    let commas = tokens.iter().filter(|token| token.kind == TokenKind::Mark).count();
    let before = first.checked_sub(1).and_then(|at| tokens.get(at));
    let after = tokens.get(and + 2);
    let by_people =
        || first.checked_sub(2).and_then(|at| tokens.get(at)).is_some_and(|t| t.is_in(List::Done));
    let opens = |token: &Token| token.is_in(List::BeforeNames) && (!token.is("by") || by_people());
    let stands_alone = before.is_none_or(opens)
        && (after.is_none()
            || before.is_none() && after.is_some_and(|token| token.is_in(List::AfterNames)))
        && commas + 2 == items.len()
        && !tokens.iter().any(|token| token.is("respectively"));
    if !stands_alone {
        return;
    }
    let mut names: Vec<Token> = items.iter().filter_map(|at| tokens.get(*at)).cloned().collect();
    names.sort_by(|a, b| b.text.cmp(&a.text));
    for (at, name) in items.into_iter().zip(names) {
        if let Some(token) = tokens.get_mut(at) {
            *token = name;
        }
    }
}

/// Rewrites number words to digits, and British to American spelling.
fn spell(tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        let counts = tokens
            .get(at + 1)
            .is_some_and(|next| next.kind == TokenKind::Word && !next.is_function());
        let pronoun =
            at > 0 && tokens.get(at - 1).is_some_and(|previous| previous.is_in(List::WithOne));
        let Some(token) = tokens.get_mut(at) else { return };
        if token.is("one") && (!counts || pronoun) {
            continue;
        }
        if token.kind == TokenKind::Word && words::number(&token.text).is_some() {
            token.set(normal(token).into_owned());
            token.kind = TokenKind::Exact;
        } else if let Cow::Owned(text) = normal(token) {
            token.set(text);
        }
    }
}

/// Returns true if the token is an article that may be left out.
pub(super) fn is_light_article(tokens: &[Token], at: usize) -> bool {
    let (Some(token), Some(next)) = (tokens.get(at), tokens.get(at + 1)) else { return false };
    let previous = at.checked_sub(1).and_then(|at| tokens.get(at));
    let subject = || {
        let verbs = tokens.get(at + 2..).unwrap_or_default().iter().take(2);
        is_abbreviation(next)
            || *next.singular() != *next.text
            || (next.kind == TokenKind::Word
                && verbs.into_iter().any(|token| token.is_in(List::Auxiliary)))
    };
    token.is_any(&["a", "the"])
        && next.kind != TokenKind::Mark
        && !(next.kind == TokenKind::Word && next.is_function())
        && !next.is_in(List::Counted)
        && !next.text.ends_with("ing")
        && !(token.is("a") && next.kind == TokenKind::Name && !is_abbreviation(next))
        && match previous {
            Some(previous) if !opens_sentence(previous) => {
                let idiom = previous.is_in(List::InIdiom) && next.is_in(List::Idiom);
                let held = previous.is_in(List::Holding) || previous.is_noun();
                !(idiom || held || previous.kind == TokenKind::Exact)
            }
            _ => subject(),
        }
}

fn is_abbreviation(token: &Token) -> bool {
    words::is(List::Abbreviation, &token.surface)
}

/// Returns true if an imperative may follow.
fn opens_sentence(token: &Token) -> bool {
    token.kind == TokenKind::Mark || token.is_any(&["and", "or", "but", "then", "so", "please"])
}

/// Returns the token in the singular, unless it is a name.
pub(super) fn singular<'a>(tokens: &'a [Token<'_>], at: usize) -> Cow<'a, str> {
    let Some(token) = tokens.get(at) else { return Cow::Borrowed("") };
    let previous = at.checked_sub(1).and_then(|at| tokens.get(at));
    let beside = [previous, tokens.get(at + 1)];
    let named = beside.into_iter().flatten().any(Token::is_naming);
    let argument = previous.is_some_and(|token| token.text.starts_with('-'));
    if token.kind == TokenKind::Word && !named && !argument {
        token.singular()
    } else {
        Cow::Borrowed(&token.text)
    }
}

/// Returns true if singular and plural of the token differ in meaning: after an article or pronoun,
/// and where it may be a verb.
pub(super) fn is_counted(tokens: &[Token], at: usize) -> bool {
    /// Words before names of directories and modules.
    const PLACES: &[&str] = &[
        "in", "into", "inside", "from", "under", "to", "at", "via", "through", "import", "imports",
        "export", "exports", "call", "calls",
    ];
    let Some(token) = tokens.get(at) else { return false };
    let before = tokens.get(at.saturating_sub(2)..at).unwrap_or_default();
    let determined =
        before.iter().any(|token| token.is_in(List::Determiner) || token.kind == TokenKind::Exact);
    let idiom =
        token.is_idiom() && before.last().is_some_and(|previous| previous.is_in(List::InIdiom));
    let place = before.last().is_some_and(|previous| previous.is_any(PLACES));
    let open = before.last().is_none_or(|previous| {
        opens_sentence(previous)
            || (previous.is_function() && (previous.is("to") || !previous.is_in(List::Preposition)))
    });
    determined || idiom || place || (open && token.is_noun_and_verb())
}
