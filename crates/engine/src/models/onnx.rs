//! The files of a model in ONNX: whether the model is a complete one, by its outermost fields, and the
//! JSON files of its tokenizer, with defaults for missing fields.
//!
//! ONNX is protobuf: fields with lengths, which must end where the file ends. The check finds
//! truncated downloads, error pages and git-lfs pointers before ONNX Runtime does, and also works
//! without ONNX Runtime.

use std::io::{self, Read, Seek, SeekFrom};

use pimem_core::embed::catalog::Pooling;
use serde_json::{Value, json};

/// Field numbers of `ModelProto` that every model has.
const IR_VERSION: u64 = 1;
const GRAPH: u64 = 7;

/// Returns what is wrong with a file of `length` bytes, as the rest of a sentence that starts with
/// its name.
pub fn problem(file: &mut (impl Read + Seek), length: u64) -> io::Result<Option<&'static str>> {
    let mut start = Vec::new();
    file.by_ref().take(40).read_to_end(&mut start)?;
    if start.starts_with(b"version https://git-lfs") {
        return Ok(Some("is a git-lfs pointer, not the file itself (git lfs pull)"));
    }
    file.seek(SeekFrom::Start(0))?;
    match fields(file, length) {
        Ok(Some(fields)) if fields.contains(&IR_VERSION) && fields.contains(&GRAPH) => Ok(None),
        Ok(Some(_)) => Ok(Some("is not an ONNX model")),
        Ok(None) => Ok(Some("is truncated, or not an ONNX model")),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Ok(Some("is truncated, or not an ONNX model"))
        }
        Err(error) => Err(error),
    }
}

/// Returns the numbers of the outermost fields; `None` if they do not end with the file.
fn fields(file: &mut (impl Read + Seek), length: u64) -> io::Result<Option<Vec<u64>>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < length {
        let tag = varint(file, &mut at)?;
        found.push(tag >> 3);
        let skip = match tag & 7 {
            0 => {
                varint(file, &mut at)?;
                continue;
            }
            1 => 8,
            2 => varint(file, &mut at)?,
            5 => 4,
            _ => return Ok(None),
        };
        match at.checked_add(skip) {
            Some(end) if end <= length => at = end,
            _ => return Ok(None),
        }
        file.seek(SeekFrom::Start(at))?;
    }
    Ok(Some(found))
}

