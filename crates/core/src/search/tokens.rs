//! The tokenizer used by the index, the in-memory search and queries.
//!
//! A text is split into *words* (stemmed; they make up its length, except for a word that was
//! already counted by its parts) and *exact forms* (not stemmed, not counted). So `#tags`,
//! `[[links]]`, paths, flags, versions and identifiers are found as written, and identifiers by
//! their parts too.

use std::collections::{HashMap, HashSet};

use rust_stemmers::{Algorithm, Stemmer};

/// Must change whenever the same text gives other tokens, so that an old index is rebuilt.
pub const VERSION: u32 = 2;

/// Longer words are cut: nobody types them, and a term dictionary is no place for base64.
const MAX_BYTES: usize = 64;

/// First byte of an exact form. No word starts with it.
const EXACT: char = '=';

/// Splits texts into tokens, with a cache of stems.
pub struct Tokenizer {
    stemmer: Stemmer,
    /// Cache of stems: few words make up most of any text, and stemming takes longer than all other
    /// steps.
    stems: HashMap<Box<str>, Box<str>>,
    lower: String,
    token: String,
}

/// Maximum number of cached stems.
const KEPT: usize = 50_000;

impl Default for Tokenizer {
    fn default() -> Self {
        let stemmer = Stemmer::create(Algorithm::English);
        Self { stemmer, stems: HashMap::new(), lower: String::new(), token: String::new() }
    }
}

impl Tokenizer {
    /// Calls `emit(token, counts)` for each token of `text`; `counts` is false for tokens that do
    /// not count towards the length.
    pub fn each(&mut self, text: &str, mut emit: impl FnMut(&str, bool)) {
        for chunk in text.split_whitespace() {
            let chunk = trim(chunk);
            let mut words = 0;
            let mut whole = 0;
            for word in chunk.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
            {
                let mut parts = 0;
                for part in Parts(word) {
                    self.word(part, true, &mut emit);
                    parts += 1;
                }
                if parts > 1 {
                    // Lets a query `postgresql` find `PostgreSQL`.
                    self.word(word, false, &mut emit);
                }
                words += 1;
                whole = whole.max(word.len());
            }
            if words > 1 || (words == 1 && whole < chunk.len()) {
                self.exact(chunk, &mut emit);
            }
        }
    }

    /// Calls `emit(self, word)` for each word that counts, in lower case.
    pub fn words(&mut self, text: &str, mut emit: impl FnMut(&mut Self, &str)) {
        self.spellings(text, |tokenizer, word, counts| {
            if counts {
                emit(tokenizer, word);
            }
        });
    }

    /// Calls `emit(self, word, counts)` for each word in lower case, and for each identifier of
    /// several words, which does not count.
    pub fn spellings(&mut self, text: &str, mut emit: impl FnMut(&mut Self, &str, bool)) {
        let mut lower = String::new();
        for chunk in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let mut parts = 0;
            for part in Parts(chunk) {
                lowercase(part, &mut lower);
                emit(self, &lower, true);
                parts += 1;
            }
            if parts > 1 {
                lowercase(chunk, &mut lower);
                emit(self, &lower, false);
            }
        }
    }

    pub fn stem_of(&mut self, word: &str) -> &str {
        self.lower.clear();
        self.lower.push_str(word);
        self.stem()
    }

    fn word(&mut self, word: &str, counts: bool, emit: &mut impl FnMut(&str, bool)) {
        lowercase(word, &mut self.lower);
        match self.stems.get(self.lower.as_str()) {
            Some(stem) => emit(stem, counts),
            None => emit(self.stem(), counts),
        }
    }

    /// Returns the number of words in `text`: its length for BM25.
    pub fn len(&mut self, text: &str) -> u32 {
        let mut count = 0;
        self.each(text, |_, counts| count += u32::from(counts));
        count
    }

    fn stem(&mut self) -> &str {
        let stem = self.stemmer.stem(&self.lower);
        self.token.clear();
        self.token.push_str(cut(&stem));
        if self.stems.len() < KEPT {
            self.stems.insert(self.lower.as_str().into(), self.token.as_str().into());
        }
        &self.token
    }

    fn exact(&mut self, form: &str, emit: &mut impl FnMut(&str, bool)) {
        self.token.clear();
        self.token.push(EXACT);
        self.token.extend(form.chars().flat_map(char::to_lowercase));
        emit(cut(&self.token), false);
    }
}

