//! Errors of providers. The status decides the kind, or the error's words where statuses differ or report
//! success.
//!
//! The provider's message stays: it often helps the user most.
//!
//! Source: the error pages of the OpenAI, Anthropic and Gemini API references; the responses of `llama.cpp`,
//! `OpenRouter` and `vLLM`.

use super::common::text;
use serde_json::Value as Json;
use stepgraph_core::model::ModelErrorKind;

pub(super) struct ProviderError {
    pub(super) kind: ModelErrorKind,
    /// Fits the error, and decides on retries.
    pub(super) status: u16,
    pub(super) message: String,
}

pub(super) fn find_error(json: &Json) -> Option<&Json> {
    let given = |json: &'_ Json| json.get("error").is_some_and(|error| !error.is_null());
    // A stream that fails at once may return a list with one error. A router may add the error to a choice.
    let (first, response, choice) = (json.get(0), json.get("response"), json.pointer("/choices/0"));
    let holder = [first, response, Some(json), choice].into_iter().flatten().find(|holder| given(holder));
    let bare = choice.and_then(|choice| choice.get("finish_reason")).filter(|word| *word == "error");
    let flat = (text(json, "type") == "error").then_some(json);
    holder.and_then(|holder| holder.get("error")).or(flat).or(bare)
}

pub(super) fn parse(status: u16, error: &Json) -> ProviderError {
    let message = match error {
        Json::String(message) => message,
        error => text(error, "message"),
    };
    let words = ["type", "code", "status"].map(|key| text(error, key));
    let mut said = message.to_ascii_lowercase();
    for word in words.iter().filter(|word| !word.is_empty()) {
        said.push(' ');
        said.push_str(&word.to_ascii_lowercase());
    }
    if let Some(details) = error.get("details") {
        said.push_str(&details.to_string().to_ascii_lowercase());
    }
    let number = error.get("code").and_then(Json::as_u64).and_then(|code| u16::try_from(code).ok());
    let well = (200..300).contains(&status);
    let meant = if well {
        number.filter(|code| (400..600).contains(code)).or_else(|| status_of(&words))
    } else {
        Some(status)
    };
    let status = meant.unwrap_or(500);
    let named = KINDS_BY_WORD.iter().find(|(word, _)| said.contains(word)).map(|(_, kind)| *kind);
    // Words don't count from status 500 on: a failing server may answer with any text.
    let kind =
        named.filter(|_| meant.is_none_or(|status| status < 500)).unwrap_or_else(|| kind_of_status(status));
    ProviderError { kind, status, message: message.to_owned() }
}

pub(super) fn kind_of_status(status: u16) -> ModelErrorKind {
    match status {
        401 | 403 => ModelErrorKind::Unauthorized,
        402 => ModelErrorKind::Quota,
        404 => ModelErrorKind::NotFound,
        408 | 504 => ModelErrorKind::Timeout,
        413 => ModelErrorKind::ContextLength,
        429 => ModelErrorKind::RateLimited,
        503 | 529 => ModelErrorKind::Overloaded,
        400..500 => ModelErrorKind::Refused,
        500.. => ModelErrorKind::Failed,
        _ => ModelErrorKind::BadReply,
    }
}

fn status_of(words: &[&str; 3]) -> Option<u16> {
    STATUSES
        .iter()
        .find(|(known, _)| words.iter().any(|word| word.eq_ignore_ascii_case(known)))
        .map(|(_, status)| *status)
}

const STATUSES: [(&str, u16); 18] = [
    ("invalid_request_error", 400),
    ("invalid_argument", 400),
    ("failed_precondition", 400),
    ("authentication_error", 401),
    ("unauthenticated", 401),
    ("billing_error", 402),
    ("permission_error", 403),
    ("permission_denied", 403),
    ("not_found_error", 404),
    ("not_found", 404),
    ("request_too_large", 413),
    ("rate_limit_error", 429),
    ("rate_limit_exceeded", 429),
    ("resource_exhausted", 429),
    ("unavailable", 503),
    ("deadline_exceeded", 504),
    ("timeout_error", 504),
    ("overloaded_error", 529),
];

