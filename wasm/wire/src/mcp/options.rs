//! The options of a connection.

use serde_json::{Map, Value};

/// Limits of a server's responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Limit of one response or one event, in bytes.
    pub answer_bytes: usize,
    /// Pages of a list.
    pub pages: usize,
    /// The longest pause before a stream resumes, in milliseconds.
    pub pause_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { answer_bytes: 16 * 1024 * 1024, pages: 200, pause_ms: 60_000 }
    }
}

/// A connection's options.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The server's URL.
    pub url: String,
    /// Qualifies the server's tools.
    pub name: String,
    /// The bearer token.
    pub key: Option<String>,
    /// Headers of every request.
    pub headers: Vec<(String, String)>,
    /// Whether the host can get a token.
    pub has_auth: bool,
    /// The host's `{elicitation: {form, url}, sampling, roots}`, in the protocol's format.
    pub capabilities: Map<String, Value>,
    /// The only revision to use. `None` detects it.
    pub version: Option<String>,
    /// Whether the client runs in a browser page: it sends only headers that the server allows.
    pub in_page: bool,
    /// An earlier connection's revision. It shows the era.
    pub known_version: Option<String>,
    /// Limits of responses.
    pub limits: Limits,
}
