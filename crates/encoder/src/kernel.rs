//! Products of matrices: weights of 8 bits by activations of up to 16, in exact integers.
//!
//! A row of activations is scaled so that its largest number becomes a limit that no sum of
//! products can overflow, whatever the weights and the other numbers are, and then rounded. What
//! the sums are does therefore not depend on the order of additions.

use fearless_simd::{Simd, i8x64, i16x32, i32x16, prelude::*, u8x64};

use crate::{
    LANES,
    math::{larger, largest, round},
    pack::Matrix,
};

/// Largest activation in a matrix of this many inputs.
#[expect(clippy::cast_precision_loss, reason = "at most 32767")]
fn limit(inputs: usize) -> f32 {
    let inputs = i32::try_from(inputs).unwrap_or(i32::MAX);
    (i32::MAX / inputs.saturating_mul(i32::from(i8::MAX))).min(i32::from(i16::MAX)) as f32
}

/// Activations as integers.
#[derive(Default)]
pub(super) struct Quantized {
    /// What each row was divided by.
    scales: Vec<f32>,
    /// Two neighbouring numbers of 16 bits each, in blocks of rows: first those of each row, then
    /// the next two of each row, and so on.
    pairs: Vec<i32>,
}

/// Number of rows that best share a pass over the weights: their sums fill the registers.
#[inline(always)]
fn together<S: Simd>() -> usize {
    match S::i32s::LEN {
        16 => 10,
        8 => 5,
        _ => 4,
    }
}

/// Returns the start and the length of each block of rows. The blocks are about equal.
#[inline(always)]
fn blocks<S: Simd>(rows: usize) -> impl Iterator<Item = (usize, usize)> + Clone {
    let count = rows.div_ceil(together::<S>());
    (0..count).map(move |block| {
        let (start, end) = (block * rows / count, (block + 1) * rows / count);
        (start, end - start)
    })
}

/// Computes `y = matrix * x` for each row.
#[inline(always)]
pub(super) fn multiply<S: Simd>(
    simd: S,
    matrix: &Matrix<'_>,
    x: &[f32],
    y: &mut [f32],
    quantized: &mut Quantized,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let (inputs, outputs) = (matrix.inputs.len(), matrix.factors.len());
            let rows = x.len() / inputs;
            let Quantized { scales, pairs } = quantized;
            scales.resize(rows, 0.0);
            pairs.resize(rows * inputs / 2, 0);
            let mut rest = pairs.as_mut_slice();
            for (start, count) in blocks::<S>(rows) {
                let (block, after) = std::mem::take(&mut rest).split_at_mut(count * inputs / 2);
                let x = x.chunks_exact(inputs).zip(scales.iter_mut()).skip(start).take(count);
                for (number, (row, scale)) in x.enumerate() {
                    *scale = quantize(row, matrix.inputs, block, number, count);
                }
                rest = after;
            }
            let weights = matrix.weights.chunks_exact(LANES * inputs);
            let parameters = matrix.factors.as_chunks().0.iter().zip(matrix.summands.as_chunks().0);
            for (number, (weights, parameters)) in weights.zip(parameters).enumerate() {
                let (factors, summands) = parameters;
                let (factors, summands) = (floats(factors), floats(summands));
                let mut rest = pairs.as_slice();
                for (start, count) in blocks::<S>(rows) {
                    let (block, after) = rest.split_at(count * inputs / 2);
                    let y = y.chunks_exact_mut(outputs).zip(scales.iter()).skip(start);
                    let y = y.map(|(row, scale)| (row.as_chunks_mut().0.get_mut(number), *scale));
                    let parameters = (&factors, &summands);
                    match count {
                        1 => outputs_of::<S, 1>(simd, weights, block, parameters, y),
                        2 => outputs_of::<S, 2>(simd, weights, block, parameters, y),
                        3 => outputs_of::<S, 3>(simd, weights, block, parameters, y),
                        4 => outputs_of::<S, 4>(simd, weights, block, parameters, y),
                        5 => outputs_of::<S, 5>(simd, weights, block, parameters, y),
                        6 => outputs_of::<S, 6>(simd, weights, block, parameters, y),
                        7 => outputs_of::<S, 7>(simd, weights, block, parameters, y),
                        8 => outputs_of::<S, 8>(simd, weights, block, parameters, y),
                        9 => outputs_of::<S, 9>(simd, weights, block, parameters, y),
                        _ => outputs_of::<S, 10>(simd, weights, block, parameters, y),
                    }
                    rest = after;
                }
            }
        },
    );
}

#[inline(always)]
fn floats(bytes: &[[u8; 4]; LANES]) -> [f32; LANES] {
    bytes.map(f32::from_le_bytes)
}

/// Rounds a row of activations to integers, as the row `number` of a block of `count` rows. Returns
/// what it was divided by.
#[inline(always)]
fn quantize(
    row: &[f32],
    factors: &[[u8; 4]],
    block: &mut [i32],
    number: usize,
    count: usize,
) -> f32 {
    // A row of zeros is divided by a tiny number.
    let mut most = [1e-30_f32; LANES];
    for (row, factors) in row.as_chunks::<LANES>().0.iter().zip(factors.as_chunks::<LANES>().0) {
        for ((most, x), factor) in most.iter_mut().zip(row).zip(factors) {
            *most = larger((x * f32::from_le_bytes(*factor)).abs(), *most);
        }
    }
    let (most, limit) = (largest(most), limit(row.len()));
    let scale = limit / most;
    let pairs = row.as_chunks::<2>().0.iter().zip(factors.as_chunks::<2>().0);
    let to = block.get_mut(number..).unwrap_or_default().iter_mut().step_by(count);
    for (to, ([a, b], [factor_a, factor_b])) in to.zip(pairs) {
        let low = round(a * f32::from_le_bytes(*factor_a) * scale);
        let high = round(b * f32::from_le_bytes(*factor_b) * scale);
        *to = low & 0xffff | high << 16;
    }
    most / limit
}

