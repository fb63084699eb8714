//! The goal of an operation: decides the next request towards it, whatever happens to streams and sessions.
//!
//! Invariants:
//! 1. A list ends: after a limit of pages or bytes, or if a cursor repeats.
//! 2. A conversation ends: after [`MAX_ROUNDS`] input requests.
//! 3. The server's `requestState` goes back unread and unchanged, only with the next request of the same
//!    goal.
//!
//! Source: 2026-07-28, basic/patterns/mrtr and server/utilities/pagination; 2025-11-25, client/elicitation.

use super::connection::Connection;
use super::content;
use super::era::ProtocolEra;
use crate::names::NameSet;
use serde_json::{Map, Value};
use stepgraph_core::tool::{ToolError, ToolErrorKind};

/// How many input requests may precede the result.
pub const MAX_ROUNDS: u8 = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperationKind {
    /// The tools, in Stepgraph's format.
    Tools,
    /// The value of a tool call.
    Call,
    /// A raw result.
    Result,
    /// The joined results of all pages.
    Pages,
    Open,
    /// A stream of changes.
    Watch,
    Close,
}

#[derive(Debug)]
pub(super) struct OperationGoal {
    pub(super) kind: OperationKind,
    method: String,
    pub(super) params: Map<String, Value>,
    pages: PageProgress,
    /// The list shows which arguments of a repeated call belong in headers.
    lists_tools_first: bool,
    has_listed_tools: bool,
    /// Answers to input requests, and the server's state.
    round_params: Map<String, Value>,
    rounds: u8,
    /// Unanswered, by the server's names.
    pub(super) input_requests: Option<Value>,
    pub(super) ttl_ms: Option<u64>,
}

#[derive(Debug, Default)]
struct PageProgress {
    all: Map<String, Value>,
    cursor: Option<String>,
    seen: NameSet,
    count: usize,
    bytes: usize,
}

const TOOLS: &str = "tools/list";
const CALL: &str = "tools/call";

impl OperationGoal {
    pub(super) fn new(kind: OperationKind, method: &str, params: Map<String, Value>) -> Self {
        Self {
            kind,
            method: method.to_owned(),
            params,
            pages: PageProgress::default(),
            lists_tools_first: false,
            has_listed_tools: false,
            round_params: Map::new(),
            rounds: 0,
            input_requests: None,
            ttl_ms: None,
        }
    }

    pub(super) fn tools() -> Self {
        Self::new(OperationKind::Tools, TOOLS, Map::new())
    }

    pub(super) fn call(name: &str, arguments: Value, meta: Map<String, Value>) -> Self {
        let params = [("name".to_owned(), Value::from(name)), ("arguments".to_owned(), arguments)];
        let meta = (!meta.is_empty()).then(|| ("_meta".to_owned(), Value::Object(meta)));
        Self::new(OperationKind::Call, CALL, params.into_iter().chain(meta).collect())
    }

