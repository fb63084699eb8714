//! A run, as JavaScript sees it: numbers in, numbers out.
//!
//! Decides how little crosses: an event is a call with a number or two, a command is a kind and a few words in
//! [`RawRun::io`]. Objects are made in JavaScript, for those who look at them.
//!
//! Invariants: 1. every method is synchronous and waits for nothing; 2. what makes no sense gives [`Op::Refused`].

use crate::bound::BoundGraph;
use crate::json;
use crate::pack::{NOTHING, Pack};
use crate::value::{Handle, Table};
use serde_json::Value as Json;
use std::rc::Rc;
use std::sync::Arc;
use stepgraph_core::graph::Limits;
use stepgraph_core::machine::{
    Answer, CallId, Command, Event, Failure, Options, Request, Run, Seen, Sink, TraceEvent,
};
use stepgraph_core::model::ChatReply;
use stepgraph_core::stub::{StubError, Stubbed, Stubs};
use wasm_bindgen::prelude::wasm_bindgen;

/// What a step asks for.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    /// Nothing: the run is over.
    Finished = 0,
    /// A handler.
    Handler = 1,
    /// A tool.
    Tool = 2,
    /// A model.
    Model = 3,
    /// The event made no sense; nothing has changed.
    Refused = 4,
}

/// Words that JavaScript reads after a step, in the order of `wasm/js/session.ts`: six of the command, then where the
/// packed events are and how many words they take.
const WORDS: usize = 8;

/// Stubs of a run and what it is given besides its input, from JSON.
struct Settings {
    stubs: Option<Json>,
    /// Names of the outputs that are there from the start.
    outputs: Vec<String>,
    memory: bool,
    context: bool,
}

impl Settings {
    fn read(text: &str) -> Self {
        let settings = json::read(text);
        let flag = |key: &str| settings.get(key).and_then(Json::as_bool).unwrap_or(false);
        Self {
            stubs: settings.get("stubs").filter(|stubs| !stubs.is_null()).cloned(),
            outputs: json::texts(&settings, "outputs").unwrap_or_default(),
            memory: flag("memory"),
            context: flag("context"),
        }
    }
}

/// A run.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RawRun {
    run: Run<Handle>,
    out: Out,
    writes: Vec<(String, Handle)>,
    stubs: Option<Stubs>,
    stubbed: Option<Stubbed<Handle>>,
    pack: Pack,
}

/// Where the consequences of an event go: the words of the command, the packed trace.
#[derive(Debug)]
struct Out {
    table: Rc<Table>,
    io: Box<[i32; WORDS]>,
    op: Op,
    /// The command itself: its values must live until it is answered.
    command: Option<Command<Handle>>,
    /// Where JavaScript puts the answer to the outstanding call.
    answer: Option<Handle>,
    /// The events of the last step, or of all steps when they are kept.
    events: Pack,
    keep: bool,
    /// Where the events of the last step begin.
    step_at: usize,
}

impl Sink<Handle> for Out {
    fn command(&mut self, command: Command<Handle>) {
        if let Command::Call { call, node, visit, input, request, .. } = &command {
            let answer = self.table.take();
            let place = |value: &Handle| self.events.place(value);
            let (op, arguments) = match request {
                Request::Handler => (Op::Handler, input),
                Request::Tool(arguments) => (Op::Tool, arguments),
                Request::Model(_) => (Op::Model, input),
            };
            let [words @ .., _, _] = &mut *self.io;
            *words = [
                node.cast_signed(),
                place(input),
                place(arguments),
                place(&answer),
                visit.cast_signed(),
                call.0.cast_signed(),
            ];
            self.answer = Some(answer);
            self.op = op;
            self.command = Some(command);
        }
    }

    fn saw(&mut self, seen: Seen<Handle>) {
        self.events.saw(seen.atom, seen.value.as_ref());
    }

    fn judged(&mut self, edge: u32, holds: bool) {
        self.events.judged(edge, holds);
    }

    #[inline]
    fn happened(&mut self, event: TraceEvent<Handle>) {
        self.events.event(&event);
    }
}