/// Writes `text` in lower case to `out`.
fn lowercase(text: &str, out: &mut String) {
    out.clear();
    if text.is_ascii() {
        out.push_str(text);
        out.make_ascii_lowercase();
    } else {
        out.extend(text.chars().flat_map(char::to_lowercase));
    }
}

/// Returns true if a token is an exact form.
#[must_use]
pub fn is_exact(token: &str) -> bool {
    token.starts_with(EXACT)
}

fn cut(token: &str) -> &str {
    let mut end = token.len().min(MAX_BYTES);
    while !token.is_char_boundary(end) {
        end -= 1;
    }
    token.get(..end).unwrap_or(token)
}

/// Strips the punctuation of prose from a chunk. Leading `#`, `-`, `.`, `/`, `@` and `~` belong to
/// tags, flags and paths.
fn trim(chunk: &str) -> &str {
    let start = chunk.trim_start_matches(|c: char| {
        !c.is_alphanumeric() && !matches!(c, '#' | '-' | '.' | '/' | '@' | '~' | '_' | '$')
    });
    start.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '+' | '#' | '_'))
}

/// The parts of an identifier: `HTTPServer2` is `HTTP`, `Server`, `2`.
struct Parts<'a>(&'a str);

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let mut chars = self.0.char_indices().peekable();
        let (_, mut last) = chars.next()?;
        let mut upper_run = last.is_uppercase();
        while let Some((at, c)) = chars.next() {
            let next_lower = chars.peek().is_some_and(|(_, next)| next.is_lowercase());
            let hump = c.is_uppercase() && (last.is_lowercase() || (upper_run && next_lower));
            // `v2` and `h264` stay whole; a digit run splits only after a longer word.
            let digit = c.is_numeric() != last.is_numeric() && at > 2 && self.0.len() - at > 2;
            if hump || digit {
                let (part, rest) = self.0.split_at(at);
                self.0 = rest;
                return Some(part);
            }
            upper_run = c.is_uppercase();
            last = c;
        }
        Some(std::mem::take(&mut self.0))
    }
}

/// Words that only form a question or connect a sentence, sorted. They are dropped from queries.
#[rustfmt::skip]
const QUESTION_WORDS: &[&str] = &[
    "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but",
    "by", "can", "could", "did", "do", "does", "doing", "done",
    "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its",
    "let", "lets", "me", "mine", "my", "no", "not", "of", "on", "or", "our", "ours", "pick",
    "picked", "please", "shall", "should", "so", "tell", "than", "that", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "to", "us", "was", "we", "were",
    "what", "what's", "whats", "when", "where", "whether", "which", "who", "whom", "whose",
    "why", "will", "with", "would", "you", "your", "yours",
];

/// Returns true if a query word says nothing about the subject.
#[must_use]
pub fn is_question_word(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    // No question word is longer, or has other characters.
    let fits = |b: u8| b.is_ascii_alphabetic() || b == b'\'';
    if word.len() > 8 || !word.bytes().all(fits) {
        return false;
    }
    let lower = word.to_ascii_lowercase();
    QUESTION_WORDS.binary_search(&lower.as_str()).is_ok()
}

/// Minimum number of such words, other than English ones, for a query to be in a language.
const LEAST: usize = 2;

