//! Tests of the encoder with the weights of all-MiniLM-L6-v2.

use std::{fs, path::Path, sync::OnceLock};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{
    pack::{Hash, PackError, Shape, fnv1a64},
    *,
};

fn bytes() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        fs::read(root.join("models/minilm-l6-v2/minilm.pack")).unwrap()
    })
}

fn vocabulary() -> Hash {
    bytes()[48..80].try_into().unwrap()
}

fn minilm() -> Encoder<'static> {
    Encoder::new(Pack::read(bytes(), &vocabulary()).unwrap())
}

/// Returns every instruction set of this machine, with its name.
pub(super) fn levels() -> Vec<(&'static str, Level)> {
    let best = Level::new();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    let others = [
        ("AVX2", best.as_avx2().map(Level::Avx2)),
        ("SSE4.2", best.as_sse4_2().map(Level::Sse4_2)),
        ("SSE2", best.as_sse2().map(Level::Sse2)),
    ];
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    let others: [(&str, Option<Level>); 0] = [];
    let others = others.into_iter().filter_map(|(name, level)| Some((name, level?)));
    #[cfg(feature = "portable")]
    let others = others.chain([("portable", Level::fallback())]);
    [("best", best)].into_iter().chain(others).collect()
}

/// A text with its tokens and its vector by the original weights, computed without this program.
#[derive(Deserialize)]
struct Golden {
    text: String,
    pieces: Vec<u16>,
    vector: String,
}

impl Golden {
    fn all() -> Vec<Self> {
        let text = include_str!("../../../models/minilm-l6-v2/golden.json");
        serde_json::from_str(text).unwrap()
    }

    fn vector(&self) -> Vec<f32> {
        let digit = |byte: u8| {
            let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
            u32::try_from(digits.iter().position(|digit| *digit == byte).unwrap()).unwrap()
        };
        let triples = self.vector.as_bytes().chunks(4).flat_map(|four| {
            let bits = four.iter().fold(0, |bits, byte| bits << 6 | digit(*byte));
            let [_, bytes @ ..] = bits.to_be_bytes();
            bytes
        });
        let bytes: Vec<u8> = triples.collect();
        let numbers = bytes.as_chunks().0.iter();
        numbers.map(|number| f32::from(i16::from_le_bytes(*number)) / 65_536.0).collect()
    }
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let product = |a: &[f32], b: &[f32]| -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    product(a, b) / (product(a, a) * product(b, b)).sqrt()
}

#[test]
fn golden() {
    let golden = Golden::all();
    let texts: Vec<Vec<u16>> = golden.iter().map(|golden| golden.pieces.clone()).collect();
    let vectors = minilm().embed(Level::new(), &texts);
    let mut all = Vec::new();
    for (golden, vector) in golden.iter().zip(vectors) {
        let cosine = cosine(&vector, &golden.vector());
        assert!(cosine > 0.998, "{:?}: {cosine}", golden.text);
        all.push(cosine);
    }
    assert!(all.len() >= 60 && texts.iter().any(|text| text.len() == 256));
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    assert!(mean > 0.9995, "{mean}");
}

/// SHA-256 of the vectors of 50 texts, on every machine.
const VECTORS: &str = "66e076bd676143d5d7a0c54c45189a4519adee96cd37f9b863ecab9b2ce542e1";

#[test]
fn vectors_are_the_same_bytes_on_every_machine() {
    // The last ones are the odd ones, and the long one.
    let golden = Golden::all().into_iter().rev().take(50);
    let texts: Vec<Vec<u16>> = golden.map(|golden| golden.pieces).collect();
    let model = minilm();
    for (name, level) in levels() {
        for batch in [1, 8] {
            let vectors = texts.chunks(batch).flat_map(|texts| model.embed(level, texts));
            let bytes: Vec<u8> = vectors.flatten().flat_map(f32::to_le_bytes).collect();
            assert_eq!(bytes.len(), 50 * 384 * 4);
            let want = (0..VECTORS.len()).step_by(2).map(|at| &VECTORS[at..at + 2]);
            let want = want.map(|digits| u8::from_str_radix(digits, 16).unwrap());
            assert!(want.eq(Sha256::digest(bytes)), "{name}, {batch} at once");
        }
    }
}