#[wasm_bindgen]
impl RawRun {
    /// A run of a bound plan with values in the table of that number: its input in slot 0, then memory and context if there
    /// are any, then the outputs named in `settings`, which is JSON or empty. `observe` and `keep`: who wants the trace.
    /// Bounds go before the plan's own; -1 for one that is not given.
    ///
    /// # Errors
    /// Nothing for a plan that can't run, or for stubs of the wrong shape (see [`stub_error`]).
    #[expect(
        clippy::too_many_arguments,
        reason = "numbers cross for nothing; an object would have to be written and read"
    )]
    pub fn begin(
        bound: &BoundGraph,
        table: u32,
        settings: &str,
        observe: bool,
        keep: bool,
        visits: f64,
        steps: f64,
        calls: f64,
    ) -> Option<RawRun> {
        let program = Arc::clone(bound.program()?);
        let table = Table::new(table);
        let mut options = Options::new(table.take());
        options.observe = observe || keep;
        let own = program.limits;
        options.limits = Some(Limits {
            visits: json::to_count(visits).unwrap_or(own.visits),
            steps: json::to_count(steps).or(own.steps),
            calls: json::to_count(calls).or(own.calls),
            ..own
        });
        let mut stubs = None;
        if !settings.is_empty() {
            let settings = Settings::read(settings);
            options.memory = settings.memory.then(|| table.take());
            options.context = settings.context.then(|| table.take());
            options.outputs = settings.outputs.into_iter().map(|name| (name, table.take())).collect();
            stubs = settings.stubs.map(|stubs| Stubs::from_json(&stubs)).transpose().ok()?;
        }
        let out = Out {
            events: Pack::of(table.number()),
            io: Box::default(),
            op: Op::Finished,
            command: None,
            answer: None,
            keep,
            step_at: 0,
            table: Rc::clone(&table),
        };
        let pack = Pack::of(table.number());
        let run = Run::new(program, table, options);
        Some(Self { run, out, writes: Vec::new(), stubs, stubbed: None, pack })
    }

    /// Where the words of the last step are in memory: node, input, arguments, answer slot, visit and call of the
    /// command, then where the packed events are and how many words they take.
    pub fn io(&self) -> *const i32 {
        self.out.io.as_ptr()
    }

    /// Begins.
    pub fn start(&mut self, at_ms: f64) -> u32 {
        self.feed(Event::Start { at_ms })
    }

    /// The outstanding call was answered; the value is in its answer slot.
    pub fn done(&mut self, call: u32, at_ms: f64) -> u32 {
        let Some(value) = self.out.answer.take() else { return Op::Refused as u32 };
        let writes = std::mem::take(&mut self.writes);
        self.feed(Event::CallDone { call: CallId(call), result: Ok(Answer::Value(value, writes)), at_ms })
    }

    /// The outstanding call failed.
    pub fn failed(&mut self, call: u32, code: &str, message: &str, at_ms: f64) -> u32 {
        self.writes.clear();
        self.feed(Event::CallDone { call: CallId(call), result: Err(Failure::new(code, message)), at_ms })
    }

    /// A model answered, in JSON.
    pub fn replied(&mut self, call: u32, reply: &str, at_ms: f64) -> u32 {
        let reply = ChatReply::from_json(&json::read(reply));
        let result = reply.map(Answer::Reply).ok_or_else(|| {
            Failure::new("model/bad-reply", "the model client gave no reply of the agreed shape")
        });
        self.feed(Event::CallDone { call: CallId(call), result, at_ms })
    }

    /// A slot for a further named output, set with the answer.
    pub fn write(&mut self, name: String) -> u32 {
        let value = self.out.table.take();
        let (_, slot) = value.place();
        self.writes.push((name, value));
        slot
    }

    /// Asks the stubs for the outstanding call: milliseconds to wait before [`RawRun::stub_done`], or -1 without a stub.
    pub fn stub(&mut self) -> f64 {
        let (Some(stubs), Some(command)) = (&mut self.stubs, &self.out.command) else { return -1.0 };
        self.stubbed = stubs.answer(self.run.program(), &self.out.table, self.run.last(), command);
        self.stubbed.as_ref().map_or(-1.0, |stubbed| stubbed.delay_ms)
    }

    /// Gives the stub's answer.
    pub fn stub_done(&mut self, call: u32, at_ms: f64) -> u32 {
        let Some(Stubbed { result, .. }) = self.stubbed.take() else { return Op::Refused as u32 };
        self.feed(Event::CallDone { call: CallId(call), result, at_ms })
    }

    /// Ends the run now.
    pub fn cancel(&mut self, at_ms: f64) -> u32 {
        self.feed(Event::Cancel { at_ms })
    }

    /// What is asked of the model, as JSON.
    pub fn request(&self) -> String {
        match &self.out.command {
            Some(Command::Call { request: Request::Model(request), .. }) => request.to_json().to_string(),
            _ => String::new(),
        }
    }

    /// Where the last output is.
    pub fn last(&self) -> i32 {
        self.pack.place(self.run.last())
    }

    /// Where an output is.
    pub fn output(&self, name: &str) -> i32 {
        self.run.output(name).map_or(NOTHING, |value| self.pack.place(value))
    }

    /// The texts that the words of events point at, from one on, as JSON; empty when there are none.
    pub fn texts(&self, from: usize) -> String {
        texts(&self.out.events, from)
    }

    /// Packs all of a report but the trace: outcome, counts, last, outputs and path. Gives how many words that takes.
    pub fn pack_report(&mut self) -> usize {
        let Self { run, pack, .. } = self;
        pack.clear();
        match run.outcome() {
            Some(outcome) => pack.outcome(outcome),
            None => pack.count(3),
        }
        let counts = run.counts();
        pack.count(counts.steps);
        pack.count(counts.calls);
        #[expect(clippy::cast_precision_loss, reason = "no run uses as many tokens as a float can't count")]
        pack.number(counts.tokens as f64);
        pack.value(Some(run.last()));
        pack_outputs(run, pack);
        pack.count(u32::try_from(run.path().len()).unwrap_or(0));
        for node in run.path() {
            pack.count(*node);
        }
        pack.words.len()
    }

    /// Where the words of the report are in memory.
    pub fn report_words(&self) -> *const i32 {
        self.pack.words.as_ptr()
    }

    /// The texts that the words of the report point at, as JSON; empty when there are none.
    pub fn report_texts(&self) -> String {
        texts(&self.pack, 0)
    }

    /// How many words the kept trace takes; it is at [`RawRun::trace_words`].
    pub fn trace_length(&self) -> usize {
        if self.out.keep { self.out.events.words.len() } else { 0 }
    }

    /// Where the words of the kept trace are in memory.
    pub fn trace_words(&self) -> *const i32 {
        self.out.events.words.as_ptr()
    }
}