/// One sorted list a language.
#[rustfmt::skip]
const LANGUAGES: [&[&str]; 5] = [
    // German
    &[
        "aber", "alle", "allem", "allen", "aller", "alles", "als", "also", "am", "an", "auf",
        "aus", "bei", "beim", "bin", "bis", "bitte", "brauche", "brauchen", "brauchst", "da",
        "damit", "dann", "das", "dass", "daß", "dem", "den", "denn", "der", "des", "dessen",
        "die", "dies", "diese", "diesem", "diesen", "dieser", "dieses", "doch", "dort", "du",
        "durch", "ein", "eine", "einem", "einen", "einer", "eines", "er", "es", "etwas", "euch",
        "euer", "eure", "für", "gab", "geht", "gibt", "habe", "haben", "habt", "hast", "hat",
        "hatte", "hatten", "her", "hier", "hin", "ich", "ihm", "ihn", "ihnen", "ihr", "ihre",
        "ihrem", "ihren", "ihrer", "im", "in", "ins", "ist", "ja", "jede", "jedem", "jeden",
        "jeder", "jedes", "jetzt", "kann", "kannst", "können", "könnte", "könnten", "könntest",
        "lässt", "machen", "machst", "macht", "mal", "man", "mein", "meine", "meinem", "meinen",
        "meiner", "mich", "mir", "mit", "muss", "musst", "müssen", "nach", "nicht", "noch", "nun",
        "nur", "ob", "oder", "ohne", "schon", "sein", "seine", "sich", "sie", "sind", "so",
        "soll", "sollen", "sollst", "sollte", "sollten", "um", "und", "uns", "unser", "unsere",
        "unserem", "unseren", "unserer", "unter", "vom", "von", "vor", "war", "waren", "warum",
        "was", "weil", "welche", "welchem", "welchen", "welcher", "welches", "wem", "wen", "wenn",
        "wer", "werde", "werden", "weshalb", "wessen", "wie", "wieso", "wieviel", "wir", "wird",
        "wo", "wobei", "wodurch", "wofür", "woher", "wohin", "womit", "woran", "worauf", "woraus",
        "worin", "worüber", "wovon", "wozu", "wurde", "wurden", "würde", "würden", "zu", "zum",
        "zur", "zwischen", "über",
    ],
    // French
    &[
        "a", "ai", "alors", "as", "au", "aux", "avec", "avez", "avons", "c", "ce", "cela", "ces",
        "cet", "cette", "comme", "comment", "d", "dans", "de", "des", "dois", "doit", "doivent",
        "donc", "du", "elle", "elles", "en", "entre", "es", "est", "et", "etre", "eu", "eux",
        "faire", "fais", "fait", "faut", "il", "ils", "j", "je", "l", "la", "laquelle", "le",
        "lequel", "les", "lesquelles", "lesquels", "leur", "leurs", "lui", "là", "m", "ma",
        "mais", "me", "mes", "moi", "mon", "n", "ne", "nos", "notre", "nous", "on", "ont", "ou",
        "où", "par", "pas", "peut", "peux", "plus", "pour", "pourquoi", "qu", "quand", "que",
        "quel", "quelle", "quelles", "quels", "qui", "quoi", "s", "sa", "sans", "se", "ses", "si",
        "son", "sont", "sous", "sur", "t", "ta", "te", "tes", "toi", "ton", "tous", "tout",
        "toute", "toutes", "tu", "un", "une", "va", "vers", "vos", "votre", "vous", "y", "à",
        "ça", "étaient", "était", "été", "être",
    ],
    // Spanish
    &[
        "a", "al", "algo", "ante", "como", "con", "contra", "cual", "cuales", "cuando", "cuál",
        "cuáles", "cuándo", "cuánta", "cuántas", "cuánto", "cuántos", "cómo", "de", "debe",
        "debemos", "debo", "del", "desde", "donde", "dónde", "e", "el", "ella", "ellas", "ellos",
        "en", "entre", "era", "es", "esa", "esas", "ese", "eso", "esos", "esta", "estaba",
        "estamos", "estas", "este", "esto", "estos", "está", "están", "fue", "fueron", "ha",
        "hace", "hacemos", "hacer", "han", "hay", "he", "la", "las", "le", "les", "lo", "los",
        "me", "mi", "mis", "muy", "más", "nada", "ni", "no", "nos", "nosotros", "nuestra",
        "nuestras", "nuestro", "nuestros", "o", "para", "pero", "por", "porque", "puede",
        "pueden", "puedo", "que", "quien", "quienes", "quién", "qué", "se", "ser", "si", "sin",
        "sobre", "solo", "son", "su", "sus", "sí", "también", "te", "tenemos", "tengo", "tiene",
        "tienen", "tu", "tus", "un", "una", "unas", "unos", "usted", "y", "ya", "yo", "él",
    ],
    // Portuguese
    &[
        "a", "ao", "aos", "as", "até", "com", "como", "da", "das", "de", "dela", "dele", "deles",
        "depois", "desde", "deve", "devemos", "devo", "do", "dos", "e", "ela", "elas", "ele",
        "eles", "em", "entre", "era", "essa", "essas", "esse", "esses", "esta", "estamos",
        "estas", "este", "estes", "está", "estão", "eu", "faz", "fazem", "fazemos", "fazer",
        "foi", "foram", "há", "isso", "isto", "já", "lhe", "mais", "mas", "me", "mesmo", "meu",
        "meus", "minha", "minhas", "muito", "na", "nas", "nem", "no", "nos", "nossa", "nossas",
        "nosso", "nossos", "num", "numa", "não", "nós", "o", "onde", "os", "ou", "para", "pela",
        "pelas", "pelo", "pelos", "pode", "podem", "por", "porque", "porquê", "posso", "quais",
        "qual", "quando", "quanta", "quantas", "quanto", "quantos", "que", "quem", "se", "sem",
        "ser", "seu", "seus", "sua", "suas", "são", "só", "também", "te", "tem", "temos", "tenho",
        "ter", "teu", "tua", "tão", "um", "uma", "você", "vocês", "à", "às", "é",
    ],
    // Italian
    &[
        "a", "abbiamo", "agli", "ai", "al", "alla", "alle", "allo", "anche", "c", "che", "chi",
        "ci", "come", "con", "cosa", "d", "da", "dagli", "dai", "dal", "dalla", "dalle", "dallo",
        "degli", "dei", "del", "della", "delle", "dello", "deve", "devo", "di", "dobbiamo", "dov",
        "dove", "e", "ed", "era", "essere", "fa", "facciamo", "fare", "fatto", "gli", "ha", "hai",
        "hanno", "ho", "i", "il", "in", "io", "l", "la", "le", "lei", "li", "lo", "loro", "lui",
        "ma", "me", "mi", "mia", "mie", "miei", "mio", "ne", "negli", "nei", "nel", "nella",
        "nelle", "nello", "no", "noi", "non", "nostra", "nostre", "nostri", "nostro", "o", "per",
        "perché", "però", "più", "possiamo", "posso", "può", "quale", "quali", "quando", "quanta",
        "quante", "quanti", "quanto", "quella", "quelle", "quelli", "quello", "questa", "queste",
        "questi", "questo", "qui", "se", "si", "sia", "siamo", "sono", "stata", "stato", "su",
        "sua", "sue", "sugli", "sui", "sul", "sulla", "sulle", "suo", "suoi", "tra", "tu", "tua",
        "tuo", "un", "una", "uno", "va", "vi", "è",
    ],
];