#[test]
fn texts_without_tokens_and_with_too_many() {
    let model = minilm();
    assert!(model.embed(Level::new(), &[]).is_empty());
    let long = vec![2003; 300];
    let vectors =
        model.embed(Level::new(), &[vec![], vec![101, 102], vec![], long, vec![101, 102]]);
    assert_eq!(vectors.len(), 5);
    assert_eq!((&vectors[0], &vectors[2]), (&vec![0.0; 384], &vec![0.0; 384]));
    assert_eq!(vectors[1], vectors[4]);
    assert!((cosine(&vectors[3], &vectors[3]) - 1.0).abs() < 1e-9);
}

/// Makes the header's checksum that of its content.
fn seal(bytes: &mut [u8]) {
    let hash = fnv1a64(&[&bytes[..120]]);
    bytes[120..128].copy_from_slice(&hash.to_le_bytes());
}

#[test]
fn damage_is_found_and_named() {
    type Damage = fn(&mut Vec<u8>);
    let read = |damage: Damage| {
        let mut bytes = bytes().to_vec();
        damage(&mut bytes);
        Pack::read(&bytes, &vocabulary())
            .and_then(|pack| pack.verify())
            .map_err(|wrong| wrong.to_string())
    };
    assert_eq!(read(|_| ()), Ok(()));
    let cases: &[(&str, Damage)] = &[
        ("is not a file of packed weights", Vec::clear),
        ("is not a file of packed weights", |bytes| bytes[0] ^= 1),
        ("has version 2 of the format, not 1", |bytes| bytes[7] = 2),
        ("is truncated: it has 100 of 128 bytes", |bytes| bytes.truncate(100)),
        ("is truncated: it has 23123071 of 23123072 bytes", |bytes| {
            bytes.truncate(bytes.len() - 1);
        }),
        ("has 23123073 bytes, not 23123072", |bytes| bytes.push(0)),
        ("has a damaged header", |bytes| bytes[20] ^= 1),
        ("has sizes that do not fit: its heads", |bytes| {
            bytes[24] = 13;
            seal(bytes);
        }),
        ("has sizes that do not fit: its pooling is unknown", |bytes| {
            bytes[40] = 3;
            seal(bytes);
        }),
        ("has sizes that do not fit: they do not add up to its length", |bytes| {
            bytes[16] = 5;
            seal(bytes);
        }),
        ("has sizes that do not fit: they do not add up to its length", |bytes| {
            bytes[32..36].copy_from_slice(&60_000_u32.to_le_bytes());
            seal(bytes);
        }),
        ("has sizes that do not fit: its vocabulary", |bytes| {
            bytes[32..36].fill(0xff);
            seal(bytes);
        }),
        ("belongs to another vocabulary", |bytes| {
            bytes[50] ^= 1;
            seal(bytes);
        }),
        // As after a crash of the system while it was written.
        ("has damaged layers", |bytes| {
            let end = bytes.len();
            bytes[end - (1 << 17)..].fill(0);
        }),
        ("has damaged weights", |bytes| bytes[1_000_000] ^= 1),
        ("has damaged weights", |bytes| *bytes.last_mut().unwrap() ^= 1),
    ];
    for (want, damage) in cases {
        assert_eq!(read(*damage), Err((*want).to_owned()));
    }
    assert_eq!(
        Pack::read(b"pimembt\x01", &vocabulary()).err(),
        Some(PackError::Truncated { found: 8, expected: 128 })
    );
}

/// Makes weights of another shape, small enough to compute with them in `f64`.
struct Small {
    bytes: Vec<u8>,
    numbers: std::iter::Cycle<std::ops::Range<u16>>,
}

impl Small {
    const HIDDEN: usize = 32;
    const INNER: usize = 48;
    const PIECES: usize = 7;
    const POSITIONS: usize = 20;

    fn section(&mut self, bytes: impl IntoIterator<Item = u8>) {
        self.bytes.resize(self.bytes.len().next_multiple_of(64), 0);
        self.bytes.extend(bytes);
    }

