//! One operation on a server, from its first request to its end.
//!
//! Decides what is sent next: what opens the connection, the pages of a list, the call, and the one repetition after a
//! lost session. Knows no `fetch`: the driver loops over [`Exchange::step`], sends what it is given, and tells what
//! came back by [`Exchange::head`], [`Exchange::chunk`] and then [`Exchange::end`] or [`Exchange::failed`].
//!
//! Invariants:
//! 1. at most one request is outstanding; until its end `step` gives [`Step::Wait`];
//! 2. a call is sent again only after the server has refused it unexecuted: for a dead session, or for headers;
//! 3. dropping an exchange that opens the connection lets another one do so;
//! 4. after [`Step::Done`] nothing changes any more.

use super::answer::{Body, Reader, Reply};
use super::content;
use super::fault::fault;
use super::message::HEADER_MISMATCH;
use super::opening::{Opened, Stage, opened};
use super::session::{Link, Phase, Shared};
use crate::http::{Failure, HttpHead, HttpRequest};
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use stepgraph_core::tool::{ToolError, ToolFault};

/// What the driver is to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Send this, and tell what comes back.
    Send(HttpRequest),
    /// Ask again when another operation of the session has got on: it is opening the connection.
    Wait,
    /// The server wants a token, or another one: get one, and say by [`Exchange::authorized`] whether that went well.
    Challenge {
        /// 401, or 403 when the token does not reach far enough.
        status: u16,
        /// What the server says of it in `www-authenticate`, as far as the host may read it.
        header: Option<String>,
    },
    /// Nothing more: this is what came of it.
    Done(Result<Value, ToolError>),
}

/// What an operation is for.
#[derive(Debug)]
pub(super) enum Goal {
    List(Listing),
    Call { name: String, arguments: Value, listing: Option<Listing>, listed: bool },
    Close,
}

/// How far a list has been read.
#[derive(Debug, Default)]
pub(super) struct Listing {
    tools: Vec<Value>,
    dropped: Vec<(String, String)>,
    cursor: Option<String>,
    seen: HashSet<String>,
    pages: usize,
}

impl Goal {
    pub(super) fn list() -> Self {
        Self::List(Listing::default())
    }

    pub(super) fn call(name: &str, arguments: Value) -> Self {
        Self::Call { name: name.to_owned(), arguments, listing: None, listed: false }
    }

    /// Cursors may belong to the session that gave them.
    fn restart(&mut self) {
        match self {
            Self::List(listing) | Self::Call { listing: Some(listing), .. } => *listing = Listing::default(),
            Self::Call { listing: None, .. } | Self::Close => {}
        }
    }
}

#[derive(Debug)]
struct Pending {
    link: Link,
    generation: u64,
    reader: Reader,
}

/// One operation.
#[derive(Debug)]
pub struct Exchange {
    shared: Rc<RefCell<Shared>>,
    goal: Goal,
    /// What this exchange asks in order to open the connection for all.
    stage: Option<Stage>,
    pending: Option<Pending>,
    asides: Vec<HttpRequest>,
    renewed: bool,
    /// The refusal that waits for a new token.
    refused: Option<Reply>,
    challenges: u8,
    done: Option<Result<Value, ToolError>>,
}

impl Exchange {
    pub(super) fn new(shared: Rc<RefCell<Shared>>, goal: Goal) -> Self {
        Self {
            shared,
            goal,
            stage: None,
            pending: None,
            asides: Vec::new(),
            renewed: false,
            refused: None,
            challenges: 0,
            done: None,
        }
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
        if matches!(self.goal, Goal::Close) {
            return self.goodbye();
        }
        let phase = self.shared.borrow().phase.clone();
        match phase {
            Phase::Open(link) => self.send_goal(link),
            Phase::Opening if self.stage.is_none() => Step::Wait,
            Phase::Opening | Phase::Closed => self.send_stage(),
        }
    }

    /// Takes status and headers of the answer.
    pub fn head(&mut self, head: HttpHead) {
        if let Some(pending) = &mut self.pending {
            pending.reader.head(head);
        }
    }

