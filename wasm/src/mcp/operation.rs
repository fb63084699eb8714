//! One operation on a server, from its first request to its end.
//!
//! Decides what is sent next: what opens the connection, what the goal asks for, and what is tried again after a lost session, a
//! broken stream or a refusal. Knows no `fetch`: the driver loops over [`Exchange::step`], does what it is told, and tells what came
//! back by [`Exchange::head`], [`Exchange::chunk`] and then [`Exchange::end`] or [`Exchange::failed`].
//!
//! Invariants:
//! 1. at most one request is outstanding; until its end `step` gives [`Step::Wait`];
//! 2. a call is sent again only after the server has refused it unexecuted, for a dead session, for headers, for want of a token, or
//!    asks for it; or, once, if its server says that calling twice does no more than calling once;
//! 3. dropping an exchange that opens the connection lets another one do so;
//! 4. after [`Step::Done`] nothing changes any more.

use super::connection::Connection;
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
use super::server_message::{ServerMessage, from_message, list_changed};
use super::session::{ConnectionPhase, ProtocolEra};
use super::step::Step;
use super::stream::{PendingReply, Stream, StreamRecovery};
use crate::http::{HttpFailure, HttpHead, HttpRequest};
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::rc::Rc;
use stepgraph_core::tool::{ToolError, ToolErrorKind};

/// How often an operation gets another token before it is given up.
const MAX_CHALLENGES: u8 = 5;
/// What may have changed while nobody listened.
const LISTS: [&str; 3] = ["tools", "prompts", "resources"];

#[derive(Debug)]
struct PendingRequest {
    sent: SentRequest,
    reader: Reader,
}

/// One operation.
#[derive(Debug)]
pub struct Operation {
    shared: Rc<RefCell<Connection>>,
    goal: OperationGoal,
    /// What this exchange asks in order to open the connection for all.
    stage: Option<HandshakeStep>,
    pending: Option<PendingRequest>,
    news: Vec<ServerMessage>,
    stream: Stream,
    tried: AttemptedRecoveries,
    /// The refusal that waits for a new token.
    refused: Option<Reply>,
    challenges: u8,
    done: Option<Result<Value, ToolError>>,
}

impl Operation {
    pub(super) fn new(shared: Rc<RefCell<Connection>>, goal: OperationGoal) -> Self {
        Self {
            shared,
            goal,
            stage: None,
            pending: None,
            news: Vec::new(),
            stream: Stream::default(),
            tried: AttemptedRecoveries::default(),
            refused: None,
            challenges: 0,
            done: None,
        }
    }

    /// One that is over before it begins.
    pub(super) fn failing(shared: Rc<RefCell<Connection>>, error: ToolError) -> Self {
        let mut exchange = Self::new(shared, OperationGoal::new(OperationKind::Result, "", Map::new()));
        exchange.done = Some(Err(error));
        exchange
    }