    /// Appends numbers between -1 and 1 that look random, times `scale`, plus `offset`.
    fn floats(&mut self, count: usize, scale: f32, offset: f32) {
        let number = |number: u16| (u32::from(number) * 7919 % 1009) as f32 / 504.5 - 1.0;
        let numbers: Vec<f32> = self.numbers.by_ref().take(count).map(number).collect();
        self.section(numbers.iter().flat_map(|number| (number * scale + offset).to_le_bytes()));
    }

    fn integers(&mut self, count: usize) -> Vec<u8> {
        let number =
            |number: u16| u8::try_from(u32::from(number) * 31 % 255 + 1).unwrap().wrapping_add(128);
        self.numbers.by_ref().take(count).map(number).collect()
    }

    fn norm(&mut self) {
        self.floats(Self::HIDDEN, 0.3, 1.0);
        self.floats(Self::HIDDEN, 0.3, 0.0);
    }

    fn matrix(&mut self, inputs: usize, outputs: usize) {
        self.floats(inputs, 0.2, 1.0);
        self.floats(outputs, 0.001, 0.002);
        self.floats(outputs, 0.5, 0.0);
        let weights = self.integers(inputs * outputs);
        self.section(weights);
    }

    fn pack(layers: u32, heads: u32, pooling: u32) -> Vec<u8> {
        let mut small = Self { bytes: vec![0; 128], numbers: (0..1009).cycle() };
        let pieces: Vec<u8> = (0..Self::PIECES)
            .flat_map(|_| [small.integers(Self::HIDDEN), 0.01_f32.to_le_bytes().to_vec()].concat())
            .collect();
        small.section(pieces);
        small.floats(Self::POSITIONS * Self::HIDDEN, 0.5, 0.0);
        small.norm();
        let first = small.bytes.len().next_multiple_of(64);
        for _ in 0..layers {
            small.matrix(Self::HIDDEN, 3 * Self::HIDDEN);
            small.matrix(Self::HIDDEN, Self::HIDDEN);
            small.norm();
            small.matrix(Self::HIDDEN, Self::INNER);
            small.matrix(Self::INNER, Self::HIDDEN);
            small.norm();
        }
        let mut bytes = small.bytes;
        let size = |size: usize| u32::try_from(size).unwrap();
        let sizes = [
            layers,
            size(Self::HIDDEN),
            heads,
            size(Self::INNER),
            size(Self::PIECES),
            size(Self::POSITIONS),
            pooling,
            1e-6_f32.to_bits(),
        ];
        let samples: Vec<&[u8]> = bytes[first..].chunks(1 << 16).map(|it| &it[..16]).collect();
        let samples = fnv1a64(&samples);
        let length = bytes.len() as u64;
        bytes[..8].copy_from_slice(b"pimembt\x01");
        bytes[8..16].copy_from_slice(&length.to_le_bytes());
        let sizes: Vec<u8> = sizes.iter().flat_map(|size| size.to_le_bytes()).collect();
        bytes[16..48].copy_from_slice(&sizes);
        bytes[112..120].copy_from_slice(&samples.to_le_bytes());
        seal(&mut bytes);
        bytes
    }
}

/// The encoder in `f64`, by its definition and without regard to speed.
struct Slow<'a>(&'a Pack<'a>);

