//! Packed weights: the layout that `models/minilm-l6-v2/pack.py` describes, read in place.

use sha2::{Digest, Sha256};

use crate::LANES;

pub(super) const MAGIC: [u8; 7] = *b"pimembt";
pub(super) const VERSION: u8 = 1;
/// Length of the header in bytes.
pub(super) const HEADER: usize = 128;
/// Sections start at multiples of this.
pub(super) const ALIGNMENT: usize = 64;
/// Distance between two samples of the layers in bytes, and their length.
const SAMPLED: usize = 1 << 16;
const SAMPLE: usize = 16;
/// A SHA-256.
pub type Hash = [u8; 32];

/// Why bytes are not the weights of an encoder, as the rest of a sentence that starts with their
/// name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    #[error("is not a file of packed weights")]
    Foreign,
    #[error("has version {0} of the format, not {VERSION}")]
    Version(u8),
    #[error("is truncated: it has {found} of {expected} bytes")]
    Truncated { found: usize, expected: usize },
    #[error("has {found} bytes, not {expected}")]
    TooLong { found: usize, expected: usize },
    #[error("has a damaged header")]
    Header,
    #[error("has sizes that do not fit: {0}")]
    Shape(&'static str),
    #[error("belongs to another vocabulary")]
    Vocabulary,
    #[error("has damaged layers")]
    Layers,
    #[error("has damaged weights")]
    Weights,
}

/// How the vectors of a text's tokens become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackPooling {
    /// Their mean.
    Mean,
    /// The first token's vector.
    First,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    pub layers: usize,
    /// Numbers of a token, and of a vector.
    pub hidden: usize,
    pub heads: usize,
    /// Numbers of a token between the two matrices of a layer that follow attention.
    pub inner: usize,
    pub pieces: usize,
    /// Maximum number of tokens of a text.
    pub positions: usize,
    pub pooling: PackPooling,
    /// What is added to a variance before it divides.
    pub epsilon: f32,
}

/// Little-endian numbers of type `f32`.
type Floats<'a> = &'a [[u8; 4]];

#[derive(Debug, Clone, Copy)]
pub(super) struct Norm<'a> {
    pub(super) factors: Floats<'a>,
    pub(super) summands: Floats<'a>,
}

/// A matrix of weights of 8 bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matrix<'a> {
    /// Factor of each input.
    pub(super) inputs: Floats<'a>,
    /// Factor of each output.
    pub(super) factors: Floats<'a>,
    pub(super) summands: Floats<'a>,
    /// In blocks of 64: two pairs of inputs for 16 outputs.
    pub(super) weights: &'a [u8],
}

/// The parameters of a layer in the order of their use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layer<'a> {
    pub(super) qkv: Matrix<'a>,
    pub(super) mix: Matrix<'a>,
    pub(super) mix_norm: Norm<'a>,
    pub(super) widen: Matrix<'a>,
    pub(super) narrow: Matrix<'a>,
    pub(super) norm: Norm<'a>,
}

#[derive(Debug)]
pub struct Pack<'a> {
    pub shape: Shape,
    bytes: &'a [u8],
    pieces: &'a [u8],
    positions: Floats<'a>,
    pub(super) norm: Norm<'a>,
    pub(super) layers: Vec<Layer<'a>>,
}

impl<'a> Pack<'a> {
    /// Checks header, sizes, and samples of the layers, which reads little of the weights;
    /// [`Pack::verify`] reads all of them. `vocabulary` is the hash of the pieces that tokens stand
    /// for, each followed by a line feed.
    ///
    /// # Errors
    /// If the bytes are not packed weights for this vocabulary, or are not complete.
    pub fn read(bytes: &'a [u8], vocabulary: &Hash) -> Result<Self, PackError> {
        let length = check_header(bytes)?;
        let shape = Shape::read(bytes)?;
        if bytes.get(48..80) != Some(vocabulary) {
            return Err(PackError::Vocabulary);
        }
        let mut sections = Sections { bytes, at: HEADER };
        let hidden = shape.hidden;
        let pieces = sections.take(shape.pieces, hidden + 4)?;
        let positions = sections.floats(shape.positions * hidden)?;
        let norm = sections.norm(hidden)?;
        let first = sections.at.next_multiple_of(ALIGNMENT);
        let layers = (0..shape.layers).map(|_| sections.layer(&shape)).collect::<Result<_, _>>()?;
        if sections.at != length {
            return Err(PackError::Shape("they do not add up to its length"));
        }
        let samples = samples(bytes.get(first..).unwrap_or_default());
        if number::<8>(bytes, 112).map(u64::from_le_bytes) != Some(samples) {
            return Err(PackError::Layers);
        }
        Ok(Self { shape, bytes, pieces, positions, norm, layers })
    }

    /// Checks all weights by their SHA-256.
    ///
    /// # Errors
    /// If some are damaged.
    pub fn verify(&self) -> Result<(), PackError> {
        let weights = self.bytes.get(HEADER..).unwrap_or_default();
        match self.bytes.get(80..112) {
            Some(hash) if Sha256::digest(weights).as_slice() == hash => Ok(()),
            _ => Err(PackError::Weights),
        }
    }

