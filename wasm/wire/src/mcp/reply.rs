//! Decides which message of a response, as JSON or event stream, is the answer.
//!
//! Invariants:
//! 1. The first message with the request's id is the answer. Other answers are ignored.
//! 2. The reader buffers at most the limit.
//! 3. After [`Reader::is_whole`] the state does not change.

use super::message::{self, Message, RpcError};
use crate::http::{HttpFailure, HttpHead};
use crate::sse::Decoder;
use serde_json::Value;

/// A request's response.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// Status 0 if there was no response.
    pub head: HttpHead,
    /// The body.
    pub body: Body,
    /// Server messages that [`Reader::take_messages`] has not returned.
    pub messages: Vec<Message>,
    /// Bytes received.
    pub size: usize,
    /// The event after which a broken stream can resume.
    pub last_event_id: Option<String>,
    /// The pause before a retry.
    pub retry_ms: Option<u64>,
}

impl Reply {
    /// Whether there was no response, but no timeout either.
    pub fn is_lost(&self) -> bool {
        self.head.status == 0 && matches!(&self.body, Body::Failed(failure) if !failure.is_timeout)
    }

    /// Whether a successful response broke off.
    pub fn is_cut(&self) -> bool {
        let broken = match &self.body {
            Body::Broken => true,
            Body::Failed(failure) => !failure.is_timeout,
            _ => false,
        };
        broken && self.head.is_ok()
    }
}

/// A response's body.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// The result.
    Result(Value),
    /// A JSON-RPC error.
    Error(RpcError),
    /// An empty body.
    Empty,
    /// A complete body or event without JSON-RPC: redaction needs the whole text.
    NotJsonRpc(String),
    /// An event stream that ended without the answer.
    Broken,
    /// A too large body.
    TooLarge,
    /// The host could not get it.
    Failed(HttpFailure),
}

/// Reads one response.
#[derive(Debug)]
pub struct Reader {
    id: u64,
    limit: usize,
    head: HttpHead,
    events: Option<Decoder>,
    bytes: Vec<u8>,
    size: usize,
    body: Option<Body>,
    messages: Vec<Message>,
}

impl Reader {
    /// Expects the answer to request `id`, of up to `limit` bytes.
    pub fn new(id: u64, limit: usize) -> Self {
        Self {
            id,
            limit,
            head: HttpHead::default(),
            events: None,
            bytes: Vec::new(),
            size: 0,
            body: None,
            messages: Vec::new(),
        }
    }

    /// Receives status and headers.
    pub fn take_head(&mut self, head: HttpHead) {
        self.events = head.is_of_type("text/event-stream").then(|| Decoder::new(self.limit));
        self.head = head;
    }

    /// Receives a chunk.
    pub fn take_chunk(&mut self, chunk: &[u8]) {
        if self.is_whole() {
            return;
        }
        self.size += chunk.len();
        let Some(decoder) = &mut self.events else {
            if self.bytes.len() + chunk.len() > self.limit {
                self.body = Some(Body::TooLarge);
            } else {
                self.bytes.extend_from_slice(chunk);
            }
            return;
        };
        match decoder.push(chunk) {
            // Other kinds of events, such as keep-alives, carry no messages.
            Ok(events) => {
                let messages = events.iter().filter(|event| event.kind == "message");
                messages.for_each(|event| self.take_event(&event.data));
            }
            Err(_) => self.body = Some(Body::TooLarge),
        }
    }

    /// Whether the rest of the body does not matter.
    pub fn is_whole(&self) -> bool {
        self.body.is_some()
    }

