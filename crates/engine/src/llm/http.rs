//! Language models behind HTTP, through genai, which supports four API formats.
//!
//! Address, key, format and model are set explicitly, so that genai infers nothing from names.
//! Redirects are not followed, because the key would be sent along.

use std::time::Duration;

use genai::{
    Client, Error, Headers, ModelIden, ServiceTarget,
    adapter::AdapterKind,
    chat::{ChatMessage, ChatOptions, ChatRequest, ChatResponse, ReasoningEffort, StopReason},
    resolver::{AuthData, Endpoint},
    webc,
};
use reqwest::{Url, redirect::Policy};
use tokio::time::{Instant, sleep, timeout_at};

use super::{
    Key, ModelError, Provider, Question, Service, reason,
    retry::{self, Failed},
    said,
};

/// Time limit for establishing a connection.
const CONNECTING: Duration = Duration::from_secs(10);

/// Asks a service, with retries.
pub(super) fn ask(service: &Service, question: Question<'_>) -> Result<String, ModelError> {
    let unable = |error: String, hint: &str| {
        ModelError::new(format!("{} cannot be asked: {error}", service.name()), hint)
    };
    let address = address(service)?;
    let certificates = "https needs this machine's certificates; SSL_CERT_FILE names others";
    let client = client(&address).map_err(|error| unable(error, certificates))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| unable(error.to_string(), "try again"))?;
    let answer = runtime.block_on(attempts(service, &client, &address, question));
    // A normal shutdown would wait for a pending name lookup.
    runtime.shutdown_background();
    answer
}

async fn attempts(
    service: &Service,
    client: &Client,
    address: &Url,
    question: Question<'_>,
) -> Result<String, ModelError> {
    let end = Instant::now() + service.limit;
    // Only Ollama truncates a long question silently; the other providers return an error.
    let is_silent = service.provider == Provider::Ollama;
    let asked = if is_silent { question.text.chars().count() } else { 0 };
    let request = ChatRequest::new(vec![ChatMessage::user(question.text)]);
    let request = request.with_system(question.rules);
    let target = target(service, address);
    let mut options = options(service);
    let mut made = 0;
    loop {
        made += 1;
        let answer = client.exec_chat(target.clone(), request.clone(), Some(&options));
        let Ok(answer) = timeout_at(end, answer).await else { return Err(service.too_late()) };
        let error = match answer {
            Ok(answer) => return text(service, asked, &answer),
            Err(error) => error,
        };
        // Reasoning models reject a temperature, and more such models appear every year.
        if options.temperature.is_some() && refuses_temperature(&error) {
            (options.temperature, made) = (None, made - 1);
            continue;
        }
        let left = end.saturating_duration_since(Instant::now());
        match retry::wait(kind(&error), made, left) {
            Some(wait) => sleep(wait).await,
            None => return Err(trouble(service, address, &error)),
        }
    }
}

/// Returns the address of the server with a trailing slash, to which the API paths are appended.
fn address(service: &Service) -> Result<Url, ModelError> {
    let usable = |url: &Url| {
        let plain = url.username().is_empty() && url.password().is_none();
        matches!(url.scheme(), "http" | "https") && url.has_host() && plain
    };
    let simple = |url: &Url| {
        let has_query = url.query().is_some() && service.provider != Provider::OpenAi;
        !has_query && url.fragment().is_none()
    };
    let url = Url::parse(&service.place).ok().filter(|url| usable(url) && simple(url));
    let mut url = url.ok_or_else(|| {
        let message = format!("{} is not the address of a server", service.setting("endpoint"));
        ModelError::new(message, "write it as http://localhost:8080/v1/, without a password")
    })?;
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    Ok(url)
}

