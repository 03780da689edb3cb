//! Elementary functions, and sums in a fixed order.

use fearless_simd::Simd;

use crate::pack::Norm;

/// Number of partial sums, whatever the width of the machine's registers.
pub(super) const LANES: usize = 16;

/// 1.5 * 2^23: a number below 2^22 that is added to it is rounded to an integer, ties to even, in
/// its low bits.
const ROUNDER: f32 = 12_582_912.0;

/// Rounds a number between -2^22 and 2^22 to the nearest integer, ties to even. `f32::round` is a
/// function call on machines without an instruction for it.
#[inline(always)]
pub(super) fn round(x: f32) -> i32 {
    (x + ROUNDER).to_bits().wrapping_sub(ROUNDER.to_bits()).cast_signed()
}

/// Returns the sum of `f` over numbers whose count is a multiple of [`LANES`].
#[inline(always)]
pub(super) fn sum(numbers: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    for chunk in numbers.as_chunks::<LANES>().0 {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane += f(*x);
        }
    }
    fold(lanes, |a, b| a + b)
}

#[inline(always)]
pub(super) fn largest(lanes: [f32; LANES]) -> f32 {
    fold(lanes, larger)
}

/// Returns the larger number; the second one if they cannot be compared.
#[inline(always)]
pub(super) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Combines the lanes by halves.
#[inline(always)]
fn fold(lanes: [f32; LANES], f: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = lanes;
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        let (low, high) = lanes.split_at_mut(width);
        for (low, high) in low.iter_mut().zip(high) {
            *low = f(*low, *high);
        }
    }
    let [first, ..] = lanes;
    first
}

/// Returns e^x for x <= 0, with a relative error below 2e-7 down to -80, below which it is e^-80:
/// results are never subnormal.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // ln 2 as the sum of a number with few digits, whose multiples are exact, and the rest.
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    let x = larger(-80.0, x);
    let halvings = x * std::f32::consts::LOG2_E + ROUNDER;
    let power = halvings.to_bits().wrapping_sub(ROUNDER.to_bits()).cast_signed();
    let halvings = halvings - ROUNDER;
    let r = x - halvings * LN2_HIGH - halvings * LN2_LOW;
    // Taylor's series.
    let series = [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0];
    let series = series.iter().fold(1.0 / 5040.0, |series, term| series * r + term) * r + 1.0;
    series * f32::from_bits(power.wrapping_add(127).cast_unsigned() << 23)
}

/// Largest argument of the polynomial, from which on the error function is 1.
const ERF_END: f32 = 3.6;
/// Coefficients of the polynomial p, fitted so that x * p(2 (x / 3.6)^2 - 1) is the error function
/// of x with an absolute error below 6e-7.
const ERF: [f32; 13] = [
    0.002_246_726_8,
    -0.005_789_378,
    0.005_629_755,
    -0.008_185_63,
    0.020_165_393,
    -0.034_470_28,
    0.048_797_257,
    -0.067_511_745,
    0.089_706_87,
    -0.113_853_425,
    0.143_818_8,
    -0.195_488_57,
    0.392_712_03,
];

/// Returns the error function of `x`.
#[inline(always)]
fn erf(x: f32) -> f32 {
    let x = if x < ERF_END { x } else { ERF_END };
    let x = if x > -ERF_END { x } else { -ERF_END };
    let square = x * x * (2.0 / (ERF_END * ERF_END)) - 1.0;
    x * ERF.iter().fold(0.0, |sum, coefficient| sum * square + coefficient)
}

/// Replaces each number by itself times the probability that a normal one is smaller.
#[inline(always)]
pub(super) fn gelu<S: Simd>(simd: S, numbers: &mut [f32]) {
    simd.vectorize(
        #[inline(always)]
        || {
            for x in numbers {
                *x = 0.5 * *x * (1.0 + erf(*x * std::f32::consts::FRAC_1_SQRT_2));
            }
        },
    );
}

/// Shifts and scales each row to mean 0 and variance 1, then by the norm's parameters.
#[inline(always)]
pub(super) fn normalize<S: Simd>(simd: S, x: &mut [f32], epsilon: f32, norm: &Norm<'_>) {
    simd.vectorize(
        #[inline(always)]
        || {
            let count = norm.factors.len() as f32;
            for row in x.chunks_exact_mut(norm.factors.len()) {
                let mean = sum(row, |x| x) / count;
                let variance = sum(row, |x| (x - mean) * (x - mean)) / count;
                let scale = 1.0 / (variance + epsilon).sqrt();
                let parameters = norm.factors.iter().zip(norm.summands);
                for (x, (factor, summand)) in row.iter_mut().zip(parameters) {
                    let factor = f32::from_le_bytes(*factor);
                    *x = (*x - mean) * scale * factor + f32::from_le_bytes(*summand);
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions() {
        for step in 0..=8_000_u16 {
            let x = -f32::from(step) / 100.0;
            let want = f64::from(x).exp();
            assert!((f64::from(exp(x)) - want).abs() <= want * 2e-7, "{x}");
        }
        assert!(exp(-1e9) > 0.0 && exp(f32::MIN) < 1e-30);
        // Abramowitz and Stegun, table 7.1.
        for (x, want) in [
            (0.0, 0.0),
            (0.02, 0.022_564_574_7),
            (0.5, 0.520_499_877_8),
            (1.0, 0.842_700_792_9),
            (1.5, 0.966_105_146_5),
            (2.0, 0.995_322_265),
            (3.0, 0.999_977_909_5),
            (9.0, 1.0),
        ] {
            for (x, want) in [(x, want), (-x, -want)] {
                assert!((f64::from(erf(x)) - want).abs() < 6e-7, "{x}: {}", erf(x));
            }
        }
    }

    #[test]
    fn integers() {
        for (x, want) in
            [(0.5, 0), (1.5, 2), (-0.5, 0), (-1.5, -2), (32_766.5, 32_766), (-32_767.0, -32_767)]
        {
            assert_eq!(round(x), want);
        }
    }

    #[test]
    fn sums_are_those_of_a_tree() {
        let numbers: Vec<f32> = (0..32_u8).map(|number| f32::from(number).exp2()).collect();
        assert!((sum(&numbers, |x| x) - 4_294_967_295.0).abs() < 1000.0);
        assert!((largest(numbers.first_chunk().copied().unwrap()) - 32_768.0).abs() < 0.1);
    }
}
