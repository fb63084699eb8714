//! Language models over HTTP, with one pure module per wire format.
//!
//! A request is serialized from a neutral shape, and an answer is parsed into one. A stream's events add up
//! to the JSON of a complete answer, so each format has one parser.
//!
//! Invariants:
//! 1. The client sends no headers beyond `content-type`, the key, the required ones and the user's: servers
//!    refuse others from pages.
//! 2. The client adds no sampling parameters of its own.
//! 3. No error contains a credential.
//!
//! Source: the API references of the providers.

mod anthropic;
pub mod call;
mod common;
mod gemini;
mod openai_chat;
mod openai_responses;
mod provider_error;
mod retry;
mod schema;
pub mod stream;
#[cfg(test)]
mod test_support;

use crate::http::display_url;
use serde_json::Value as Json;
use stepgraph_core::model::{ChatReply, ChatRequest};
use stream::Stream;

/// A model's address, name and wire format.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `openai`, `openai-responses`, `anthropic` or `gemini`. Other names select the first.
    pub format: String,
    /// The URL before the format's path, such as `…/v1`.
    pub base_url: String,
    /// The model, unless a request names one.
    pub model: String,
    /// The credential.
    pub key: Option<String>,
    /// Headers of every request.
    pub headers: Vec<(String, String)>,
    /// Whether a browser page asks. Some providers require a header then.
    pub in_page: bool,
}

impl Options {
    fn model_of<'a>(&'a self, chat: &'a ChatRequest) -> &'a str {
        chat.model.as_deref().unwrap_or(&self.model)
    }

    /// OpenAI's own service accepts more parameters than compatible servers, and less of JSON Schema.
    fn is_openai(&self) -> bool {
        let path = display_url(&self.base_url);
        path.starts_with("api.openai.com") || path.contains(".openai.azure.com")
    }
}

struct Format {
    name: &'static str,
    /// Appended to the base URL. The flag requests a stream.
    path: fn(&Options, &ChatRequest, bool) -> String,
    /// The name, and the prefix of the value.
    key: (&'static str, &'static str),
    headers: &'static [(&'static str, &'static str)],
    /// For requests from a page.
    page_headers: &'static [(&'static str, &'static str)],
    /// The flag requests a stream.
    body: fn(&Options, &ChatRequest, bool) -> Json,
    event: fn(&mut Stream, &Json),
    assemble: fn(Stream) -> Json,
    reply: fn(&Json) -> Result<ChatReply, UnexpectedAnswer>,
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

static FORMATS: [&Format; 4] =
    [&openai_chat::FORMAT, &openai_responses::FORMAT, &anthropic::FORMAT, &gemini::FORMAT];

fn format_of(name: &str) -> &'static Format {
    let [first, ..] = FORMATS;
    FORMATS.iter().find(|format| format.name == name).copied().unwrap_or(first)
}

#[derive(Debug, PartialEq)]
enum UnexpectedAnswer {
    Shape,
    Refused(String),
}