fn client(address: &Url) -> Result<Client, String> {
    // Another provider may be installed already, which is sufficient.
    drop(rustls::crypto::ring::default_provider().install_default());
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("pimem/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECTING)
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        // No decompression, so that a small answer cannot take much memory.
        .no_gzip();
    if address.scheme() == "http" {
        // Without TLS, the system's certificates are not needed and may be missing.
        builder = builder.tls_certs_only([]);
    }
    if is_here(address) {
        builder = builder.no_proxy();
    }
    let client = builder.build().map_err(|error| cause(&error))?;
    Client::builder().with_reqwest(client).build().map_err(|error| error.to_string())
}

/// Returns true if a server is on this machine.
fn is_here(address: &Url) -> bool {
    let host = address.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let is_loopback = |host: &str| host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
    host == "localhost" || host.ends_with(".localhost") || is_loopback(host)
}

fn target(service: &Service, address: &Url) -> ServiceTarget {
    let adapter = match service.provider {
        Provider::Anthropic => AdapterKind::Anthropic,
        Provider::Gemini => AdapterKind::Gemini,
        Provider::Ollama => AdapterKind::Ollama,
        Provider::OpenAi | Provider::Command => AdapterKind::OpenAI,
    };
    // Servers without authentication ignore the key, but genai requires one.
    let key = service.key.as_ref().map_or("none", |key| &key.value);
    ServiceTarget {
        endpoint: Endpoint::from_owned(address.as_str()),
        auth: AuthData::from_single(key),
        // genai strips the part before the first `::`, so the rest is sent unchanged.
        model: ModelIden::new(adapter, format!("pimem::{}", service.model)),
    }
}

fn options(service: &Service) -> ChatOptions {
    let mut options = ChatOptions { max_tokens: service.most, ..ChatOptions::default() };
    options.capture_raw_body = Some(true);
    if takes_temperature(service) {
        options.temperature = Some(service.temperature);
    }
    // Without a value here, genai would strip a suffix such as -high or -max from the model's name
    // and set the effort. These values send nothing, or tell an Anthropic model that thinks by
    // default not to.
    options.reasoning_effort = match service.provider {
        Provider::OpenAi => Some(ReasoningEffort::Budget(0)),
        Provider::Anthropic | Provider::Gemini => Some(ReasoningEffort::Zero),
        Provider::Ollama | Provider::Command => None,
    };
    if let (Provider::Ollama, Some(key)) = (service.provider, &service.key) {
        let header = ("Authorization".to_owned(), format!("Bearer {}", key.value));
        options.extra_headers = Some(Headers::from(header));
    }
    options
}

/// Returns false for models that are known to reject a temperature. Others are detected by their
/// error.
fn takes_temperature(service: &Service) -> bool {
    let thinks = ["gpt-5", "gpt-6", "o1", "o3", "o4"];
    service.provider != Provider::OpenAi
        || !thinks.iter().any(|name| service.model.starts_with(name))
}

fn refuses_temperature(error: &Error) -> bool {
    let is_refusal = error.status().is_some_and(|status| matches!(status.as_u16(), 400 | 422));
    is_refusal && body(error).is_some_and(|body| body.contains("temperature"))
}

/// Returns true if a model has read less than the question, as when Ollama silently truncates it to
/// the context: the number of tokens is too small for the text.
fn is_cut_short(asked: usize, read: i32) -> bool {
    let likely = u32::try_from(asked / 4).unwrap_or(u32::MAX);
    likely > 2000 && read.unsigned_abs() < likely / 2
}

/// Returns the text of a complete answer to a question of `asked` characters.
fn text(service: &Service, asked: usize, answer: &ChatResponse) -> Result<String, ModelError> {
    let name = service.name();
    match &answer.stop_reason {
        Some(StopReason::MaxTokens(_)) => {
            let message = format!("{name} was cut off by its limit of tokens");
            let hint = format!(
                "{} sets it, as far as the model allows",
                service.setting("maxOutputTokens")
            );
            return Err(ModelError::new(message, hint));
        }
        Some(StopReason::ContentFilter(why)) => return Err(refused(service, why)),
        _ => {}
    }
    if let Some(read) = answer.usage.prompt_tokens.filter(|read| is_cut_short(asked, *read)) {
        let message = format!("{name} read {read} tokens of its prompt, and not the rest");
        return Err(ModelError::new(message, "OLLAMA_CONTEXT_LENGTH sets how much Ollama reads"));
    }
    let text = answer.content.texts().concat();
    // Some servers return an error with a success status.
    let reason = answer.captured_raw_body.as_ref().and_then(reason::of_document);
    match reason.filter(|_| text.trim().is_empty()) {
        Some(reason) => {
            let message = format!("{name} answered: {}", shown(service, &reason));
            Err(ModelError::new(message, "try again, or another model"))
        }
        None => Ok(text),
    }
}

fn refused(service: &Service, why: &str) -> ModelError {
    let message = format!("{} refused to answer ({})", service.name(), shown(service, why));
    ModelError::new(message, "try another model")
}

fn shown(service: &Service, message: &str) -> String {
    said::shown(message, service.key.as_ref().map(|key| key.value.as_str()))
}

/// Classifies an error for retries.
fn kind(error: &Error) -> Failed {
    if let Some(status) = error.status() {
        let header = error.headers().and_then(|headers| headers.get("retry-after")?.to_str().ok());
        return Failed::Status(status.as_u16(), header.and_then(retry::retry_after));
    }
    match web(error) {
        Some(webc::Error::Reqwest(error)) if !error.is_builder() => Failed::Connection,
        _ => Failed::ForGood,
    }
}

fn web(error: &Error) -> Option<&webc::Error> {
    match error {
        Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => {
            Some(webc_error)
        }
        _ => None,
    }
}

/// Returns the body of an error response.
fn body(error: &Error) -> Option<&str> {
    match web(error)? {
        webc::Error::ResponseFailedStatus { body, .. } => Some(body),
        _ => None,
    }
}

/// Converts an error to a message with a hint.
fn trouble(service: &Service, address: &Url, error: &Error) -> ModelError {
    let name = service.name();
    if let Some(status) = error.status() {
        let reason = shown(service, &reason::of(body(error).unwrap_or_default()));
        let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        let message = format!("{name} answered {}{reason}", status.as_u16());
        return ModelError::new(message, hint(service, status.as_u16()));
    }
    match (web(error), error) {
        (Some(webc::Error::Reqwest(error)), _) => {
            let message =
                format!("{name} cannot be reached at {address}: {}", shown(service, &cause(error)));
            ModelError::new(
                message,
                format!("is it running? {} says where", service.setting("endpoint")),
            )
        }
        (_, Error::ChatResponseGeneration { response_body, .. }) => {
            match response_body.pointer("/promptFeedback/blockReason").and_then(|why| why.as_str())
            {
                Some(why) => refused(service, why),
                None => odd(service, address),
            }
        }
        _ => odd(service, address),
    }
}

/// Returns the innermost cause of an error.
fn cause(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), cause)
}

