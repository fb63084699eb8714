//! One operation on a server: decides the next request until there is a result.
//!
//! The driver loops over [`Operation::step`]. It reports responses with [`Operation::head`],
//! [`Operation::chunk`] and then [`Operation::end`] or [`Operation::failed`].
//!
//! Invariants:
//! 1. At most one request is pending. Until it ends, `step` returns [`Step::Wait`].
//! 2. A call is repeated only if the server did not execute it or asked for it, or once if the tool is
//!    repeatable.
//! 3. If the operation that opens the connection is dropped, another one can open it.
//! 4. After [`Step::Done`] the state does not change.

mod recover;

use super::connection::{Connection, RpcRequest};
use super::era::{ConnectionPhase, ProtocolEra};
use super::handshake::{HandshakeResult, HandshakeStep, handle_reply};
use super::message::{
    self, HEADER_MISMATCH, MISSING_CAPABILITY, Message, RpcError, UNSUPPORTED_VERSION, VISIT_REQUIRED,
};
use super::operation_goal::{OperationGoal, OperationKind};
use super::recovery::{
    AttemptedRecoveries, RecoveryAction, SentRequest, can_renegotiate, is_session_lost, is_wrong_era,
    may_be_blocked, needs_token, special_headers,
};
use super::reply::{Body, Reader, Reply};
use super::reply_error::reply_error;
use super::server_message::{ServerMessage, from_message};
use super::step::Step;
use super::stream::{PendingReply, Stream};
use crate::http::{HttpFailure, HttpHead, HttpRequest};
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::rc::Rc;
use stepgraph_core::tool::{ToolError, ToolErrorKind};

const MAX_CHALLENGES: u8 = 5;
/// They may have changed while the stream was down.
const LISTS: [&str; 3] = ["tools", "prompts", "resources"];

#[derive(Debug)]
struct PendingRequest {
    sent: SentRequest,
    reader: Reader,
}

/// One operation.
#[derive(Debug)]
pub struct Operation {
    connection: Rc<RefCell<Connection>>,
    goal: OperationGoal,
    /// Set while this operation opens the connection.
    handshake: Option<HandshakeStep>,
    pending: Option<PendingRequest>,
    messages: Vec<ServerMessage>,
    stream: Stream,
    attempted: AttemptedRecoveries,
    refused: Option<Reply>,
    challenges: u8,
    trace_meta: Map<String, Value>,
    done: Option<Result<Value, ToolError>>,
}

impl Operation {
    pub(super) fn new(connection: Rc<RefCell<Connection>>, goal: OperationGoal) -> Self {
        Self {
            connection,
            goal,
            handshake: None,
            pending: None,
            messages: Vec::new(),
            stream: Stream::default(),
            attempted: AttemptedRecoveries::default(),
            refused: None,
            challenges: 0,
            trace_meta: Map::new(),
            done: None,
        }
    }

    pub(super) fn failing(connection: Rc<RefCell<Connection>>, error: ToolError) -> Self {
        let mut operation = Self::new(connection, OperationGoal::new(OperationKind::Result, "", Map::new()));
        operation.done = Some(Err(error));
        operation
    }

    /// Adds the trace context to `_meta` of every request.
    pub fn set_trace_meta(&mut self, trace_meta: Map<String, Value>) {
        self.trace_meta = trace_meta;
    }

    /// Returns the next step.
    pub fn step(&mut self) -> Step {
        if let Some(done) = &self.done {
            return Step::Done(done.clone());
        }
        if self.pending.is_some() {
            return Step::Wait;
        }
        if let Some(Reply { head, .. }) = &self.refused {
            let header = head.header("www-authenticate").map(str::to_owned);
            return Step::Challenge { status: head.status, header };
        }
        if let Some(input_requests) = &self.goal.input_requests {
            return Step::Ask(input_requests.clone());
        }
        if let Some(ms) = self.stream.pause.take() {
            return Step::Pause(ms);
        }
        if self.goal.kind == OperationKind::Close {
            return self.send_session_end();
        }
        let is_repeatable = self.goal.is_repeatable(&self.connection.borrow());
        let phase = self.connection.borrow_mut().phase_for(is_repeatable);
        match phase {
            ConnectionPhase::Open(_) if self.goal.kind == OperationKind::Open => {
                self.done = Some(Ok(Value::Null));
                self.step()
            }
            ConnectionPhase::Open(era) => self.send_request(era),
            ConnectionPhase::Opening if self.handshake.is_none() => Step::Wait,
            ConnectionPhase::Opening | ConnectionPhase::Closed => self.send_handshake(),
        }
    }

    /// Receives status and headers. Returns whether the driver can skip the body.
    pub fn head(&mut self, head: HttpHead) -> bool {
        let Some(pending) = &mut self.pending else { return true };
        if self.goal.kind == OperationKind::Watch && self.handshake.is_none() && head.status == 200 {
            // A long-lived stream needs many tokens.
            self.challenges = 0;
        }
        pending.reader.take_head(head);
        // A notification has no response, and some servers take long to end it.
        matches!(self.handshake, Some(HandshakeStep::Initialized(_)))
    }

