//! The request and response formats of providers, which are in `formats.json`, and the reason in an
//! error response of any provider.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Provider, Question, Service};

/// Reasons to stop that mean that the limit of tokens was reached.
pub(super) const CUT_OFF: &str =
    "length max_tokens MAX_TOKENS model_context_window_exceeded model_length";

/// Reasons to stop that mean that the answer was withheld.
const REFUSED: &str = "content_filter refusal SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII \
                       LANGUAGE IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION";

/// Parts of names of models (`^` is the start of a name), their limit of tokens where a request has
/// to have one, and changes of the body.
type Models = (Vec<String>, Option<u32>, Map<String, Value>);

/// The format of a provider. `$model`, `$rules`, `$text`, `$temperature`, `$most` and `$key` stand
/// for values.
#[derive(Deserialize)]
pub(super) struct ProviderFormat {
    /// Path below the address of the server.
    pub(super) path: String,
    /// Sent in place of a missing key; without it, no headers are sent then.
    pub(super) no_key: Option<String>,
    pub(super) headers: BTreeMap<String, String>,
    body: Map<String, Value>,
    /// The first row that fits counts.
    models: Vec<Models>,
    /// Pointer to what every answer has.
    answer: String,
    /// Pointer to a string or to an array of parts.
    text: String,
    /// Pointer to the reason to stop.
    stop: String,
    /// Pointer to the reason for which there is no answer.
    blocked: Option<String>,
    /// Pointer to the number of tokens of the question that were read, for a provider that
    /// truncates long questions silently. Others return an error.
    pub(super) read: Option<String>,
}

impl ProviderFormat {
    pub(super) fn of(provider: Provider) -> Option<Self> {
        let all = serde_json::from_str::<BTreeMap<String, Self>>(include_str!("formats.json"));
        all.ok()?.remove(provider.name())
    }

    /// Returns the body of the request for a question.
    pub(super) fn body(
        &self,
        service: &Service,
        question: Question<'_>,
        temperature: Option<f64>,
    ) -> Value {
        let model = &*service.model;
        let fits = |name: &String| match name.strip_prefix('^') {
            Some(start) => model.starts_with(start),
            None => model.contains(&**name),
        };
        let known = self.models.iter().find(|(names, ..)| names.iter().any(fits));
        let mut body = self.body.clone();
        body.extend(known.iter().flat_map(|(_, _, changes)| changes.clone()));
        let values = json!({
            "$model": model, "$rules": question.rules, "$text": question.text,
            "$temperature": temperature,
            "$most": service.most.or_else(|| known.and_then(|(_, limit, _)| *limit)),
        });
        filled(&Value::Object(body), &values)
    }

    /// Returns the reason for which an answer was withheld.
    pub(super) fn refusal<'a>(&self, document: &'a Value) -> Option<&'a str> {
        let blocked = self.blocked.as_ref().and_then(|place| document.pointer(place)?.as_str());
        blocked.or_else(|| self.stop(document, REFUSED))
    }

    /// Returns the reason to stop, if it is one of these.
    pub(super) fn stop<'a>(&self, document: &'a Value, reasons: &str) -> Option<&'a str> {
        let why = document.pointer(&self.stop)?.as_str()?;
        reasons.split(' ').any(|reason| reason == why).then_some(why)
    }

    /// Returns the text of an answer, without the model's thoughts; `None` if a document is none.
    pub(super) fn text(&self, document: &Value) -> Option<String> {
        document.pointer(&self.answer).filter(|answer| !answer.is_null())?;
        let content = document.pointer(&self.text).unwrap_or(&Value::Null);
        let parts = content.as_array().into_iter().flatten();
        let parts = parts.filter(|part| part.get("thought").is_none_or(|thought| thought != true));
        let texts = parts.filter_map(|part| part.get("text")?.as_str());
        Some(content.as_str().into_iter().chain(texts).collect())
    }
}

/// Puts values in their places, and leaves out members without a value.
fn filled(template: &Value, values: &Value) -> Value {
    match template {
        Value::String(name) => values.get(name).unwrap_or(template).clone(),
        Value::Array(items) => items.iter().map(|item| filled(item, values)).collect(),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), filled(value, values)));
            members.filter(|(_, value)| !value.is_null() && *value != json!({})).collect()
        }
        _ => template.clone(),
    }
}

/// Returns the reason in the body of an error.
pub(super) fn reason(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        // An HTML page, as from a proxy, has no more information than the status.
        return if body.trim_start().starts_with('<') { String::new() } else { body.to_owned() };
    };
    reason_of_document(&value).unwrap_or_default()
}

