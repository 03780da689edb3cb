//! Whether a published model is a BERT encoder that this program computes itself, by its JSON files; and
//! packing of its original weights at its installation.

use std::fs::File;

use pimem_core::embed::{
    catalog::{self, Pooling},
    transformer::{
        self, Hash, Original, PackError, PackedPooling, Pieces, PiecesError, Shape, VOCABULARY,
        pack,
    },
};
use serde_json::Value;

use super::{
    install::{CONFIG, TOKENIZER, TOKENIZER_CONFIG, Wish, missing},
    installed::MAX_TOKENS,
    native::{PIECES, WEIGHTS},
    onnx::{TokenizerError, object},
    safetensors::{Safetensors, SafetensorsError},
    staging::{InstallError, ModelSource, Progress, Stage, small},
};

/// The files of a model besides its weights.
pub struct BertFiles {
    pub config: Vec<u8>,
    pub tokenizer: Option<Vec<u8>>,
    /// `vocab.txt`: a piece a line.
    pub vocabulary: Option<Vec<u8>>,
    pub tokenizer_config: Option<Vec<u8>>,
    /// The steps of sentence-transformers.
    pub modules: Option<Vec<u8>>,
}

/// A model that can be packed.
#[derive(Debug)]
pub struct Bert {
    /// Its sizes, with the mean as pooling.
    pub original: Original,
    /// The pieces of its vocabulary in the order of their numbers.
    pub pieces: Vec<String>,
}

