//! The connection to one server and its operations.
//!
//! Invariants:
//! 1. At most one operation opens the connection. The others wait for it.
//! 2. Once known, the era stays known. A lost session costs a handshake, but no second probe.
//! 3. Request ids are unique within the session.
//! 4. The client advertises only capabilities that the host has handlers for.
//!
//! Source: specification 2026-07-28 (basic/versioning, basic/transports) and 2025-11-25 (basic/lifecycle).

use super::connection::Connection;
use super::era::ConnectionPhase;
use super::message;
use super::operation::Operation;
use super::operation_goal::{OperationGoal, OperationKind};
use super::options::Options;
use crate::http::HttpRequest;
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::rc::Rc;
use stepgraph_core::source::MAX_DEPTH;
use stepgraph_core::tool::ToolErrorKind;

/// A connection. Its operations can run at the same time.
#[derive(Debug, Clone)]
pub struct Session {
    connection: Rc<RefCell<Connection>>,
}

impl Session {
    /// The first operation opens it.
    pub fn new(options: Options) -> Self {
        Self { connection: Rc::new(RefCell::new(Connection::new(options))) }
    }

    /// Opens the connection.
    pub fn open(&self) -> Operation {
        self.start(OperationGoal::new(OperationKind::Open, "", Map::new()))
    }

    /// Yields the tools of all pages: [`stepgraph_core::tool::ToolInfo`].
    pub fn list(&self) -> Operation {
        self.start(OperationGoal::tools())
    }

    /// Calls a tool and yields its value. Fails at once if the tool is unavailable.
    pub fn call(&self, name: &str, arguments: Value, meta: Map<String, Value>) -> Operation {
        if let Some(error) = self.connection.borrow().tool_error(name) {
            return Operation::failing(Rc::clone(&self.connection), error);
        }
        self.start(OperationGoal::call(name, arguments, meta))
    }

    /// Sends any request. `pages` joins the results of all pages.
    pub fn request(&self, method: &str, params: Map<String, Value>, pages: bool) -> Operation {
        self.start(OperationGoal::new(
            if pages { OperationKind::Pages } else { OperationKind::Result },
            method,
            params,
        ))
    }

    /// Reports changes until the stream ends. `filter` selects them in the modern era:
    /// `{toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions}`.
    pub fn watch(&self, filter: Value) -> Operation {
        let params = Map::from_iter([("notifications".to_owned(), filter)]);
        self.start(OperationGoal::new(OperationKind::Watch, "subscriptions/listen", params))
    }

    /// Ends the server's session. The next operation opens a new one.
    pub fn close(&self) -> Operation {
        self.start(OperationGoal::new(OperationKind::Close, "", Map::new()))
    }

    /// Fails at once: the data can't be serialized.
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

    /// Answers a [`super::ServerMessage::Request`]. `None` if the connection is not open.
    pub fn reply(&self, id: &Value, outcome: Result<Value, &str>) -> Option<HttpRequest> {
        let connection = self.connection.borrow();
        let ConnectionPhase::Open(era) = &connection.phase else { return None };
        let outcome = outcome.map_err(|text| (message::INTERNAL_ERROR, text));
        Some(connection.reply_request(era, message::answer(id, outcome)))
    }

    /// Returns `{version, server, capabilities, instructions}`. Unknown values are `null`.
    pub fn server_info(&self) -> Value {
        let mut about = self.connection.borrow().server_info.clone();
        about.insert("version".to_owned(), self.version().into());
        Value::Object(about)
    }

    /// Sets the bearer token.
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

    /// Returns the open connection's revision.
    pub fn version(&self) -> Option<&'static str> {
        match &self.connection.borrow().phase {
            ConnectionPhase::Open(era) => Some(era.version()),
            ConnectionPhase::Closed | ConnectionPhase::Opening => None,
        }
    }
}
