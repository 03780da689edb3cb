//! Packs the weights of a BERT encoder: the bytes are those of `models/minilm-l6-v2/pack.py`, which
//! describes them.

use sha2::{Digest, Sha256};

use crate::{
    LANES,
    pack::{
        ALIGNMENT, HEADER, Hash, MAGIC, PackError, PackPooling, Shape, VERSION, fnv1a64, samples,
    },
};

/// The sizes of an encoder as it was published.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Original {
    /// The sizes of what is packed. Its texts may be shorter than the original's.
    pub shape: Shape,
    /// Maximum number of tokens of a text.
    pub positions: usize,
    /// Number of kinds of texts; only the first is used.
    pub segments: usize,
}

/// Gives a tensor by name and sizes.
pub type Tensor<'a, E> = &'a mut dyn FnMut(&str, &[usize]) -> Result<Vec<f32>, E>;

/// Packs an encoder whose tensors `tensor` gives by name and sizes. `vocabulary` is the hash of the
/// pieces, each followed by a line feed.
///
/// # Errors
/// If its sizes are not supported, or it lacks a tensor.
pub fn pack<E: From<PackError>>(
    original: &Original,
    vocabulary: &Hash,
    tensor: Tensor<'_, E>,
) -> Result<Vec<u8>, E> {
    let Original { shape, positions, segments } = *original;
    shape.check()?;
    if positions < shape.positions || segments == 0 {
        return Err(PackError::Shape("the tokens of a text").into());
    }
    let Shape { hidden, inner, .. } = shape;
    let mut packed = Packed { bytes: vec![0; HEADER], tensor };
    let pieces = packed.tensor("embeddings.word_embeddings.weight", &[shape.pieces, hidden])?;
    packed.pieces(&pieces, hidden);
    let mut places =
        packed.tensor("embeddings.position_embeddings.weight", &[positions, hidden])?;
    let kinds = packed.tensor("embeddings.token_type_embeddings.weight", &[segments, hidden])?;
    places.truncate(shape.positions * hidden);
    for place in places.chunks_exact_mut(hidden) {
        place.iter_mut().zip(&kinds).for_each(|(x, kind)| *x += kind);
    }
    packed.floats(&places);
    packed.norm("embeddings.LayerNorm", hidden)?;
    let layers = packed.bytes.len().next_multiple_of(ALIGNMENT);
    for number in 0..shape.layers {
        let of = |part: &str| format!("encoder.layer.{number}.{part}");
        let [query, key, value] =
            ["query", "key", "value"].map(|part| of(&format!("attention.self.{part}")));
        packed.matrix(&[&query, &key, &value], hidden, hidden)?;
        packed.matrix(&[&of("attention.output.dense")], hidden, hidden)?;
        packed.norm(&of("attention.output.LayerNorm"), hidden)?;
        packed.matrix(&[&of("intermediate.dense")], hidden, inner)?;
        packed.matrix(&[&of("output.dense")], inner, hidden)?;
        packed.norm(&of("output.LayerNorm"), hidden)?;
    }
    let mut bytes = packed.bytes;
    let header = header(&shape, vocabulary, &bytes, layers);
    bytes.splice(..HEADER, header);
    Ok(bytes)
}

/// Returns the header of packed weights, whose layers start at `layers`.
fn header(shape: &Shape, vocabulary: &Hash, packed: &[u8], layers: usize) -> Vec<u8> {
    let pooling = match shape.pooling {
        PackPooling::Mean => 1,
        PackPooling::First => 2,
    };
    let sizes = [shape.layers, shape.hidden, shape.heads, shape.inner, shape.pieces];
    let sizes = sizes.into_iter().chain([shape.positions, pooling]);
    let mut header = [MAGIC.as_slice(), &[VERSION]].concat();
    header.extend((packed.len() as u64).to_le_bytes());
    header.extend(sizes.flat_map(|size| u32::try_from(size).unwrap_or(u32::MAX).to_le_bytes()));
    header.extend(shape.epsilon.to_le_bytes());
    header.extend(vocabulary);
    header.extend(Sha256::digest(packed.get(HEADER..).unwrap_or_default()));
    header.extend(samples(packed.get(layers..).unwrap_or_default()).to_le_bytes());
    header.extend(fnv1a64(&[&header]).to_le_bytes());
    header
}

