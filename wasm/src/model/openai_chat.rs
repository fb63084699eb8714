//! The wire format of OpenAI's chat completions, which Ollama, llama.cpp, vLLM and many others speak, too.
//!
//! Decides how a neutral request is written and what an answer means. Knows no `fetch` and keeps nothing.
//!
//! Invariants:
//! 1. no headers but `content-type`, `authorization` and the user's own: servers refuse pages that send others;
//! 2. no sampling parameters;
//! 3. no credential in an error.
//!
//! Source: the OpenAI API reference, chat completions.

use crate::http::{Failure, HttpHead, HttpRequest, Secrets, excerpt, place};
use serde_json::{Value, json};
use stepgraph_core::json;
use stepgraph_core::model::{ChatReply, ChatRequest, Finish, Message, ModelError, ModelFault, Usage};

/// Where a model is, and what it is called.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The address before `/chat/completions`; most often it ends in `/v1`.
    pub base_url: String,
    /// The model, unless a request names another.
    pub model: String,
    /// Sent as a bearer token.
    pub key: Option<String>,
    /// Sent with every request.
    pub headers: Vec<(String, String)>,
}

impl Options {
    fn error(&self, fault: ModelFault, message: &str) -> ModelError {
        let secrets = Secrets::of(&self.base_url, self.key.as_deref(), &self.headers);
        ModelError::new(fault, secrets.redact(&format!("`{}` {message}", place(&self.base_url))))
    }
}

/// The request as it is sent.
pub fn request(options: &Options, chat: &ChatRequest) -> HttpRequest {
    let message = |message: &Message| json!({"role": message.role.as_str(), "content": message.content});
    let mut body = json!({
        "model": chat.model.as_deref().unwrap_or(&options.model),
        "messages": chat.messages.iter().map(message).collect::<Vec<_>>(),
    });
    let mut add =
        |key: &str, value: Value| body.as_object_mut().and_then(|map| map.insert(key.to_owned(), value));
    if let Some(schema) = &chat.schema {
        let format = json!({"name": "answer", "strict": true, "schema": schema});
        add("response_format", json!({"type": "json_schema", "json_schema": format}));
    }
    if let Some(max) = chat.max_tokens {
        add("max_tokens", json!(max));
    }
    let url = format!("{}/chat/completions", options.base_url.trim_end_matches('/'));
    HttpRequest { method: "POST", url, headers: headers(options), body: Some(body.to_string()) }
}

fn headers(options: &Options) -> Vec<(String, String)> {
    let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    let own = options.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone()));
    let key = options.key.iter().map(|key| ("authorization".to_owned(), format!("Bearer {key}")));
    for (name, value) in own.chain(key) {
        if !headers.iter().any(|(other, _)| *other == name) {
            headers.push((name, value));
        }
    }
    headers
}

/// What the answer means.
pub fn reply(options: &Options, head: &HttpHead, body: &[u8]) -> Result<ChatReply, ModelError> {
    let parsed = std::str::from_utf8(body).ok().and_then(json::parse);
    // Some servers report an error under a status that says all is well.
    let error = parsed.as_ref().and_then(|value| value.get("error")).filter(|error| !error.is_null());
    if !head.is_ok() || error.is_some() {
        return Err(provider_error(options, head.status, error, body));
    }
    let bad =
        || options.error(ModelFault::BadReply, &format!("answered with something else: {}", excerpt(body)));
    let value = parsed.ok_or_else(bad)?;
    let choice = value.pointer("/choices/0").ok_or_else(bad)?;
    let message = choice.get("message").filter(|message| message.is_object()).ok_or_else(bad)?;
    if let Some(refusal) = message.get("refusal").and_then(Value::as_str) {
        return Err(options.error(ModelFault::Refused, &format!("declines: {refusal}")));
    }
    let text = text(message.get("content")).ok_or_else(bad)?;
    let usage = value.get("usage").and_then(usage);
    Ok(ChatReply { finish: finish(choice), usage, ..ChatReply::new(text) })
}

/// The error of a request that got no answer.
pub fn failed(options: &Options, failure: &Failure) -> ModelError {
    if failure.timeout {
        return options.error(ModelFault::Timeout, "did not answer in time");
    }
    options.error(ModelFault::Unreachable, &format!("could not be reached: {}", failure.message))
}