/// Why a model is computed by ONNX Runtime only.
#[derive(Debug, thiserror::Error)]
pub enum NotBert {
    #[error(transparent)]
    Json(#[from] TokenizerError),
    #[error("its architecture is {0}, not that of BERT")]
    Architecture(String),
    #[error("config.json asks for {0} {1}")]
    Setting(&'static str, String),
    #[error("config.json has no {0}")]
    Missing(&'static str),
    #[error("it has a step after the encoder, {0}")]
    Step(String),
    #[error("there is neither tokenizer.json nor vocab.txt")]
    NoTokenizer,
    #[error("its tokenizer is not BERT's uncased one: {0}")]
    Tokenizer(&'static str),
    #[error("its vocabulary {0}")]
    Pieces(#[from] PiecesError),
    #[error("its vocabulary has {pieces} pieces, and its weights {rows}")]
    Rows { pieces: usize, rows: usize },
    #[error("it {0}")]
    Sizes(#[from] PackError),
}

pub fn read(files: &BertFiles) -> Result<Bert, NotBert> {
    let config = object("config.json", &files.config)?;
    let kind = config.get("model_type").and_then(Value::as_str);
    let named = config.pointer("/architectures/0").and_then(Value::as_str);
    if kind.or(named).is_none_or(|kind| !["bert", "BertModel"].contains(&kind)) {
        let kind = kind.or(named).unwrap_or("not named");
        return Err(NotBert::Architecture(kind.to_owned()));
    }
    for (key, usual) in [
        ("hidden_act", Value::from("gelu")),
        ("position_embedding_type", "absolute".into()),
        ("is_decoder", false.into()),
    ] {
        if let Some(value) = config.get(key).filter(|value| **value != usual) {
            return Err(NotBert::Setting(key, value.to_string()));
        }
    }
    if let Some(modules) = &files.modules
        && let Some(step) = other_step(modules)
    {
        return Err(NotBert::Step(step));
    }
    let pieces = pieces(files)?;
    Pieces::new(&pieces)?;
    let original = original(&config)?;
    let rows = original.shape.pieces;
    if pieces.len() > rows {
        return Err(NotBert::Rows { pieces: pieces.len(), rows });
    }
    Ok(Bert { original, pieces })
}

/// Returns the sizes in `config.json`.
fn original(config: &Value) -> Result<Original, NotBert> {
    let size = |key| {
        let size = config.get(key).and_then(Value::as_u64);
        size.and_then(|size| usize::try_from(size).ok()).ok_or(NotBert::Missing(key))
    };
    let epsilon = config.get("layer_norm_eps").map_or(Some(1e-12), Value::as_f64);
    #[expect(clippy::cast_possible_truncation, reason = "the encoder computes in f32")]
    let epsilon = epsilon.ok_or(NotBert::Missing("layer_norm_eps"))? as f32;
    let positions = size("max_position_embeddings")?;
    let shape = Shape {
        layers: size("num_hidden_layers")?,
        hidden: size("hidden_size")?,
        heads: size("num_attention_heads")?,
        inner: size("intermediate_size")?,
        pieces: size("vocab_size")?,
        positions: positions.min(MAX_TOKENS),
        pooling: PackedPooling::Mean,
        epsilon,
    };
    shape.check()?;
    let segments =
        if config.get("type_vocab_size").is_some() { size("type_vocab_size")? } else { 2 };
    Ok(Original { shape, positions, segments })
}

/// Returns a step of sentence-transformers that changes vectors and is neither the encoder nor its
/// pooling; scaling to length 1 is done anyway.
fn other_step(modules: &[u8]) -> Option<String> {
    let modules: Value = serde_json::from_slice(modules).ok()?;
    let kinds = modules.as_array()?.iter().filter_map(|module| module.get("type")?.as_str());
    let mut kinds = kinds.map(|kind| kind.rsplit('.').next().unwrap_or(kind));
    kinds.find(|kind| !["Transformer", "Pooling", "Normalize"].contains(kind)).map(str::to_owned)
}

/// Returns the vocabulary in the order of its numbers, if the tokenizer is BERT's uncased one.
fn pieces(files: &BertFiles) -> Result<Vec<String>, NotBert> {
    let said = files.tokenizer_config.as_deref();
    let said = said.map(|text| object("tokenizer_config.json", text)).transpose()?;
    let lower = said.as_ref().and_then(|said| said.get("do_lower_case")).and_then(Value::as_bool);
    if lower == Some(false) {
        return Err(NotBert::Tokenizer("it keeps capital letters"));
    }
    let Some(tokenizer) = &files.tokenizer else {
        let text = files.vocabulary.as_ref().ok_or(NotBert::NoTokenizer)?;
        let text =
            std::str::from_utf8(text).map_err(|_| NotBert::Tokenizer("vocab.txt is not UTF-8"))?;
        return Ok(text.lines().map(str::to_owned).collect());
    };
    let tokenizer = object("tokenizer.json", tokenizer)?;
    let at = |pointer: &str| tokenizer.pointer(pointer).filter(|value| !value.is_null());
    let is = |pointer: &str, want: &str| at(pointer).is_none_or(|value| value == want);
    let switched = |pointer: &str, want: bool| at(pointer).is_none_or(|value| value == want);
    let template = at("/post_processor/single").is_none_or(is_usual_template);
    for (fits, wrong) in [
        (is("/model/type", "WordPiece"), "its pieces are not WordPiece's"),
        (
            is("/model/continuing_subword_prefix", "##"),
            "its pieces within words do not start with ##",
        ),
        (is("/model/unk_token", "[UNK]"), "its unknown word is not [UNK]"),
        (
            at("/model/max_input_chars_per_word").is_none_or(|it| it == 100),
            "it takes words of another length",
        ),
        (
            at("/normalizer/type").is_some_and(|it| it == "BertNormalizer"),
            "it cleans text otherwise",
        ),
        (switched("/normalizer/lowercase", true), "it keeps capital letters"),
        (switched("/normalizer/strip_accents", true), "it keeps accents"),
        (switched("/normalizer/clean_text", true), "it cleans text otherwise"),
        (switched("/normalizer/handle_chinese_chars", true), "it keeps Chinese words together"),
        (
            at("/pre_tokenizer/type").is_some_and(|it| it == "BertPreTokenizer"),
            "it finds words otherwise",
        ),
        (template, "it marks texts otherwise"),
    ] {
        if !fits {
            return Err(NotBert::Tokenizer(wrong));
        }
    }
    let vocabulary = at("/model/vocab").and_then(Value::as_object);
    let vocabulary = vocabulary.ok_or(NotBert::Tokenizer("it has no vocabulary"))?;
    let numbered = vocabulary.iter().filter_map(|(piece, number)| Some((number.as_u64()?, piece)));
    let mut numbered: Vec<(u64, &String)> = numbered.collect();
    numbered.sort_unstable();
    if numbered.len() != vocabulary.len()
        || !numbered.iter().map(|(at, _)| *at).eq(0..numbered.len() as u64)
    {
        return Err(NotBert::Tokenizer("its pieces are not numbered from 0 on"));
    }
    Ok(numbered.into_iter().map(|(_, piece)| piece.clone()).collect())
}

/// Returns true for `[CLS]`, the text, and `[SEP]`.
fn is_usual_template(template: &Value) -> bool {
    let name = |step: &Value| {
        let special = step.pointer("/SpecialToken/id").or_else(|| step.pointer("/Sequence/id"));
        special.and_then(Value::as_str).map(str::to_owned)
    };
    let steps = template.as_array().map(|steps| steps.iter().map(name).collect::<Option<Vec<_>>>());
    steps.flatten().is_some_and(|steps| steps == ["[CLS]", "A", "[SEP]"])
}

/// Name of the file with original weights.
pub const SAFETENSORS: &str = "model.safetensors";

/// What became of original weights.
pub enum PackingOutcome {
    /// Packed weights are in the stage.
    Packed(Original),
    /// This program cannot compute the model.
    Unsupported(NotBert),
    /// There are none.
    Absent,
}

/// Packs the original weights of a source into the stage.
///
/// # Errors
/// If they are damaged, or not those of the known model that they are installed as.
pub fn prepare(
    stage: &mut Stage,
    wish: &Wish,
    source: &dyn ModelSource,
    progress: Progress<'_>,
) -> Result<PackingOutcome, InstallError> {
    let known = wish.known.as_ref();
    let weights = known.and_then(|known| known.weights);
    let is_export = known.is_some_and(|known| known.pin.is_some() && weights.is_none());
    if is_export || catalog::is_quantised(&wish.name) {
        return Ok(PackingOutcome::Absent);
    }
    let Some(opened) = source.open(SAFETENSORS)? else { return Ok(PackingOutcome::Absent) };
    let files = BertFiles {
        config: small(source, CONFIG)?.ok_or_else(|| missing(source, CONFIG))?,
        tokenizer: small(source, TOKENIZER)?,
        vocabulary: small(source, PIECES)?,
        tokenizer_config: small(source, TOKENIZER_CONFIG)?,
        modules: small(source, "modules.json")?,
    };
    let mut bert = match read(&files) {
        Ok(bert) => bert,
        Err(why) => return Ok(PackingOutcome::Unsupported(why)),
    };
    bert.original.shape.pooling = match wish.pooling(source)? {
        Pooling::Cls => PackedPooling::First,
        Pooling::Mean | Pooling::Sum => PackedPooling::Mean,
    };
    let name = opened.name.clone();
    stage.copy(SAFETENSORS, opened, progress)?;
    wish.check_pin(weights.map(|weights| weights.pin), &name, stage.files.last())?;
    let vocabulary = transformer::hash(&bert.pieces);
    if weights.is_some() && vocabulary != VOCABULARY {
        let message = format!("{} has not the vocabulary of {}", source.name(), wish.name);
        return Err(InstallError::refused(message, "nothing was installed"));
    }
    let packed = packed(stage, &bert.original, &vocabulary).map_err(|wrong| match wrong {
        SafetensorsError::Io(error) => {
            InstallError::Io(anyhow::Error::new(error).context(format!("cannot read {name}")))
        }
        wrong => InstallError::refused(format!("{name} {wrong}"), "nothing was installed"),
    })?;
    stage.discard(SAFETENSORS)?;
    stage.write(WEIGHTS, &packed)?;
    if vocabulary != VOCABULARY {
        stage.write(PIECES, format!("{}\n", bert.pieces.join("\n")).as_bytes())?;
    }
    Ok(PackingOutcome::Packed(bert.original))
}

fn packed(
    stage: &Stage,
    original: &Original,
    vocabulary: &Hash,
) -> Result<Vec<u8>, SafetensorsError> {
    let file = File::open(stage.dir.join(SAFETENSORS))?;
    let length = file.metadata()?.len();
    let mut tensors = Safetensors::open(file, length)?;
    pack(original, vocabulary, &mut |name, sizes| tensors.read(name, sizes))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config() -> Value {
        json!({
            "model_type": "bert", "hidden_act": "gelu", "num_hidden_layers": 12, "hidden_size": 384,
            "num_attention_heads": 12, "intermediate_size": 1536, "vocab_size": 8,
            "max_position_embeddings": 512, "type_vocab_size": 2,
        })
    }

    fn tokenizer() -> Value {
        json!({
            "normalizer": {"type": "BertNormalizer", "lowercase": true, "strip_accents": null,
                "clean_text": true, "handle_chinese_chars": true},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {"type": "TemplateProcessing", "single": [
                {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "[SEP]", "type_id": 0}}]},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
                "vocab": {"[PAD]": 0, "[UNK]": 1, "[SEP]": 3, "[CLS]": 2, "a": 4, "##b": 5}},
        })
    }

    fn files(config: &Value, tokenizer: &Value) -> BertFiles {
        BertFiles {
            config: config.to_string().into(),
            tokenizer: Some(tokenizer.to_string().into()),
            vocabulary: None,
            tokenizer_config: None,
            modules: None,
        }
    }

    #[test]
    fn a_model_of_bert() {
        let bert = read(&files(&config(), &tokenizer())).unwrap();
        assert_eq!(bert.pieces, ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##b"]);
        let Original { shape, positions, segments } = bert.original;
        assert_eq!((shape.layers, shape.positions, positions, segments), (12, 256, 512, 2));
        assert_eq!(shape.epsilon.to_bits(), 1e-12_f32.to_bits());
        let text = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n##b\n";
        let plain = BertFiles {
            tokenizer: None,
            vocabulary: Some(text.into()),
            tokenizer_config: Some("{\"do_lower_case\": true}".into()),
            modules: Some(r#"[{"type": "sentence_transformers.models.Pooling"}]"#.into()),
            ..files(&config(), &tokenizer())
        };
        assert_eq!(read(&plain).unwrap().pieces, bert.pieces);
    }

    #[test]
    fn other_models() {
        let with = |base: Value, pointer: &str, value: Value| {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            let mut base = base;
            base.pointer_mut(parent).unwrap()[key] = value;
            base
        };
        for (pointer, value, want) in [
            (
                "/model_type",
                json!("xlm-roberta"),
                "its architecture is xlm-roberta, not that of BERT",
            ),
            ("/hidden_act", json!("relu"), "config.json asks for hidden_act \"relu\""),
            (
                "/position_embedding_type",
                json!("relative_key"),
                "config.json asks for position_embed",
            ),
            ("/hidden_size", json!("x"), "config.json has no hidden_size"),
            (
                "/hidden_size",
                json!(u64::MAX),
                "it has sizes that do not fit: the numbers of a token",
            ),
            ("/vocab_size", json!(250_000), "it has sizes that do not fit: its vocabulary"),
            ("/vocab_size", json!(5), "its vocabulary has 6 pieces, and its weights 5"),
            ("/num_attention_heads", json!(7), "it has sizes that do not fit: its heads"),
        ] {
            let wrong = read(&files(&with(config(), pointer, value), &tokenizer())).unwrap_err();
            assert!(wrong.to_string().starts_with(want), "{wrong}");
        }
        for (pointer, value, want) in [
            ("/model/type", json!("Unigram"), "its pieces are not WordPiece's"),
            ("/normalizer/lowercase", json!(false), "it keeps capital letters"),
            ("/normalizer/strip_accents", json!(false), "it keeps accents"),
            ("/normalizer", Value::Null, "it cleans text otherwise"),
            ("/pre_tokenizer/type", json!("Whitespace"), "it finds words otherwise"),
            ("/post_processor/single/0/SpecialToken/id", json!("<s>"), "it marks texts otherwise"),
            ("/model/vocab/a", json!(9), "its pieces are not numbered from 0 on"),
            ("/model/vocab", json!({"a": 0}), "its vocabulary has no [UNK]"),
        ] {
            let wrong = read(&files(&config(), &with(tokenizer(), pointer, value))).unwrap_err();
            assert!(wrong.to_string().contains(want), "{wrong}");
        }
        let dense = r#"[{"type": "sentence_transformers.models.Dense"}]"#;
        let dense = BertFiles { modules: Some(dense.into()), ..files(&config(), &tokenizer()) };
        assert_eq!(read(&dense).unwrap_err().to_string(), "it has a step after the encoder, Dense");
        let cased = Some("{\"do_lower_case\": false}".into());
        let cased = BertFiles { tokenizer_config: cased, ..files(&config(), &tokenizer()) };
        assert!(read(&cased).unwrap_err().to_string().contains("it keeps capital letters"));
    }
}