impl Slow<'_> {
    fn floats(numbers: &[[u8; 4]]) -> Vec<f64> {
        numbers.iter().map(|number| f64::from(f32::from_le_bytes(*number))).collect()
    }

    fn norm(&self, x: &[f64], norm: &pack::Norm<'_>) -> Vec<f64> {
        let count = x.len() as f64;
        let mean = x.iter().sum::<f64>() / count;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
        let deviation = (variance + f64::from(self.0.shape.epsilon)).sqrt();
        let parameters = Self::floats(norm.factors).into_iter().zip(Self::floats(norm.summands));
        x.iter().zip(parameters).map(|(x, (a, b))| (x - mean) / deviation * a + b).collect()
    }

    fn multiply(matrix: &pack::Matrix<'_>, x: &[f64]) -> Vec<f64> {
        let (inputs, factors) = (Self::floats(matrix.inputs), Self::floats(matrix.factors));
        let output = |(output, summand): (usize, f64)| {
            let product = |(input, number): (usize, &f64)| {
                let block = output / 16 * (x.len() / 4) + input / 4;
                let at = 64 * block + 32 * (input % 4 / 2) + 2 * (output % 16) + input % 2;
                f64::from(matrix.weights[at].cast_signed()) * inputs[input] * number
            };
            x.iter().enumerate().map(product).sum::<f64>() * factors[output] + summand
        };
        Self::floats(matrix.summands).into_iter().enumerate().map(output).collect()
    }

    /// Returns the rows of the last layer.
    fn rows(&self, text: &[u16]) -> Vec<Vec<f64>> {
        let Shape { hidden, heads, .. } = self.0.shape;
        let width = hidden / heads;
        let mut rows: Vec<Vec<f64>> = Vec::new();
        for (place, token) in text.iter().enumerate() {
            let mut row = vec![0.0; hidden];
            self.0.embedding(*token, place, &mut row);
            let row: Vec<f64> = row.into_iter().map(f64::from).collect();
            rows.push(self.norm(&row, &self.0.norm));
        }
        for layer in &self.0.layers {
            let qkv: Vec<_> = rows.iter().map(|row| Self::multiply(&layer.qkv, row)).collect();
            for (own, row) in qkv.iter().zip(&mut rows) {
                let mut mixed = vec![0.0; hidden];
                for (at, mixed) in mixed.iter_mut().enumerate() {
                    let start = at / width * width;
                    let weight = |other: &Vec<f64>| -> f64 {
                        let product = |at: usize| own[at] * other[hidden + at];
                        ((start..start + width).map(product).sum::<f64>() / (width as f64).sqrt())
                            .exp()
                    };
                    let all: f64 = qkv.iter().map(weight).sum();
                    *mixed =
                        qkv.iter().map(|it| weight(it) * it[2 * hidden + at]).sum::<f64>() / all;
                }
                let added = Self::multiply(&layer.mix, &mixed);
                let sum: Vec<f64> = row.iter().zip(&added).map(|(a, b)| a + b).collect();
                let x = self.norm(&sum, &layer.mix_norm);
                let mut inner = Self::multiply(&layer.widen, &x);
                for x in &mut inner {
                    // Abramowitz and Stegun, 7.1.26.
                    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs() / 2_f64.sqrt());
                    let series = [
                        1.061_405_429,
                        -1.453_152_027,
                        1.421_413_741,
                        -0.284_496_736,
                        0.254_829_592,
                    ];
                    let series = series.iter().fold(0.0, |sum, term| sum * t + term) * t;
                    let erf = (1.0 - series * (-*x * *x / 2.0).exp()).copysign(*x);
                    *x = 0.5 * *x * (1.0 + erf);
                }
                let added = Self::multiply(&layer.narrow, &inner);
                let sum: Vec<f64> = x.iter().zip(&added).map(|(a, b)| a + b).collect();
                *row = self.norm(&sum, &layer.norm);
            }
        }
        rows
    }
}

#[test]
fn other_shapes_and_the_first_token() {
    let texts: Vec<Vec<u16>> =
        vec![vec![1, 2, 3], vec![4], (0..17).map(|at| at % 7).collect(), vec![6, 6, 5, 0]];
    for (layers, heads, pooling) in [(1, 1, 1), (1, 2, 2), (3, 2, 1), (2, 1, 2)] {
        let bytes = Small::pack(layers, heads, pooling);
        let pack = Pack::read(&bytes, &[0; 32]).unwrap();
        let all: Vec<Vec<f64>> = texts
            .iter()
            .map(|text| {
                let rows = Slow(&pack).rows(text);
                let first = rows[0].clone();
                let sums = (0..Small::HIDDEN).map(|at| rows.iter().map(|row| row[at]).sum());
                if pooling == 2 { first } else { sums.collect() }
            })
            .collect();
        let got = Encoder::new(pack).embed(Level::new(), &texts);
        for (got, want) in got.iter().zip(&all) {
            let length = want.iter().map(|x| x * x).sum::<f64>().sqrt();
            for (got, want) in got.iter().zip(want) {
                let off = (f64::from(*got) - want / length).abs();
                assert!(off < 2e-3, "{layers} {heads} {pooling}: {got} {}", want / length);
            }
        }
    }
}