fn odd(service: &Service, address: &Url) -> ModelError {
    let message = format!("{} gave what is no answer at {address}", service.name());
    let what = (service.setting("provider"), service.setting("endpoint"));
    ModelError::new(message, format!("do {} and {} fit?", what.0, what.1))
}

/// Returns the hint for a status.
fn hint(service: &Service, status: u16) -> String {
    let endpoint = service.setting("endpoint");
    match status {
        300..=399 => format!("redirects are not followed; set {endpoint} to where it leads"),
        401 | 403 => match &service.key {
            Some(Key { variable, .. }) => format!("is the key in {variable} right?"),
            None => format!("no key was sent; {} names its variable", service.setting("apiKeyEnv")),
        },
        404 => {
            format!("is {} right, and {endpoint}? It often ends in /v1/", service.setting("model"))
        }
        408 | 429 | 500..=599 => "try again later".to_owned(),
        _ => format!("pimem config show lists the settings of {}", service.role.name()),
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

    #[test]
    fn what_is_here() {
        for (address, want) in [
            ("http://localhost:11434/", true),
            ("http://LOCALHOST/", true),
            ("http://127.8.0.1/", true),
            ("http://[::1]:8080/v1/", true),
            ("http://[::ffff:127.0.0.1]/", false),
            ("http://127.0.0.1.example.org/", false),
            ("http://localhost.example.org/", false),
            ("https://api.openai.com/v1/", false),
        ] {
            assert_eq!(is_here(&Url::parse(address).unwrap()), want, "{address}");
        }
    }
}
