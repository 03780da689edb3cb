//! A BERT encoder (Devlin et al. 2019) over packed weights: vectors of tokenized texts by their
//! meaning.
//!
//! The same text has the same vector, to the bit, on every machine: the sums of the matrices are
//! exact integers, all other arithmetic is `f32` in an order that depends neither on the width of
//! the machine's registers nor on the texts embedded together, and no function of the platform's
//! mathematical library is called. Nothing here may use `mul_add`.

#![expect(
    clippy::inline_always,
    reason = "what runs within `vectorize` has to be compiled for its instruction set"
)]

use fearless_simd::{Simd, dispatch};

pub use fearless_simd::Level;

use self::{
    attention::attend,
    kernel::{Quantized, multiply},
    math::{LANES, gelu, normalize},
    pack::{Layer, Pack, PackPooling},
};

mod attention;
mod kernel;
mod math;
pub mod pack;
pub mod packer;

/// Number of tokens that are computed together, unless one text has more: enough to use each weight
/// often, and few enough for the intermediate results to stay in the cache.
const TOGETHER: usize = 256;

#[derive(Debug)]
pub struct Encoder<'a> {
    pack: Pack<'a>,
}

impl<'a> Encoder<'a> {
    pub fn new(pack: Pack<'a>) -> Self {
        Self { pack }
    }

    pub fn pack(&self) -> &Pack<'a> {
        &self.pack
    }

    /// Returns a vector of length 1 for each text, which is given by its tokens; all zeros for one
    /// without. `level` is the instruction set to use, which has no influence on the result.
    #[must_use]
    pub fn embed(&self, level: Level, texts: &[Vec<u16>]) -> Vec<Vec<f32>> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut buffers = Buffers::default();
        let mut rest = texts;
        while !rest.is_empty() {
            let mut tokens = 0;
            let fit = rest.iter().take_while(|text| {
                tokens += text.len();
                tokens <= TOGETHER
            });
            let (group, after) = rest.split_at(fit.count().max(1));
            dispatch!(level, simd => self.forward(simd, group, &mut buffers, &mut vectors));
            rest = after;
        }
        vectors
    }

    /// Appends the vectors of texts. Their tokens are rows of the same matrices.
    fn forward<S: Simd>(
        &self,
        simd: S,
        texts: &[Vec<u16>],
        buffers: &mut Buffers,
        vectors: &mut Vec<Vec<f32>>,
    ) {
        let shape = self.pack.shape;
        let rows: usize = texts.iter().map(Vec::len).sum();
        let Buffers { x, qkv, mixed, added, inner, quantized, heads } = buffers;
        for (buffer, width) in [
            (&mut *x, shape.hidden),
            (&mut *qkv, 3 * shape.hidden),
            (&mut *mixed, shape.hidden),
            (&mut *added, shape.hidden),
            (&mut *inner, shape.inner),
        ] {
            buffer.clear();
            buffer.resize(rows * width, 0.0);
        }
        let places = texts.iter().flat_map(|text| text.iter().enumerate());
        for ((place, token), row) in places.zip(x.chunks_exact_mut(shape.hidden)) {
            self.pack.embedding(*token, place, row);
        }
        normalize(simd, x, shape.epsilon, &self.pack.norm);
        for Layer { qkv: to_qkv, mix, mix_norm, widen, narrow, norm } in &self.pack.layers {
            multiply(simd, to_qkv, x, qkv, quantized);
            let (mut from, mut to) = (qkv.as_slice(), mixed.as_mut_slice());
            for text in texts {
                let (own, rest) = from.split_at(text.len() * 3 * shape.hidden);
                let (own_mixed, rest_mixed) = to.split_at_mut(text.len() * shape.hidden);
                attend(simd, own, own_mixed, shape, heads);
                (from, to) = (rest, rest_mixed);
            }
            multiply(simd, mix, mixed, added, quantized);
            add(simd, x, added);
            normalize(simd, x, shape.epsilon, mix_norm);
            multiply(simd, widen, x, inner, quantized);
            gelu(simd, inner);
            multiply(simd, narrow, inner, added, quantized);
            add(simd, x, added);
            normalize(simd, x, shape.epsilon, norm);
        }
        let mut rows = x.chunks_exact(shape.hidden);
        for text in texts {
            let kept = if shape.pooling == PackPooling::First { 1 } else { text.len() };
            let mut vector = vec![0.0; shape.hidden];
            for row in rows.by_ref().take(text.len()).take(kept) {
                vector.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
            }
            // The others of its rows.
            rows.by_ref().take(text.len().saturating_sub(kept)).for_each(drop);
            scale_to_one(&mut vector);
            vectors.push(vector);
        }
    }
}

/// Intermediate results, which are kept from one group of texts to the next: the operating system
/// takes back freed memory, and clears it anew.
#[derive(Default)]
struct Buffers {
    x: Vec<f32>,
    qkv: Vec<f32>,
    mixed: Vec<f32>,
    added: Vec<f32>,
    inner: Vec<f32>,
    quantized: Quantized,
    heads: attention::Buffers,
}

#[inline(always)]
fn add<S: Simd>(simd: S, x: &mut [f32], added: &[f32]) {
    simd.vectorize(
        #[inline(always)]
        || x.iter_mut().zip(added).for_each(|(x, added)| *x += added),
    );
}

fn scale_to_one(vector: &mut [f32]) {
    let length = math::sum(vector, |x| x * x).sqrt();
    if length > 0.0 {
        for x in vector {
            *x /= length;
        }
    }
}

#[cfg(test)]
mod packer_tests;
#[cfg(test)]
mod tests;