    /// What to do next.
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
        if let Some(asked) = &self.goal.input_requests {
            return Step::Ask(asked.clone());
        }
        if let Some(ms) = self.stream.pause.take() {
            return Step::Pause(ms);
        }
        if self.goal.kind == OperationKind::Close {
            return self.send_session_end();
        }
        let phase = self.shared.borrow_mut().phase_for(&self.goal);
        match phase {
            ConnectionPhase::Open(_) if self.goal.kind == OperationKind::Open => {
                self.done = Some(Ok(Value::Null));
                self.step()
            }
            ConnectionPhase::Open(link) => self.send_request(link),
            ConnectionPhase::Opening if self.stage.is_none() => Step::Wait,
            ConnectionPhase::Opening | ConnectionPhase::Closed => self.send_handshake(),
        }
    }

    /// Takes status and headers of the answer. Gives whether its body need not be read.
    pub fn head(&mut self, head: HttpHead) -> bool {
        let Some(pending) = &mut self.pending else { return true };
        if self.goal.kind == OperationKind::Watch && self.stage.is_none() && head.status == 200 {
            // What goes on for days gets many tokens.
            self.challenges = 0;
        }
        pending.reader.take_head(head);
        // A notification has no answer, however long the server takes to say so.
        matches!(self.stage, Some(HandshakeStep::Initialized(_)))
    }

    /// Takes a part of the answer's body. Gives whether the rest need not be read.
    pub fn chunk(&mut self, chunk: &[u8]) -> bool {
        let Some(pending) = &mut self.pending else { return true };
        pending.reader.take_chunk(chunk);
        self.collect_messages();
        self.pending.as_ref().is_none_or(|pending| pending.reader.is_whole())
    }

    /// What the server has said beside the answer since the last time.
    pub fn server_messages(&mut self) -> Vec<ServerMessage> {
        std::mem::take(&mut self.news)
    }

    /// The answer has ended.
    pub fn end(&mut self) {
        if let Some(PendingRequest { sent, reader }) = self.pending.take() {
            self.handle_reply(&sent, reader.end());
        }
    }

    /// The request could not be sent, or its answer broke off, or there is no time left for anything.
    pub fn failed(&mut self, failure: HttpFailure) {
        match self.pending.take() {
            Some(PendingRequest { sent, reader }) => self.handle_reply(&sent, reader.fail(failure)),
            None if self.done.is_none() && failure.timeout => {
                let reply = Reader::new(0, 0).fail(failure);
                self.done = Some(Err(reply_error(&self.shared.borrow(), &reply)));
            }
            None => {}
        }
    }

    /// What tells the server that nobody waits any more; to be sent before the host hangs up. In the modern era hanging up says it.
    pub fn cancel(&self, reason: &str) -> Option<HttpRequest> {
        let (id, link) = match (&self.pending, &self.stream.pending) {
            (Some(PendingRequest { sent, .. }), _) => (sent.id, &sent.link),
            // Its stream broke, and is left alone for a while: the server works on.
            (None, Some(open)) => (open.id, &open.link),
            (None, None) => return None,
        };
        let called =
            self.stage.is_none() && !matches!(self.goal.kind, OperationKind::Close | OperationKind::Watch);
        let params = json!({"requestId": id, "reason": reason});
        let message = message::notification("notifications/cancelled", Some(params));
        (called && *link != ProtocolEra::Modern).then(|| self.shared.borrow().reply_request(link, message))
    }

    /// Whether there is a new token after [`Step::Challenge`]: then what was refused is sent again with it.
    pub fn authorized(&mut self, again: bool) {
        let Some(reply) = self.refused.take() else { return };
        if again {
            return;
        }
        let mut shared = self.shared.borrow_mut();
        if self.stage.take().is_some() {
            shared.phase = ConnectionPhase::Closed;
        }
        self.done = Some(Err(reply_error(&shared, &reply)));
    }

    /// The host's answers after [`Step::Ask`], by the server's names.
    pub fn answer(&mut self, answers: Value) {
        self.goal.answer(answers);
    }

    /// For how many milliseconds the result may be kept; nothing where the server does not say.
    pub fn ttl_ms(&self) -> Option<u64> {
        self.goal.ttl_ms
    }

    /// Hands on what has arrived beside the answer.
    fn collect_messages(&mut self) {
        let Some(PendingRequest { sent, reader }) = &mut self.pending else { return };
        let (link, id, heard) = (sent.link.clone(), sent.id, reader.take_messages());
        self.handle_messages(&link, id, heard);
    }

    fn handle_messages(&mut self, link: &ProtocolEra, id: u64, heard: Vec<Message>) {
        if !heard.is_empty() {
            self.stream.received();
            if self.goal.kind == OperationKind::Watch {
                self.tried.reset(RecoveryAction::Renew);
            }
        }
        let shared = self.shared.borrow();
        self.news.extend(heard.into_iter().filter_map(|message| from_message(&shared, link, id, message)));
    }

    fn send_session_end(&mut self) -> Step {
        let mut shared = self.shared.borrow_mut();
        let request = shared.end_session_request();
        if let ConnectionPhase::Open(link) = shared.phase.clone() {
            shared.phase = ConnectionPhase::Closed;
            if let Some(request) = request {
                drop(shared);
                return self.send(link, 0, false, request);
            }
        }
        self.done = Some(Ok(Value::Null));
        Step::Done(Ok(Value::Null))
    }

    fn send_handshake(&mut self) -> Step {
        let mut shared = self.shared.borrow_mut();
        shared.phase = ConnectionPhase::Opening;
        let stage = self.stage.take().unwrap_or_else(|| shared.first_handshake_step());
        let id = shared.next_id();
        let request = shared.handshake_request(&stage, id);
        drop(shared);
        let link =
            if let HandshakeStep::Initialized(link) = &stage { link.clone() } else { ProtocolEra::Modern };
        self.stage = Some(stage);
        self.send(link, id, false, request)
    }

    fn send_request(&mut self, link: ProtocolEra) -> Step {
        let mut shared = self.shared.borrow_mut();
        if let Some(PendingReply { id, generation, .. }) = self.stream.pending.take() {
            if generation == shared.generation {
                let request = shared.stream_request(&link, self.stream.last_event_id.as_deref());
                drop(shared);
                return self.send(link, id, true, request);
            }
            if self.goal.kind != OperationKind::Watch && !self.goal.is_repeatable(&shared) {
                let error =
                    Err(shared.error(ToolErrorKind::SessionLost, "forgot the session before the answer"));
                self.done = Some(error.clone());
                return Step::Done(error);
            }
        }
        self.stream.last_event_id = None;
        let id = shared.next_id();
        let request = if self.goal.kind == OperationKind::Watch && link != ProtocolEra::Modern {
            shared.stream_request(&link, None)
        } else {
            let (method, params) = self.goal.request();
            shared.request(&link, id, method, params, self.goal.tool())
        };
        drop(shared);
        self.send(link, id, false, request)
    }

    fn send(&mut self, link: ProtocolEra, id: u64, resumed: bool, request: HttpRequest) -> Step {
        let shared = self.shared.borrow();
        let reader = Reader::new(id, shared.options.limits.answer_bytes);
        let sent = SentRequest {
            link,
            generation: shared.generation,
            id,
            is_resumed: resumed,
            special: special_headers(&request),
        };
        self.pending = Some(PendingRequest { sent, reader });
        Step::Send(request)
    }

    fn handle_reply(&mut self, sent: &SentRequest, mut reply: Reply) {
        self.handle_messages(&sent.link, sent.id, std::mem::take(&mut reply.messages));
        if self.goal.kind == OperationKind::Close {
            // A server need not let its sessions be ended; there is nothing to do about it.
            self.done = Some(Ok(Value::Null));
        } else if self.challenges < MAX_CHALLENGES
            && self.shared.borrow().options.has_auth
            && needs_token(&reply)
        {
            self.challenges += 1;
            self.refused = Some(reply);
            if sent.is_resumed {
                self.stream.retry(sent);
            }
        } else if let Some(stage) = self.stage.take() {
            self.handle_handshake_reply(stage, &reply);
        } else if may_be_blocked(&mut self.shared.borrow_mut(), sent, &reply)
            && self.tried.is_first_attempt(RecoveryAction::Unblock)
        {
            self.detect_blocked_headers(sent, &reply);
        } else if self.can_recover(sent, &reply) {
            // There is more to come.
        } else if sent.is_resumed && !reply.head.is_ok() {
            let error =
                self.shared.borrow().error(ToolErrorKind::StreamBroken, "ended its stream before the answer");
            self.done = Some(Err(error));
        } else if is_session_lost(&sent.link, &reply) {
            self.renew_session(sent.generation);
        } else {
            self.handle_result(&sent.link, sent.generation, reply);
        }
    }

    /// Finds out whether the host can send such a request to this server at all; another operation may be at it already.
    fn detect_blocked_headers(&mut self, sent: &SentRequest, reply: &Reply) {
        let mut shared = self.shared.borrow_mut();
        if shared.generation == sent.generation && matches!(shared.phase, ConnectionPhase::Open(_)) {
            shared.phase = ConnectionPhase::Opening;
            self.stage = Some(HandshakeStep::Blocked {
                headers: sent.special.clone(),
                error: reply_error(&shared, reply),
            });
        }
    }

    fn handle_handshake_reply(&mut self, stage: HandshakeStep, reply: &Reply) {
        let mut shared = self.shared.borrow_mut();
        match handle_reply(&mut shared, stage, reply) {
            HandshakeResult::Ask(stage) => self.stage = Some(stage),
            HandshakeResult::Open(link) => shared.open(link),
            HandshakeResult::Fail(error) => {
                shared.phase = ConnectionPhase::Closed;
                self.done = Some(Err(error));
            }
        }
    }

    /// Whether an answer that broke off is got in another way: from where the stream broke, or by asking again.
    fn can_recover(&mut self, sent: &SentRequest, reply: &Reply) -> bool {
        let lost = sent.is_resumed && reply.is_lost();
        let refused = sent.is_resumed && !reply.head.is_ok() && reply.head.status != 0;
        if !(reply.is_cut() || lost || refused) {
            return false;
        }
        let shared = self.shared.borrow();
        let watches = self.goal.kind == OperationKind::Watch;
        let longest = shared.options.limits.pause_ms;
        match self.stream.interrupted(sent, reply, refused, longest, watches) {
            StreamRecovery::Resumed => true,
            StreamRecovery::Restarted => {
                self.news.extend(LISTS.map(list_changed));
                true
            }
            StreamRecovery::Ended => {
                !watches
                    && self.goal.is_repeatable(&shared)
                    && self.tried.is_first_attempt(RecoveryAction::Repeat)
            }
        }
    }

    fn renew_session(&mut self, generation: u64) {
        let mut shared = self.shared.borrow_mut();
        shared.drop_session(generation);
        if !self.tried.is_first_attempt(RecoveryAction::Renew) {
            let message = "forgot the session, and the one opened in its place, too";
            self.done = Some(Err(shared.error(ToolErrorKind::SessionLost, message)));
        }
        self.goal.restart();
        if self.goal.kind == OperationKind::Watch {
            self.news.extend(LISTS.map(list_changed));
        }
    }

    fn handle_result(&mut self, link: &ProtocolEra, generation: u64, reply: Reply) {
        let mut shared = self.shared.borrow_mut();
        if let Body::Result(result) = reply.body {
            shared.is_assumed = false;
            let taken = self.goal.take_result(&mut shared, link, result, reply.size);
            let redacted =
                |error: ToolError| ToolError::new(error.kind, shared.secrets.redact(&error.message));
            self.done = taken.map_err(redacted).transpose();
            return;
        }
        let again = match &reply.body {
            Body::Error(RpcError { code: HEADER_MISMATCH, .. }) => self.goal.list_first(),
            Body::Error(RpcError { code: UNSUPPORTED_VERSION, data, .. }) => {
                self.tried.is_first_attempt(RecoveryAction::Renegotiate)
                    && can_renegotiate(&mut shared, link, generation, data)
            }
            Body::Error(RpcError { code: VISIT_REQUIRED, data, .. }) => self.goal.visit_first(&shared, data),
            Body::Error(RpcError { code: MISSING_CAPABILITY, .. }) => false,
            _ => is_wrong_era(&mut shared, generation, &reply),
        };
        if !again {
            self.done = Some(Err(reply_error(&shared, &reply)));
        }
    }
}

impl Drop for Operation {
    fn drop(&mut self) {
        if self.stage.is_some() {
            self.shared.borrow_mut().phase = ConnectionPhase::Closed;
        }
    }
}