/// Weights that are being packed.
struct Packed<'a, E> {
    bytes: Vec<u8>,
    tensor: Tensor<'a, E>,
}

impl<E> Packed<'_, E> {
    fn tensor(&mut self, name: &str, sizes: &[usize]) -> Result<Vec<f32>, E> {
        (self.tensor)(name, sizes)
    }

    fn section(&mut self, bytes: impl IntoIterator<Item = u8>) {
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNMENT), 0);
        self.bytes.extend(bytes);
    }

    fn floats(&mut self, numbers: &[f32]) {
        self.section(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }

    fn pieces(&mut self, rows: &[f32], width: usize) {
        let row = |row| {
            let (integers, factor) = rounded(row);
            integers.chain(factor.to_le_bytes())
        };
        self.section(rows.chunks_exact(width).flat_map(row));
    }

    fn norm(&mut self, name: &str, width: usize) -> Result<(), E> {
        for part in ["weight", "bias"] {
            let numbers = self.tensor(&format!("{name}.{part}"), &[width])?;
            self.floats(&numbers);
        }
        Ok(())
    }

    /// Appends a matrix of several with `inputs` and `outputs` each, one below the other.
    fn matrix(&mut self, names: &[&str], inputs: usize, outputs: usize) -> Result<(), E> {
        let (mut weights, mut summands) = (Vec::new(), Vec::new());
        for name in names {
            weights.extend(self.tensor(&format!("{name}.weight"), &[outputs, inputs])?);
            summands.extend(self.tensor(&format!("{name}.bias"), &[outputs])?);
        }
        let mut factors = vec![0.0_f32; inputs];
        for row in weights.chunks_exact(inputs) {
            factors.iter_mut().zip(row).for_each(|(most, x)| *most = most.max(x.abs()));
        }
        for most in &mut factors {
            *most = or_one(*most).sqrt();
        }
        for row in weights.chunks_exact_mut(inputs) {
            row.iter_mut().zip(&factors).for_each(|(x, factor)| *x /= factor);
        }
        let rows = || weights.chunks_exact(inputs).map(rounded);
        let of_outputs: Vec<f32> = rows().map(|(_, factor)| factor).collect();
        let integers: Vec<u8> = rows().flat_map(|(integers, _)| integers).collect();
        self.floats(&factors);
        self.floats(&of_outputs);
        self.floats(&summands);
        // For each 16 rows and each pair of columns: two numbers of each row.
        let blocks = integers.chunks_exact(LANES * inputs);
        let laid_out = blocks.flat_map(|block| {
            (0..inputs).step_by(2).flat_map(move |column| {
                let pair =
                    move |row: &[u8]| [row.get(column).copied(), row.get(column + 1).copied()];
                block.chunks_exact(inputs).flat_map(pair).flatten().collect::<Vec<_>>()
            })
        });
        let laid_out: Vec<u8> = laid_out.collect();
        self.section(laid_out);
        Ok(())
    }
}

/// Rounds a row to numbers of 8 bits. Returns them, and the factor by which they count.
#[expect(clippy::cast_possible_truncation, reason = "it is at most 127")]
fn rounded(row: &[f32]) -> (impl Iterator<Item = u8>, f32) {
    let most = row.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    let factor = or_one(most) / f32::from(i8::MAX);
    (row.iter().map(move |x| ((x / factor).round_ties_even() as i8).cast_unsigned()), factor)
}

/// Returns a number; 1 for 0.
fn or_one(most: f32) -> f32 {
    if most > 0.0 { most } else { 1.0 }
}