pub(super) fn reason_of_document(value: &Value) -> Option<String> {
    let value = value.get(0).unwrap_or(value);
    let places = ["/error/message", "/error", "/message", "/detail"];
    let texts = places.iter().filter_map(|place| value.pointer(place)?.as_str());
    texts.map(str::to_owned).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_server_has_a_format() {
        for provider in Provider::ALL {
            let is_server = provider != Provider::Command;
            assert_eq!(ProviderFormat::of(provider).is_some(), is_server, "{}", provider.name());
        }
    }

    fn service(provider: Provider, model: &str) -> Service {
        Service {
            role: crate::llm::ModelRole::Dream,
            provider,
            name: String::new(),
            model: model.to_owned(),
            place: String::new(),
            key: None,
            proxy: None,
            temperature: 0.3,
            most: None,
            limit: std::time::Duration::ZERO,
        }
    }

    /// The limit of tokens that Anthropic requires, and whether thinking is turned off.
    #[test]
    fn limits() {
        let format = ProviderFormat::of(Provider::Anthropic).unwrap();
        for (model, most, thinking) in [
            ("claude-opus-5", 128_000, json!({"type": "disabled"})),
            ("claude-sonnet-5-20260601", 64_000, json!({"type": "disabled"})),
            ("claude-haiku-5", 128_000, json!({"type": "disabled"})),
            ("claude-opus-4-8", 128_000, json!(null)),
            ("us.anthropic.claude-opus-4-5-20251101-v1:0", 64_000, json!(null)),
            ("claude-opus-4-20250514", 32_000, json!(null)),
            ("claude-opus-4-1-20250805", 32_000, json!(null)),
            ("claude-haiku-4-5", 64_000, json!(null)),
            ("claude-3-5-haiku-20241022", 8192, json!(null)),
            ("claude-3-haiku-20240307", 4096, json!(null)),
            ("another", 64_000, json!(null)),
        ] {
            let service = service(Provider::Anthropic, model);
            let question = Question { rules: "$text", text: "$key" };
            let body = format.body(&service, question, None);
            assert_eq!(
                (&body["max_tokens"], &body["thinking"]),
                (&json!(most), &thinking),
                "{model}"
            );
            assert_eq!(
                (&body["system"], &body["messages"][0]["content"]),
                (&json!("$text"), &json!("$key"))
            );
            assert_eq!(body.get("temperature"), None);
        }
    }

    /// Parameters that depend on the model.
    #[test]
    fn parameters() {
        let openai = ProviderFormat::of(Provider::OpenAi).unwrap();
        for (model, most, is_cached) in [
            ("o3-mini", "max_completion_tokens", true),
            ("gpt-5.1", "max_completion_tokens", true),
            ("gpt-5.6-mini", "max_completion_tokens", false),
            ("qwen-o3", "max_tokens", true),
        ] {
            let service = Service { most: Some(7), ..service(Provider::OpenAi, model) };
            let body = openai.body(&service, Question { rules: "", text: "" }, Some(0.3));
            assert_eq!(body[most], 7, "{model}");
            assert_eq!(body.get("temperature").is_some(), most == "max_tokens", "{model}");
            assert_eq!(body.get("prompt_cache_options").is_none(), is_cached, "{model}");
        }
    }

    #[test]
    fn answers() {
        use Provider::{Anthropic, Gemini, Ollama, OpenAi};
        let thoughts = json!([{"text": "hm", "thought": true}, {"text": "b"}]);
        let blocks = json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}]);
        for (provider, document, is_cut_off, refusal, text) in [
            (
                OpenAi,
                json!({"choices": [{"message": {"content": blocks}}]}),
                false,
                None,
                Some("a"),
            ),
            (OpenAi, json!({"choices": [{"message": {"content": null}}]}), false, None, Some("")),
            (Anthropic, json!({"content": blocks}), false, None, Some("a")),
            (Anthropic, json!({"content": null}), false, None, None),
            (Anthropic, json!({"content": [], "stop_reason": "max_tokens"}), true, None, Some("")),
            (
                Gemini,
                json!({"candidates": [{"content": {"parts": thoughts}}]}),
                false,
                None,
                Some("b"),
            ),
            (Gemini, json!({"candidates": [{"finishReason": "MAX_TOKENS"}]}), true, None, Some("")),
            (
                Gemini,
                json!({"candidates": [{"finishReason": "SAFETY"}]}),
                false,
                Some("SAFETY"),
                Some(""),
            ),
            (
                Gemini,
                json!({"promptFeedback": {"blockReason": "OTHER"}}),
                false,
                Some("OTHER"),
                None,
            ),
            (
                Ollama,
                json!({"message": {"content": "c", "thinking": "hm"}}),
                false,
                None,
                Some("c"),
            ),
            (
                Ollama,
                json!({"message": {"content": "c"}, "done_reason": "length"}),
                true,
                None,
                Some("c"),
            ),
            (Ollama, json!({"error": "no"}), false, None, None),
        ] {
            let format = ProviderFormat::of(provider).unwrap();
            let got = (format.stop(&document, CUT_OFF).is_some(), format.refusal(&document));
            assert_eq!(got, (is_cut_off, refusal), "{document}");
            assert_eq!(format.text(&document).as_deref(), text, "{document}");
        }
    }

    #[test]
    fn reasons() {
        for (body, want) in [
            (r#"{"error":{"message":"no such model","type":"x"}}"#, "no such model"),
            (r#"{"type":"error","error":{"type":"x","message":"Overloaded"}}"#, "Overloaded"),
            (r#"[{"error":{"code":400,"message":"bad key"}}]"#, "bad key"),
            (r#"{"error":"model 'x' not found"}"#, "model 'x' not found"),
            (r#"{"detail":"Not Found"}"#, "Not Found"),
            (r#"{"error":{"code":3}}"#, ""),
            ("<html>Bad Gateway</html>", ""),
            ("upstream timed out", "upstream timed out"),
            ("", ""),
        ] {
            assert_eq!(reason(body), want, "{body}");
        }
    }
}
