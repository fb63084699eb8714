//! One request to a model: when its answer is complete, which deltas and errors to report, whether to retry.
//!
//! Invariants:
//! 1. The reply and the deltas don't depend on the boundaries of chunks.
//! 2. An attempt that has emitted deltas is never retried, so no delta arrives twice.
//! 3. An answer has at most [`LIMIT_BYTES`].

use super::stream::Stream;
use super::{Format, Options, UnexpectedAnswer, format_of, provider_error, retry};
use crate::http::{HttpFailure, HttpHead, HttpRequest, MAX_EXCERPT_CHARS, Secrets, display_url, excerpt};
use crate::names::NameSet;
use crate::sse::Decoder;
use serde_json::Value as Json;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::json;
use stepgraph_core::model::{ChatReply, ChatRequest, FinishReason, ModelError, ModelErrorKind};

/// The limit of an answer.
pub const LIMIT_BYTES: usize = 16 * 1024 * 1024;
/// How much of an unknown error is inspected.
const MAX_INSPECTED_CHARS: usize = 4000;

/// A request, and its latest attempt.
#[derive(Debug)]
pub struct Call {
    format: &'static Format,
    options: Options,
    chat: ChatRequest,
    is_streaming: bool,
    latest: Attempt,
}

#[derive(Debug, Default)]
struct Attempt {
    head: HttpHead,
    received: usize,
    body: Vec<u8>,
    events: Option<Decoder>,
    stream: Stream,
    error: Option<AnswerError>,
    has_emitted: bool,
    /// `None` if a retry is useless.
    retry_status: Option<u16>,
}

#[derive(Debug)]
enum AnswerError {
    TooLarge,
    NotJson(String),
    Provider(Json),
}

impl Call {
    /// `streams` requests an event stream.
    pub fn new(options: Options, chat: ChatRequest, streams: bool) -> Self {
        Self {
            format: format_of(&options.format),
            options,
            chat,
            is_streaming: streams,
            latest: Attempt::default(),
        }
    }

    /// Starts the next attempt.
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

    /// Receives the status and headers of the answer.
    pub fn head(&mut self, head: HttpHead) {
        // Errors are never streamed. A server may stream unasked.
        let pieces = head.is_ok() && head.is_of_type("text/event-stream");
        self.latest.events = pieces.then(|| Decoder::new(LIMIT_BYTES));
        self.latest.head = head;
    }

    /// Receives a chunk. Returns whether the driver can stop reading.
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

    /// Returns the deltas since the last call.
    pub fn deltas(&mut self) -> Vec<Json> {
        let deltas = self.latest.stream.take_deltas();
        self.latest.has_emitted |= !deltas.is_empty();
        deltas
    }

    /// Parses the complete answer.
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

    /// Returns the error of an incomplete answer.
    pub fn failed(&mut self, failure: &HttpFailure) -> ModelError {
        if failure.is_timeout {
            // A retry would multiply the caller's patience.
            return self.error(ModelErrorKind::Timeout, "did not answer in time");
        }
        self.latest.retry_status = Some(0);
        let mut message = ["could not be reached: ", &failure.message].concat();
        if self.options.in_page {
            // A browser does not say whether the server is down or refuses the page.
            message.push_str("; if it runs, it has to allow this page's origin and the headers ");
            let names: Vec<String> = self.headers().into_iter().map(|(name, _)| name).collect_vec();
            message.push_str(&names.join(", "));
        }
        self.error(ModelErrorKind::Unreachable, &message)
    }

    /// Returns how long to wait before a retry, if any. `attempt` counts those so far.
    pub fn retry_after(&self, attempt: u32, now_ms: u64) -> Option<u64> {
        let status = self.latest.retry_status.filter(|_| !self.latest.has_emitted)?;
        let head = HttpHead { status, headers: self.latest.head.headers.clone() };
        retry::retry_after(&head, attempt, now_ms)
    }

    /// Servers send duplicate ids, and finish reasons that contradict the calls.
    fn with_unique_ids(&self, mut reply: ChatReply) -> ChatReply {
        let mut seen = NameSet::default();
        for (at, call) in reply.tool_calls.iter_mut().enumerate() {
            if call.id.is_empty() || !seen.insert(call.id.clone()) {
                // Earlier ids contain smaller message counts.
                call.id = format!("call_{}_{at}", self.chat.messages.len());
                seen.insert(call.id.clone());
            }
        }
        reply.finish = match (reply.tool_calls.is_empty(), reply.finish) {
            (false, FinishReason::Stop | FinishReason::Other) => FinishReason::ToolCalls,
            (true, FinishReason::ToolCalls) => FinishReason::Other,
            (_, finish) => finish,
        };
        reply
    }

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

    fn redacted_excerpt(&self, text: &[u8]) -> String {
        excerpt(self.redacted(text).as_bytes(), MAX_EXCERPT_CHARS)
    }

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
        // Some servers keep the connection alive with empty events.
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
