//! Tests that our tokenizer agrees with the `tokenizers` crate, over the vocabulary of the table.

use std::{fs, path::Path, sync::OnceLock};

use proptest::prelude::*;
use serde_json::{Map, json};
use tokenizers::{
    Tokenizer, models::wordpiece::WordPiece, normalizers::BertNormalizer,
    pre_tokenizers::bert::BertPreTokenizer,
};

use super::*;

/// The reference implementation, with BERT's uncased settings.
fn other() -> &'static Tokenizer {
    static OTHER: OnceLock<Tokenizer> = OnceLock::new();
    OTHER.get_or_init(|| {
        let table = Table::new(TABLE);
        let mut vocabulary = Map::new();
        for token in 0..u32::try_from(table.rows.len() / ROW).unwrap() {
            let text = std::str::from_utf8(table.token(token)).unwrap();
            assert!(vocabulary.insert(text.to_owned(), json!(token)).is_none(), "{text} is once");
        }
        let model: WordPiece = serde_json::from_str(
            &json!({
            "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary,
            })
            .to_string(),
        )
        .unwrap();
        let mut tokenizer = Tokenizer::new(model);
        tokenizer.with_normalizer(Some(BertNormalizer::new(true, true, None, true))).unwrap();
        tokenizer.with_pre_tokenizer(Some(BertPreTokenizer));
        tokenizer
    })
}

fn check(text: &str) {
    let mut got = Vec::new();
    transformer::pieces(text, &Table::new(TABLE), |token| got.push(token));
    let want = other().encode_fast(text, false).unwrap();
    assert_eq!(got, want.get_ids(), "{text:?}");
}

#[test]
fn texts_of_many_kinds() {
    let (long, longer) = ("x".repeat(100), "y".repeat(101));
    let (accents, more) = ("é".repeat(100), "é".repeat(101));
    let texts = [
        "",
        " ",
        "\t\r\n",
        "Hello, World!",
        "don't",
        "a--b__c",
        "e-mail@example.org:8080/path?x=1",
        "naïve café Ångström ÀÉÎÕÜ",
        "e\u{301}a\u{300}\u{323}",
        "Straße STRASSE ẞ ß",
        "İstanbul I ı i\u{307} DİYARBAKIR",
        "ΑΒΓ ς Σ ΣΑΣ",
        "Привет, Ёлка й",
        "日本語のテキスト",
        "漢字kanji漢字",
        "中文，标点。「引号」",
        "\u{f900}\u{fa6c}\u{2f800}\u{2fa1d}",
        "\u{20000}\u{2a6df}\u{2b820}\u{2b91f}\u{2b920}\u{2ceaf}",
        "\u{3038}〇々ヶ",
        "한국어 텍스트 각",
        "\u{1112}\u{1161}\u{11ab}",
        "ｆｕｌｌ ｗｉｄｔｈ １２３",
        "ﬁ ﬂ ﬃ ſ K Å",
        "👍 👩‍👩‍👧‍👦 🇩🇪 ❤️ 1️⃣",
        "a\u{200d}b\u{200c}c\u{200b}d\u{feff}e",
        "soft\u{ad}hyphen",
        "a\0b\u{1}c\u{7f}d\u{85}e\u{9f}f",
        "x\u{b}y\u{c}z\u{1c}w",
        "\u{fffd}a\u{fffd}",
        "a\u{a0}b\u{2003}c\u{3000}d\u{2028}e\u{2029}f",
        "𝐌𝐚𝐭𝐡 𝓼𝓬𝓻𝓲𝓹𝓽 𝟙𝟚𝟛 ℝ",
        "שָׁלוֹם עולם",
        "مَرْحَبًا بالعالم",
        "हिन्दी पाठ क्षत्रिय",
        "ไทย ภาษา",
        "தமிழ்",
        "Tiếng Việt ờ ữ",
        "„Anführung“ ‚x‘ «y» — – … ‽",
        "$5 €7 £8 ¥9 ^ ` | ~ + < = >",
        "© ® ™ ° ± × ÷ § ¶",
        "\u{e000}\u{f8ff}\u{10ffff}",
        "\u{202e}abc\u{202c}",
        "\u{378}\u{e0001}",
        "Ǆ ǅ ǆ ŉ ΐ",
        "Ⅷ ⅷ Ⓐ ①",
        "[UNK] [CLS] ##ing [unused1]",
        "camelCaseIdent snake_case_ident SCREAMING",
        "v1.2.3-rc.4+build",
        "ᾳ ᾼ ΐ Ω",
        "\u{1e9e}\u{1c4}",
        "\u{300}",
        "a\u{fe0f}\u{20e3}",
        "\u{1f1e6}",
        "Ꭰ ꭰ Ა ა",
        &long,
        &longer,
        &accents,
        &more,
    ];
    for text in texts {
        check(text);
    }
    // Every character alone and between letters, except in unassigned planes. Of ideographs and rarer scripts a
    // change tries where blocks begin and end, which is at multiples of 16.
    let assigned = (0..0x32000).chain(0xe0000..0xe0200).chain(0x10_fff0..=0x10_ffff);
    let is_usual = |at: &u32| *at < 0x3400 || (0xf900..0x1_0000).contains(at);
    let tried =
        assigned.filter(|at| is_usual(at) || [0, 15].contains(&(at % 16)) || crate::scale() > 1);
    let chars: Vec<char> = tried.filter_map(char::from_u32).collect();
    for chars in chars.chunks(64) {
        check(&chars.iter().fold(String::new(), |text, c| text + &format!("{c} a{c}b ")));
    }
}

/// The files of the fixture stores.
#[test]
fn lines_of_stores() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("fixtures/stores");
    let mut waiting = vec![root];
    let mut lines = 0;
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        for line in String::from_utf8_lossy(&fs::read(path).unwrap()).lines() {
            lines += 1;
            // Lines of the log are long and similar.
            check(line.get(..400).unwrap_or(line));
        }
    }
    assert!(lines > 1000, "{lines}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>(), chars in proptest::collection::vec(any::<char>(), 0..40)) {
        check(&text);
        check(&chars.into_iter().collect::<String>());
    }

    #[test]
    fn any_text_of_letters_and_marks(
        text in "[a-zA-Z0-9\u{300}-\u{36f}\u{590}-\u{6ff}\u{900}-\u{97f}\u{1100}-\u{11ff}\u{ac00}-\u{ac20}\u{1e00}-\u{1fff}\u{200b}-\u{206f}\u{4e00}-\u{4e10}\u{f900}-\u{fad9}\u{1f600}-\u{1f640} _.,-]{0,60}",
    ) {
        check(&text);
    }
}