/// The error of an answer that is longer than the host takes.
pub fn too_large(options: &Options, limit: usize) -> ModelError {
    options.error(ModelFault::TooLarge, &format!("answered with more than {limit} bytes"))
}

/// Text, or the texts of a list of parts; a message without content, as with calls of tools, is empty.
fn text(content: Option<&Value>) -> Option<String> {
    match content {
        None | Some(Value::Null) => Some(String::new()),
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Array(parts)) => {
            Some(parts.iter().filter_map(|part| part.get("text")?.as_str()).collect())
        }
        Some(_) => None,
    }
}

fn finish(choice: &Value) -> Finish {
    match choice.get("finish_reason").and_then(Value::as_str) {
        Some("stop") => Finish::Stop,
        Some("length") => Finish::Length,
        Some("content_filter") => Finish::Filtered,
        _ => Finish::Other,
    }
}

fn usage(usage: &Value) -> Option<Usage> {
    let count = |path: &str| usage.pointer(path).and_then(Value::as_u64);
    let input = count("/prompt_tokens")?;
    let cached_input = count("/prompt_tokens_details/cached_tokens").unwrap_or_default().min(input);
    let output = count("/completion_tokens").unwrap_or_default();
    Some(Usage { input, output, cached_input, ..Usage::default() })
}