    /// Returns the requests and notifications since the last call.
    pub fn take_messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.messages)
    }

    /// Returns the reply when the body ends.
    pub fn end(mut self) -> Reply {
        let body = match self.body.take() {
            Some(body) => body,
            None if self.events.is_some() => Body::Broken,
            None => self.parse_body(),
        };
        self.reply(body)
    }

    /// Returns the reply after the host failed.
    pub fn fail(mut self, failure: HttpFailure) -> Reply {
        let body = self.body.take().unwrap_or(Body::Failed(failure));
        self.reply(body)
    }

    fn reply(self, body: Body) -> Reply {
        // A header can hold no other id.
        let legal = |id: &&str| !id.is_empty() && id.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        let events = self.events.as_ref();
        Reply {
            body,
            messages: self.messages,
            size: self.size,
            last_event_id: events.map(Decoder::last_event_id).filter(legal).map(str::to_owned),
            retry_ms: events.and_then(Decoder::retry_ms),
            head: self.head,
        }
    }

    fn parse_body(&mut self) -> Body {
        if self.bytes.iter().all(u8::is_ascii_whitespace) {
            return Body::Empty;
        }
        for message in message::parse(&self.bytes).unwrap_or_default() {
            self.take_message(message);
        }
        self.body
            .take()
            .unwrap_or_else(|| Body::NotJsonRpc(String::from_utf8_lossy(&self.bytes).into_owned()))
    }

    /// An event without data only sets the id to resume from.
    fn take_event(&mut self, data: &str) {
        if data.is_empty() || self.is_whole() {
            return;
        }
        match message::parse(data.as_bytes()) {
            Some(messages) => messages.into_iter().for_each(|message| self.take_message(message)),
            None => self.body = Some(Body::NotJsonRpc(data.to_owned())),
        }
    }

    fn take_message(&mut self, message: Message) {
        match message {
            Message::Answer { id, outcome } if self.body.is_none() => match outcome {
                Ok(result) if id == Some(self.id) => self.body = Some(Body::Result(result)),
                // An error without an id concerns an unreadable request: this one.
                Err(error) if id.is_none_or(|id| id == self.id) => self.body = Some(Body::Error(error)),
                _ => {}
            },
            Message::Answer { .. } => {}
            message => self.messages.push(message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(kind: &str, body: &str) -> (Body, Vec<String>) {
        let mut reader = Reader::new(7, 200);
        reader.take_head(HttpHead::new(200).with_header("content-type", kind));
        body.as_bytes().chunks(5).for_each(|chunk| reader.take_chunk(chunk));
        let messages = reader.take_messages().into_iter().filter_map(|message| match message {
            Message::Request { method, .. } => Some(method),
            _ => None,
        });
        let requested = messages.collect();
        (reader.end().body, requested)
    }

    #[test]
    fn json_bodies() {
        let error = |id: &str| format!(r#"{{"id":{id},"error":{{"code":-1,"message":"m"}}}}"#);
        let failed = Body::Error(RpcError { code: -1, message: "m".into(), data: Value::Null });
        let garbage = |text: &str| Body::NotJsonRpc(text.into());
        for (body, expect) in [
            (r#"{"id":7,"result":1}"#.to_owned(), Body::Result(json!(1))),
            (
                r#"[{"method":"n"},{"id":6,"result":0},{"id":7,"result":1},{"id":7,"result":2}]"#.to_owned(),
                Body::Result(json!(1)),
            ),
            (error("7"), failed.clone()),
            (error("null"), failed),
            (error("8"), garbage(&error("8"))),
            (r#"{"id":8,"result":1}"#.to_owned(), garbage(r#"{"id":8,"result":1}"#)),
            ("<html>".to_owned(), garbage("<html>")),
            (" \n".to_owned(), Body::Empty),
            ("x".repeat(300), Body::TooLarge),
        ] {
            assert_eq!(read("application/json", &body).0, expect, "{body}");
        }
    }

    #[test]
    fn event_streams() {
        let result = r#"data: {"id":7,"result":1}"#;
        for (body, expect, asked) in [
            (format!("id: 1\ndata:\n\n{result}\n\n"), Body::Result(json!(1)), vec![]),
            (format!("data: {{\"method\":\"n\"}}\n\n: hi\n\n{result}\n\n"), Body::Result(json!(1)), vec![]),
            (
                format!("data: {{\"id\":\"a\",\"method\":\"ping\"}}\n\n{result}\n\n"),
                Body::Result(json!(1)),
                vec!["ping"],
            ),
            (format!("data: {{\"id\":6,\"result\":2}}\n\n{result}\n\n"), Body::Result(json!(1)), vec![]),
            (format!("{result}\n\ndata: garbage\n\n"), Body::Result(json!(1)), vec![]),
            (format!("{result}\n"), Body::Broken, vec![]),
            (String::new(), Body::Broken, vec![]),
            ("data: garbage\n\n".to_owned(), Body::NotJsonRpc("garbage".into()), vec![]),
            ("x".repeat(300), Body::TooLarge, vec![]),
        ] {
            let (found, methods) = read("text/event-stream", &body);
            assert_eq!((found, methods), (expect, asked.into_iter().map(str::to_owned).collect()), "{body}");
        }
    }

    #[test]
    fn a_complete_reply_survives_a_failure() {
        let mut reader = Reader::new(7, 200);
        reader.take_head(HttpHead::new(200).with_header("content-type", "text/event-stream"));
        reader.take_chunk(b"data: {\"id\":7,\"result\":1}\n\n");
        assert!(reader.is_whole());
        assert_eq!(reader.fail(HttpFailure::network("cut")).body, Body::Result(json!(1)));
        let reply = Reader::new(7, 200).fail(HttpFailure::network("cut"));
        assert_eq!((reply.head.status, reply.body), (0, Body::Failed(HttpFailure::network("cut"))));
    }
}
