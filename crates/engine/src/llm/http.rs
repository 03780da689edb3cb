//! Language models behind HTTP, with retries and within a time limit.
#![expect(clippy::disallowed_methods, reason = "measures the time limit of a question")]

use std::{
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use ureq::{Agent, Error, Proxy, RequestBuilder, Timeout, http::Response, typestate::WithBody};

use super::{
    ApiKey, MAX_ANSWER, ModelError, Provider, Question, Service,
    format::{self, CUT_OFF, ProviderFormat},
    requests::{self, Failed, Url},
};
use crate::{llm, web};

/// Maximum length of a response in bytes. JSON may take six bytes for one of the text.
const MAX_RESPONSE: u64 = 8 * MAX_ANSWER as u64;

/// The outcome of an attempt.
type Outcome = Result<Response<String>, Error>;

/// Asks a service, with retries.
pub(super) fn ask(service: &Service, question: Question<'_>) -> Result<String, ModelError> {
    let (address, agent) = (address(service)?, agent(service.proxy.as_ref())?);
    let end = Instant::now() + service.limit;
    within(&agent, service.limit, || attempts(service, &agent, &address, question, end))
}

/// Does work with an agent, which is shut down after `limit`.
fn within<T>(agent: &Agent, limit: Duration, work: impl FnOnce() -> T) -> T {
    thread::scope(|scope| {
        // ureq limits each write, so that a server that reads slowly could take much longer. The
        // watch ends when `_done` is dropped.
        let (_done, waiting) = mpsc::channel::<()>();
        let watch = move || {
            if waiting.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                agent.clone().shutdown();
            }
        };
        drop(thread::Builder::new().spawn_scoped(scope, watch));
        work()
    })
}

/// A server that answers JSON with JSON.
pub(super) struct ModelServer {
    agent: Agent,
    address: Url,
}

impl ModelServer {
    pub(super) fn new(address: &str, proxy: Option<&ApiKey>) -> Result<Self, ModelError> {
        let address = Url::parse(address).ok_or_else(|| {
            let message = format!("{address} is not the address of a server");
            ModelError::new(message, "write it as http://localhost:11434/, without a password")
        })?;
        Ok(Self { agent: agent(proxy)?, address })
    }

    /// Returns its name with the address, for messages.
    pub(super) fn name(&self) -> String {
        format!("Ollama at {}", self.address.join(""))
    }

    /// Sends a request once, and waits for the answer for `limit`.
    pub(super) fn post(
        &self,
        path: &str,
        body: &Value,
        limit: Duration,
    ) -> Result<Value, ModelError> {
        let post = self.agent.post(self.address.join(path));
        let post = post.config().timeout_global(Some(limit)).build();
        let answer = within(&self.agent, limit, || send(post, body));
        let message = match answer {
            Ok(response) if response.status().is_success() => {
                match serde_json::from_str(response.body()) {
                    Ok(document) => return Ok(document),
                    Err(_) => format!("{} gave what is no answer", self.name()),
                }
            }
            Ok(response) => {
                let reason = llm::shown(&format::reason(response.body()), None);
                let reason = if reason.is_empty() { reason } else { format!(": {reason}") };
                format!("{} answered {}{reason}", self.name(), response.status().as_u16())
            }
            Err(error) => {
                let cause = llm::shown(&error.to_string(), None);
                format!("{} cannot be reached: {cause}", self.name())
            }
        };
        Err(ModelError::new(message, "is it running? embedding.endpoint says where"))
    }
}

fn attempts(
    service: &Service,
    agent: &Agent,
    address: &Url,
    question: Question<'_>,
    end: Instant,
) -> Result<String, ModelError> {
    let format = ProviderFormat::of(service.provider).ok_or_else(|| odd(service, address))?;
    let key = service.key.as_ref().map(|key| &key.value).or(format.no_key.as_ref());
    let mut temperature = Some(service.temperature);
    let mut made = 0;
    loop {
        made += 1;
        let mut post = agent.post(address.join(&format.path.replace("$model", &service.model)));
        for (name, value) in format.headers.iter().filter(|_| key.is_some()) {
            post = post.header(name, value.replace("$key", key.map_or("", |key| key)));
        }
        let left = end.saturating_duration_since(Instant::now());
        let post = post.config().timeout_global(Some(left)).build();
        let answer = send(post, &format.body(service, question, temperature));
        let left = end.saturating_duration_since(Instant::now());
        // A connection that was shut down can look like a complete response.
        if left.is_zero() || matches!(answer, Err(Error::Timeout(Timeout::Global))) {
            return Err(service.too_late());
        }
        match &answer {
            Ok(response) if response.status().is_success() => {
                return text(service, address, &format, question, response);
            }
            // Reasoning models reject a temperature, and more such models appear every year.
            Ok(response) if temperature.is_some() && refuses_temperature(response) => {
                (temperature, made) = (None, made - 1);
                continue;
            }
            Err(Error::BodyExceedsLimit(_)) => return Err(service.too_long()),
            _ => {}
        }
        match requests::wait(kind(&answer), made, left) {
            Some(wait) => thread::sleep(wait),
            None => return Err(trouble(service, address, answer)),
        }
    }
}

/// Returns the address of the server with a trailing slash, to which the API paths are appended.
fn address(service: &Service) -> Result<Url, ModelError> {
    let is_usable = service.provider == Provider::OpenAi || !service.place.contains('?');
    Url::parse(&service.place).filter(|_| is_usable).ok_or_else(|| {
        let message = format!("{} is not the address of a server", service.setting("endpoint"));
        ModelError::new(message, "write it as http://localhost:8080/v1/, without a password")
    })
}

