//! Attention: the tokens of a text take from each other what resembles what they look for.

use fearless_simd::Simd;

use crate::{
    LANES,
    math::{exp, larger, largest, sum},
    pack::Shape,
};

#[derive(Default)]
pub(super) struct Buffers {
    /// The keys of all tokens, one number of each after the other.
    keys: Vec<f32>,
    /// The weight of each token for one of them.
    weights: Vec<f32>,
}

/// Mixes the tokens of one text. A row of `qkv` is query, key and value, each the parts of all
/// heads.
#[inline(always)]
pub(super) fn attend<S: Simd>(
    simd: S,
    qkv: &[f32],
    mixed: &mut [f32],
    shape: Shape,
    buffers: &mut Buffers,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let Shape { hidden, heads, .. } = shape;
            let width = hidden / heads;
            for head in 0..heads {
                let start = head * width;
                one(qkv, mixed, hidden, start..start + width, buffers);
            }
        },
    );
}

/// Mixes the part `own` of each row's query, key and value.
#[inline(always)]
fn one(
    qkv: &[f32],
    mixed: &mut [f32],
    hidden: usize,
    own: std::ops::Range<usize>,
    buffers: &mut Buffers,
) {
    let Buffers { keys, weights } = buffers;
    let rows = qkv.len() / (3 * hidden);
    let blocks = rows.div_ceil(LANES);
    let width = own.len();
    keys.clear();
    keys.resize(width * blocks * LANES, 0.0);
    weights.clear();
    weights.resize(blocks * LANES, 0.0);
    let part = |row: usize, kind: usize| {
        let start = (3 * row + kind) * hidden + own.start;
        qkv.get(start..start + width).unwrap_or_default()
    };
    for row in 0..rows {
        let to = keys.get_mut(row..).unwrap_or_default().iter_mut().step_by(blocks * LANES);
        to.zip(part(row, 1)).for_each(|(to, key)| *to = *key);
    }
    #[expect(clippy::cast_precision_loss, reason = "a small power of two")]
    let scale = 1.0 / (width as f32).sqrt();
    for (row, mixed) in mixed.chunks_exact_mut(hidden).enumerate() {
        let query = part(row, 0);
        let mut top = [f32::MIN; LANES];
        for (block, weights) in weights.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let mut products = [0.0; LANES];
            let keys = keys.as_chunks::<LANES>().0.iter().skip(block).step_by(blocks);
            for (keys, query) in keys.zip(query) {
                for (product, key) in products.iter_mut().zip(keys) {
                    *product += query * key;
                }
            }
            for (lane, ((weight, top), product)) in
                weights.iter_mut().zip(&mut top).zip(products).enumerate()
            {
                let exists = block * LANES + lane < rows;
                *weight = if exists { product * scale } else { f32::MIN };
                *top = larger(*weight, *top);
            }
        }
        let top = largest(top);
        for weight in weights.iter_mut() {
            *weight = exp(*weight - top);
        }
        for weight in weights.iter_mut().skip(rows) {
            *weight = 0.0;
        }
        let scale = 1.0 / sum(weights, |weight| weight);
        let mixed = mixed.get_mut(own.clone()).unwrap_or_default();
        for (lanes, mixed) in mixed.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let mut sums = [0.0; LANES];
            for (row, weight) in weights.iter().take(rows).enumerate() {
                let Some(value) = part(row, 2).as_chunks::<LANES>().0.get(lanes) else { continue };
                for (sum, value) in sums.iter_mut().zip(value) {
                    *sum += weight * value;
                }
            }
            for (mixed, sum) in mixed.iter_mut().zip(sums) {
                *mixed = sum * scale;
            }
        }
    }
}
