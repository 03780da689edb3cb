//! Quantised vectors: eight bits or one bit per number, with cosines and distances, and which cosines
//! of a model mean that two texts say the same.

use super::{
    catalog::{STATIC, Thresholds},
    table,
};

/// A vector of length 1 with eight bits per number. All zeros for a text without tokens.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Vector {
    /// The numbers, -127 to 127, as bytes in two's complement.
    pub numbers: Vec<u8>,
    /// Factor that scales the numbers to length 1; 0 for a zero vector.
    pub scale: f32,
}

impl Vector {
    /// Quantises a vector of any length. Numbers that are not finite count as zero.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to -127 to 127")]
    pub fn quantize(vector: &[f32]) -> Self {
        let finite = |x: &f32| if x.is_finite() { *x } else { 0.0 };
        let largest = vector.iter().map(|x| finite(x).abs()).fold(0.0, f32::max);
        if largest == 0.0 {
            return Self { numbers: vec![0; vector.len()], scale: 0.0 };
        }
        let factor = 127.0 / largest;
        // Half is added away from zero: `round` is a function call on machines without an
        // instruction for it.
        let round = |x: f32| (x + 0.5_f32.copysign(x)) as i8;
        let numbers: Vec<u8> =
            vector.iter().map(|x| round(finite(x) * factor).cast_unsigned()).collect();
        let scale = 1.0 / (dot(&numbers, &numbers) as f32).sqrt();
        Self { numbers, scale }
    }

    /// Returns the cosine with another vector, -1 to 1; 0 if one of them is zero or their
    /// dimensions differ.
    #[must_use]
    pub fn cosine(&self, numbers: &[u8], scale: f32) -> f32 {
        if self.numbers.len() != numbers.len() {
            return 0.0;
        }
        // Integer arithmetic gives the same result on every machine.
        (dot(&self.numbers, numbers) as f32 * self.scale * scale).clamp(-1.0, 1.0)
    }

    /// Returns the vector of length 1, with the precision of the quantised numbers.
    #[must_use]
    pub fn unit(&self) -> Vec<f32> {
        self.numbers.iter().map(|number| f32::from(number.cast_signed()) * self.scale).collect()
    }

    /// Returns the sign bits, eight per byte.
    #[must_use]
    pub fn signs(&self) -> Vec<u8> {
        let byte = |chunk: &[u8]| chunk.iter().rev().fold(0, |byte, x| byte << 1 | x >> 7);
        self.numbers.chunks(8).map(byte).collect()
    }
}

/// Returns the dot product of two vectors of up to 2^17 numbers, as bytes in two's complement.
#[must_use]
pub fn dot(a: &[u8], b: &[u8]) -> i32 {
    let number = |byte: &u8| i32::from(byte.cast_signed());
    a.iter().zip(b).map(|(a, b)| number(a) * number(b)).sum()
}

/// Returns the number of bits in which two rows of signs differ.
#[must_use]
pub fn hamming(a: &[u8], b: &[u8]) -> u32 {
    let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    let words: u32 = a.iter().zip(b).map(|(a, b)| (word(a) ^ word(b)).count_ones()).sum();
    words + rest_a.iter().zip(rest_b).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()
}

/// Divides a vector by its length; a zero vector is left unchanged.
pub fn normalize(vector: &mut [f32]) {
    let length = product(vector, vector).sqrt();
    if length > 0.0 {
        for x in vector {
            *x /= length;
        }
    }
}

/// Returns the dot product of two vectors. Eight separate sums allow SIMD.
#[must_use]
pub fn product(a: &[f32], b: &[f32]) -> f32 {
    let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0_f32; 8];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    let rest: f32 = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

/// Unrelated sentences from a developer's day.
pub const SENTENCES: [&str; 32] = [
    "The staging database is restored from last night's backup",
    "Prefer tabs over spaces in Go files",
    "Release notes are written in the imperative",
    "The login page shows a blank screen in Safari",
    "Retry failed payments after one hour",
    "Our logo is dark green on white",
    "The parser recurses too deeply on nested arrays",
    "Ask Maria before you change the licence text",
    "Images are resized to 800 pixels on upload",
    "Nightly builds run on the ARM machine",
    "A deadlock occurs when two workers update one row",
    "Translate error messages into German and French",
    "The coffee machine on the second floor is broken",
    "Use dependency injection for the clock in tests",
    "Customers outside Europe pay no value added tax",
    "The cache is invalidated when a user changes their password",
    "Profile memory with heaptrack before optimising",
    "Weekly meetings moved to Thursday morning",
    "Certificates expire at the end of March",
    "The search index is rebuilt after every import",
    "Never log personal data of patients",
    "Keyboard shortcuts follow the operating system",
    "Temperature sensors report every five minutes",
    "Merge requests need two approvals",
    "The mobile app works without a connection",
    "Compress log files older than a week",
    "Invoices are numbered without gaps",
    "The simulation diverges for large time steps",
    "Containers run as an unprivileged user",
    "Font files are loaded before the first paint",
    "The train to Hamburg leaves at seven",
    "Write benchmarks for the hot loop",
];