fn provider_error(options: &Options, status: u16, error: Option<&Value>, body: &[u8]) -> ModelError {
    let said = error.and_then(|error| error.get("message").unwrap_or(error).as_str());
    let said = said.map_or_else(|| excerpt(body), |said| excerpt(said.as_bytes()));
    let kind = error
        .and_then(|error| error.get("type").or_else(|| error.get("code")))
        .and_then(Value::as_str)
        .unwrap_or_default();
    let fault = match status {
        401 | 403 => ModelFault::Unauthorized,
        408 | 504 => ModelFault::Timeout,
        429 => ModelFault::RateLimited,
        503 | 529 => ModelFault::Overloaded,
        400..500 => ModelFault::Refused,
        200..300 if kind.contains("rate_limit") => ModelFault::RateLimited,
        200..300 | 500.. => ModelFault::Failed,
        _ => ModelFault::BadReply,
    };
    let colon = if said.is_empty() { "" } else { ": " };
    options.error(fault, &format!("answered with status {status}{colon}{said}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepgraph_core::model::Role;

    fn options() -> Options {
        Options {
            base_url: "http://host:1/v1/".into(),
            model: "small".into(),
            key: Some("sk-marker".into()),
            headers: vec![("X-Own".into(), "1".into()), ("Content-Type".into(), "text/plain".into())],
        }
    }

    #[test]
    fn requests() {
        let hi = || vec![Message::new(Role::System, "be brief"), Message::new(Role::User, "hi")];
        let said = json!([{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}]);
        let plain = request(&options(), &ChatRequest { messages: hi(), ..ChatRequest::default() });
        assert_eq!((plain.method, plain.url.as_str()), ("POST", "http://host:1/v1/chat/completions"));
        let headers: Vec<(&str, &str)> =
            plain.headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let expect =
            [("content-type", "application/json"), ("x-own", "1"), ("authorization", "Bearer sk-marker")];
        assert_eq!(headers, expect);
        assert_eq!(body(&plain), json!({"model": "small", "messages": said}));
        let schema = json!({"type": "object"});
        let full = ChatRequest {
            model: Some("large".into()),
            messages: hi(),
            schema: Some(schema.clone()),
            max_tokens: Some(5),
            ..ChatRequest::default()
        };
        let format = json!({"type": "json_schema", "json_schema": {"name": "answer", "strict": true, "schema": schema}});
        let expect = json!({"model": "large", "messages": said, "response_format": format, "max_tokens": 5});
        assert_eq!(body(&request(&options(), &full)), expect);
        let open = Options { key: None, headers: vec![], ..options() };
        assert_eq!(request(&open, &full).header("authorization"), None);
    }

    fn body(request: &HttpRequest) -> Value {
        serde_json::from_str(request.body.as_deref().unwrap()).unwrap()
    }

    #[test]
    fn replies() {
        let one = |message: Value, finish: &str| json!({"choices": [{"message": message, "finish_reason": finish}]});
        let usage = |value: Value| {
            let mut reply = one(json!({"content": "a"}), "stop");
            reply["usage"] = value;
            reply
        };
        let plain = |text: &str, finish| ChatReply { finish, ..ChatReply::new(text) };
        let counted = |input, output, cached_input| ChatReply {
            usage: Some(Usage { input, output, cached_input, ..Usage::default() }),
            ..plain("a", Finish::Stop)
        };
        for (body, expect) in [
            (one(json!({"content": "a"}), "stop"), plain("a", Finish::Stop)),
            (one(json!({"content": "a"}), "length"), plain("a", Finish::Length)),
            (one(json!({"content": "a"}), "content_filter"), plain("a", Finish::Filtered)),
            (one(json!({"content": null, "tool_calls": []}), "tool_calls"), plain("", Finish::Other)),
            (
                one(json!({"content": [{"text": "a"}, {"text": "b"}, {}], "refusal": null}), "stop"),
                plain("ab", Finish::Stop),
            ),
            (usage(json!({"prompt_tokens": 9, "completion_tokens": 2})), counted(9, 2, 0)),
            (
                usage(
                    json!({"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 8}}),
                ),
                counted(9, 2, 8),
            ),
            (
                usage(json!({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 99}})),
                counted(9, 0, 9),
            ),
            (usage(json!({"other": 1})), plain("a", Finish::Stop)),
        ] {
            let found = reply(&options(), &HttpHead::new(200), body.to_string().as_bytes());
            assert_eq!(found.as_ref(), Ok(&expect), "{body}");
        }
    }

    #[test]
    fn errors() {
        let said = |message: &str| json!({"error": {"message": message, "type": "t"}}).to_string();
        for (status, body, code, message) in [
            (
                401,
                said("wrong key sk-marker"),
                "model/unauthorized",
                "`host:1/v1/` answered with status 401: wrong key [secret]",
            ),
            (403, String::new(), "model/unauthorized", "`host:1/v1/` answered with status 403"),
            (
                400,
                said("no such model"),
                "model/refused",
                "`host:1/v1/` answered with status 400: no such model",
            ),
            (
                404,
                "<p>not\nhere</p>".into(),
                "model/refused",
                "`host:1/v1/` answered with status 404: <p>not here</p>",
            ),
            (429, said("slow down"), "model/rate-limited", ""),
            (500, said("oh"), "model/failed", ""),
            (
                503,
                json!({"error": "loading"}).to_string(),
                "model/overloaded",
                "`host:1/v1/` answered with status 503: loading",
            ),
            (529, said("busy"), "model/overloaded", ""),
            (504, String::new(), "model/timeout", ""),
            (302, String::new(), "model/bad-reply", ""),
            (200, said("oh"), "model/failed", ""),
            (
                200,
                json!({"error": {"message": "m", "type": "rate_limit_error"}}).to_string(),
                "model/rate-limited",
                "",
            ),
            (200, "<html>".into(), "model/bad-reply", "`host:1/v1/` answered with something else: <html>"),
            (200, "{}".into(), "model/bad-reply", ""),
            (200, json!({"choices": []}).to_string(), "model/bad-reply", ""),
            (200, json!({"choices": [{"message": "a"}]}).to_string(), "model/bad-reply", ""),
            (200, json!({"choices": [{"message": {"content": 7}}]}).to_string(), "model/bad-reply", ""),
            (
                200,
                json!({"choices": [{"message": {"refusal": "no"}}]}).to_string(),
                "model/refused",
                "`host:1/v1/` declines: no",
            ),
        ] {
            let error = reply(&options(), &HttpHead::new(status), body.as_bytes()).unwrap_err();
            assert_eq!(error.code(), code, "{status} {body}");
            assert!(message.is_empty() || error.message == message, "{error}");
        }
    }

    #[test]
    fn failures() {
        let cut = failed(&options(), &Failure::network("refused for Bearer sk-marker"));
        assert_eq!(
            cut.to_string(),
            "model/unreachable: `host:1/v1/` could not be reached: refused for Bearer [secret]"
        );
        assert_eq!(failed(&options(), &Failure::timeout("")).code(), "model/timeout");
        assert_eq!(too_large(&options(), 5).code(), "model/too-large");
    }
}