    /// Receives a chunk. Returns whether the driver can stop reading.
    pub fn chunk(&mut self, chunk: &[u8]) -> bool {
        let Some(pending) = &mut self.pending else { return true };
        pending.reader.take_chunk(chunk);
        self.collect_messages();
        self.pending.as_ref().is_none_or(|pending| pending.reader.is_whole())
    }

    /// Returns the server messages since the last call.
    pub fn server_messages(&mut self) -> Vec<ServerMessage> {
        std::mem::take(&mut self.messages)
    }

    /// Ends the response.
    pub fn end(&mut self) {
        if let Some(PendingRequest { sent, reader }) = self.pending.take() {
            self.handle_reply(&sent, reader.end());
        }
    }

    /// Reports an unsent request, a broken response or a timeout.
    pub fn failed(&mut self, failure: HttpFailure) {
        match self.pending.take() {
            Some(PendingRequest { sent, reader }) => self.handle_reply(&sent, reader.fail(failure)),
            None if self.done.is_none() && failure.is_timeout => {
                let reply = Reader::new(0, 0).fail(failure);
                self.done = Some(Err(reply_error(&self.connection.borrow(), &reply)));
            }
            None => {}
        }
    }

    /// Returns the notification to send before the connection closes, if the era needs one.
    pub fn cancel(&self, reason: &str) -> Option<HttpRequest> {
        let (id, era) = match (&self.pending, &self.stream.pending) {
            (Some(PendingRequest { sent, .. }), _) => (sent.id, &sent.era),
            // The stream waits for its retry, and the server still works.
            (None, Some(open)) => (open.id, &open.era),
            (None, None) => return None,
        };
        let called = self.handshake.is_none()
            && !matches!(self.goal.kind, OperationKind::Close | OperationKind::Watch);
        let params = json!({"requestId": id, "reason": reason});
        let message = message::notification("notifications/cancelled", Some(params));
        (called && *era != ProtocolEra::Modern).then(|| self.connection.borrow().reply_request(era, message))
    }

    /// Continues after [`Step::Challenge`] with a new token, or fails.
    pub fn authorized(&mut self, is_retry: bool) {
        let Some(reply) = self.refused.take() else { return };
        if is_retry {
            return;
        }
        let mut connection = self.connection.borrow_mut();
        if self.handshake.take().is_some() {
            connection.phase = ConnectionPhase::Closed;
        }
        self.done = Some(Err(reply_error(&connection, &reply)));
    }

    /// Receives the answers to [`Step::Ask`], by the server's names.
    pub fn answer(&mut self, answers: Value) {
        self.goal.answer(answers);
    }

    /// Returns how long the result may be cached, if known.
    pub fn ttl_ms(&self) -> Option<u64> {
        self.goal.ttl_ms
    }

    fn collect_messages(&mut self) {
        let Some(PendingRequest { sent, reader }) = &mut self.pending else { return };
        let (era, id, messages) = (sent.era.clone(), sent.id, reader.take_messages());
        self.handle_messages(&era, id, messages);
    }

    fn handle_messages(&mut self, era: &ProtocolEra, id: u64, messages: Vec<Message>) {
        if !messages.is_empty() {
            self.stream.received();
            if self.goal.kind == OperationKind::Watch {
                self.attempted.reset(RecoveryAction::Renew);
            }
        }
        let connection = self.connection.borrow();
        self.messages
            .extend(messages.into_iter().filter_map(|message| from_message(&connection, era, id, message)));
    }

    fn send_session_end(&mut self) -> Step {
        let mut connection = self.connection.borrow_mut();
        let request = connection.end_session_request();
        if let ConnectionPhase::Open(era) = connection.phase.clone() {
            connection.phase = ConnectionPhase::Closed;
            if let Some(request) = request {
                drop(connection);
                return self.send(era, 0, false, request);
            }
        }
        self.done = Some(Ok(Value::Null));
        Step::Done(Ok(Value::Null))
    }

    fn send_handshake(&mut self) -> Step {
        let mut connection = self.connection.borrow_mut();
        connection.phase = ConnectionPhase::Opening;
        let step = self.handshake.take().unwrap_or_else(|| HandshakeStep::first(&connection));
        let id = connection.next_id();
        let request = step.request(&connection, id, &self.trace_meta);
        drop(connection);
        let era = if let HandshakeStep::Initialized(era) = &step { era.clone() } else { ProtocolEra::Modern };
        self.handshake = Some(step);
        self.send(era, id, false, request)
    }