    pub(super) fn request(&self) -> (&str, Map<String, Value>) {
        let mut params = if self.lists_tools_first { Map::new() } else { self.params.clone() };
        if let Some(cursor) = &self.pages.cursor {
            params.insert("cursor".to_owned(), Value::from(cursor.as_str()));
        }
        if !self.lists_tools_first {
            params.extend(self.round_params.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        (if self.lists_tools_first { TOOLS } else { &self.method }, params)
    }

    pub(super) fn tool(&self) -> Option<&str> {
        let calls = self.calls_tool() && !self.lists_tools_first;
        calls.then(|| self.params.get("name").and_then(Value::as_str))?
    }

    /// As a call or as a raw request.
    fn calls_tool(&self) -> bool {
        self.method == CALL
    }

    pub(super) fn is_repeatable(&self, connection: &Connection) -> bool {
        match self.tool() {
            Some(name) => connection.tools.get(name).is_some_and(|tool| tool.is_repeatable),
            None => ["/list", "/read", "/get", "/discover"].iter().any(|end| self.request().0.ends_with(end)),
        }
    }

    /// Only methods that read qualify.
    fn is_cacheable(&self) -> bool {
        ["/list", "/discover", "resources/read"].iter().any(|end| self.method.ends_with(end))
    }

    /// Discards cursors and input requests: they belong to the lost session.
    pub(super) fn restart(&mut self) {
        self.pages = PageProgress::default();
        self.round_params.clear();
    }

    /// Returns `false` if the list was already read.
    pub(super) fn list_first(&mut self) -> bool {
        let new = self.calls_tool() && !self.has_listed_tools;
        (self.lists_tools_first, self.has_listed_tools) = (new, self.has_listed_tools || new);
        new
    }

    pub(super) fn answer(&mut self, answers: Value) {
        if self.input_requests.take().is_some() && self.rounds > 0 {
            self.round_params.insert("inputResponses".to_owned(), answers);
        }
    }

    /// A legacy server may require URL visits before the same request.
    pub(super) fn visit_first(&mut self, connection: &Connection, data: &Value) -> bool {
        let Some(list) = data.get("elicitations").and_then(Value::as_array) else { return false };
        let asks = |(at, params): (usize, &Value)| {
            (at.to_string(), serde_json::json!({"method": "elicitation/create", "params": params}))
        };
        let input_requests: Map<String, Value> = list.iter().enumerate().map(asks).collect();
        let new = !self.has_listed_tools
            && !input_requests.is_empty()
            && input_requests.values().all(|ask| connection.can_answer(ask));
        self.has_listed_tools |= new;
        self.input_requests = new.then_some(Value::Object(input_requests));
        new
    }

    /// Returns the value once it is complete.
    pub(super) fn take_result(
        &mut self,
        connection: &mut Connection,
        era: &ProtocolEra,
        result: Value,
        size: usize,
    ) -> Result<Option<Value>, ToolError> {
        let asks_back = matches!(self.method.as_str(), "tools/call" | "prompts/get" | "resources/read");
        if content::needs_input(&result)? && asks_back && !self.lists_tools_first {
            return self.take_input_requests(connection, result).map(|()| None);
        }
        let modern = *era == ProtocolEra::Modern;
        let may_be_kept = modern && self.rounds == 0 && self.is_cacheable();
        self.ttl_ms = may_be_kept.then(|| result.get("ttlMs").and_then(Value::as_u64)).flatten();
        if self.lists_tools_first || matches!(self.kind, OperationKind::Tools | OperationKind::Pages) {
            return self.take_page(connection, modern, result, size);
        }
        match self.kind {
            OperationKind::Call => {
                content::call_value(result).map(|value| Some(connection.credentials.redact_value(value)))
            }
            OperationKind::Watch => Ok(Some(Value::Null)),
            _ => Ok(Some(result)),
        }
    }

    fn take_input_requests(&mut self, connection: &Connection, mut result: Value) -> Result<(), ToolError> {
        let mut take = |key: &str| result.as_object_mut().and_then(|map| map.shift_remove(key));
        let (input_requests, state) = (take("inputRequests"), take("requestState"));
        self.rounds += 1;
        self.round_params.clear();
        let unanswered = |text: &str| ToolError::new(ToolErrorKind::InputRequired, text.to_owned());
        if self.rounds > MAX_ROUNDS {
            return Err(unanswered("the server asks for input again and again"));
        }
        let input_requests = input_requests
            .filter(|input_requests| input_requests.as_object().is_some_and(|map| !map.is_empty()));
        if input_requests.is_none() && state.is_none() {
            return Err(ToolError::new(
                ToolErrorKind::BadReply,
                "the server asks for input, but sends no request",
            ));
        }
        let requests = input_requests.iter().filter_map(Value::as_object).flat_map(Map::values);
        if let Some(request) = requests.into_iter().find(|request| !connection.can_answer(request)) {
            let said = request.get("params").and_then(|params| params.get("message")).and_then(Value::as_str);
            let message = said.map(|message| format!(": {message}")).unwrap_or_default();
            return Err(unanswered(&format!(
                "the server asks for input, and this client can't provide it{message}"
            )));
        }
        self.round_params.extend(state.map(|state| ("requestState".to_owned(), state)));
        self.input_requests = input_requests;
        Ok(())
    }

    fn take_page(
        &mut self,
        connection: &mut Connection,
        modern: bool,
        result: Value,
        size: usize,
    ) -> Result<Option<Value>, ToolError> {
        if self.pages.add_page(connection, modern, result, size)? {
            return Ok(None);
        }
        let all = Value::Object(std::mem::take(&mut self.pages).all);
        self.ttl_ms = self.ttl_ms.and(all.get("ttlMs").and_then(Value::as_u64));
        if self.kind == OperationKind::Pages {
            return Ok(Some(all));
        }
        let tools = content::parse_tool_list(&all, &connection.options.name, modern)
            .map_err(|error| connection.error(error.kind, &format!("answered badly: {}", error.message)))?;
        // Cassettes record tool lists.
        let value = connection.remember_tools(tools);
        let value = connection.credentials.redact_value(value);
        let detour = std::mem::take(&mut self.lists_tools_first);
        Ok((!detour).then_some(value))
    }
}

impl PageProgress {
    /// Returns whether another page follows.
    fn add_page(
        &mut self,
        connection: &Connection,
        modern: bool,
        page: Value,
        size: usize,
    ) -> Result<bool, ToolError> {
        let bad = |kind, what: &str| Err(connection.error(kind, &format!("lists what it has {what}")));
        let Value::Object(mut page) = page else { return bad(ToolErrorKind::BadReply, "as no map") };
        let next = page.shift_remove("nextCursor");
        self.count += 1;
        self.bytes += size;
        for (key, value) in page {
            match (self.all.get_mut(&key), value) {
                (Some(Value::Array(list)), Value::Array(more)) => list.extend(more),
                (Some(Value::Number(old)), Value::Number(new))
                    if key == "ttlMs" && new.as_u64() >= old.as_u64() => {}
                (_, value) => _ = self.all.insert(key, value),
            }
        }
        // An empty cursor ends a legacy list. In the modern era it is valid.
        let next = next.and_then(|next| next.as_str().map(str::to_owned));
        let Some(next) = next.filter(|next| modern || !next.is_empty()) else { return Ok(false) };
        let limits = connection.options.limits;
        if self.count >= limits.pages {
            return bad(ToolErrorKind::EndlessPages, &format!("on more than {} pages", limits.pages));
        }
        if self.bytes >= limits.answer_bytes {
            return bad(ToolErrorKind::TooLarge, &format!("in more than {} bytes", limits.answer_bytes));
        }
        if !self.seen.insert(next.clone()) {
            return bad(ToolErrorKind::EndlessPages, "in a circle");
        }
        self.cursor = Some(next);
        Ok(true)
    }
}