fn varint(file: &mut impl Read, at: &mut u64) -> io::Result<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        file.read_exact(&mut byte)?;
        *at += 1;
        number |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 {
            return Ok(number);
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

/// Default maximum number of tokens of a text.
const MAX_LENGTH: u64 = 512;

pub struct TokenizerFiles {
    pub tokenizer: Vec<u8>,
    pub config: Vec<u8>,
    /// `special_tokens_map.json`.
    pub special: Option<Vec<u8>>,
    pub tokenizer_config: Option<Vec<u8>>,
}

/// The files in the form that fastembed requires.
#[derive(Debug)]
pub struct TokenizerParts {
    pub tokenizer: Vec<u8>,
    pub config: Vec<u8>,
    pub special: Vec<u8>,
    pub tokenizer_config: Vec<u8>,
    /// Dimension of the vectors, if `config.json` has it.
    pub dimension: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenizerError {
    #[error("{0} is not a JSON object")]
    NoObject(&'static str),
    #[error("{0} is not valid JSON: {1}")]
    InvalidJson(&'static str, String),
    #[error("tokenizer.json is not the file of a tokenizer")]
    NoTokenizer,
    #[error(
        "tokenizer.json belongs to another model: it has {tokens} tokens, and the model {vocabulary}"
    )]
    OtherModel { tokens: u64, vocabulary: u64 },
    #[error("1_Pooling/config.json asks for neither mean nor cls pooling")]
    Pooling,
}

/// Validates the files, and adds what fastembed requires and other programs omit.
pub fn complete(files: TokenizerFiles) -> Result<TokenizerParts, TokenizerError> {
    let tokenizer = object("tokenizer.json", &files.tokenizer)?;
    let config = object("config.json", &files.config)?;
    let tokens = words(&tokenizer).ok_or(TokenizerError::NoTokenizer)?;
    let room = config.get("vocab_size").and_then(Value::as_u64);
    // Some models use a few more special tokens than they declare.
    if let Some(vocabulary) = room.filter(|room| tokens > room.saturating_add(room / 100)) {
        return Err(TokenizerError::OtherModel { tokens, vocabulary });
    }
    let special = match files.special {
        Some(bytes) => object("special_tokens_map.json", &bytes).map(|_| bytes)?,
        None => b"{}\n".to_vec(),
    };
    let tokenizer_config = match files.tokenizer_config {
        Some(bytes) => {
            let held = object("tokenizer_config.json", &bytes)?;
            completed(&held, &tokenizer, &config).unwrap_or(bytes)
        }
        None => completed(&json!({}), &tokenizer, &config).unwrap_or_default(),
    };
    let dimension = ["hidden_size", "d_model", "n_embd", "dim"]
        .iter()
        .find_map(|key| config.get(key).and_then(Value::as_u64))
        .and_then(|size| usize::try_from(size).ok())
        .filter(|size| (1..=super::installed::MAX_DIMENSION).contains(size));
    let TokenizerFiles { tokenizer, config, .. } = files;
    Ok(TokenizerParts { tokenizer, config, special, tokenizer_config, dimension })
}

/// Returns `tokenizer_config.json` with missing fields added; `None` if none is missing.
fn completed(held: &Value, tokenizer: &Value, config: &Value) -> Option<Vec<u8>> {
    let mut after = held.as_object()?.clone();
    let before = after.len();
    if after.get("model_max_length").and_then(Value::as_f64).is_none() {
        let positions = config.get("max_position_embeddings").and_then(Value::as_u64);
        after.remove("model_max_length");
        after.insert("model_max_length".to_owned(), json!(positions.unwrap_or(MAX_LENGTH)));
    }
    let pad = after.get("pad_token").unwrap_or(&Value::Null);
    if pad.as_str().or_else(|| pad.get("content")?.as_str()).is_none() {
        let named = tokenizer.pointer("/padding/pad_token").and_then(Value::as_str);
        let pad = named.or_else(|| ["[PAD]", "<pad>"].into_iter().find(|pad| has(tokenizer, pad)));
        after.remove("pad_token");
        after.insert("pad_token".to_owned(), json!(pad.unwrap_or("[PAD]")));
    }
    let changed = after.len() != before || Value::Object(after.clone()) != *held;
    changed.then(|| serde_json::to_vec_pretty(&after).unwrap_or_default())
}

/// Returns true if a special token is in the tokenizer's list.
fn has(tokenizer: &Value, token: &str) -> bool {
    let added = tokenizer.get("added_tokens").and_then(Value::as_array);
    let is_it = |added: &Value| added.get("content").and_then(Value::as_str) == Some(token);
    added.is_some_and(|added| added.iter().any(is_it))
}

/// Returns the number of tokens of a tokenizer: the highest id plus 1.
fn words(tokenizer: &Value) -> Option<u64> {
    let vocabulary = tokenizer.pointer("/model/vocab")?;
    if let Some(list) = vocabulary.as_array() {
        return Some(list.len() as u64);
    }
    let highest = vocabulary.as_object()?.values().filter_map(Value::as_u64).max()?;
    Some(highest.saturating_add(1))
}

/// Parses the pooling in sentence-transformers' `1_Pooling/config.json`.
pub fn pooling(text: &[u8]) -> Result<Pooling, TokenizerError> {
    let config = object("1_Pooling/config.json", text)?;
    let on = |key: &str| config.get(key).and_then(Value::as_bool) == Some(true);
    match (on("pooling_mode_cls_token"), on("pooling_mode_mean_tokens")) {
        (true, false) => Ok(Pooling::Cls),
        (false, true) => Ok(Pooling::Mean),
        _ => Err(TokenizerError::Pooling),
    }
}

pub fn object(name: &'static str, bytes: &[u8]) -> Result<Value, TokenizerError> {
    match serde_json::from_slice::<Value>(bytes) {
        Ok(value) if value.is_object() => Ok(value),
        Ok(_) => Err(TokenizerError::NoObject(name)),
        Err(error) => Err(TokenizerError::InvalidJson(name, error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn judge(bytes: &[u8]) -> Option<&'static str> {
        problem(&mut Cursor::new(bytes), bytes.len() as u64).unwrap()
    }

    #[test]
    fn models_and_others() {
        // ir_version 8, producer "me", graph of 300 bytes.
        let mut model = vec![0x08, 8, 0x12, 2, b'm', b'e', 0x3a, 0xac, 2];
        model.resize(model.len() + 300, 1);
        assert_eq!(judge(&model), None);
        for length in 0..model.len() {
            assert!(judge(&model[..length]).is_some(), "cut at {length}");
        }
        model.push(0x3c);
        assert!(judge(&model).is_some(), "something behind it");
        for other in ["<!DOCTYPE html>", "{\"error\": \"x\"}", "", "\u{7f}ELF"] {
            assert!(judge(other.as_bytes()).is_some(), "{other}");
        }
        let pointer = judge(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n");
        assert!(pointer.unwrap().contains("git-lfs pointer"));
        assert!(
            judge(&[0x08, 8, 0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]).is_some()
        );
    }

    const TOKENIZER: &str = r#"{"model": {"vocab": {"[PAD]": 0, "a": 1}},
        "added_tokens": [{"id": 0, "content": "<pad>"}]}"#;

    fn files(tokenizer: &str, config: &str, tokenizer_config: Option<&str>) -> TokenizerFiles {
        TokenizerFiles {
            tokenizer: tokenizer.into(),
            config: config.into(),
            special: None,
            tokenizer_config: tokenizer_config.map(Into::into),
        }
    }

    #[test]
    fn what_is_missing_is_filled_in() {
        let config = r#"{"hidden_size": 16, "max_position_embeddings": 64}"#;
        for held in [None, Some("{}"), Some(r#"{"pad_token": null, "model_max_length": null}"#)] {
            let parts = complete(files(TOKENIZER, config, held)).unwrap();
            assert_eq!((parts.dimension, parts.special.as_slice()), (Some(16), &b"{}\n"[..]));
            let after: Value = serde_json::from_slice(&parts.tokenizer_config).unwrap();
            assert_eq!(after, json!({"model_max_length": 64, "pad_token": "<pad>"}));
        }
        let whole = r#"{"model_max_length": 1e30,  "pad_token": {"content": "x"}}"#;
        let parts = complete(files(TOKENIZER, config, Some(whole))).unwrap();
        assert_eq!(parts.tokenizer_config, whole.as_bytes(), "left as it is");
    }

    #[test]
    fn what_does_not_fit() {
        for (tokenizer, config, want) in [
            ("[]", "{}", "tokenizer.json is not a JSON object"),
            ("{}", "{}", "tokenizer.json is not the file of a tokenizer"),
            (TOKENIZER, "<html>", "config.json is not valid JSON: expected value"),
            (
                TOKENIZER,
                r#"{"vocab_size": 1}"#,
                "tokenizer.json belongs to another model: it has 2",
            ),
        ] {
            let wrong = complete(files(tokenizer, config, None)).unwrap_err().to_string();
            assert!(wrong.starts_with(want), "{wrong}");
        }
    }

    #[test]
    fn pooling_of_sentence_transformers() {
        let text = |cls: bool, mean: bool| {
            json!({"pooling_mode_cls_token": cls, "pooling_mode_mean_tokens": mean}).to_string()
        };
        assert_eq!(pooling(text(true, false).as_bytes()), Ok(Pooling::Cls));
        assert_eq!(pooling(text(false, true).as_bytes()), Ok(Pooling::Mean));
        assert!(pooling(text(false, false).as_bytes()).is_err());
    }
}
