//! Estimates the thresholds of an uncalibrated model from its cosines of unrelated sentences.

use super::{
    model::{STATIC, Thresholds},
    table,
    vector::{normalize, product},
};

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
