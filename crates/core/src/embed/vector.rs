//! Quantised vectors: eight bits or one bit per number, with cosines and distances, and which cosines
//! of a model mean that two texts say the same.

use super::catalog::{Model, STATIC, Thresholds};

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
const SENTENCES: [&str; 32] = [
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

/// Questions. Each is answered by the sentence at the same place in [`SENTENCES`].
const QUESTIONS: [&str; 32] = [
    "where does the data on staging come from",
    "how do I indent Go code",
    "write the changelog for the new version",
    "users on a Mac cannot sign in",
    "when is a declined card charged again",
    "which colours does the brand have",
    "stack overflow while reading JSON",
    "who has to approve new terms of use",
    "why are photos smaller than the originals",
    "where does the build at night happen",
    "jobs hang when they write to the same record",
    "which languages do we support",
    "can I get an espresso upstairs",
    "how do I fake the time in a unit test",
    "what tax is charged to a buyer in Japan",
    "stale sessions after a new password",
    "the process needs too much RAM, how do I find out why",
    "on which day does the team meet",
    "when do we have to renew TLS",
    "new documents are not found",
    "may I print names of people while debugging",
    "which key combination closes a window",
    "how often do the thermometers send values",
    "how many reviewers does a pull request need",
    "is the phone client usable offline",
    "the disk is full of logs",
    "can a bill be deleted",
    "results explode when dt is increased",
    "permission denied inside docker",
    "text flickers while the page opens",
    "when do we travel to the customer in the north",
    "measure how fast the inner function is",
];
/// Mean cosines of the built-in transformer: of a question and another's sentence, and of a question and
/// its own.
const ENDS: (f64, f64) = (0.036, 0.406);
/// Difference of these two from which a model tells texts apart.
const LEAST_SPAN: f64 = 0.02;

/// Returns the texts whose vectors [`thresholds`] takes: sentences as passages of a model, then
/// questions as its queries.
#[must_use]
pub fn samples(model: &Model) -> Vec<String> {
    let passages = SENTENCES.map(|text| format!("{}{text}", model.passage_prefix));
    let queries = QUESTIONS.map(|text| format!("{}{text}", model.query_prefix));
    [passages, queries].concat()
}

/// Returns the thresholds of a model that gave these vectors for its [`samples`]. They lie as the
/// built-in model's do to the cosines of texts that belong together and of those that do not. `None`
/// if the vectors are not usable.
#[must_use]
pub fn thresholds(vectors: &[Vec<f32>]) -> Option<Thresholds> {
    let (unrelated, related) = ends(vectors)?;
    let span = related - unrelated;
    let at = |threshold: f64| unrelated + span * (threshold - ENDS.0) / (ENDS.1 - ENDS.0);
    // More digits would not be meaningful.
    let rounded = |threshold: f64| (at(threshold) * 10_000.0).round() / 10_000.0;
    (span >= LEAST_SPAN).then(|| Thresholds {
        recall: rounded(STATIC.recall),
        reminder: rounded(STATIC.reminder),
        duplicate: rounded(STATIC.duplicate).min(0.99),
    })
}

/// Returns the mean cosines of [`ENDS`] by the vectors of a model's samples.
fn ends(vectors: &[Vec<f32>]) -> Option<(f64, f64)> {
    let mut unit = vectors.to_vec();
    for vector in &mut unit {
        normalize(vector);
    }
    let (sentences, questions) = unit.split_at_checked(SENTENCES.len())?;
    let cosine = |a: &Vec<f32>, b: &Vec<f32>| f64::from(product(a, b));
    let of_all = |a: &Vec<f32>| questions.iter().map(|b| cosine(a, b)).sum::<f64>();
    let all: f64 = sentences.iter().map(of_all).sum();
    let related: f64 = sentences.iter().zip(questions).map(|(a, b)| cosine(a, b)).sum();
    let count = sentences.len() as f64;
    let ends = ((all - related) / (count * (count - 1.0)), related / count);
    (questions.len() == sentences.len() && ends.0.is_finite()).then_some(ends)
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
    use crate::embed::{catalog, table};

    fn own() -> Vec<Vec<f32>> {
        samples(&table::model()).iter().map(|text| table::embed(text)).collect()
    }

    #[test]
    fn both_ends_of_a_model_become_those_of_the_built_in_one() {
        let (unrelated, related) = ends(&own()).unwrap();
        let got = thresholds(&own()).unwrap();
        assert!((got.calibrate(unrelated) - ENDS.0).abs() < 1e-3, "{got:?}");
        assert!((got.calibrate(related) - ENDS.1).abs() < 1e-3, "{got:?}");
    }

    #[test]
    fn a_model_that_finds_everything_near_gets_higher_ones() {
        // A common direction in every vector raises all cosines, and halves their differences.
        let raised: Vec<Vec<f32>> = own()
            .into_iter()
            .map(|mut vector| {
                vector.push(1.0);
                vector
            })
            .collect();
        let (plain, got) = (thresholds(&own()).unwrap(), thresholds(&raised).unwrap());
        assert!((got.recall - f64::midpoint(1.0, plain.recall)).abs() < 1e-3, "{got:?}");
        for cosine in [0.1, 0.4, 0.7] {
            let raised = got.calibrate(f64::midpoint(1.0, cosine));
            assert!((raised - plain.calibrate(cosine)).abs() < 1e-2, "{got:?}");
        }
    }

    #[test]
    fn prefixes_belong_to_the_samples() {
        let model = catalog::model("nomic-embed-text", 8, catalog::Pooling::Mean);
        let samples = samples(&model);
        assert_eq!(samples.len(), 64);
        assert!(samples[..32].iter().all(|text| text.starts_with("search_document: ")));
        assert!(samples[32..].iter().all(|text| text.starts_with("search_query: ")));
    }

    #[test]
    fn vectors_that_tell_nothing() {
        assert_eq!(thresholds(&[]), None);
        assert_eq!(thresholds(&own()[..63]), None);
        assert_eq!(thresholds(&vec![vec![1.0, 2.0]; 64]), None);
        assert_eq!(thresholds(&vec![vec![f32::NAN; 3]; 64]), None);
    }
}