/// Returns the thresholds of a model that gave these vectors for [`SENTENCES`]. They are as many
/// standard deviations above the mean cosine of two sentences as the built-in model's thresholds
/// are. `None` if the vectors are not usable.
#[must_use]
pub fn thresholds(vectors: &[Vec<f32>]) -> Option<Thresholds> {
    let own: Vec<Vec<f32>> = SENTENCES.iter().map(|text| table::embed(text)).collect();
    let ((own_mean, own_spread), (mean, spread)) = (spread(&own)?, spread(vectors)?);
    let at = |threshold: f64| {
        let deviations = (threshold - own_mean) / own_spread;
        // More digits would not be meaningful.
        ((mean + deviations * spread).min(0.99) * 1000.0).round() / 1000.0
    };
    let found = Thresholds {
        recall: at(STATIC.recall),
        reminder: at(STATIC.reminder),
        duplicate: at(STATIC.duplicate),
    };
    (found.recall < found.reminder).then_some(found)
}

/// Returns mean and standard deviation of the cosines of all pairs.
fn spread(vectors: &[Vec<f32>]) -> Option<(f64, f64)> {
    let mut unit = vectors.to_vec();
    for vector in &mut unit {
        normalize(vector);
    }
    let mut cosines = Vec::new();
    for (at, vector) in unit.iter().enumerate() {
        cosines.extend(unit.iter().skip(at + 1).map(|other| f64::from(product(vector, other))));
    }
    let count = cosines.len() as f64;
    let mean = cosines.iter().sum::<f64>() / count;
    let variance = cosines.iter().map(|cosine| (cosine - mean).powi(2)).sum::<f64>() / count;
    (variance.is_finite() && variance > 1e-9).then(|| (mean, variance.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines() {
        let cosine = |a: &[f32], b: &[f32]| {
            let b = Vector::quantize(b);
            Vector::quantize(a).cosine(&b.numbers, b.scale)
        };
        assert!((cosine(&[0.3, -0.4], &[0.3, -0.4]) - 1.0).abs() < 1e-6);
        assert!((cosine(&[1.0, 0.0], &[1.0, 1.0]) - 0.5_f32.sqrt()).abs() < 1e-3);
        assert!((cosine(&[1.0, 0.0], &[-9.0, 0.0]) + 1.0).abs() < 1e-6);
        assert!(cosine(&[1.0, 0.0], &[0.0, 0.0]).abs() < 1e-9);
        assert!(cosine(&[1.0, 0.0], &[1.0]).abs() < 1e-9);
        assert!(cosine(&[f32::NAN, 1.0], &[f32::INFINITY, 1.0]) > 0.99);
    }

    #[test]
    fn signs() {
        let negative = Vector::quantize(&[-1.0; 65]).signs();
        let other = Vector::quantize(&[1.0; 65]).signs();
        assert_eq!((negative.len(), negative[8], hamming(&negative, &other)), (9, 1, 65));
        assert_eq!(Vector::quantize(&[1.0, -1.0, 0.0]).signs(), [2]);
    }

    #[test]
    fn what_is_unpacked_is_packed_the_same() {
        for seed in 0..50_u8 {
            let number = |at: u8| (f32::from(seed) * 1.7 + f32::from(at)).sin().powi(3);
            let vector = Vector::quantize(&(0..200).map(number).collect::<Vec<_>>());
            assert!((product(&vector.unit(), &vector.unit()) - 1.0).abs() < 1e-5);
            assert_eq!(Vector::quantize(&vector.unit()), vector);
        }
        let zero = Vector::quantize(&[0.0; 3]);
        assert_eq!(Vector::quantize(&zero.unit()), zero);
    }

    #[test]
    fn sums() {
        let numbers: Vec<f32> = (1..=19_u8).map(f32::from).collect();
        assert!((product(&numbers, &numbers) - 2470.0).abs() < 1e-3);
        let worst = vec![0x80; 4096];
        assert_eq!(dot(&worst, &worst), 128 * 128 * 4096);
        let mut zero = [0.0; 3];
        normalize(&mut zero);
        assert!(zero.iter().all(|x: &f32| x.abs() < f32::EPSILON));
    }
}

#[cfg(test)]
mod calibrate_tests {
    use super::*;

    #[test]
    fn the_built_in_model_keeps_its_own() {
        let own: Vec<Vec<f32>> = SENTENCES.iter().map(|text| table::embed(text)).collect();
        let got = thresholds(&own).unwrap();
        assert!((got.recall - STATIC.recall).abs() < 1e-6, "{got:?}");
        assert!((got.duplicate - STATIC.duplicate).abs() < 1e-6, "{got:?}");
    }

    #[test]
    fn a_model_that_finds_everything_near_gets_higher_ones() {
        // A common direction in every vector raises all cosines.
        let raise = |text: &&str| {
            let mut vector = table::embed(text);
            vector.push(1.0);
            vector
        };
        let got = thresholds(&SENTENCES.iter().map(raise).collect::<Vec<_>>()).unwrap();
        assert!((got.recall - f64::midpoint(1.0, STATIC.recall)).abs() < 1e-3, "{got:?}");
        assert!((got.calibrate(0.75) - 0.5).abs() < 1e-2);
    }

    #[test]
    fn vectors_that_tell_nothing() {
        assert_eq!(thresholds(&[]), None);
        assert_eq!(thresholds(&vec![vec![1.0, 2.0]; 32]), None);
        assert_eq!(thresholds(&vec![vec![f32::NAN; 3]; 32]), None);
    }
}