    fn send_request(&mut self, era: ProtocolEra) -> Step {
        let mut connection = self.connection.borrow_mut();
        if let Some(PendingReply { id, generation, .. }) = self.stream.pending.take() {
            if generation == connection.generation {
                let request = connection.stream_request(&era, self.stream.last_event_id.as_deref());
                drop(connection);
                return self.send(era, id, true, request);
            }
            if self.goal.kind != OperationKind::Watch && !self.goal.is_repeatable(&connection) {
                let error =
                    Err(connection.error(ToolErrorKind::SessionLost, "forgot the session before the answer"));
                self.done = Some(error.clone());
                return Step::Done(error);
            }
        }
        self.stream.last_event_id = None;
        let id = connection.next_id();
        let request = if self.goal.kind == OperationKind::Watch && era != ProtocolEra::Modern {
            connection.stream_request(&era, None)
        } else {
            let (method, params) = self.goal.request();
            let (tool, trace_meta) = (self.goal.tool(), &self.trace_meta);
            connection.request(&era, RpcRequest { id, method, params, tool, trace_meta })
        };
        drop(connection);
        self.send(era, id, false, request)
    }

    fn send(&mut self, era: ProtocolEra, id: u64, resumed: bool, request: HttpRequest) -> Step {
        let connection = self.connection.borrow();
        let reader = Reader::new(id, connection.options.limits.answer_bytes);
        let sent = SentRequest {
            era,
            generation: connection.generation,
            id,
            is_resumed: resumed,
            special_headers: special_headers(&request),
        };
        self.pending = Some(PendingRequest { sent, reader });
        Step::Send(request)
    }

    fn handle_reply(&mut self, sent: &SentRequest, mut reply: Reply) {
        self.handle_messages(&sent.era, sent.id, std::mem::take(&mut reply.messages));
        if self.goal.kind == OperationKind::Close {
            self.done = Some(Ok(Value::Null));
        } else if self.challenges < MAX_CHALLENGES
            && self.connection.borrow().options.has_auth
            && needs_token(&reply)
        {
            self.challenges += 1;
            self.refused = Some(reply);
            if sent.is_resumed {
                self.stream.retry(sent);
            }
        } else if let Some(step) = self.handshake.take() {
            self.handle_handshake_reply(step, &reply);
        } else if may_be_blocked(&mut self.connection.borrow_mut(), sent, &reply)
            && self.attempted.is_first_attempt(RecoveryAction::Unblock)
        {
            self.detect_blocked_headers(sent, &reply);
        } else if self.can_recover(sent, &reply) {
        } else if sent.is_resumed && !reply.head.is_ok() {
            let error = self
                .connection
                .borrow()
                .error(ToolErrorKind::StreamBroken, "ended its stream before the answer");
            self.done = Some(Err(error));
        } else if is_session_lost(&sent.era, &reply) {
            self.renew_session(sent.generation);
        } else {
            self.handle_result(&sent.era, sent.generation, reply);
        }
    }

    /// Another operation may already test these headers.
    fn detect_blocked_headers(&mut self, sent: &SentRequest, reply: &Reply) {
        let mut connection = self.connection.borrow_mut();
        if connection.generation == sent.generation && matches!(connection.phase, ConnectionPhase::Open(_)) {
            connection.phase = ConnectionPhase::Opening;
            self.handshake = Some(HandshakeStep::Blocked {
                headers: sent.special_headers.clone(),
                error: reply_error(&connection, reply),
            });
        }
    }

    fn handle_handshake_reply(&mut self, step: HandshakeStep, reply: &Reply) {
        let mut connection = self.connection.borrow_mut();
        match handle_reply(&mut connection, step, reply) {
            HandshakeResult::Ask(step) => self.handshake = Some(step),
            HandshakeResult::Open(era) => connection.open(era),
            HandshakeResult::Fail(error) => {
                connection.phase = ConnectionPhase::Closed;
                self.done = Some(Err(error));
            }
        }
    }

    fn handle_result(&mut self, era: &ProtocolEra, generation: u64, reply: Reply) {
        let mut connection = self.connection.borrow_mut();
        if let Body::Result(result) = reply.body {
            connection.is_assumed = false;
            let taken = self.goal.take_result(&mut connection, era, result, reply.size);
            let redacted =
                |error: ToolError| ToolError::new(error.kind, connection.secrets.redact(&error.message));
            self.done = taken.map_err(redacted).transpose();
            return;
        }
        let is_retry = match &reply.body {
            Body::Error(RpcError { code: HEADER_MISMATCH, .. }) => self.goal.list_first(),
            Body::Error(RpcError { code: UNSUPPORTED_VERSION, data, .. }) => {
                self.attempted.is_first_attempt(RecoveryAction::Renegotiate)
                    && can_renegotiate(&mut connection, era, generation, data)
            }
            Body::Error(RpcError { code: VISIT_REQUIRED, data, .. }) => {
                self.goal.visit_first(&connection, data)
            }
            Body::Error(RpcError { code: MISSING_CAPABILITY, .. }) => false,
            _ => is_wrong_era(&mut connection, generation, &reply),
        };
        if !is_retry {
            self.done = Some(Err(reply_error(&connection, &reply)));
        }
    }
}

impl Drop for Operation {
    fn drop(&mut self) {
        if self.handshake.is_some() {
            self.connection.borrow_mut().phase = ConnectionPhase::Closed;
        }
    }
}
