//! A run, as JavaScript sees it: numbers in, numbers out.
//!
//! Decides how little crosses: an event is a call with a number or two, a command is a kind and a few words in
//! [`RawRun::io`]. Objects are made in JavaScript, for those who look at them.
//!
//! Invariants: 1. every method is synchronous and waits for nothing; 2. what makes no sense gives [`Op::Refused`].

use crate::graph::BoundGraph;
use crate::json;
use crate::pack::Pack;
use crate::value::{Handle, Table};
use serde_json::Value as Json;
use std::rc::Rc;
use std::sync::Arc;
use stepgraph_core::graph::Limits;
use stepgraph_core::machine::{
    Answer, CallId, Command, Event, Failure, Options, Request, Run, Step, TraceEvent,
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

/// Words of a command, in the order of `wasm/js/machine.ts`.
const WORDS: usize = 7;

/// Bounds and stubs of a run, from JSON.
struct Settings {
    visits: Option<u32>,
    steps: Option<u32>,
    calls: Option<u32>,
    stubs: Option<Json>,
    /// Names of the outputs that are there from the start.
    outputs: Vec<String>,
    memory: bool,
    context: bool,
}

impl Settings {
    fn read(text: &str) -> Self {
        let settings = json::read(text);
        let count = |key: &str| settings.get(key).and_then(Json::as_f64).and_then(json::to_count);
        let flag = |key: &str| settings.get(key).and_then(Json::as_bool).unwrap_or(false);
        Self {
            visits: count("visits"),
            steps: count("steps"),
            calls: count("calls"),
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
    table: Rc<Table>,
    step: Step<Handle>,
    kept: Vec<TraceEvent<Handle>>,
    keep: bool,
    io: Box<[i32; WORDS]>,
    /// Where JavaScript puts the answer to the outstanding call.
    answer: Option<Handle>,
    writes: Vec<(String, Handle)>,
    stubs: Option<Stubs>,
    stubbed: Option<Stubbed<Handle>>,
    pack: Pack,
}

#[wasm_bindgen]
impl RawRun {
    /// A run of a bound plan with values in the table of that number: its input in slot 0, then memory and context if there
    /// are any, then the outputs named in `settings`, which is JSON or empty. `observe` and `keep`: who wants the trace.
    ///
    /// # Errors
    /// Nothing for a plan that can't run, or for stubs of the wrong shape (see [`stub_error`]).
    pub fn begin(
        bound: &BoundGraph,
        table: u32,
        settings: &str,
        observe: bool,
        keep: bool,
    ) -> Option<RawRun> {
        let program = Arc::clone(bound.program()?);
        let table = Table::new(table);
        let mut options = Options::new(table.take());
        options.observe = observe || keep;
        let mut stubs = None;
        if !settings.is_empty() {
            let settings = Settings::read(settings);
            options.memory = settings.memory.then(|| table.take());
            options.context = settings.context.then(|| table.take());
            options.outputs = settings.outputs.into_iter().map(|name| (name, table.take())).collect();
            options.limits = Some(Limits {
                visits: settings.visits.unwrap_or(program.limits.visits),
                steps: settings.steps.or(program.limits.steps),
                calls: settings.calls.or(program.limits.calls),
            });
            stubs = settings.stubs.map(|stubs| Stubs::from_json(&stubs)).transpose().ok()?;
        }
        Some(Self {
            run: Run::new(program, Rc::clone(&table), options),
            table,
            step: Step::default(),
            kept: Vec::new(),
            keep,
            io: Box::default(),
            answer: None,
            writes: Vec::new(),
            stubs,
            stubbed: None,
            pack: Pack::default(),
        })
    }

    /// Where the words of the last command are in memory: node, input, arguments, answer slot, visit, call, own input.
    pub fn io(&self) -> *const i32 {
        self.io.as_ptr()
    }

    /// Begins.
    pub fn start(&mut self, at_ms: f64) -> u32 {
        self.feed(Event::Start { at_ms })
    }

    /// The outstanding call was answered; the value is in its answer slot.
    pub fn done(&mut self, call: u32, at_ms: f64) -> u32 {
        let Some(value) = self.answer.clone() else { return Op::Refused as u32 };
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
        let value = self.table.take();
        let (_, slot) = value.place();
        self.writes.push((name, value));
        slot
    }

    /// Asks the stubs for the outstanding call: milliseconds to wait before [`RawRun::stub_done`], or -1 without a stub.
    pub fn stub(&mut self) -> f64 {
        let Some(stubs) = &mut self.stubs else { return -1.0 };
        let Some(command) = self.step.commands.first() else { return -1.0 };
        self.stubbed = stubs.answer(self.run.program(), &self.table, self.run.last(), command);
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
        match self.step.commands.first() {
            Some(Command::Call { request: Request::Model(request), .. }) => request.to_json().to_string(),
            _ => String::new(),
        }
    }

    /// Where the last output is.
    pub fn last(&mut self) -> i32 {
        self.pack.reset(self.table.number());
        self.pack.place(self.run.last())
    }

    /// Where an output is.
    pub fn output(&mut self, name: &str) -> i32 {
        self.pack.reset(self.table.number());
        self.run.output(name).map_or(crate::pack::NOTHING, |value| self.pack.place(value))
    }

    /// Packs the events of the last step and gives how many words they take; the words are at [`RawRun::words`].
    pub fn pack_step(&mut self) -> usize {
        self.pack.reset(self.table.number());
        for event in &self.step.trace {
            self.pack.event(event);
        }
        self.pack.words.len()
    }

    /// Packs everything a report needs: outcome, counts, last, outputs, path, and the trace if it was kept.
    pub fn pack_report(&mut self) -> usize {
        let Self { run, pack, table, .. } = self;
        pack.reset(table.number());
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
        self.pack_outputs();
        self.pack.count(u32::try_from(self.run.path().len()).unwrap_or(0));
        for node in self.run.path() {
            self.pack.count(*node);
        }
        for event in &self.kept {
            self.pack.event(event);
        }
        self.pack.words.len()
    }

    /// Where the packed words are in memory.
    pub fn words(&self) -> *const i32 {
        self.pack.words.as_ptr()
    }

    /// The texts that packed words point at, as JSON; empty when there are none.
    pub fn texts(&self) -> String {
        if self.pack.texts.is_empty() {
            String::new()
        } else {
            Json::from(self.pack.texts.clone()).to_string()
        }
    }
}

impl RawRun {
    fn pack_outputs(&mut self) {
        let Self { run, pack, .. } = self;
        let at = pack.words.len();
        pack.count(0);
        let mut count = 0;
        for (name, value) in run.outputs() {
            count += 1;
            match run.program().names.get(name) {
                Some(number) => pack.count(number),
                None => {
                    pack.words.push(-1);
                    pack.text(name);
                }
            }
            pack.value(Some(value));
        }
        if let Some(word) = pack.words.get_mut(at) {
            *word = count;
        }
    }

    fn feed(&mut self, event: Event<Handle>) -> u32 {
        self.step.commands.clear();
        self.step.trace.clear();
        if self.run.step_into(event, &mut self.step).is_err() {
            return Op::Refused as u32;
        }
        if self.keep {
            self.kept.extend_from_slice(&self.step.trace);
        }
        self.command() as u32
    }

    /// Writes the words of the command that came of a step.
    fn command(&mut self) -> Op {
        let Some(Command::Call { call, node, visit, input, own_input, request }) = self.step.commands.first()
        else {
            self.answer = None;
            return Op::Finished;
        };
        let answer = self.table.take();
        let place = |value: &Handle| {
            let (table, slot) = value.place();
            if table == self.table.number() { slot.cast_signed() } else { !slot.cast_signed() }
        };
        let (op, arguments) = match request {
            Request::Handler => (Op::Handler, input),
            Request::Tool(arguments) => (Op::Tool, arguments),
            Request::Model(_) => (Op::Model, input),
        };
        *self.io = [
            node.cast_signed(),
            place(input),
            place(arguments),
            answer.place().1.cast_signed(),
            visit.cast_signed(),
            call.0.cast_signed(),
            i32::from(*own_input),
        ];
        self.answer = Some(answer);
        op
    }
}

/// What is wrong with stubs, as JSON `{place, message}`; nothing if they are sound.
#[wasm_bindgen]
pub fn stub_error(stubs: &str) -> Option<String> {
    let StubError { place, message } = Stubs::from_json(&json::read(stubs)).err()?;
    Some(serde_json::json!({"place": place, "message": message}).to_string())
}
