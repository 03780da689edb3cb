//! Reads safetensors: the length of a header, the header in JSON, and the numbers of all tensors one
//! after the other.

use std::{
    collections::BTreeMap,
    io::{self, Read, Seek, SeekFrom},
};

use serde::Deserialize;
use serde_json::Value;

use pimem_core::embed::transformer::PackError;

/// Maximum length of a header in bytes; that of a model with 24 layers has 50,000.
const MAX_HEADER: u64 = 16 << 20;
/// Entry of the header that is no tensor.
const METADATA: &str = "__metadata__";

/// Why a file gives no weights, as the rest of a sentence that starts with its name.
#[derive(Debug, thiserror::Error)]
pub enum SafetensorsError {
    #[error("is a git-lfs pointer, not the file itself (git lfs pull)")]
    Pointer,
    #[error("is truncated, or not a safetensors file")]
    Truncated,
    #[error("has a damaged header")]
    Header,
    #[error("has tensors that overlap, leave gaps, or do not end with the file")]
    Layout,
    #[error("has no tensor {0}")]
    Missing(String),
    #[error("has {name} with the sizes {found:?}, not {wanted:?}")]
    Sizes { name: String, found: Vec<usize>, wanted: Vec<usize> },
    #[error("has {0} in the type {1}; F32, F16 and BF16 are supported")]
    Type(String, String),
    #[error("has infinite numbers in {0}, or what is no number")]
    NotFinite(String),
    #[error(transparent)]
    Pack(#[from] PackError),
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// An entry of the header.
#[derive(Debug, Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [u64; 2],
}

/// An open file.
#[derive(Debug)]
pub struct Safetensors<F> {
    file: F,
    /// Place of the first tensor in the file.
    start: u64,
    tensors: BTreeMap<String, Tensor>,
}

impl<F: Read + Seek> Safetensors<F> {
    /// Reads and checks the header of a file of `length` bytes.
    ///
    /// # Errors
    /// If the header does not describe a file of this length.
    pub fn open(mut file: F, length: u64) -> Result<Self, SafetensorsError> {
        let mut first = Vec::new();
        file.by_ref().take(8).read_to_end(&mut first)?;
        if first.starts_with(b"version ") {
            return Err(SafetensorsError::Pointer);
        }
        let first = first.try_into().map_err(|_| SafetensorsError::Truncated)?;
        let header = u64::from_le_bytes(first);
        let start = header.checked_add(8).filter(|start| *start <= length);
        let start = start.ok_or(SafetensorsError::Truncated)?;
        if header > MAX_HEADER {
            return Err(SafetensorsError::Header);
        }
        let mut text = Vec::new();
        file.by_ref().take(header).read_to_end(&mut text)?;
        let entries: BTreeMap<String, Value> =
            serde_json::from_slice(&text).map_err(|_| SafetensorsError::Header)?;
        let tensors = entries.into_iter().filter(|(name, _)| name != METADATA);
        let tensors = tensors.map(|(name, entry)| Ok((name, serde_json::from_value(entry)?)));
        let tensors: Result<BTreeMap<String, Tensor>, serde_json::Error> = tensors.collect();
        let tensors = tensors.map_err(|_| SafetensorsError::Header)?;
        let mut places: Vec<[u64; 2]> = tensors.values().map(|it| it.data_offsets).collect();
        places.sort_unstable();
        let mut end = 0;
        for [from, to] in places {
            if from != end || to < from {
                return Err(SafetensorsError::Layout);
            }
            end = to;
        }
        if start.checked_add(end) != Some(length) {
            return Err(SafetensorsError::Layout);
        }
        Ok(Self { file, start, tensors })
    }

