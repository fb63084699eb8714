//! A step's result as words in memory. `wasm/js/command.ts` reads this layout of commands.

use crate::value::{Handle, Table};
use crate::word_writer::WordWriter;
use std::rc::Rc;
use stepgraph_core::machine::{
    Answer, Call, CallId, Command, ComparedValue, Failure, Request, StepSink, TimerPurpose, TraceEvent,
};

/// A command's kind. A step results in the kind of its only command, or [`Op::Several`].
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// The run ended.
    Finished = 0,
    /// A handler call.
    Handler = 1,
    /// A tool call.
    Tool = 2,
    /// A model call.
    Model = 3,
    /// An approval.
    Approval = 4,
    /// A call that is not needed any more.
    Abandon = 5,
    /// A timer to set.
    SetTimer = 6,
    /// A timer to clear.
    ClearTimer = 7,
    /// Several commands, or none.
    Several = 8,
    /// An invalid event, which changed nothing.
    Refused = 9,
    /// Work remains after the host has yielded.
    Continue = 10,
}

impl Op {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::Finished,
        Self::Handler,
        Self::Tool,
        Self::Model,
        Self::Approval,
        Self::Abandon,
        Self::SetTimer,
        Self::ClearTimer,
        Self::Several,
        Self::Refused,
        Self::Continue,
    ];
}

/// The number of words of a command: its kind, the data below, scope, serial.
///
/// - A call has: node, addresses of input, arguments and answer, visit, attempt.
/// - A timer has: the two words of its milliseconds, node, visit, attempt, purpose.
pub const STRIDE: usize = 9;

/// An unanswered call.
#[derive(Debug)]
pub struct OpenCall {
    /// Unique in the run.
    pub serial: u32,
    /// The input.
    pub input: Handle,
    /// The slot for the answer.
    pub answer: Handle,
    /// Absent for a handler call without stubs and further outputs.
    pub detail: Option<Box<OpenCallDetail>>,
}

/// Rare details of an open call.
#[derive(Debug, Default)]
pub struct OpenCallDetail {
    /// Absent for a handler call without stubs.
    pub call: Option<Call<Handle>>,
    /// Further outputs, set with the answer.
    pub writes: Vec<(String, Handle)>,
    /// Held during the stub's delay.
    pub stub_answer: Option<Result<Answer<Handle>, Failure>>,
}

impl OpenCall {
    /// Returns every value that the call needs.
    pub fn values(&self) -> impl Iterator<Item = &Handle> {
        let detail = self.detail.as_deref();
        let arguments = match detail.and_then(|detail| detail.call.as_ref()).map(|call| &call.request) {
            Some(Request::Tool(arguments)) => Some(arguments),
            _ => None,
        };
        let (stub_answer, stub_writes) = match detail.and_then(|detail| detail.stub_answer.as_ref()) {
            Some(Ok(Answer::Value(value, writes))) => (Some(value), writes.as_slice()),
            _ => (None, &[][..]),
        };
        let writes = detail.map_or(&[][..], |detail| detail.writes.as_slice());
        let writes = writes.iter().chain(stub_writes).map(|(_, value)| value);
        [&self.answer, &self.input].into_iter().chain(arguments).chain(stub_answer).chain(writes)
    }
}

/// A step's output.
#[derive(Debug)]
pub struct StepOutput {
    /// The values.
    pub table: Rc<Table>,
    /// Events of the last step, or of all steps if there is a trace.
    pub events: WordWriter,
    /// Commands of the last step.
    pub commands: Vec<i32>,
    /// Each scope's only open call.
    pub open_calls: Vec<Option<OpenCall>>,
    /// A conversation can have several: each with its scope.
    pub conversation_calls: Vec<(u32, OpenCall)>,
    /// Whether stubs may answer handlers: they need the whole call.
    pub has_stubs: bool,
}

