//! Embedding models of Ollama.
//!
//! Dimension and thresholds of a model are measured when it is first used, and recorded: without
//! them its vectors could not be told from those of another model under the same name.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{ModelError, Provider, http::ModelServer};
use crate::{
    config::env::Env,
    store::{
        atomic::{self, Sync},
        read,
    },
};
use pimem_core::{
    embed::{
        catalog::{self, Embedder, Model, Pooling, TextRole, Unavailable},
        vector::{self, normalize},
    },
    model::hash::fnv1a64,
    safety::secret,
};

/// Number of texts in a request.
const AT_ONCE: usize = 32;
/// Time limit of a request if there is no deadline; loading a large model takes long.
const SILENCE: Duration = Duration::from_mins(2);
/// Maximum dimension of a model.
const MAX_DIMENSION: usize = 1 << 14;

/// A model of a server.
#[derive(Debug, Clone)]
pub struct Remote {
    /// The model, as in `embedding.model`.
    id: String,
    address: String,
    proxy: Option<super::ApiKey>,
    record: PathBuf,
}

impl Remote {
    /// Returns the model with this name; `None` if it is not one of Ollama's. `endpoint` is the
    /// value of `embedding.endpoint`, and records are in `cache`.
    pub fn named(name: &str, endpoint: &str, env: &Env, cache: &Path) -> Option<Self> {
        catalog::of_ollama(name)?;
        let address = match endpoint.trim() {
            "" => env.key("OLLAMA_HOST").as_deref().and_then(of_variable),
            endpoint => Some(endpoint.to_owned()),
        };
        let address = address.unwrap_or_else(|| Provider::Ollama.endpoint().to_owned());
        let key = fnv1a64(&[name.as_bytes(), b"\n", address.as_bytes()]);
        let record = cache.join(format!("{key:016x}.json"));
        #[cfg(feature = "llm")]
        let proxy = super::requests::proxy(&address, env);
        #[cfg(not(feature = "llm"))]
        let proxy = None;
        Some(Self { id: name.to_owned(), address, proxy, record })
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the model as it was measured; `None` if it was not.
    pub fn known(&self) -> Option<Model> {
        let dir = self.record.parent()?;
        let bytes = read::file(dir, &self.record, read::MAX_FILE).ok()??;
        let model: Model = serde_json::from_slice(&bytes).ok()?;
        let fits = model.id == self.id && (1..=MAX_DIMENSION).contains(&model.dimension);
        fits.then_some(model)
    }

    /// Opens the model, which is measured first if it was not. `deadline` applies to that and to all
    /// calls of [`Embedder::embed`] together, and runs from now.
    ///
    /// # Errors
    /// If the server does not answer, or not with vectors.
    pub fn open(&self, deadline: Option<Duration>) -> Result<Box<dyn Embedder>, Unavailable> {
        let clock = Clock::start(deadline);
        let model = match self.known() {
            Some(model) => model,
            None => self.measured(&clock)?,
        };
        Ok(Box::new(Client { server: self.server()?, model, clock }))
    }

    /// Measures the model anew, and records it.
    ///
    /// # Errors
    /// If the server does not answer, or not with vectors.
    pub fn measure(&self, deadline: Option<Duration>) -> Result<Model, Unavailable> {
        self.measured(&Clock::start(deadline))
    }

    fn measured(&self, clock: &Clock) -> Result<Model, Unavailable> {
        let name = catalog::of_ollama(&self.id).unwrap_or_default();
        let mut model = catalog::model(&catalog::canonical(name), 0, Pooling::Mean);
        let (server, samples) = (self.server()?, vector::samples(&model));
        let (passages, queries) = samples.split_at(samples.len() / 2);
        let vectors = [passages, queries].map(|texts| ask(&server, name, texts, clock));
        let vectors = vectors.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
        let dimension = vectors.first().map_or(0, Vec::len);
        if dimension > MAX_DIMENSION || vectors.iter().any(|vector| vector.len() != dimension) {
            return Err(Unavailable(format!("{} gave vectors of different lengths", self.id)));
        }
        (model.id, model.dimension) = (self.id.clone(), dimension);
        model.thresholds = vector::thresholds(&vectors).unwrap_or(model.thresholds);
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        model.revision = format!("{:016x}", fnv1a64(&[&bytes]));
        // Without a record it is measured again next time.
        if let (Some(dir), Ok(text)) = (self.record.parent(), serde_json::to_vec_pretty(&model))
            && atomic::create_dir(dir, Sync::None).is_ok()
        {
            drop(atomic::replace_file(&self.record, &text, Sync::None.private(), || Ok(true)));
        }
        Ok(model)
    }

    fn server(&self) -> Result<ModelServer, Unavailable> {
        ModelServer::new(&self.address, self.proxy.as_ref()).map_err(|error| unavailable(&error))
    }
}

/// Converts the value of `OLLAMA_HOST`, which may lack scheme, host or port, to an address.
fn of_variable(value: &str) -> Option<String> {
    let value = value.trim().trim_end_matches('/');
    if value.is_empty() || value.contains("://") {
        return Some(value.to_owned()).filter(|value| !value.is_empty());
    }
    let (host, port) = match value.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port),
        _ => (value, "11434"),
    };
    // A server that listens everywhere is asked here.
    let host = if ["", "0.0.0.0", "[::]"].contains(&host) { "localhost" } else { host };
    Some(format!("http://{host}:{port}/"))
}

