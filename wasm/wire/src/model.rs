//! Language models over HTTP, with one module per wire format. All of them are pure.
//!
//! Common to all formats: a request is serialized from a neutral shape, and an answer is parsed into one. The
//! events of a stream add up to the JSON of a complete answer, so each format has one parser. There is no
//! network and no state between calls.
//!
//! Files:
//! * `openai_chat`, `openai_responses`, `anthropic`, `gemini`: the formats
//! * [`call`]: one request and its answer
//! * [`stream`]: a partial answer
//! * `provider_error`: errors of providers
//! * `retry`: when to retry
//! * `schema`: schemas in the providers' subsets
//! * `common`: helpers of all formats
//!
//! Invariants:
//! 1. The only headers are `content-type`, the key, the provider's required ones and the user's. Servers
//!    refuse other headers from pages.
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

/// The address, the name and the wire format of a model.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The format: `openai`, `openai-responses`, `anthropic` or `gemini`. Any other name selects the first.
    pub format: String,
    /// The URL before the format's own path. It usually ends in a version such as `/v1`.
    pub base_url: String,
    /// The model, unless a request names another one.
    pub model: String,
    /// The credential for the format's header.
    pub key: Option<String>,
    /// Headers of every request.
    pub headers: Vec<(String, String)>,
    /// Whether the request comes from a browser page. Some providers require a header then.
    pub in_page: bool,
}

impl Options {
    fn model_of<'a>(&'a self, chat: &'a ChatRequest) -> &'a str {
        chat.model.as_deref().unwrap_or(&self.model)
    }

    /// Returns whether this is OpenAI's own service. It accepts more parameters than compatible servers, and
    /// less of JSON Schema.
    fn is_openai(&self) -> bool {
        let path = display_url(&self.base_url);
        path.starts_with("api.openai.com") || path.contains(".openai.azure.com")
    }
}

/// One wire format.
struct Format {
    name: &'static str,
    /// The path after the base URL.
    path: fn(&Options, &ChatRequest, bool) -> String,
    /// The header of the key, and the prefix of its value.
    key: (&'static str, &'static str),
    headers: &'static [(&'static str, &'static str)],
    /// Required headers of requests from a page.
    page_headers: &'static [(&'static str, &'static str)],
    /// Builds the body of a request. The flag requests a stream.
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

/// All formats. The first is the most common one.
static FORMATS: [&Format; 4] =
    [&openai_chat::FORMAT, &openai_responses::FORMAT, &anthropic::FORMAT, &gemini::FORMAT];

fn format_of(name: &str) -> &'static Format {
    let [first, ..] = FORMATS;
    FORMATS.iter().find(|format| format.name == name).copied().unwrap_or(first)
}

/// An answer without a reply.
#[derive(Debug, PartialEq)]
enum UnexpectedAnswer {
    /// It does not match the format.
    Shape,
    /// The model or its filter refused. Contains the reason.
    Refused(String),
}
