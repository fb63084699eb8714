//! One request to a model, and its answer as it arrives.
//!
//! Decides when an answer is whole, what is told of it meanwhile, what went wrong, and whether to ask again. Knows no format but by
//! [`super::Format`], and no network: whoever holds a call sends its request and hands back head, chunks and end.
//!
//! Invariants:
//! 1. the reply and all that is told are the same wherever the bytes are cut;
//! 2. a try that somebody was told of is never repeated: nobody is told the same thing twice;
//! 3. no more than [`LIMIT_BYTES`] is ever kept.

use super::stream::Stream;
use super::{Format, Options, UnexpectedAnswer, format_of, provider_error, retry};
use crate::http::{HttpFailure, HttpHead, HttpRequest, MAX_EXCERPT_CHARS, Secrets, display_url, excerpt};
use crate::sse::Decoder;
use serde_json::Value as Json;
use std::collections::HashSet;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::json;
use stepgraph_core::model::{ChatReply, ChatRequest, FinishReason, ModelError, ModelErrorKind};

/// How much of an answer is taken.
pub const LIMIT_BYTES: usize = 16 * 1024 * 1024;
/// How many characters of a strange error are looked at for what it means.
const MAX_INSPECTED_CHARS: usize = 4000;

/// A request, and the answer to its latest try.
#[derive(Debug)]
pub struct Call {
    format: &'static Format,
    options: Options,
    chat: ChatRequest,
    is_streaming: bool,
    latest: Attempt,
}

/// What came of one try so far.
#[derive(Debug, Default)]
struct Attempt {
    head: HttpHead,
    received: usize,
    body: Vec<u8>,
    events: Option<Decoder>,
    stream: Stream,
    /// What went wrong before the end.
    error: Option<AnswerError>,
    /// Whether somebody was told a part of the answer.
    has_emitted: bool,
    /// How the failure looks to those who decide whether to ask again; nothing if it is no use.
    retry_status: Option<u16>,
}

/// What is wrong with an answer.
#[derive(Debug)]
enum AnswerError {
    TooLarge,
    /// An event that is no JSON.
    NotJson(String),
    /// The provider's own error.
    Provider(Json),
}

impl Call {
    /// A call; with `streams` the answer is asked for in pieces.
    pub fn new(options: Options, chat: ChatRequest, streams: bool) -> Self {
        Self {
            format: format_of(&options.format),
            options,
            chat,
            is_streaming: streams,
            latest: Attempt::default(),
        }
    }

    /// The request as it is sent; what came of an earlier try is forgotten.
    pub fn request(&mut self) -> HttpRequest {
        self.latest = Attempt::default();
        let path = (self.format.path)(&self.options, &self.chat, self.is_streaming);
        let (base, query) = self.options.base_url.split_once('?').unwrap_or((&self.options.base_url, ""));
        let sign = match (query, path.contains('?')) {
            ("", _) => "",
            (_, true) => "&",
            _ => "?",
        };
        let url = [base.trim_end_matches('/'), &path, sign, query].concat();
        let body = (self.format.body)(&self.options, &self.chat, self.is_streaming).to_string();
        HttpRequest { method: "POST", url, headers: self.headers(), body: Some(body) }
    }