fn agent(proxy: Option<&ApiKey>) -> Result<Agent, ModelError> {
    let proxy = proxy.map(|proxy| {
        let message = format!("{} is not an address", proxy.variable);
        Proxy::new(&proxy.value)
            .map_err(|_| ModelError::new(message, "write it as http://host:port"))
    });
    let config = web::agent_with_key(proxy.transpose()?).max_idle_connections(0);
    Ok(config.build().into())
}

fn send(post: RequestBuilder<WithBody>, body: &Value) -> Outcome {
    let post = post.content_type("application/json").send(body.to_string())?;
    let (head, mut body) = post.into_parts();
    let body = body.with_config().limit(MAX_RESPONSE).read_to_vec()?;
    Ok(Response::from_parts(head, String::from_utf8_lossy(&body).into_owned()))
}

fn refuses_temperature(response: &Response<String>) -> bool {
    matches!(response.status().as_u16(), 400 | 422) && response.body().contains("temperature")
}

/// Returns true if a model has read less than the question, as when Ollama silently truncates it to
/// the context: the number of tokens is too small for the text.
fn is_cut_short(asked: usize, read: u64) -> bool {
    let likely = asked as u64 / 4;
    likely > 2000 && read < likely / 2
}

/// Returns the text of a complete answer.
fn text(
    service: &Service,
    address: &Url,
    format: &ProviderFormat,
    question: Question<'_>,
    response: &Response<String>,
) -> Result<String, ModelError> {
    let name = service.name();
    let document = serde_json::from_str::<Value>(response.body());
    let document = document.map_err(|_| odd(service, address))?;
    if format.stop(&document, CUT_OFF).is_some() {
        let message = format!("{name} was cut off by its limit of tokens");
        let hint =
            format!("{} sets it, as far as the model allows", service.setting("maxOutputTokens"));
        return Err(ModelError::new(message, hint));
    }
    if let Some(why) = format.refusal(&document) {
        let message = format!("{name} refused to answer ({})", shown(service, why));
        return Err(ModelError::new(message, "try another model"));
    }
    let read = format.read.as_ref().and_then(|place| document.pointer(place)?.as_u64());
    if let Some(read) = read.filter(|read| is_cut_short(question.text.chars().count(), *read)) {
        let message = format!("{name} read {read} tokens of its prompt, and not the rest");
        return Err(ModelError::new(message, "OLLAMA_CONTEXT_LENGTH sets how much Ollama reads"));
    }
    let text = format.text(&document);
    if text.as_ref().is_none_or(|text| text.trim().is_empty()) {
        // Some servers return an error with a success status.
        if let Some(reason) = format::reason_of_document(&document) {
            let message = format!("{name} answered: {}", shown(service, &reason));
            return Err(ModelError::new(message, "try again, or another model"));
        }
    }
    text.ok_or_else(|| odd(service, address))
}

fn shown(service: &Service, message: &str) -> String {
    llm::shown(message, service.key.as_ref().map(|key| key.value.as_str()))
}

/// Classifies a failed attempt for retries.
fn kind(answer: &Outcome) -> Failed {
    match answer {
        Ok(response) => {
            let wait = response.headers().get("retry-after").and_then(|wait| wait.to_str().ok());
            Failed::Status(response.status().as_u16(), wait.and_then(requests::retry_after))
        }
        Err(Error::Http(_) | Error::BadUri(_) | Error::Rustls(_)) => Failed::ForGood,
        Err(_) => Failed::Connection,
    }
}

/// Converts a failed attempt to a message with a hint.
fn trouble(service: &Service, address: &Url, answer: Outcome) -> ModelError {
    let name = service.name();
    let cause = match answer {
        Ok(response) => {
            let status = response.status().as_u16();
            let reason = shown(service, &format::reason(response.body()));
            let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            let message = format!("{name} answered {status}{reason}");
            return ModelError::new(message, hint(service, status));
        }
        // Errors of a handshake are errors of the connection.
        Err(Error::Rustls(error)) => {
            let hint = "https needs this machine's certificates; SSL_CERT_FILE names others";
            return ModelError::new(format!("{name} cannot be asked: {error}"), hint);
        }
        Err(Error::Io(error)) => error.to_string(),
        Err(Error::Http(error)) => error.to_string(),
        Err(error) => error.to_string(),
    };
    let message =
        format!("{name} cannot be reached at {}: {}", address.join(""), shown(service, &cause));
    ModelError::new(message, format!("is it running? {} says where", service.setting("endpoint")))
}

fn odd(service: &Service, address: &Url) -> ModelError {
    let message = format!("{} gave what is no answer at {}", service.name(), address.join(""));
    let what = (service.setting("provider"), service.setting("endpoint"));
    ModelError::new(message, format!("do {} and {} fit?", what.0, what.1))
}

fn hint(service: &Service, status: u16) -> String {
    let endpoint = service.setting("endpoint");
    match status {
        300..=399 => format!("redirects are not followed; set {endpoint} to where it leads"),
        401 | 403 => match &service.key {
            Some(ApiKey { variable, .. }) => format!("is the key in {variable} right?"),
            None => format!("no key was sent; {} names its variable", service.setting("apiKeyEnv")),
        },
        404 => {
            format!("is {} right, and {endpoint}? It often ends in /v1/", service.setting("model"))
        }
        408 | 429 | 500..=599 => "try again later".to_owned(),
        _ => format!("pimem config show --all lists the settings of {}", service.role.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_short() {
        for (asked, read, want) in [
            (0, 0, false),
            (8000, 11, false),
            (120_000, 30_000, false),
            (120_000, 15_000, false),
            (120_000, 4096, true),
            (120_000, 0, true),
        ] {
            assert_eq!(is_cut_short(asked, read), want, "{asked} {read}");
        }
    }
}
