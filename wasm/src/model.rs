//! Language models over HTTP: one file for each wire format, all of them pure.
//!
//! Decides what the formats have in common: a request is written from the neutral shape, an answer is read into it, and a stream adds
//! up to the very JSON that would have come whole, so that there is one reading of answers. Knows no network and keeps nothing
//! between two calls.
//!
//! Files: `openai_chat`, `openai_responses`, `anthropic`, `gemini` the formats · [`call`] one request and its answer as it arrives ·
//! [`stream`] what has come of an answer · `provider_error` what an error of a provider means · `retry` whether to ask again · `schema`
//! schemas as providers take them · `common` what formats share.
//!
//! Invariants:
//! 1. no headers but `content-type`, the key's, those a provider demands and the user's own: servers refuse pages that send others;
//! 2. no sampling parameters;
//! 3. no credential in an error.
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

/// Where a model is, what it is called and how it is spoken to.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The format: `openai`, `openai-responses`, `anthropic` or `gemini`; another word means the first.
    pub format: String,
    /// The address before the format's own path; most often it ends in a version such as `/v1`.
    pub base_url: String,
    /// The model, unless a request names another.
    pub model: String,
    /// The credential, sent in the header of the format.
    pub key: Option<String>,
    /// Sent with every request.
    pub headers: Vec<(String, String)>,
    /// Whether the request comes from a page, which some providers want to be told.
    pub in_page: bool,
}

impl Options {
    /// The model that a request is for.
    fn model_of<'a>(&'a self, chat: &'a ChatRequest) -> &'a str {
        chat.model.as_deref().unwrap_or(&self.model)
    }

    /// Whether this is OpenAI's own service. It takes more than others, who may refuse what they don't know, and less of JSON Schema.
    fn is_openai(&self) -> bool {
        let path = display_url(&self.base_url);
        path.starts_with("api.openai.com") || path.contains(".openai.azure.com")
    }
}

/// One wire format: what it is made of.
struct Format {
    name: &'static str,
    /// What follows the base address.
    path: fn(&Options, &ChatRequest, bool) -> String,
    /// The header of the key, and what stands before the key in it.
    key: (&'static str, &'static str),
    /// Headers that it demands.
    headers: &'static [(&'static str, &'static str)],
    /// Headers that it demands of pages.
    page_headers: &'static [(&'static str, &'static str)],
    /// The body of a request; the flag asks for a stream.
    body: fn(&Options, &ChatRequest, bool) -> Json,
    /// Takes an event of a stream in.
    event: fn(&mut Stream, &Json),
    /// The answer that a stream has added up to.
    assemble: fn(Stream) -> Json,
    /// What an answer means.
    reply: fn(&Json) -> Result<ChatReply, UnexpectedAnswer>,
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Every format; the first is the one that most servers speak.
static FORMATS: [&Format; 4] =
    [&openai_chat::FORMAT, &openai_responses::FORMAT, &anthropic::FORMAT, &gemini::FORMAT];

fn format_of(name: &str) -> &'static Format {
    let [first, ..] = FORMATS;
    FORMATS.iter().find(|format| format.name == name).copied().unwrap_or(first)
}

/// An answer without a reply in it.
#[derive(Debug, PartialEq)]
enum UnexpectedAnswer {
    /// It is not of the format.
    Shape,
    /// The model, or what guards it, declines; in these words.
    Refused(String),
}