/// What is left of a deadline.
#[derive(Debug, Clone, Copy)]
struct Clock(Option<(Duration, Instant)>);

#[expect(clippy::disallowed_methods, reason = "a deadline runs while a server is waited for")]
impl Clock {
    fn start(deadline: Option<Duration>) -> Self {
        Self(deadline.map(|deadline| (deadline, Instant::now() + deadline)))
    }

    fn left(&self) -> Duration {
        self.0.map_or(SILENCE, |(_, end)| end.saturating_duration_since(Instant::now()))
    }

    fn late(&self) -> Unavailable {
        let limit = self.0.map_or(SILENCE, |(deadline, _)| deadline);
        Unavailable(format!("the model did not answer within {} ms", limit.as_millis()))
    }
}

struct Client {
    server: ModelServer,
    model: Model,
    clock: Clock,
}

impl Embedder for Client {
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
        let name = catalog::of_ollama(&self.model.id).unwrap_or_default();
        let mut vectors = vec![vec![0.0; self.model.dimension]; texts.len()];
        let asked: Vec<usize> = (0..)
            .zip(texts)
            .filter_map(|(at, text)| (!text.trim().is_empty()).then_some(at))
            .collect();
        for part in asked.chunks(AT_ONCE) {
            let text = |at: &usize| texts.get(*at).copied().unwrap_or_default();
            let inputs: Vec<String> =
                part.iter().map(|at| format!("{prefix}{}", text(at))).collect();
            let given = ask(&self.server, name, &inputs, &self.clock)?;
            for (at, vector) in part.iter().zip(given) {
                if vector.len() != self.model.dimension {
                    let (id, want) = (&self.model.id, self.model.dimension);
                    let given = vector.len();
                    return Err(Unavailable(format!(
                        "the model gave {given} numbers, not {want} (pimem model use {id} measures it anew)"
                    )));
                }
                if let Some(place) = vectors.get_mut(*at) {
                    *place = vector;
                }
            }
            progress(part.last().map_or(0, |at| at + 1));
        }
        Ok(vectors)
    }
}

/// Returns the vectors of texts, of length 1.
fn ask(
    server: &ModelServer,
    model: &str,
    texts: &[String],
    clock: &Clock,
) -> Result<Vec<Vec<f32>>, Unavailable> {
    let left = clock.left();
    if left.is_zero() {
        return Err(clock.late());
    }
    // No secret leaves, as in questions to language models.
    let input: Vec<String> = texts.iter().map(|text| secret::clean_lines(text)).collect();
    let body = json!({ "model": model, "input": input });
    let answer = server
        .post("api/embed", &body, left)
        .map_err(|error| if clock.left().is_zero() { clock.late() } else { unavailable(&error) })?;
    let odd = || Unavailable(format!("{} gave what are no vectors", server.name()));
    let rows = answer.get("embeddings").and_then(Value::as_array).ok_or_else(odd)?;
    if rows.len() != texts.len() {
        let (given, asked) = (rows.len(), texts.len());
        return Err(Unavailable(format!("{} gave {given} vectors of {asked}", server.name())));
    }
    rows.iter().map(|row| vector(row).ok_or_else(odd)).collect()
}

/// Reads a vector; `None` if it has what is no number, or no direction.
fn vector(row: &Value) -> Option<Vec<f32>> {
    #[expect(clippy::cast_possible_truncation, reason = "models compute in f32")]
    let number = |number: &Value| Some(number.as_f64()? as f32).filter(|x| x.is_finite());
    let mut vector = row.as_array()?.iter().map(number).collect::<Option<Vec<f32>>>()?;
    normalize(&mut vector);
    let length: f32 = vector.iter().map(|x| x * x).sum();
    ((length - 1.0).abs() < 0.01).then_some(vector)
}

fn unavailable(error: &ModelError) -> Unavailable {
    Unavailable(error.message.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_of_ollama() {
        for (value, want) in [
            ("", None),
            ("127.0.0.1:11435", Some("http://127.0.0.1:11435/")),
            ("0.0.0.0", Some("http://localhost:11434/")),
            (":8080", Some("http://localhost:8080/")),
            ("gpu.example.org", Some("http://gpu.example.org:11434/")),
            ("[::1]", Some("http://[::1]:11434/")),
            ("[::]:1234", Some("http://localhost:1234/")),
            ("https://gpu.example.org/ollama/", Some("https://gpu.example.org/ollama")),
        ] {
            assert_eq!(of_variable(value).as_deref(), want, "{value}");
        }
    }

    #[test]
    fn vectors_and_others() {
        assert_eq!(vector(&json!([3, 4.0])), Some(vec![0.6, 0.8]));
        for row in
            [json!([]), json!([0, 0]), json!([1, null]), json!([1, "2"]), json!([1e39]), json!({})]
        {
            assert_eq!(vector(&row), None, "{row}");
        }
    }
}
