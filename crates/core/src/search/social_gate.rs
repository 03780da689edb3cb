//! The social-closer gate: recognises messages that need no recall.
//!
//! Such a message agrees, thanks, or tells the agent to go on or to stop, and names nothing that a
//! memory could be about: each of its words is in a list of its language.

use crate::{
    language::lexicon::work::WORK,
    model::questions::{Questions, QuestionsError},
    safety::text::{EntryText, TextError},
};

/// Maximum number of words of such a message.
const WORDS: usize = 8;
/// Maximum number of bytes of such a message.
const BYTES: usize = 80;

/// Words that agree, thank or steer, and those that only connect them, sorted; one list a language.
/// Verbs that memories tell how to do, such as commit or deploy, are not among them.
#[rustfmt::skip]
const LANGUAGES: [&[&str]; 6] = [
    // English
    &[
        "a", "absolutely", "again", "agreed", "ahead", "all", "alright", "also", "am", "amazing",
        "an", "and", "another", "appreciated", "are", "as", "awesome", "bad", "best", "both",
        "brilliant", "but", "bye", "can", "carry", "cheers", "clear", "come", "continue", "cool",
        "correct", "could", "course", "definitely", "did", "do", "does", "don", "done", "each",
        "else", "enough", "everything", "exactly", "excellent", "explain", "fair", "fantastic",
        "fine", "finish", "first", "fix", "for", "forget", "found", "from", "further", "give",
        "go", "going", "gonna", "good", "got", "gotcha", "great", "ha", "haha", "hang", "have",
        "he", "hello", "hey", "hi", "hm", "hmm", "hold", "how", "i", "idea", "if", "ignore", "in",
        "indeed", "instead", "is", "it", "its", "job", "just", "k", "keep", "kk", "know", "last",
        "later", "let", "lets", "lgtm", "like", "ll", "lol", "looks", "lot", "love", "luck", "m",
        "makes", "many", "maybe", "me", "mind", "minute", "moment", "more", "move", "moving",
        "much", "my", "nah", "neat", "never", "next", "nice", "no", "nope", "not", "now", "np",
        "of", "off", "oh", "ok", "okay", "omg", "on", "once", "one", "ones", "option", "or",
        "other", "our", "perfect", "perfectly", "please", "pls", "plz", "point", "problem",
        "problems", "proceed", "quick", "re", "ready", "really", "redo", "repeat", "resume",
        "retry", "right", "s", "same", "sec", "second", "see", "sense", "shall", "ship", "should",
        "show", "skip", "so", "some", "something", "sorry", "sounds", "start", "stop", "super",
        "sure", "sweet", "t", "take", "tell", "than", "thank", "thanks", "that", "the", "them",
        "then", "there", "these", "they", "thing", "things", "think", "third", "this", "those",
        "thx", "time", "to", "too", "true", "try", "ty", "u", "understood", "undo", "until", "up",
        "us", "very", "wait", "was", "way", "we", "well", "what", "whatever", "when", "which",
        "why", "will", "with", "wonderful", "work", "works", "worries", "would", "wow", "wrong",
        "ya", "yay", "yea", "yeah", "yep", "yes", "yet", "you", "your", "yup",
    ],
    // German
    &[
        "abbrechen", "aber", "ach", "alle", "alles", "also", "an", "andere", "anderen",
        "aufhören", "bin", "bis", "bitte", "cool", "da", "damit", "danke", "dankeschön", "dann",
        "das", "dein", "dem", "den", "denn", "der", "des", "die", "dir", "doch", "dort", "du",
        "ein", "eine", "einen", "einfach", "einmal", "einverstanden", "er", "erklär", "erkläre",
        "erst", "erste", "ersten", "erstens", "erstmal", "es", "fertig", "für", "ganz", "geht",
        "gehts", "genau", "gern", "gerne", "gut", "gute", "halt", "hast", "hört", "ich", "ihr",
        "ist", "ja", "jawohl", "jetzt", "kannst", "klar", "klasse", "klingt", "komm", "lass",
        "leg", "los", "mach", "mache", "machen", "mal", "mehr", "mein", "meinst", "mir", "mit",
        "moin", "moment", "na", "natürlich", "ne", "nee", "nein", "nicht", "nimm", "noch",
        "nochmal", "nächste", "nächsten", "nächster", "nächstes", "nö", "oh", "ok", "okay",
        "passt", "perfekt", "prima", "richtig", "s", "schau", "schon", "schritt", "schön", "sehr",
        "sei", "sieht", "so", "sofort", "stimmt", "stop", "stopp", "super", "toll", "top", "und",
        "uns", "verstanden", "versteh", "verstehe", "versuch", "versuche", "viel", "vielen",
        "von", "vor", "warte", "warten", "warum", "was", "weiter", "weitermachen", "wenn", "wie",
        "wieso", "wir", "wird", "wunderbar", "zeig", "zu", "zuerst", "zurück", "zweite",
        "zweiten",
    ],
    // French
    &[
        "accord", "afin", "ah", "alors", "arrête", "arrêter", "arrêtez", "attendez", "attends",
        "aussi", "autre", "avant", "avec", "beaucoup", "ben", "bien", "bon", "bonjour", "bonne",
        "bravo", "c", "ce", "cela", "celle", "celui", "ces", "cette", "ci", "clair", "comme",
        "comment", "compris", "continue", "continuer", "continuez", "cool", "correct", "d",
        "dans", "de", "des", "deux", "deuxième", "donc", "du", "elle", "en", "encore", "ensuite",
        "entendu", "est", "et", "exact", "exactement", "excellent", "explique", "expliquez",
        "fais", "fait", "faites", "fini", "génial", "il", "impeccable", "instant", "j", "je", "l",
        "la", "laisse", "le", "les", "là", "m", "mais", "marche", "merci", "mieux", "minute",
        "moi", "moment", "n", "ne", "non", "nous", "nouveau", "on", "ou", "ouais", "oui", "par",
        "parfait", "pas", "passe", "peux", "plaît", "plus", "pour", "pourquoi", "premier",
        "première", "prochain", "prochaine", "qu", "que", "quoi", "recommence", "répète", "s",
        "salut", "se", "second", "seconde", "si", "stop", "suite", "suivant", "suivante", "super",
        "sûr", "te", "toi", "top", "tout", "très", "tu", "un", "une", "va", "vas", "vite",
        "voilà", "vous", "vrai", "y", "ça",
    ],
    // Spanish
    &[
        "a", "acuerdo", "adelante", "ahora", "ahí", "al", "alto", "así", "bien", "buena", "bueno",
        "claro", "como", "con", "continua", "continuar", "continúa", "correcto", "cosa", "cómo",
        "dale", "de", "del", "después", "el", "ella", "en", "entendido", "entonces", "es", "esa",
        "ese", "eso", "espera", "esperar", "espere", "esta", "este", "esto", "estupendo", "está",
        "exacto", "excelente", "explica", "explicalo", "explícalo", "favor", "genial", "gracias",
        "hace", "haz", "hazlo", "hola", "igual", "la", "las", "listo", "lo", "los", "luego",
        "mal", "me", "mejor", "mismo", "momento", "muchas", "muy", "más", "nada", "no", "nos",
        "nuevo", "o", "ok", "okay", "otra", "otro", "para", "pare", "parece", "perfecto", "pero",
        "por", "porque", "primera", "primero", "prosigue", "prueba", "próximo", "pues", "que",
        "qué", "repite", "se", "seguir", "segunda", "segundo", "si", "sigamos", "sigue",
        "siguiente", "solo", "son", "su", "sí", "también", "te", "tercero", "todo", "tu", "tú",
        "un", "una", "uno", "va", "vale", "vamos", "ve", "vez", "y", "ya", "yo",
    ],
    // Portuguese
    &[
        "a", "acordo", "agora", "ainda", "anterior", "aí", "bacana", "beleza", "bem", "boa",
        "bom", "certo", "claro", "com", "combinado", "como", "concordo", "continua", "continuar",
        "continue", "correto", "da", "de", "depois", "dá", "e", "ela", "ele", "entendi", "então",
        "era", "espera", "esperar", "espere", "essa", "esse", "está", "exatamente", "exato",
        "explica", "explique", "favor", "faz", "faça", "foi", "isso", "isto", "já", "legal", "lá",
        "mais", "mas", "me", "melhor", "mesmo", "momento", "muito", "nada", "nao", "no", "nova",
        "novo", "não", "o", "obrigada", "obrigado", "oi", "ok", "olá", "os", "ou", "outra",
        "outro", "para", "pare", "perfeito", "pode", "por", "porque", "porquê", "primeira",
        "primeiro", "pronto", "próxima", "próximo", "que", "repita", "se", "segue", "seguinte",
        "segunda", "segundo", "sem", "siga", "sim", "só", "também", "tudo", "um", "uma", "vai",
        "vale", "valeu", "vamos", "você", "é", "ótimo",
    ],
    // Italian
    &[
        "a", "accordo", "adesso", "allora", "altra", "altro", "anche", "ancora", "andiamo",
        "aspetta", "aspettare", "avanti", "basta", "ben", "bene", "bravo", "c", "capito", "certo",
        "che", "chiaro", "ciao", "come", "con", "continua", "continuare", "corretto", "cosa",
        "così", "d", "da", "dai", "del", "di", "dopo", "due", "e", "ecco", "era", "esatto", "fa",
        "fai", "fallo", "fatto", "favore", "ferma", "fermati", "giusto", "gli", "grande",
        "grazie", "ho", "i", "il", "in", "io", "l", "la", "le", "lo", "ma", "male", "me",
        "meglio", "mi", "mille", "minuto", "molto", "momento", "no", "non", "nuovo", "o", "ok",
        "okay", "ora", "ottimo", "per", "perché", "perfetto", "però", "piacere", "più", "poi",
        "prego", "prima", "primo", "procedi", "prossima", "prossimo", "prova", "puoi", "può",
        "quella", "quello", "questa", "questo", "ripeti", "riprova", "salta", "se", "seconda",
        "secondo", "si", "spiega", "spiegami", "stop", "successivo", "sì", "tu", "tutto", "un",
        "una", "va", "vai", "volta", "è",
    ],
];

