//! Transformers that this process computes: the built-in one, and those that were packed when they
//! were installed.

use std::{
    borrow::Cow,
    fs,
    num::NonZero,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use pimem_core::{
    embed::{
        catalog::{Embedder, Model, TextRole, Unavailable},
        transformer::{self, Hash, Level, PackError, Pieces, Transformer, VOCABULARY},
    },
    model::shares::in_shares,
};

/// Names of an installed model's files: packed weights, and the pieces of a vocabulary that is not
/// the built-in table's, one a line.
pub const WEIGHTS: &str = "model.pack";
pub const PIECES: &str = "vocab.txt";

/// Number of texts that are embedded in one go.
const AT_ONCE: usize = 8;
/// Maximum number of tokens of a query. The time for more grows with their square, and a prompt
/// waits for it.
const QUERY_TOKENS: usize = 64;

/// Packed weights with their vocabulary.
#[derive(Debug)]
pub struct NativeWeights {
    bytes: Cow<'static, [u8]>,
    vocabulary: Hash,
    pieces: Option<Pieces>,
}

impl NativeWeights {
    /// Weights in the vocabulary of the built-in table.
    pub fn built_in(bytes: &'static [u8]) -> Self {
        Self { bytes: Cow::Borrowed(bytes), vocabulary: VOCABULARY, pieces: None }
    }

    /// Reads the weights in a model's directory, which has its own vocabulary if `with_pieces`.
    ///
    /// # Errors
    /// If they cannot be read, or are damaged.
    pub fn read(dir: &Path, with_pieces: bool) -> Result<Self, Unavailable> {
        let read = |name: &str| {
            let path = dir.join(name);
            let said = |error| Unavailable(format!("cannot read {}: {error}", path.display()));
            fs::read(&path).map_err(said)
        };
        let bytes = Cow::Owned(read(WEIGHTS)?);
        let (mut vocabulary, mut own) = (VOCABULARY, None);
        if with_pieces {
            let text = read(PIECES)?;
            let list: Vec<Cow<'_, str>> = text
                .strip_suffix(b"\n")
                .unwrap_or(&text)
                .split(|byte| *byte == b'\n')
                .map(String::from_utf8_lossy)
                .collect();
            vocabulary = transformer::hash(&list);
            let wrong = |wrong| Unavailable(format!("{} {wrong}", dir.join(PIECES).display()));
            own = Some(Pieces::new(&list).map_err(wrong)?);
        }
        let weights = Self { bytes, vocabulary, pieces: own };
        let wrong = |wrong| Unavailable(format!("{} {wrong}", dir.join(WEIGHTS).display()));
        weights.transformer().map_err(wrong)?;
        Ok(weights)
    }

    /// Returns the encoder. Reads little of the weights.
    pub fn transformer(&self) -> Result<Transformer<'_>, PackError> {
        Transformer::with_pieces(&self.bytes, &self.vocabulary, self.pieces.as_ref())
    }
}

/// A model that this process computes.
pub struct Native {
    model: Model,
    weights: NativeWeights,
    deadline: Option<Duration>,
    end: Option<Instant>,
}

impl Native {
    /// `deadline` applies to all calls of [`Embedder::embed`] together, and runs from the first.
    pub fn new(model: Model, weights: NativeWeights, deadline: Option<Duration>) -> Self {
        Self { model, weights, deadline, end: None }
    }

    /// Returns why no more texts can be embedded.
    #[expect(clippy::disallowed_methods, reason = "a deadline runs while this computes")]
    fn in_time(&mut self) -> Result<(), Unavailable> {
        let Some(deadline) = self.deadline else { return Ok(()) };
        let now = Instant::now();
        if *self.end.get_or_insert(now + deadline) > now {
            return Ok(());
        }
        let millis = deadline.as_millis();
        Err(Unavailable(format!("the model did not answer within {millis} ms")))
    }
}

impl Embedder for Native {
    fn model(&self) -> &Model {
        &self.model
    }

    fn embed(
        &mut self,
        role: TextRole,
        texts: &[&str],
        progress: &mut dyn FnMut(usize),
    ) -> Result<Vec<Vec<f32>>, Unavailable> {
        let prefix = self.model.prefix(role);
        let tokens = if role == TextRole::Query { QUERY_TOKENS } else { usize::MAX };
        let prefixed: Vec<String> = if prefix.is_empty() {
            Vec::new()
        } else {
            // A text without words has no vector, whatever stands before it.
            let prefixed = |text: &&str| match text.trim() {
                "" => String::new(),
                _ => format!("{prefix}{text}"),
            };
            texts.iter().map(prefixed).collect()
        };
        let prefixed: Vec<&str> = prefixed.iter().map(String::as_str).collect();
        let texts = if prefixed.is_empty() { texts } else { &prefixed };
        let processors = if texts.len() > 1 {
            thread::available_parallelism().map_or(1, NonZero::get)
        } else {
            1
        };
        let mut vectors = Vec::with_capacity(texts.len());
        for texts in texts.chunks(AT_ONCE * processors) {
            self.in_time()?;
            let transformer = self.weights.transformer();
            let transformer = transformer.map_err(|wrong| Unavailable(wrong.to_string()))?;
            let level = Level::new();
            vectors.extend(in_shares(texts, 1, |texts| transformer.embed(level, texts, tokens)));
            progress(vectors.len());
        }
        Ok(vectors)
    }
}
