//! The connection to one server, as the host sees it: what it is made of, and the operations that can be begun.
//!
//! Decides nothing itself: what operations share is in `shared`, what their answers mean in `exchange` and `opening`.
//!
//! Invariants:
//! 1. at any time at most one operation opens the connection; the others wait for it;
//! 2. once the era is known it stays known: a lost session costs a handshake, not another probe;
//! 3. request ids are unique within the session;
//! 4. a server is told of those capabilities only for which the host has an answer.
//!
//! Source: specification 2026-07-28 (basic/versioning, basic/transports) and 2025-11-25 (basic/lifecycle).

use super::connection::Connection;
use super::operation::Operation;
use super::operation_goal::{OperationGoal, OperationKind};
use super::{MODERN, message};
use crate::http::HttpRequest;
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::rc::Rc;
use stepgraph_core::source::MAX_DEPTH;
use stepgraph_core::tool::ToolErrorKind;

/// How much of a server's answers is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one answer, or of one event of a stream.
    pub answer_bytes: usize,
    /// Pages of a list.
    pub pages: usize,
    /// Milliseconds for which a server may want to be left alone before a stream is taken up again.
    pub pause_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { answer_bytes: 16 * 1024 * 1024, pages: 200, pause_ms: 60_000 }
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
    pub has_auth: bool,
    /// What the host answers when a server asks: `{elicitation: {form, url}, sampling, roots}`, as the protocol declares it.
    pub capabilities: Map<String, Value>,
    /// The one revision to be spoken; else it is found out.
    pub version: Option<String>,
    /// Whether a page's browser stands between the client and the server, and lets through only what the server allows.
    pub in_page: bool,
    /// What is known of the server's era from an earlier connection: the revision that was spoken then.
    pub known_version: Option<String>,
    /// How much is taken.
    pub limits: Limits,
}

/// The connection to one server. Operations are begun here and may run at the same time.
#[derive(Debug, Clone)]
pub struct Session {
    connection: Rc<RefCell<Connection>>,
}

impl Session {
    /// A connection that is opened by its first operation.
    pub fn new(options: Options) -> Self {
        Self { connection: Rc::new(RefCell::new(Connection::new(options))) }
    }

    /// Opens the connection, if it is not open yet.
    pub fn open(&self) -> Operation {
        self.start(OperationGoal::new(OperationKind::Open, "", Map::new()))
    }

    /// Lists the tools, all pages of them. Gives a list of [`stepgraph_core::tool::ToolInfo`].
    pub fn list(&self) -> Operation {
        self.start(OperationGoal::tools())
    }

    /// Calls a tool; `meta` goes with the request, for the server to know the call by. Gives its value.
    ///
    /// A tool that was listed as one that can't be called fails at once.
    pub fn call(&self, name: &str, arguments: Value, meta: Map<String, Value>) -> Operation {
        if let Some(error) = self.connection.borrow().tool_error(name) {
            return Operation::failing(Rc::clone(&self.connection), error);
        }
        self.start(OperationGoal::call(name, arguments, meta))
    }

    /// Sends any request of the protocol. Gives its result, or with `pages` the results of all pages as one.
    pub fn request(&self, method: &str, params: Map<String, Value>, pages: bool) -> Operation {
        self.start(OperationGoal::new(
            if pages { OperationKind::Pages } else { OperationKind::Result },
            method,
            params,
        ))
    }

    /// Hears of changes until the server has no more to say. `filter` is what is listened for in the modern era:
    /// `{toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions}`.
    pub fn watch(&self, filter: Value) -> Operation {
        let params = Map::from_iter([("notifications".to_owned(), filter)]);
        self.start(OperationGoal::new(OperationKind::Watch, "subscriptions/listen", params))
    }

    /// Says goodbye to a server that keeps a session. The next operation opens a new one.
    pub fn close(&self) -> Operation {
        self.start(OperationGoal::new(OperationKind::Close, "", Map::new()))
    }

    /// An operation that fails at once: what it was to send can't be written down.
    pub fn unserializable(&self, what: &str) -> Operation {
        let message = format!(
            "was sent nothing: {what} can't be written as JSON that is nested at most {MAX_DEPTH} deep"
        );
        let error = self.connection.borrow().error(ToolErrorKind::InvalidArguments, &message);
        Operation::failing(Rc::clone(&self.connection), error)
    }

    fn start(&self, goal: OperationGoal) -> Operation {
        Operation::new(Rc::clone(&self.connection), goal)
    }

    /// The host's answer to what the server has asked by [`super::ServerMessage::Request`]: a result, or why there is none.
    pub fn reply(&self, id: &Value, outcome: Result<Value, &str>) -> Option<HttpRequest> {
        let connection = self.connection.borrow();
        let ConnectionPhase::Open(era) = &connection.phase else { return None };
        let outcome = outcome.map_err(|text| (message::INTERNAL_ERROR, text));
        Some(connection.reply_request(era, message::answer(id, outcome)))
    }

    /// What is known of the server: `{version, server, capabilities, instructions}`, `null` where it has not said.
    pub fn server_info(&self) -> Value {
        let mut about = self.connection.borrow().server_info.clone();
        about.insert("version".to_owned(), self.version().into());
        Value::Object(about)
    }

    /// From now on this is sent as a bearer token, and no message shows it.
    pub fn set_key(&self, key: Option<String>) {
        let mut connection = self.connection.borrow_mut();
        if connection.options.key != key {
            if let Some(key) = &key {
                connection.secrets.add(key);
                connection.credentials.add(key);
            }
            connection.options.key = key;
        }
    }

    /// The revision of the protocol that is spoken, once that is known.
    pub fn version(&self) -> Option<&'static str> {
        match &self.connection.borrow().phase {
            ConnectionPhase::Open(era) => Some(era.version()),
            ConnectionPhase::Closed | ConnectionPhase::Opening => None,
        }
    }
}

/// How far the connection is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ConnectionPhase {
    Closed,
    Opening,
    Open(ProtocolEra),
}

/// How the server is talked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProtocolEra {
    Modern,
    Legacy { version: &'static str, session: Option<String> },
}

impl ProtocolEra {
    pub(super) fn version(&self) -> &'static str {
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