/// Computes 16 outputs of `T` rows.
#[inline(always)]
fn outputs_of<'a, S: Simd, const T: usize>(
    simd: S,
    weights: &[u8],
    block: &[i32],
    (factors, summands): (&[f32; LANES], &[f32; LANES]),
    y: impl Iterator<Item = (Option<&'a mut [f32; LANES]>, f32)>,
) {
    for (sums, (y, scale)) in sums::<S, T>(simd, weights, block).iter().zip(y) {
        let Some(y) = y else { continue };
        for (((y, sum), factor), summand) in y.iter_mut().zip(sums).zip(factors).zip(summands) {
            #[expect(clippy::cast_precision_loss, reason = "rounded to the nearest")]
            let sum = *sum as f32;
            *y = sum * (factor * scale) + summand;
        }
    }
}

/// Returns the sums of the products of 16 rows of weights with `T` rows of activations.
#[inline(always)]
fn sums<S: Simd, const T: usize>(simd: S, weights: &[u8], block: &[i32]) -> [[i32; LANES]; T] {
    let mut sums = [i32x16::splat(simd, 0); T];
    let block = block.as_chunks::<T>().0.as_chunks::<2>().0;
    for (weights, [first, second]) in weights.as_chunks::<64>().0.iter().zip(block) {
        let weights: i8x64<S> = u8x64::from_slice(simd, weights).bitcast();
        let (even, odd) = weights.widen();
        for ((sum, first), second) in sums.iter_mut().zip(first).zip(second) {
            let first: i16x32<S> = i32x16::splat(simd, *first).bitcast();
            let second: i16x32<S> = i32x16::splat(simd, *second).bitcast();
            *sum += even.pairwise_dot_product(first);
            *sum += odd.pairwise_dot_product(second);
        }
    }
    sums.map(|sum| {
        let mut numbers = [0; LANES];
        sum.store_slice(&mut numbers);
        numbers
    })
}

#[cfg(test)]
mod tests {
    use fearless_simd::dispatch;

    use super::*;
    use crate::tests::levels;

    /// Returns the product by the kernel and in `f64`. `weight` and `x` give the numbers by output
    /// and input, and by row and input.
    fn both(
        inputs: usize,
        rows: usize,
        weight: impl Fn(usize, usize) -> i8,
        x: impl Fn(usize, usize) -> f32,
    ) -> Vec<(f32, f64)> {
        const OUTPUTS: usize = 32;
        let number = |number: f32, count: usize| vec![number.to_le_bytes(); count];
        let (input_factors, factors) = (number(0.5, inputs), number(2.0, OUTPUTS));
        let summands = number(1.0, OUTPUTS);
        let mut weights = vec![0; OUTPUTS * inputs];
        for output in 0..OUTPUTS {
            for input in 0..inputs {
                let (block, pair) = (output / 16 * inputs / 4 + input / 4, input % 4 / 2);
                let at = 64 * block + 32 * pair + 2 * (output % 16) + input % 2;
                weights[at] = weight(output, input).cast_unsigned();
            }
        }
        let matrix = Matrix {
            inputs: &input_factors,
            factors: &factors,
            summands: &summands,
            weights: &weights,
        };
        let all: Vec<f32> = (0..rows)
            .flat_map(|row| (0..inputs).map(move |input| (row, input)))
            .map(|(row, input)| x(row, input))
            .collect();
        let mut found = Vec::new();
        for (_, level) in levels() {
            let mut y = vec![0.0; rows * OUTPUTS];
            let mut quantized = Quantized::default();
            dispatch!(level, simd => multiply(simd, &matrix, &all, &mut y, &mut quantized));
            for (at, y) in y.into_iter().enumerate() {
                let (row, output) = (at / OUTPUTS, at % OUTPUTS);
                let product = |input| f64::from(weight(output, input)) * f64::from(x(row, input));
                found.push((y, 1.0 + (0..inputs).map(product).sum::<f64>()));
            }
        }
        found
    }

    #[test]
    fn no_sum_overflows() {
        for inputs in [32, 384, 1536, 4096] {
            for (weight, x) in [(127, 3.0), (-127, 3.0), (127, -3e20), (-127, -1e-20)] {
                for (got, want) in both(inputs, 3, |_, _| weight, |_, _| x) {
                    assert!((f64::from(got) - want).abs() <= want.abs() * 1e-5, "{got} {want}");
                }
            }
        }
    }

    #[test]
    fn products_of_any_number_of_rows() {
        for rows in 1..=23 {
            let weight =
                |output, input| i8::try_from((output * 37 + input * 11) % 255).unwrap_or(-90);
            let x = |row: usize, input: usize| ((row * 31 + input * 7) % 101) as f32 - 50.0;
            for (got, want) in both(64, rows, weight, x) {
                assert!(
                    (f64::from(got) - want).abs() < 0.002 * 64.0 * 50.0,
                    "{rows}: {got} {want}"
                );
            }
        }
        assert!(both(32, 1, |_, _| 1, |_, _| 0.0).iter().all(|(y, _)| (y - 1.0).abs() < 1e-9));
    }
}
