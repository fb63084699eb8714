//! What all operations on one server share: its address, its era, and how to talk to it.
//!
//! Decides what every request carries and how far the connection is. Knows nothing of the operations themselves, nor of
//! what the answers mean while the connection is opened (`opening`).
//!
//! Invariants:
//! 1. at any time at most one operation opens the connection; the others wait for it;
//! 2. once the era is known it stays known: a lost session costs a handshake, not another probe;
//! 3. request ids are unique within the session.
//!
//! Source: specification 2026-07-28 (basic/versioning, basic/transports) and 2025-11-25 (basic/lifecycle).

use super::answer::Asked;
use super::exchange::{Exchange, Goal};
use super::message;
use super::mirror::{self, Mirror};
use super::opening::Stage;
use super::{LEGACY, MODERN};
use crate::http::{HttpRequest, Secrets, place};
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use stepgraph_core::tool::{ToolError, ToolFault};

/// How much of a server's answers is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one answer, or of one event of a stream.
    pub answer_bytes: usize,
    /// Pages of the list of tools.
    pub pages: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { answer_bytes: 16 * 1024 * 1024, pages: 200 }
    }
}

/// What a connection is made of.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Where the server is.
    pub url: String,
    /// What its tools are qualified with.
    pub name: String,
    /// Sent as a bearer token.
    pub key: Option<String>,
    /// Sent with every request.
    pub headers: Vec<(String, String)>,
    /// Whether somebody gets a token when the server asks for one.
    pub auth: bool,
    /// How much is taken.
    pub limits: Limits,
}

/// The connection to one server. Operations are begun here and may run at the same time.
#[derive(Debug, Clone)]
pub struct Session {
    shared: Rc<RefCell<Shared>>,
}

impl Session {
    /// A connection that is opened by its first operation.
    pub fn new(options: Options) -> Self {
        Self { shared: Rc::new(RefCell::new(Shared::new(options))) }
    }

    /// Lists the tools, all pages of them. Gives a list of [`stepgraph_core::tool::ToolInfo`].
    pub fn list(&self) -> Exchange {
        Exchange::new(Rc::clone(&self.shared), Goal::list())
    }

    /// Calls a tool. Gives its value.
    pub fn call(&self, name: &str, arguments: Value) -> Exchange {
        Exchange::new(Rc::clone(&self.shared), Goal::call(name, arguments))
    }

    /// Says goodbye to a server that keeps a session. The next operation opens a new one.
    pub fn close(&self) -> Exchange {
        Exchange::new(Rc::clone(&self.shared), Goal::Close)
    }

    /// From now on this is sent as a bearer token, and no message shows it.
    pub fn set_key(&self, key: Option<String>) {
        let mut shared = self.shared.borrow_mut();
        if shared.options.key != key {
            if let Some(key) = &key {
                shared.secrets.add(key);
            }
            shared.options.key = key;
        }
    }

    /// The revision of the protocol that is spoken, once that is known.
    pub fn version(&self) -> Option<&'static str> {
        match &self.shared.borrow().phase {
            Phase::Open(link) => Some(link.version()),
            Phase::Closed | Phase::Opening => None,
        }
    }

    /// Tools that the server lists but that must not be called: name, and why.
    pub fn dropped(&self) -> Vec<(String, String)> {
        self.shared.borrow().dropped.clone()
    }
}

/// How far the connection is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Phase {
    Closed,
    Opening,
    Open(Link),
}

/// How the server is talked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Link {
    Modern,
    Legacy { version: &'static str, session: Option<String> },
}

impl Link {
    fn version(&self) -> &'static str {
        match self {
            Self::Modern => MODERN,
            Self::Legacy { version, .. } => version,
        }
    }

    pub(super) fn session(&self) -> Option<&str> {
        match self {
            Self::Modern => None,
            Self::Legacy { session, .. } => session.as_deref(),
        }
    }
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) options: Options,
    pub(super) secrets: Secrets,
    pub(super) phase: Phase,
    /// Counts the times the connection was opened, so that an operation can tell whose session was lost.
    pub(super) generation: u64,
    pub(super) mirrors: HashMap<String, Vec<Mirror>>,
    pub(super) dropped: Vec<(String, String)>,
    known_legacy: bool,
    last_id: u64,
}

impl Shared {
    fn new(options: Options) -> Self {
        Self {
            secrets: Secrets::of(&options.url, options.key.as_deref(), &options.headers),
            options,
            phase: Phase::Closed,
            generation: 0,
            mirrors: HashMap::new(),
            dropped: Vec::new(),
            known_legacy: false,
            last_id: 0,
        }
    }