impl StepOutput {
    /// Creates an empty output.
    pub fn new(table: &Rc<Table>) -> Self {
        Self {
            table: Rc::clone(table),
            events: WordWriter::new(table.number()),
            commands: Vec::new(),
            open_calls: Vec::new(),
            conversation_calls: Vec::new(),
            has_stubs: false,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.table.clear();
        self.events.reset();
        self.commands.clear();
        self.open_calls.clear();
        self.conversation_calls.clear();
        self.has_stubs = false;
    }

    /// The kind of the only command, or [`Op::Several`].
    pub fn op(&self) -> u32 {
        match self.commands.as_slice() {
            [op, ..] if self.commands.len() == STRIDE => op.cast_unsigned(),
            _ => Op::Several as u32,
        }
    }

    /// Returns an open call.
    pub fn open_call(&self, call: CallId) -> Option<&OpenCall> {
        let only = self.open_calls.get(call.scope as usize).and_then(Option::as_ref);
        only.filter(|open| open.serial == call.serial).or_else(|| {
            self.conversation_calls
                .iter()
                .find(|(scope, open)| is_call(call, *scope, open))
                .map(|(_, open)| open)
        })
    }

    /// Returns an open call, mutable.
    pub fn open_call_mut(&mut self, call: CallId) -> Option<&mut OpenCall> {
        let only = self.open_calls.get_mut(call.scope as usize).and_then(Option::as_mut);
        match only.filter(|open_call| open_call.serial == call.serial) {
            Some(open_call) => Some(open_call),
            None => {
                let mut parts = self.conversation_calls.iter_mut();
                parts
                    .find(|(scope, open_call)| is_call(call, *scope, open_call))
                    .map(|(_, open_call)| open_call)
            }
        }
    }

    /// Removes an open call.
    pub fn take_call(&mut self, call: CallId) -> Option<OpenCall> {
        let only = self.open_calls.get_mut(call.scope as usize);
        match only.and_then(|only| only.take_if(|open_call| open_call.serial == call.serial)) {
            Some(open_call) => Some(open_call),
            None => self.take_conversation_call(call),
        }
    }

    #[cold]
    #[inline(never)]
    fn take_conversation_call(&mut self, call: CallId) -> Option<OpenCall> {
        let at =
            self.conversation_calls.iter().position(|(scope, open_call)| is_call(call, *scope, open_call))?;
        Some(self.conversation_calls.swap_remove(at).1)
    }

    /// Returns every open call.
    pub fn all_open_calls(&self) -> impl Iterator<Item = &OpenCall> {
        self.open_calls.iter().flatten().chain(self.conversation_calls.iter().map(|(_, open_call)| open_call))
    }

    fn push_call(&mut self, call: Call<Handle>) {
        let answer = self.table.allocate();
        let (op, arguments) = match &call.request {
            Request::Handler => (Op::Handler, &call.input),
            Request::Tool(arguments) => (Op::Tool, arguments),
            Request::Model(_) => (Op::Model, &call.input),
            Request::Approval => (Op::Approval, &call.input),
        };
        let place = |value: &Handle| self.events.value_address(value);
        self.commands.extend_from_slice(&[
            op as i32,
            call.node.cast_signed(),
            place(&call.input),
            place(arguments),
            place(&answer),
            call.visit.cast_signed(),
            call.attempt.cast_signed(),
            call.id.scope.cast_signed(),
            call.id.serial.cast_signed(),
        ]);
        let (id, is_part, input) = (call.id, call.sub_call.is_some(), call.input);
        let whole = self.has_stubs || op != Op::Handler;
        let detail =
            whole.then(|| Box::new(OpenCallDetail { call: Some(call), ..OpenCallDetail::default() }));
        let (scope, open_call) = (id.scope as usize, OpenCall { serial: id.serial, input, answer, detail });
        if is_part {
            self.conversation_calls.push((id.scope, open_call));
            return;
        }
        if self.open_calls.len() <= scope {
            self.open_calls.resize_with(scope + 1, || None);
        }
        if let Some(slot) = self.open_calls.get_mut(scope) {
            *slot = Some(open_call);
        }
    }

    fn push_command(&mut self, op: Op, id: CallId, words: [i32; 6]) {
        self.commands.push(op as i32);
        self.commands.extend_from_slice(&words);
        self.commands.extend_from_slice(&[id.scope.cast_signed(), id.serial.cast_signed()]);
    }
}

fn is_call(call: CallId, scope: u32, open_call: &OpenCall) -> bool {
    scope == call.scope && open_call.serial == call.serial
}

/// Purpose of a timer for the first of several calls. The others have the next numbers.
pub const FIRST_CALL_TIMER: u32 = 4;

impl StepSink<Handle> for StepOutput {
    fn command(&mut self, command: Command<Handle>) {
        match command {
            Command::Call(call) => self.push_call(call),
            Command::Abandon(call) => {
                self.take_call(call);
                self.push_command(Op::Abandon, call, [0; 6]);
            }
            Command::SetTimer { timer, after_ms, purpose } => {
                let bits = after_ms.to_bits();
                #[expect(clippy::cast_possible_truncation, reason = "the two halves, one after the other")]
                let (low, high) = (bits as i32, (bits >> 32) as i32);
                let (kind, node, visit, attempt) = match purpose {
                    TimerPurpose::Run => (0, 0, 0, 0),
                    TimerPurpose::Attempt(node, visit, attempt) => (1, node, visit, attempt),
                    TimerPurpose::Backoff(node, visit, attempt) => (2, node, visit, attempt),
                    TimerPurpose::Wait(node, visit, attempt) => (3, node, visit, attempt),
                    TimerPurpose::Call(node, visit, attempt, place) => {
                        (FIRST_CALL_TIMER.saturating_add(place), node, visit, attempt)
                    }
                };
                let what = [node, visit, attempt, kind].map(u32::cast_signed);
                self.push_command(Op::SetTimer, timer, [low, high, what[0], what[1], what[2], what[3]]);
            }
            Command::Continue => self.push_command(Op::Continue, CallId { scope: 0, serial: 0 }, [0; 6]),
            Command::ClearTimer(timer) => self.push_command(Op::ClearTimer, timer, [0; 6]),
            Command::Finish(_) => self.push_command(Op::Finished, CallId { scope: 0, serial: 0 }, [0; 6]),
        }
    }