    /// Takes a part of the answer's body. Gives whether the rest need not be read.
    pub fn chunk(&mut self, chunk: &[u8]) -> bool {
        let Some(pending) = &mut self.pending else { return true };
        pending.reader.chunk(chunk);
        let shared = self.shared.borrow();
        let asked = pending.reader.take_asked();
        self.asides.extend(asked.iter().filter_map(|asked| shared.aside(&pending.link, asked)));
        pending.reader.is_whole()
    }

    /// Requests to be sent at once beside the outstanding one: replies to the server. Their answers don't matter.
    pub fn asides(&mut self) -> Vec<HttpRequest> {
        std::mem::take(&mut self.asides)
    }

    /// The answer has ended.
    pub fn end(&mut self) {
        if let Some(Pending { link, generation, reader }) = self.pending.take() {
            self.take(&link, generation, reader.end());
        }
    }

    /// The request could not be sent, or its answer broke off.
    pub fn failed(&mut self, failure: Failure) {
        if let Some(Pending { link, generation, reader }) = self.pending.take() {
            self.take(&link, generation, reader.fail(failure));
        }
    }

    /// Whether there is a new token after [`Step::Challenge`]: then what was refused is sent again with it.
    pub fn authorized(&mut self, again: bool) {
        let Some(reply) = self.refused.take() else { return };
        if again {
            return;
        }
        let mut shared = self.shared.borrow_mut();
        if self.stage.take().is_some() {
            shared.phase = Phase::Closed;
        }
        self.done = Some(Err(fault(&shared, &reply)));
    }

    fn goodbye(&mut self) -> Step {
        let mut shared = self.shared.borrow_mut();
        let request = shared.goodbye();
        if let Phase::Open(link) = shared.phase.clone() {
            shared.phase = Phase::Closed;
            if let Some(request) = request {
                drop(shared);
                return self.send(link, 0, request);
            }
        }
        self.done = Some(Ok(Value::Null));
        Step::Done(Ok(Value::Null))
    }

    fn send_stage(&mut self) -> Step {
        let mut shared = self.shared.borrow_mut();
        shared.phase = Phase::Opening;
        let stage = self.stage.take().unwrap_or_else(|| shared.first_stage());
        let id = shared.next_id();
        let request = shared.stage_request(&stage, id);
        drop(shared);
        let link = if let Stage::Initialized(link) = &stage { link.clone() } else { Link::Modern };
        self.stage = Some(stage);
        self.send(link, id, request)
    }

    fn send_goal(&mut self, link: Link) -> Step {
        let mut shared = self.shared.borrow_mut();
        let id = shared.next_id();
        let mut params = Map::new();
        let request = match &self.goal {
            Goal::List(listing) | Goal::Call { listing: Some(listing), .. } => {
                if let Some(cursor) = &listing.cursor {
                    params.insert("cursor".to_owned(), Value::String(cursor.clone()));
                }
                shared.request(&link, id, "tools/list", params, None)
            }
            Goal::Call { name, arguments, .. } => {
                params.insert("name".to_owned(), Value::String(name.clone()));
                params.insert("arguments".to_owned(), arguments.clone());
                shared.request(&link, id, "tools/call", params, Some(arguments))
            }
            Goal::Close => return Step::Wait,
        };
        drop(shared);
        self.send(link, id, request)
    }

    fn send(&mut self, link: Link, id: u64, request: HttpRequest) -> Step {
        let shared = self.shared.borrow();
        let reader = Reader::new(id, shared.options.limits.answer_bytes);
        self.pending = Some(Pending { link, generation: shared.generation, reader });
        Step::Send(request)
    }

    fn take(&mut self, link: &Link, generation: u64, reply: Reply) {
        if matches!(self.goal, Goal::Close) {
            // A server need not let its sessions be ended; there is nothing to do about it.
            self.done = Some(Ok(Value::Null));
        } else if self.challenges < CHALLENGES && self.shared.borrow().options.auth && wants_token(&reply) {
            self.challenges += 1;
            self.refused = Some(reply);
        } else if let Some(stage) = self.stage.take() {
            self.take_stage(stage, &reply);
        } else if forgets_session(link, &reply) {
            self.renew(generation);
        } else {
            self.take_goal(link, reply);
        }
    }

    fn take_stage(&mut self, stage: Stage, reply: &Reply) {
        let mut shared = self.shared.borrow_mut();
        match opened(&shared, stage, reply) {
            Opened::Ask(stage) => self.stage = Some(stage),
            Opened::Open(link) => shared.open(link),
            Opened::Fail(error) => {
                shared.phase = Phase::Closed;
                self.done = Some(Err(error));
            }
        }
    }