    /// Returns the start of the SHA-256 of the weights.
    #[must_use]
    pub fn revision(&self) -> [u8; 8] {
        number(self.bytes, 80).unwrap_or_default()
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Writes the numbers of a token at a place in its text.
    pub(super) fn embedding(&self, token: u16, place: usize, row: &mut [f32]) {
        let hidden = self.shape.hidden;
        let start = usize::from(token) * (hidden + 4);
        let piece = self.pieces.get(start..start + hidden + 4).unwrap_or_default();
        let Some((numbers, factor)) = piece.split_last_chunk() else { return };
        let factor = f32::from_le_bytes(*factor);
        let position = self.positions.chunks_exact(hidden).nth(place).unwrap_or_default();
        for ((x, number), position) in row.iter_mut().zip(numbers).zip(position) {
            *x = factor * f32::from(number.cast_signed()) + f32::from_le_bytes(*position);
        }
    }
}

/// Checks all of the header but the sizes. Returns the length of the file.
fn check_header(bytes: &[u8]) -> Result<usize, PackError> {
    let found = bytes.len();
    match bytes.strip_prefix(&MAGIC) {
        Some([VERSION, ..]) => {}
        Some([version, ..]) => return Err(PackError::Version(*version)),
        _ => return Err(PackError::Foreign),
    }
    let Some((header, hash)) = bytes.first_chunk::<HEADER>().and_then(|it| it.split_last_chunk())
    else {
        return Err(PackError::Truncated { found, expected: HEADER });
    };
    if fnv1a64(&[header]) != u64::from_le_bytes(*hash) {
        return Err(PackError::Header);
    }
    let length = number(bytes, 8).map(u64::from_le_bytes).unwrap_or_default();
    let expected = usize::try_from(length).map_err(|_| PackError::Header)?;
    match found.cmp(&expected) {
        std::cmp::Ordering::Less => Err(PackError::Truncated { found, expected }),
        std::cmp::Ordering::Equal => Ok(expected),
        std::cmp::Ordering::Greater => Err(PackError::TooLong { found, expected }),
    }
}

impl Shape {
    /// Reads and checks the sizes.
    fn read(bytes: &[u8]) -> Result<Self, PackError> {
        let size = |at: usize| {
            let size = number(bytes, at).map(u32::from_le_bytes).unwrap_or_default();
            usize::try_from(size).unwrap_or(usize::MAX)
        };
        let pooling = match size(40) {
            1 => PackPooling::Mean,
            2 => PackPooling::First,
            _ => return Err(PackError::Shape("its pooling is unknown")),
        };
        let shape = Self {
            layers: size(16),
            hidden: size(20),
            heads: size(24),
            inner: size(28),
            pieces: size(32),
            positions: size(36),
            pooling,
            epsilon: number(bytes, 44).map(f32::from_le_bytes).unwrap_or_default(),
        };
        shape.check().map(|()| shape)
    }

    /// Checks that an encoder of these sizes can be computed.
    ///
    /// # Errors
    /// If one is too large, or does not fit the others.
    pub fn check(&self) -> Result<(), PackError> {
        let Self { layers, hidden, heads, inner, pieces, positions, epsilon, .. } = *self;
        let is_wide = |width: usize| width > 0 && width.is_multiple_of(LANES);
        let wrong = [
            (layers == 0 || layers > 64, "its layers"),
            (!is_wide(hidden) || hidden > 1 << 12, "the numbers of a token"),
            (!is_wide(inner) || inner > 1 << 14, "the numbers within a layer"),
            (heads == 0 || !is_wide(hidden / heads) || hidden % heads != 0, "its heads"),
            (pieces == 0 || pieces > 1 << 16, "its vocabulary"),
            (!(3..=1 << 13).contains(&positions), "the tokens of a text"),
            (!(epsilon > 0.0 && epsilon < 1.0), "what is added to variances"),
        ];
        match wrong.iter().find(|(is_wrong, _)| *is_wrong) {
            Some((_, what)) => Err(PackError::Shape(what)),
            None => Ok(()),
        }
    }
}

/// The sections of a file, one after the other.
struct Sections<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Sections<'a> {
    /// Takes a section of `count` items of `size` bytes.
    fn take(&mut self, count: usize, size: usize) -> Result<&'a [u8], PackError> {
        let start = self.at.next_multiple_of(ALIGNMENT);
        let end = count.checked_mul(size).and_then(|length| start.checked_add(length));
        let section = end.and_then(|end| self.bytes.get(start..end));
        self.at = end.unwrap_or(start);
        section.ok_or(PackError::Shape("they do not add up to its length"))
    }

    fn floats(&mut self, count: usize) -> Result<Floats<'a>, PackError> {
        self.take(count, 4).map(|section| section.as_chunks().0)
    }

    fn norm(&mut self, width: usize) -> Result<Norm<'a>, PackError> {
        Ok(Norm { factors: self.floats(width)?, summands: self.floats(width)? })
    }

    fn matrix(&mut self, inputs: usize, outputs: usize) -> Result<Matrix<'a>, PackError> {
        Ok(Matrix {
            inputs: self.floats(inputs)?,
            factors: self.floats(outputs)?,
            summands: self.floats(outputs)?,
            weights: self.take(outputs, inputs)?,
        })
    }

    fn layer(&mut self, shape: &Shape) -> Result<Layer<'a>, PackError> {
        let Shape { hidden, inner, .. } = *shape;
        Ok(Layer {
            qkv: self.matrix(hidden, 3 * hidden)?,
            mix: self.matrix(hidden, hidden)?,
            mix_norm: self.norm(hidden)?,
            widen: self.matrix(hidden, inner)?,
            narrow: self.matrix(inner, hidden)?,
            norm: self.norm(hidden)?,
        })
    }
}

/// Returns the hash of the samples of the layers.
pub(super) fn samples(layers: &[u8]) -> u64 {
    let samples = layers.chunks(SAMPLED).map(|chunk| chunk.get(..SAMPLE).unwrap_or(chunk));
    fnv1a64(&samples.collect::<Vec<_>>())
}

/// Returns the 64-bit FNV-1a hash of several parts.
pub(super) fn fnv1a64(parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().copied().flatten();
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.fold(0xcbf2_9ce4_8422_2325, step)
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}