/// Returns true if a sentence only tells an agent to do its work, whatever the project is.
pub fn is_order(sentence: &str) -> bool {
    if names_something(sentence) {
        return false;
    }
    let lower = sentence.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let steers = |word: &str| LANGUAGES.iter().any(|list| list.binary_search(&word).is_ok());
    words.all(|word| WORK.contains(word) || steers(word))
}

/// Why something is not taken for what an entry is asked for as.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskedError {
    #[error(transparent)]
    Text(#[from] TextError),
    #[error(transparent)]
    Questions(#[from] QuestionsError),
    #[error("{0:?} is too broad: it fits any work")]
    TooBroad(String),
}

/// Checks what somebody says that an entry is asked for as.
///
/// # Errors
/// If there is too much of it, a question would fit any prompt, or one holds a secret or invisible
/// characters.
pub fn asked<T: AsRef<str>>(questions: &[T]) -> Result<Questions, AskedError> {
    let asked = readable(questions)?.checked()?;
    match asked.questions().iter().find(|question| is_order(question)) {
        None => Ok(asked),
        Some(broad) => Err(AskedError::TooBroad(broad.clone())),
    }
}

/// Returns what an agent says that an entry is asked for as, without what is too much or too broad.
///
/// # Errors
/// If a question holds a secret or invisible characters.
pub fn asked_by_agent(questions: &[String]) -> Result<Questions, TextError> {
    Ok(readable(questions)?.without(is_order).cut())
}

fn readable<T: AsRef<str>>(questions: &[T]) -> Result<Questions, TextError> {
    let questions: Vec<&str> = questions.iter().map(AsRef::as_ref).collect();
    for question in questions.iter().filter(|question| !question.trim().is_empty()) {
        EntryText::new(question)?;
    }
    Ok(Questions::read(&questions.join(";")))
}

/// Returns true if a text has an identifier, a path or a tag, whatever words it is made of.
fn names_something(text: &str) -> bool {
    let is_name = |word: &str| {
        let inside = word.trim_matches(|c: char| !c.is_alphanumeric() && !"#@`[/".contains(c));
        inside.contains(|c: char| !c.is_alphanumeric() && !"'’-,.!?…".contains(c))
    };
    text.split_whitespace().any(is_name)
}

/// Returns true if a prompt needs no recall: it only agrees, thanks or steers, or contains no
/// letter or digit.
#[must_use]
pub fn is_trivial(prompt: &str) -> bool {
    let prompt = prompt.trim();
    if prompt.len() > BYTES {
        return false;
    }
    let lower = prompt.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if names_something(&lower) {
        return words.is_empty();
    }
    let knows = |list: &[&str]| words.iter().all(|word| list.binary_search(word).is_ok());
    words.len() <= WORDS && LANGUAGES.into_iter().any(knows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        for text in ["ok", " Thanks! ", "THANK YOU", "👍", "🙏😊", "...", "", "got it."] {
            assert!(is_trivial(text), "{text}");
        }
        for text in ["ok, now add tests", "no tests?", "日本", "42", "thanks for the lock fix"] {
            assert!(!is_trivial(text), "{text}");
        }
    }

    #[test]
    fn steering_in_six_languages() {
        for text in [
            "go on",
            "wait",
            "continue, please",
            "do the second one",
            "explain",
            "carry on",
            "sounds good, go ahead",
            "try again",
            "that's perfect 🎉",
            "let's do it",
            "what's next?",
            "ja, mach weiter",
            "warte mal",
            "nein, das andere",
            "Passt so, danke!",
            "los geht's",
            "oui, vas-y",
            "c'est bon, continue",
            "non, arrête",
            "merci beaucoup",
            "le suivant s'il te plaît",
            "sí, sigue",
            "espera un momento",
            "muchas gracias",
            "de nuevo, por favor",
            "sim, pode continuar",
            "tudo certo, obrigado",
            "sì, va bene",
            "aspetta",
            "avanti così, grazie mille",
        ] {
            assert!(is_trivial(text), "{text}");
        }
        for text in [
            "go on with the migration",
            "do the tests",
            "continue with #berths",
            "stop the worker",
            "commit it",
            "deploy",
            "run it again",
            "no-op",
            "next.js",
            "what is the port?",
            "mach weiter mit dem Import",
            "les tests",
            "sigue con la base de datos",
            "is it `on`",
            "on/off",
            "a good one for the new handler is which of these then",
        ] {
            assert!(!is_trivial(text), "{text}");
        }
    }

    #[test]
    fn lists_are_sorted() {
        for list in LANGUAGES {
            let mut sorted = list.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(list, sorted);
        }
    }
}