impl RawRun {
    fn feed(&mut self, event: Event<Handle>) -> u32 {
        // What a kept trace points at must stay where it is, so then no slot is used twice.
        if !self.out.keep && self.out.table.is_full() {
            self.sweep(&event);
        }
        let Self { run, out, .. } = self;
        if !out.keep {
            out.events.clear();
        }
        out.step_at = out.events.words.len();
        out.op = Op::Finished;
        let refused = run.step_into(event, out).is_err();
        let events = out.events.words.get(out.step_at..).unwrap_or_default();
        let [.., at, length] = &mut *out.io;
        *at = address(events);
        *length = i32::try_from(events.len()).unwrap_or(0);
        if refused { Op::Refused as u32 } else { out.op as u32 }
    }
}

/// Where words are in memory, as one word.
fn address(words: &[i32]) -> i32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "addresses of WebAssembly have 32 bits"
    )]
    let word = words.as_ptr() as usize as i32;
    word
}

impl RawRun {
    /// Frees the slots that neither the run, nor the event at hand, nor writes to come hold.
    fn sweep(&self, event: &Event<Handle>) {
        let (answer, written) = match event {
            Event::CallDone { result: Ok(Answer::Value(value, writes)), .. } => {
                (Some(value), writes.as_slice())
            }
            _ => (None, &[][..]),
        };
        let writes = written.iter().chain(&self.writes).map(|(_, value)| value);
        let outstanding = self.out.answer.iter();
        self.out.table.sweep(self.run.values().chain(answer).chain(writes).chain(outstanding));
    }
}

fn texts(pack: &Pack, from: usize) -> String {
    match pack.texts.get(from..) {
        None | Some([]) => String::new(),
        Some(texts) => Json::from(texts.to_vec()).to_string(),
    }
}

/// How many outputs, then the number of each name (-1 and its text, if the program does not know it) and its value.
fn pack_outputs(run: &Run<Handle>, pack: &mut Pack) {
    let at = pack.words.len();
    pack.count(0);
    let mut count = 0;
    let ((input, memory), (known, others)) = (run.given(), run.outputs_by_number());
    let named = [("input", Some(input)), ("memory", memory)].into_iter();
    let others = others.iter().map(|(name, value)| (name.as_str(), Some(value)));
    for (name, value) in named.chain(others) {
        let Some(value) = value else { continue };
        count += 1;
        pack.words.push(-1);
        pack.text(name);
        pack.value(Some(value));
    }
    for (number, value) in known.iter().enumerate() {
        let Some(value) = value else { continue };
        count += 1;
        pack.count(u32::try_from(number).unwrap_or(u32::MAX));
        pack.value(Some(value));
    }
    if let Some(word) = pack.words.get_mut(at) {
        *word = count;
    }
}

/// What is wrong with stubs, as JSON `{place, message}`; nothing if they are sound.
#[wasm_bindgen]
pub fn stub_error(stubs: &str) -> Option<String> {
    let StubError { place, message } = Stubs::from_json(&json::read(stubs)).err()?;
    Some(serde_json::json!({"place": place, "message": message}).to_string())
}