/// In lower case.
const KINDS_BY_WORD: [(&str, ModelErrorKind); 16] = [
    ("context_length", ModelErrorKind::ContextLength),
    ("context length", ModelErrorKind::ContextLength),
    ("exceed_context_size", ModelErrorKind::ContextLength),
    ("context window", ModelErrorKind::ContextLength),
    ("prompt is too long", ModelErrorKind::ContextLength),
    ("exceeds the maximum number of tokens", ModelErrorKind::ContextLength),
    ("exceeds the available context size", ModelErrorKind::ContextLength),
    ("insufficient_quota", ModelErrorKind::Quota),
    ("credit balance", ModelErrorKind::Quota),
    ("billing_error", ModelErrorKind::Quota),
    ("insufficient credits", ModelErrorKind::Quota),
    ("api_key_invalid", ModelErrorKind::Unauthorized),
    ("api key not valid", ModelErrorKind::Unauthorized),
    ("invalid_api_key", ModelErrorKind::Unauthorized),
    ("model_not_found", ModelErrorKind::NotFound),
    ("deploymentnotfound", ModelErrorKind::NotFound),
];

#[cfg(test)]
mod tests {
    use super::*;
    use ModelErrorKind::{
        ContextLength, Failed, NotFound, Overloaded, Quota, RateLimited, Refused, Timeout, Unauthorized,
    };
    use serde_json::json;

    #[test]
    fn errors_by_status_and_text() {
        for (status, error, kind, as_if) in [
            (400, json!({"message": "no", "type": "invalid_request_error"}), Refused, 400),
            (400, json!({"message": "m", "code": "context_length_exceeded"}), ContextLength, 400),
            (
                400,
                json!({"type": "invalid_request_error", "message": "prompt is too long: 9 tokens > 8 maximum"}),
                ContextLength,
                400,
            ),
            (
                400,
                json!({"code": 400, "type": "exceed_context_size_error", "message": "m"}),
                ContextLength,
                400,
            ),
            (
                400,
                json!({"code": 400, "status": "INVALID_ARGUMENT", "message": "The input token count (9) exceeds the maximum number of tokens allowed (8)."}),
                ContextLength,
                400,
            ),
            (
                400,
                json!({"message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}),
                Unauthorized,
                400,
            ),
            (400, json!({"message": "m", "details": [{"reason": "API_KEY_INVALID"}]}), Unauthorized, 400),
            (
                400,
                json!({"type": "invalid_request_error", "message": "Your credit balance is too low"}),
                Quota,
                400,
            ),
            (401, json!({"message": "m"}), Unauthorized, 401),
            (402, json!("pay"), Quota, 402),
            (404, json!({"message": "m", "code": "model_not_found"}), NotFound, 404),
            (429, json!({"message": "m", "code": "insufficient_quota"}), Quota, 429),
            (429, json!({"message": "m", "code": "rate_limit_exceeded"}), RateLimited, 429),
            (500, json!({"message": "the context window broke"}), Failed, 500),
            (504, json!({}), Timeout, 504),
            (529, json!({"type": "overloaded_error"}), Overloaded, 529),
            (200, json!({"type": "overloaded_error", "message": "m"}), Overloaded, 529),
            (200, json!({"type": "rate_limit_error"}), RateLimited, 429),
            (200, json!({"code": 429, "message": "m"}), RateLimited, 429),
            (200, json!({"code": "rate_limit_exceeded", "message": "m"}), RateLimited, 429),
            (200, json!({"status": "UNAVAILABLE"}), Overloaded, 503),
            (200, json!({"type": "t"}), Failed, 500),
            (200, json!({"code": 7}), Failed, 500),
            (200, json!("oh"), Failed, 500),
            (200, json!({"code": "insufficient_quota"}), Quota, 500),
        ] {
            let provider_error = parse(status, &error);
            assert_eq!((provider_error.kind, provider_error.status), (kind, as_if), "{status} {error}");
        }
    }

    #[test]
    fn finds_errors_of_all_providers() {
        let error = json!({"message": "m"});
        for json in [
            json!({"error": error}),
            json!([{"error": error}]),
            json!({"type": "response.failed", "response": {"error": error}}),
            json!({"choices": [{"delta": {}, "finish_reason": "error", "error": error}]}),
            json!({"error": error, "choices": [{"finish_reason": "error"}]}),
        ] {
            assert_eq!(find_error(&json), Some(&error), "{json}");
        }
        let flat = json!({"type": "error", "message": "m", "code": "c"});
        assert_eq!(find_error(&flat), Some(&flat));
        let bare = json!({"choices": [{"finish_reason": "error"}]});
        assert_eq!(find_error(&bare), Some(&json!("error")));
        for json in [
            json!({"error": null}),
            json!({"response": {"error": null}}),
            json!([]),
            json!({}),
            json!(1),
            json!({"choices": [{"error": null, "finish_reason": "stop"}]}),
        ] {
            assert_eq!(find_error(&json), None, "{json}");
        }
    }
}