    /// An id that no request has had.
    pub(super) fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// What to ask first.
    pub(super) fn first_stage(&self) -> Stage {
        if self.known_legacy { Stage::Initialize } else { Stage::Probe { again: false } }
    }

    /// From now on operations talk over this link.
    pub(super) fn open(&mut self, link: Link) {
        self.known_legacy = link != Link::Modern;
        self.generation += 1;
        self.phase = Phase::Open(link);
    }

    /// The session that was opened as `generation` is no more. A newer one is left alone.
    pub(super) fn lose(&mut self, generation: u64) {
        if self.generation == generation && matches!(self.phase, Phase::Open(_)) {
            self.phase = Phase::Closed;
        }
    }

    /// An error with what a person needs in order to find the server, and without what nobody may see.
    pub(super) fn error(&self, fault: ToolFault, message: &str) -> ToolError {
        ToolError::new(fault, self.secrets.redact(&format!("`{}` {message}", place(&self.options.url))))
    }

    /// The request that asks a [`Stage`].
    pub(super) fn stage_request(&mut self, stage: &Stage, id: u64) -> HttpRequest {
        match stage {
            Stage::Probe { .. } => self.request(&Link::Modern, id, "server/discover", Map::new(), None),
            Stage::Initialize => {
                let params = json!({
                    "protocolVersion": LEGACY.first(), "capabilities": {}, "clientInfo": client_info(),
                });
                let body = message::request(id, "initialize", params.as_object().unwrap_or(&Map::new()));
                self.post(Vec::new(), body)
            }
            Stage::Initialized(link) => {
                self.post(legacy_headers(link), message::notification("notifications/initialized"))
            }
        }
    }

    /// A request over this link; `mirrored` are a call's arguments.
    pub(super) fn request(
        &self,
        link: &Link,
        id: u64,
        method: &str,
        mut params: Map<String, Value>,
        mirrored: Option<&Value>,
    ) -> HttpRequest {
        if *link != Link::Modern {
            return self.post(legacy_headers(link), message::request(id, method, &params));
        }
        let mut headers = vec![
            ("mcp-protocol-version".to_owned(), MODERN.to_owned()),
            ("mcp-method".to_owned(), method.to_owned()),
        ];
        if let Some(name) = params.get("name").and_then(Value::as_str) {
            headers.push(("mcp-name".to_owned(), mirror::encode(name)));
            let mirrors = self.mirrors.get(name).map(Vec::as_slice).unwrap_or_default();
            headers.extend(mirrored.into_iter().flat_map(|arguments| mirror::headers(mirrors, arguments)));
        }
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": client_info(),
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        params.insert("_meta".to_owned(), meta);
        self.post(headers, message::request(id, method, &params))
    }

    /// The answer to what a server has asked; `None` in the modern era, where it may not ask.
    pub(super) fn aside(&self, link: &Link, asked: &Asked) -> Option<HttpRequest> {
        (*link != Link::Modern)
            .then(|| self.post(legacy_headers(link), message::reply(&asked.id, &asked.method)))
    }

    /// The request that ends a session, if there is one.
    pub(super) fn goodbye(&self) -> Option<HttpRequest> {
        let Phase::Open(link) = &self.phase else { return None };
        link.session()?;
        let headers = self.headers(legacy_headers(link));
        Some(HttpRequest { method: "DELETE", url: self.options.url.clone(), headers, body: None })
    }

    fn post(&self, special: Vec<(String, String)>, body: String) -> HttpRequest {
        let mut headers = vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            ("accept".to_owned(), "application/json, text/event-stream".to_owned()),
        ];
        headers.extend(self.headers(special));
        HttpRequest { method: "POST", url: self.options.url.clone(), headers, body: Some(body) }
    }

    /// Those of the protocol, and those of the user, who can't replace the former.
    fn headers(&self, special: Vec<(String, String)>) -> Vec<(String, String)> {
        let mut headers = special;
        let key = self.options.key.iter().map(|key| ("authorization".to_owned(), format!("Bearer {key}")));
        let own = self.options.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone()));
        for (name, value) in own.chain(key) {
            let taken = matches!(name.as_str(), "content-type" | "accept")
                || headers.iter().any(|(other, _)| *other == name);
            if !taken {
                headers.push((name, value));
            }
        }
        headers
    }
}

fn client_info() -> Value {
    json!({"name": "stepgraph", "version": env!("CARGO_PKG_VERSION")})
}

/// The header of the version came with 2025-06-18; a server older than that may refuse it.
fn legacy_headers(link: &Link) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    if link.version() >= "2025-06-18" {
        headers.push(("mcp-protocol-version".to_owned(), link.version().to_owned()));
    }
    if let Some(session) = link.session() {
        headers.push(("mcp-session-id".to_owned(), session.to_owned()));
    }
    headers
}