    /// Reads a tensor, which may have `bert.` before its name.
    ///
    /// # Errors
    /// If it is missing, has other sizes, or contains what is no number.
    pub fn read(&mut self, name: &str, sizes: &[usize]) -> Result<Vec<f32>, SafetensorsError> {
        let long = format!("bert.{name}");
        let tensor = self.tensors.get(name).or_else(|| self.tensors.get(&long));
        let tensor = tensor.ok_or_else(|| SafetensorsError::Missing(name.to_owned()))?;
        if tensor.shape != sizes {
            let (found, wanted) = (tensor.shape.clone(), sizes.to_vec());
            return Err(SafetensorsError::Sizes { name: name.to_owned(), found, wanted });
        }
        let width = match tensor.dtype.as_str() {
            "F32" => 4,
            "F16" | "BF16" => 2,
            other => return Err(SafetensorsError::Type(name.to_owned(), other.to_owned())),
        };
        let [from, to] = tensor.data_offsets;
        let length = sizes.iter().try_fold(width, |length: usize, size| length.checked_mul(*size));
        let length = length.filter(|length| *length as u64 == to - from);
        let length = length.ok_or(SafetensorsError::Layout)?;
        self.file.seek(SeekFrom::Start(self.start + from))?;
        let mut bytes = vec![0; length];
        self.file.read_exact(&mut bytes)?;
        let numbers: Vec<f32> = match tensor.dtype.as_str() {
            "F32" => bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
            "F16" => halves(&bytes).map(of_half).collect(),
            _ => halves(&bytes).map(|bits| f32::from_bits(u32::from(bits) << 16)).collect(),
        };
        if numbers.iter().all(|number| number.is_finite()) {
            return Ok(numbers);
        }
        Err(SafetensorsError::NotFinite(name.to_owned()))
    }
}

fn halves(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.as_chunks().0.iter().map(|bytes| u16::from_le_bytes(*bytes))
}

/// Converts a half-precision number.
fn of_half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let fraction = f32::from(bits & 1023) / 1024.0;
    match i32::from(bits >> 10 & 31) {
        0 => sign * fraction * 2.0_f32.powi(-14),
        31 => f32::NAN,
        exponent => sign * (1.0 + fraction) * 2.0_f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use serde_json::json;

    use super::*;

    fn file(header: &str, body: &[u8]) -> Vec<u8> {
        [&(header.len() as u64).to_le_bytes(), header.as_bytes(), body].concat()
    }

    fn open(bytes: &[u8]) -> Result<Safetensors<Cursor<&[u8]>>, String> {
        Safetensors::open(Cursor::new(bytes), bytes.len() as u64).map_err(|wrong| wrong.to_string())
    }

    fn tensor(kind: &str, shape: &[usize], from: u64, to: u64) -> Value {
        json!({"dtype": kind, "shape": shape, "data_offsets": [from, to]})
    }

    #[test]
    fn numbers_of_each_type() {
        let header = json!({
            METADATA: {"format": "pt"},
            "b": tensor("F16", &[4], 8, 16),
            "a": tensor("F32", &[1, 2], 0, 8),
            "bert.c": tensor("BF16", &[2], 16, 20),
            "ids": tensor("I64", &[1], 20, 28),
        });
        let mut body = [1.5_f32.to_le_bytes(), (-3.0_f32).to_le_bytes()].concat();
        for half in [0x3c00_u16, 0xc000, 0x0001, 0x7bff, 0x3fc0, 0xc040] {
            body.extend(half.to_le_bytes());
        }
        body.extend([0; 8]);
        // Writers pad the header with spaces.
        let bytes = file(&format!("{header}   "), &body);
        let mut open = open(&bytes).unwrap();
        assert_eq!(open.read("a", &[1, 2]).unwrap(), [1.5, -3.0]);
        assert_eq!(open.read("b", &[4]).unwrap(), [1.0, -2.0, 5.960_464_5e-8, 65504.0]);
        assert_eq!(open.read("c", &[2]).unwrap(), [1.5, -3.0]);
        let mut wrong = |name, sizes: &[usize]| open.read(name, sizes).unwrap_err().to_string();
        assert_eq!(wrong("d", &[1]), "has no tensor d");
        assert_eq!(wrong("a", &[2, 1]), "has a with the sizes [1, 2], not [2, 1]");
        assert!(wrong("ids", &[1]).starts_with("has ids in the type I64"));
    }

    #[test]
    fn what_is_no_number() {
        for (kind, bytes) in [
            ("F32", f32::NAN.to_le_bytes().as_slice()),
            ("F32", &f32::INFINITY.to_le_bytes()),
            ("F16", &[0, 0x7c]),
            ("BF16", &[0xc0, 0x7f]),
        ] {
            let header = json!({"a": tensor(kind, &[1], 0, bytes.len() as u64)});
            let bytes = file(&header.to_string(), bytes);
            let wrong = open(&bytes).unwrap().read("a", &[1]).unwrap_err();
            assert!(matches!(wrong, SafetensorsError::NotFinite(_)), "{kind}: {wrong}");
        }
    }

    #[test]
    fn hostile_files() {
        let of = |tensors: &[(&str, Value)]| {
            let header: serde_json::Map<String, Value> =
                tensors.iter().map(|(name, tensor)| ((*name).to_owned(), tensor.clone())).collect();
            file(&Value::Object(header).to_string(), &[0; 8])
        };
        let (truncated, damaged) =
            ("is truncated, or not a safetensors file", "has a damaged header");
        let layout = "has tensors that overlap, leave gaps, or do not end with the file";
        let huge = [&(2_u64 << 30).to_le_bytes()[..], b"{}"].concat();
        let mut long = (MAX_HEADER + 1).to_le_bytes().to_vec();
        long.resize(usize::try_from(MAX_HEADER).unwrap() + 9, b' ');
        let cases: &[(&str, Vec<u8>)] = &[
            (truncated, vec![]),
            (truncated, b"{\"a\"".to_vec()),
            (truncated, b"<!DOCTYPE html>".to_vec()),
            (truncated, huge),
            (truncated, u64::MAX.to_le_bytes().to_vec()),
            (damaged, long),
            (damaged, file("{", &[])),
            (damaged, file("[]", &[])),
            (damaged, file("{\"a\": 1}", &[])),
            (damaged, of(&[("a", json!({"dtype": "F32", "shape": [-1], "data_offsets": [0, 8]}))])),
            (
                "is a git-lfs pointer, not the file itself (git lfs pull)",
                b"version https://git-lfs".to_vec(),
            ),
            (layout, of(&[("a", tensor("F32", &[1], 0, 4))])),
            (layout, of(&[("a", tensor("F32", &[3], 0, 12))])),
            (layout, of(&[("a", tensor("F32", &[2], 0, 8)), ("b", tensor("F32", &[1], 4, 8))])),
            (layout, of(&[("a", tensor("F32", &[1], 0, 4)), ("b", tensor("F32", &[1], 5, 9))])),
            (layout, of(&[("a", tensor("F32", &[1], 8, 0))])),
            (layout, of(&[("a", tensor("F32", &[1], 0, u64::MAX))])),
        ];
        for (want, bytes) in cases {
            assert_eq!(open(bytes).err().as_deref(), Some(*want), "{} bytes", bytes.len());
        }
        // The sizes say more than there is.
        let bytes = of(&[("a", tensor("F32", &[usize::MAX, 2], 0, 8))]);
        let wrong = open(&bytes).unwrap().read("a", &[usize::MAX, 2]).unwrap_err().to_string();
        assert_eq!(wrong, layout);
    }
}
