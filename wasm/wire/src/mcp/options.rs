//! The options of a connection.

use serde_json::{Map, Value};

/// Limits for a server's responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of one response, or of one event of a stream, in bytes.
    pub answer_bytes: usize,
    /// The maximum number of pages of a list.
    pub pages: usize,
    /// The longest pause that a server may request before a stream resumes, in milliseconds.
    pub pause_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { answer_bytes: 16 * 1024 * 1024, pages: 200, pause_ms: 60_000 }
    }
}

/// The options of a connection.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The URL of the server.
    pub url: String,
    /// The name that qualifies the server's tools.
    pub name: String,
    /// The bearer token.
    pub key: Option<String>,
    /// Headers of every request.
    pub headers: Vec<(String, String)>,
    /// Whether the host can get a token when the server requires one.
    pub has_auth: bool,
    /// The host's capabilities: `{elicitation: {form, url}, sampling, roots}`, in the protocol's format.
    pub capabilities: Map<String, Value>,
    /// The only revision to use. `None` detects it.
    pub version: Option<String>,
    /// Whether the client runs in a browser page, which sends only the headers that the server allows.
    pub in_page: bool,
    /// The revision of an earlier connection, which shows the server's era.
    pub known_version: Option<String>,
    /// Limits for responses.
    pub limits: Limits,
}