    fn headers(&self) -> Vec<(String, String)> {
        let Format { key: (name, before), headers, page_headers, .. } = self.format;
        let Options { headers: own, key, in_page, .. } = &self.options;
        let mut all = vec![("content-type".to_owned(), "application/json".to_owned())];
        let own = own.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone()));
        let key = key.iter().map(|key| ((*name).to_owned(), [before, key.as_str()].concat()));
        let page_headers: &[_] = if *in_page { page_headers } else { &[] };
        let fixed =
            headers.iter().chain(page_headers).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        for (name, value) in own.chain(key).chain(fixed) {
            if !all.iter().any(|(other, _)| *other == name) {
                all.push((name, value));
            }
        }
        all
    }

    /// Takes what an answer says before its body.
    pub fn head(&mut self, head: HttpHead) {
        // An error comes whole, whatever was asked for; and an answer may come in pieces that was not asked to.
        let pieces = head.is_ok() && head.is_of_type("text/event-stream");
        self.latest.events = pieces.then(|| Decoder::new(LIMIT_BYTES));
        self.latest.head = head;
    }

    /// Takes a part of the body. Gives whether the rest need not be read.
    pub fn chunk(&mut self, bytes: &[u8]) -> bool {
        let latest = &mut self.latest;
        latest.received += bytes.len();
        if latest.received > LIMIT_BYTES {
            latest.error.get_or_insert(AnswerError::TooLarge);
        } else if let Some(decoder) = &mut latest.events {
            match decoder.push(bytes) {
                Ok(events) => {
                    for event in events {
                        latest.event(self.format, &event.data);
                    }
                }
                Err(_) => latest.error = Some(AnswerError::TooLarge),
            }
        } else {
            latest.body.extend_from_slice(bytes);
        }
        latest.error.is_some() || latest.stream.is_over
    }

    /// What the answer has said since this was last asked; somebody will be told.
    pub fn deltas(&mut self) -> Vec<Json> {
        let deltas = self.latest.stream.take_deltas();
        self.latest.has_emitted |= !deltas.is_empty();
        deltas
    }

    /// What the answer means, now that there is no more of it.
    pub fn end(&mut self) -> Result<ChatReply, ModelError> {
        let streamed = self.latest.events.is_some();
        let body = std::mem::take(&mut self.latest.body);
        match self.latest.error.take() {
            Some(AnswerError::TooLarge) => {
                return Err(self.error(
                    ModelErrorKind::TooLarge,
                    &format!("answered with more than {LIMIT_BYTES} bytes"),
                ));
            }
            Some(AnswerError::NotJson(text)) => return Err(self.unexpected_body(text.as_bytes())),
            Some(AnswerError::Provider(error)) => return Err(self.provider_error(&error)),
            None => {}
        }
        let whole = if streamed {
            let stream = std::mem::take(&mut self.latest.stream);
            if stream.has_too_many_parts {
                return Err(self.unexpected_body(b"more parts than any answer has"));
            }
            if !stream.is_complete && (!stream.is_over || stream.is_empty()) {
                self.latest.retry_status = Some(0);
                return Err(self.error(ModelErrorKind::Unreachable, "broke off its answer"));
            }
            Some((self.format.assemble)(stream))
        } else {
            std::str::from_utf8(&body).ok().and_then(json::parse)
        };
        if let Some(error) = whole.as_ref().and_then(provider_error::find_error) {
            return Err(self.provider_error(error));
        }
        if !self.latest.head.is_ok() {
            let message: String = self.redacted(&body).chars().take(MAX_INSPECTED_CHARS).collect();
            return Err(self.provider_error(&message.into()));
        }
        let reply = whole.as_ref().map_or(Err(UnexpectedAnswer::Shape), self.format.reply);
        let reply = reply.map_err(|odd| match odd {
            UnexpectedAnswer::Refused(why) => {
                self.error(ModelErrorKind::Refused, &["declines: ", &why].concat())
            }
            UnexpectedAnswer::Shape => self.unexpected_body(&body),
        })?;
        Ok(self.with_unique_ids(reply))
    }

    /// The error of a try that got no answer, or only a part of one.
    pub fn failed(&mut self, failure: &HttpFailure) -> ModelError {
        if failure.is_timeout {
            // The time of a try is what the caller was ready to wait: another one would make it a multiple.
            return self.error(ModelErrorKind::Timeout, "did not answer in time");
        }
        self.latest.retry_status = Some(0);
        let mut message = ["could not be reached: ", &failure.message].concat();
        if self.options.in_page {
            // A browser does not tell a page whether the server is down or does not let it in.
            message.push_str("; if it runs, it has to allow this page's origin and the headers ");
            let names: Vec<String> = self.headers().into_iter().map(|(name, _)| name).collect_vec();
            message.push_str(&names.join(", "));
        }
        self.error(ModelErrorKind::Unreachable, &message)
    }

    /// How many milliseconds to wait before another try; nothing if there should be none. `attempt` counts the tries so far.
    pub fn retry_after(&self, attempt: u32, now_ms: u64) -> Option<u64> {
        let status = self.latest.retry_status.filter(|_| !self.latest.has_emitted)?;
        let head = HttpHead { status, headers: self.latest.head.headers.clone() };
        retry::retry_after(&head, attempt, now_ms)
    }

    /// Every call has an id of its own, and who asks for calls ends because of them, whatever servers say.
    fn with_unique_ids(&self, mut reply: ChatReply) -> ChatReply {
        let mut seen = HashSet::new();
        for (at, call) in reply.tool_calls.iter_mut().enumerate() {
            if call.id.is_empty() || seen.contains(&call.id) {
                // Unlike any in the conversation so far, which has fewer messages.
                call.id = format!("call_{}_{at}", self.chat.messages.len());
            }
            seen.insert(call.id.clone());
        }
        reply.finish = match (reply.tool_calls.is_empty(), reply.finish) {
            (false, FinishReason::Stop | FinishReason::Other) => FinishReason::ToolCalls,
            (true, FinishReason::ToolCalls) => FinishReason::Other,
            (_, finish) => finish,
        };
        reply
    }

    /// What the provider says went wrong.
    fn provider_error(&mut self, error: &Json) -> ModelError {
        let status = self.latest.head.status;
        let told = provider_error::parse(status, error);
        let useless = told.kind == ModelErrorKind::Quota;
        self.latest.retry_status = (!useless).then_some(told.status);
        let message = self.redacted_excerpt(told.message.as_bytes());
        let colon = if message.is_empty() { "" } else { ": " };
        self.error(told.kind, &format!("answered with status {status}{colon}{message}"))
    }

    fn unexpected_body(&self, body: &[u8]) -> ModelError {
        self.error(
            ModelErrorKind::BadReply,
            &["answered with something else: ", &self.redacted_excerpt(body)].concat(),
        )
    }

    /// The beginning of what a server said.
    fn redacted_excerpt(&self, text: &[u8]) -> String {
        excerpt(self.redacted(text).as_bytes(), MAX_EXCERPT_CHARS)
    }

    /// What a server said, without credentials. Nothing may be cut before: half of a key tells too much, too.
    fn redacted(&self, text: &[u8]) -> String {
        self.secrets().redact(&String::from_utf8_lossy(text))
    }

    fn error(&self, kind: ModelErrorKind, message: &str) -> ModelError {
        let message = ["`", display_url(&self.options.base_url), "` ", message].concat();
        ModelError::new(kind, self.secrets().redact(&message))
    }

    fn secrets(&self) -> Secrets {
        let Options { base_url, key, headers, .. } = &self.options;
        Secrets::of_connection(base_url, key.as_deref(), headers)
    }
}

impl Attempt {
    fn event(&mut self, format: &Format, data: &str) {
        // Some keep the connection alive by events that say nothing.
        if self.error.is_some() || self.stream.is_over || data.trim().is_empty() {
            return;
        }
        if data.trim() == "[DONE]" {
            self.stream.is_over = true;
            return;
        }
        match json::parse(data) {
            None => self.error = Some(AnswerError::NotJson(data.to_owned())),
            Some(event) => match provider_error::find_error(&event) {
                Some(error) => self.error = Some(AnswerError::Provider(error.clone())),
                None => (format.event)(&mut self.stream, &event),
            },
        }
    }
}

#[cfg(test)]
mod tests;
