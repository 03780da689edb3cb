//! Words of other languages that only form a question or connect a sentence.

use super::tokens;

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
            words.partition(|word| tokens::is_question_word(word));
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

#[cfg(test)]
mod tests {
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
