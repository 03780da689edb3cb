//! The transformer that is part of the program: all-MiniLM-L6-v2, unless it was left out of the
//! build.

use std::{io, time::Duration};

use super::{
    installed,
    native::{Native, NativeWeights},
};
use pimem_core::embed::{
    catalog::{self, Embedder, Model, Unavailable},
    transformer::{PackError, Transformer},
};

/// Its name, as in `embedding.model`.
pub const NAME: &str = "minilm";
/// The same model in the catalogue, as files in ONNX.
const CATALOGUED: &str = "all-minilm-l6-v2";
/// True if the build has its weights.
pub const INCLUDED: bool = cfg!(feature = "minilm");

#[cfg(feature = "minilm")]
static WEIGHTS: &[u8] = include_bytes!("../../../../models/minilm-l6-v2/minilm.pack");
#[cfg(not(feature = "minilm"))]
static WEIGHTS: &[u8] = &[];

/// Returns the canonical name of a model as it is called in this build: what is built in need not
/// be installed.
pub fn resolve(name: &str) -> String {
    if catalog::of_ollama(name.trim()).is_some() {
        return name.trim().to_owned();
    }
    let name = catalog::canonical(name);
    match name.as_str() {
        NAME | CATALOGUED => if INCLUDED { NAME } else { CATALOGUED }.to_owned(),
        _ => name,
    }
}

/// Returns true if the model of this canonical name is the one that is built in.
pub fn is_it(name: &str) -> bool {
    INCLUDED && name == NAME
}

/// Returns the description of the model, and the maximum number of tokens of a text. Reads little
/// of the weights.
pub fn describe() -> Result<(Model, usize), Unavailable> {
    open().map(|transformer| (model(&transformer), transformer.max_tokens()))
}

/// Checks all of the weights.
pub fn verify() -> Result<(), Unavailable> {
    open()?.verify().map_err(damaged)
}

/// Opens the model. `deadline` applies to all calls of [`Embedder::embed`] together, and runs from
/// the first.
pub fn embedder(deadline: Option<Duration>) -> Result<Box<dyn Embedder>, Unavailable> {
    let model = model(&open()?);
    Ok(Box::new(Native::new(model, NativeWeights::built_in(WEIGHTS), deadline)))
}

/// Embeds texts from standard input, as [`super::installed::serve`] does by an installed model.
pub fn serve(
    input: &mut dyn io::BufRead,
    write: &mut dyn FnMut(&str) -> io::Result<()>,
) -> anyhow::Result<()> {
    installed::answer_by(embedder(None)?.as_mut(), input, write)
}

fn open() -> Result<Transformer<'static>, Unavailable> {
    if !INCLUDED {
        return Err(Unavailable(format!("this build has no model {NAME}")));
    }
    Transformer::new(WEIGHTS).map_err(damaged)
}

fn damaged(wrong: PackError) -> Unavailable {
    Unavailable(format!("the program is damaged: its model {NAME} {wrong}"))
}

fn model(transformer: &Transformer<'_>) -> Model {
    let model = catalog::model(NAME, transformer.dimension(), transformer.pooling());
    Model { revision: transformer.revision(), ..model }
}

#[cfg(all(test, feature = "minilm"))]
mod tests {
    use super::*;
    use pimem_core::embed::{catalog::TextRole, vector};

    #[test]
    fn the_weights_in_the_program_are_whole() {
        verify().unwrap();
        let (model, tokens) = describe().unwrap();
        assert_eq!((model.id.as_str(), model.dimension, tokens), (NAME, 384, 256));
        assert!(catalog::is_reference(&model));
    }

    #[test]
    fn other_models_are_measured_by_this_one() {
        let mut model = embedder(None).unwrap();
        let samples = vector::samples(model.model());
        let texts: Vec<&str> = samples.iter().map(String::as_str).collect();
        let vectors = model.embed(TextRole::Passage, &texts, &mut |_| ()).unwrap();
        let (own, got) = (model.model().thresholds, vector::thresholds(&vectors).unwrap());
        let same = |own: f64, got: f64| (own - got).abs() < 0.01;
        assert!(same(own.recall, got.recall) && same(own.reminder, got.reminder), "{got:?}");
    }

    #[test]
    fn names() {
        for name in ["minilm", "all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"] {
            assert_eq!(resolve(name), NAME);
        }
        assert_eq!(resolve("Xenova/bge-small-en-v1.5"), "bge-small-en-v1.5");
    }

    #[test]
    fn many_texts_are_embedded_like_one() {
        let texts: Vec<String> = (0..40).map(|number| format!("Job {number} failed")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut model = embedder(None).unwrap();
        let mut seen = Vec::new();
        let all = model.embed(TextRole::Passage, &texts, &mut |done| seen.push(done)).unwrap();
        assert_eq!(seen.last(), Some(&40));
        for (text, vector) in texts.iter().zip(&all) {
            assert!(
                model.embed(TextRole::Passage, &[text], &mut |_| ()).unwrap() == [vector.clone()]
            );
        }
    }

    #[test]
    fn the_beginning_of_a_query_counts() {
        let mut model = embedder(None).unwrap();
        let (short, long) = ("word ".repeat(62), "word ".repeat(100));
        let mut both = |role| model.embed(role, &[&short, &long], &mut |_| ()).unwrap();
        let (queries, passages) = (both(TextRole::Query), both(TextRole::Passage));
        assert!(queries[0] == queries[1] && passages[0] == queries[0]);
        assert!(passages[0] != passages[1]);
    }

    #[test]
    fn a_deadline_that_has_passed() {
        let mut model = embedder(Some(Duration::ZERO)).unwrap();
        let late = model.embed(TextRole::Query, &["text"], &mut |_| ()).unwrap_err();
        assert_eq!(late.0, "the model did not answer within 0 ms");
    }
}