    fn renew(&mut self, generation: u64) {
        let mut shared = self.shared.borrow_mut();
        shared.lose(generation);
        if self.renewed {
            let message = "forgot the session, and the one opened in its place, too";
            self.done = Some(Err(shared.error(ToolFault::SessionLost, message)));
        }
        self.renewed = true;
        self.goal.restart();
    }

    fn take_goal(&mut self, link: &Link, reply: Reply) {
        let mut shared = self.shared.borrow_mut();
        let unheard = matches!(&reply.body, Body::Error(error) if error.code == HEADER_MISMATCH);
        let Body::Result(result) = reply.body else {
            if !(unheard && self.goal.list_first()) {
                self.done = Some(Err(fault(&shared, &reply)));
            }
            return;
        };
        let modern = *link == Link::Modern;
        let outcome = match &mut self.goal {
            Goal::List(pages) => {
                pages.take(&mut shared, &result, modern).map(|last| last.then(|| pages.value()))
            }
            Goal::Call { listing: pages @ Some(_), .. } => {
                let last = pages.as_mut().map_or(Ok(true), |pages| pages.take(&mut shared, &result, modern));
                pages.take_if(|_| last == Ok(true));
                last.map(|_| None)
            }
            Goal::Call { .. } => content::value(result).map(Some),
            Goal::Close => Ok(None),
        };
        let redacted = |error: ToolError| ToolError::new(error.fault, shared.secrets.redact(&error.message));
        self.done = outcome.map_err(redacted).transpose();
    }
}

impl Goal {
    /// Before the call is sent again, learns which arguments the server wants in headers. Gives whether that is new.
    fn list_first(&mut self) -> bool {
        let Self::Call { listing: listing @ None, listed: listed @ false, .. } = self else { return false };
        *listed = true;
        *listing = Some(Listing::default());
        true
    }
}

impl Listing {
    /// Takes a page. Gives whether it was the last.
    fn take(&mut self, shared: &mut Shared, result: &Value, modern: bool) -> Result<bool, ToolError> {
        let page = content::page(result, &shared.options.name, modern)
            .map_err(|error| shared.error(error.fault, &format!("answered badly: {}", error.message)))?;
        self.pages += 1;
        for (tool, mirrors) in page.tools {
            shared.mirrors.insert(tool.name.clone(), mirrors);
            self.tools.push(tool.to_json());
        }
        self.dropped.extend(page.dropped);
        let Some(next) = page.next else {
            shared.dropped = std::mem::take(&mut self.dropped);
            return Ok(true);
        };
        if self.pages >= shared.options.limits.pages {
            let message = format!("lists its tools on more than {} pages", self.pages);
            return Err(shared.error(ToolFault::EndlessPages, &message));
        }
        if !self.seen.insert(next.clone()) {
            return Err(shared.error(ToolFault::EndlessPages, "lists its tools in a circle"));
        }
        self.cursor = Some(next);
        Ok(false)
    }

    fn value(&mut self) -> Value {
        Value::Array(std::mem::take(&mut self.tools))
    }
}

/// How often an operation gets another token before it is given up.
const CHALLENGES: u8 = 5;

/// Whether the server refuses for want of a token that it would take.
fn wants_token(reply: &Reply) -> bool {
    let scope =
        || reply.head.header("www-authenticate").is_some_and(|text| text.contains("insufficient_scope"));
    reply.head.status == 401 || reply.head.status == 403 && scope()
}

/// Whether the server does not know the session that the request named. The specification says 404; some say 400 and
/// explain it in words.
fn forgets_session(link: &Link, reply: &Reply) -> bool {
    if link.session().is_none() {
        return false;
    }
    let said = match &reply.body {
        Body::Error(error) => &error.message,
        Body::Garbage(text) => text,
        _ => "",
    };
    let said = said.to_ascii_lowercase();
    match reply.head.status {
        404 => true,
        400 => said.contains("session") || said.contains("not initialized"),
        _ => false,
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if self.stage.is_some() {
            self.shared.borrow_mut().phase = Phase::Closed;
        }
    }
}