    #[cold]
    #[inline(never)]
    fn withdraw(&mut self, serials: &[u32]) {
        let mut kept = Vec::with_capacity(self.commands.len());
        let commands = std::mem::take(&mut self.commands);
        for command in commands.chunks_exact(STRIDE) {
            let [op, .., scope, serial] = command else { continue };
            let asks = (Op::Handler as i32..=Op::Approval as i32).contains(op) || *op == Op::SetTimer as i32;
            if asks && serials.binary_search(&serial.cast_unsigned()).is_ok() {
                self.take_call(CallId { scope: scope.cast_unsigned(), serial: serial.cast_unsigned() });
            } else {
                kept.extend_from_slice(command);
            }
        }
        self.commands = kept;
    }

    #[inline]
    fn handler_called(&mut self, serial: u32, node: u32, visit: u32, input: &Handle) -> bool {
        if self.has_stubs {
            return false;
        }
        let answer = self.table.allocate();
        let place = self.events.value_address(input);
        self.commands.extend_from_slice(&[
            Op::Handler as i32,
            node.cast_signed(),
            place,
            place,
            self.events.value_address(&answer),
            visit.cast_signed(),
            1,
            0,
            serial.cast_signed(),
        ]);
        let open_call = OpenCall { serial, input: *input, answer, detail: None };
        match self.open_calls.first_mut() {
            Some(slot) => *slot = Some(open_call),
            None => self.open_calls.push(Some(open_call)),
        }
        true
    }

    fn value_compared(&mut self, seen: ComparedValue<Handle>) {
        self.events.write_comparison(seen.atom, seen.value.as_ref());
    }

    fn condition_evaluated(&mut self, edge: u32, holds: Option<bool>) {
        self.events.write_condition(edge, holds);
    }

    #[inline]
    fn emit(&mut self, event: TraceEvent<Handle>) {
        self.events.write_event(&event);
    }
}