/// The language of a query, if it is not English and has words that say nothing in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Language(&'static [&'static str]);

impl Language {
    /// Finds the language with the most such words, if they are more than the English ones.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let lower = text.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let (english, others): (Vec<&str>, Vec<&str>) =
            words.partition(|word| is_question_word(word));
        let lead = |list: &'static [&'static str]| {
            let is_known = |word: &&&str| list.binary_search(word).is_ok();
            let own = others.iter().filter(is_known).count();
            let foreign = english.iter().filter(|word| !is_known(word)).count();
            (own >= LEAST).then(|| own.checked_sub(foreign)).flatten().filter(|lead| *lead > 0)
        };
        let likely = LANGUAGES.into_iter().filter_map(|list| Some((lead(list)?, list)));
        likely.max_by_key(|(lead, _)| *lead).map(|(_, list)| Self(list))
    }

    /// Returns true if a query word says nothing about the subject in this language.
    #[must_use]
    pub fn drops(self, word: &str) -> bool {
        let lower = word.to_lowercase();
        // French and Italian articles are joined to the next word.
        let word = lower.trim_matches(|c: char| !c.is_alphanumeric());
        self.0.binary_search(&word).is_ok()
    }
}

/// Returns the stems of the content words.
pub fn content_words(tokenizer: &mut Tokenizer, text: &str) -> HashSet<String> {
    let mut stems = HashSet::new();
    tokenizer.words(text, |tokenizer, word| {
        // The `t` of `don't`.
        let is_letter = word.len() == 1 && !word.starts_with(|c: char| c.is_ascii_digit());
        if !is_letter && !is_question_word(word) {
            stems.insert(tokenizer.stem_of(word).to_owned());
        }
    });
    stems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> String {
        let mut all = Vec::new();
        Tokenizer::default().each(text, |token, _| all.push(token.to_owned()));
        all.join(" ")
    }

    #[test]
    fn table() {
        for (text, want) in [
            ("Running tests, quickly.", "run test quick"),
            ("use --admin", "use admin =--admin"),
            ("#database [[berth-lock]]", "databas =#database berth lock =berth-lock"),
            ("`SchedulerWorker`", "schedul worker schedulerwork"),
            ("berth_slots", "berth slot =berth_slots"),
            ("src/api/routes.rs:12", "src api rout rs 12 =src/api/routes.rs:12"),
            ("v0.14.2", "v0 14 2 =v0.14.2"),
            ("HTTPServer2 h264 sha256sum", "http server2 httpserver2 h264 sha 256 sum sha256sum"),
            ("foo::BarBaz", "foo bar baz barbaz =foo::barbaz"),
            ("C++ don't", "c =c++ don t =don't"),
            ("naïve CAFÉ 日本", "naïv café 日本"),
            ("-- ... 👍", ""),
        ] {
            assert_eq!(tokens(text), want, "{text}");
        }
        assert!(tokens(&"é".repeat(500)).len() <= MAX_BYTES);
    }

    #[test]
    fn question_words() {
        assert!(QUESTION_WORDS.is_sorted() && QUESTION_WORDS.iter().all(|word| word.len() <= 8));
        for (word, want) in [
            ("What", true),
            ("the", true),
            ("is?", true),
            ("", false),
            ("a b", false),
            ("lock", false),
        ] {
            assert_eq!(is_question_word(word), want, "{word}");
        }
    }
}

#[cfg(test)]
mod stop_words_tests {
    use super::*;
    use crate::search::bm25::Query;

    #[test]
    fn what_only_asks_is_dropped() {
        for (text, want) in [
            ("Welche Datenbank benutzen wir für die Rechnungen?", "Datenbank benutzen Rechnungen?"),
            ("Wo ist der Port der API festgelegt", "Port API festgelegt"),
            ("Quelle base de données utilisons-nous ?", "base données utilisons-nous ?"),
            ("¿Qué base de datos usamos para los pagos?", "base datos usamos pagos?"),
            ("Qual banco de dados usamos para os pagamentos", "banco dados usamos pagamentos"),
            ("Quale database usiamo per i pagamenti", "database usiamo pagamenti"),
            // English, though some of its words are those of another language.
            ("what does die mean in docker", "die mean docker"),
            ("where does the war file go", "war file go"),
            ("which man page is it", "man page"),
        ] {
            assert_eq!(Query::new(text).content, want, "{text}");
        }
    }

    #[test]
    fn lists_are_sorted() {
        assert!(LANGUAGES.iter().all(|list| list.is_sorted_by(|a, b| a < b)));
    }
}
