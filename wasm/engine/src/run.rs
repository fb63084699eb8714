//! A run, as JavaScript sees it: numbers in, numbers out.
//!
//! Decides how little crosses: an event is a call with a number or two, commands are words in memory. Objects are made in
//! JavaScript, for those who look at them.
//!
//! Invariants: 1. every method is synchronous and waits for nothing; 2. what makes no sense gives [`Op::Refused`].

use crate::bound::BoundGraph;
use crate::json;
use crate::out::{Op, Out, STRIDE};
use crate::pack::{NOTHING, Pack};
use crate::value::{Handle, Table};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;
use stepgraph_core::graph::Limits;
use stepgraph_core::machine::{Answer, CallId, Decision, Event, Failure, Frozen, Options, Request, Run};
use stepgraph_core::model::ChatReply;
use stepgraph_core::stub::{StubError, Stubbed, Stubs};
use stepgraph_core::value::{Path, Value};
use wasm_bindgen::prelude::wasm_bindgen;

/// Words that JavaScript reads after a step, in the order of `wasm/js/session.ts`: how many commands there are and where,
/// then where the packed events are and how many words they take.
const WORDS: usize = 4;

/// Stubs of a run and what it is given besides its input, from JSON.
struct Settings {
    stubs: Option<Json>,
    /// Names of the outputs that are there from the start.
    outputs: Vec<String>,
    memory: bool,
    context: bool,
    /// A snapshot's state, and how many values it has.
    frozen: Option<Json>,
    values: usize,
}

impl Settings {
    fn read(text: &str) -> Self {
        let mut settings = json::read(text);
        let flag = |key: &str| settings.get(key).and_then(Json::as_bool).unwrap_or(false);
        let (memory, context) = (flag("memory"), flag("context"));
        let values =
            settings.get("values").and_then(Json::as_u64).and_then(|count| usize::try_from(count).ok());
        Self {
            stubs: settings.get("stubs").filter(|stubs| !stubs.is_null()).cloned(),
            outputs: json::texts(&settings, "outputs").unwrap_or_default(),
            memory,
            context,
            values: values.unwrap_or(0),
            frozen: settings.get_mut("frozen").map(Json::take).filter(|frozen| !frozen.is_null()),
        }
    }
}

/// A run.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RawRun {
    run: Run<Handle>,
    out: Out,
    io: Box<[i32; WORDS]>,
    keep: bool,
    stubs: Option<Stubs>,
    pack: Pack,
}

/// A run that begins, or why a snapshot can't be taken up.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Begun {
    run: Option<RawRun>,
    problem: String,
}

#[wasm_bindgen]
impl Begun {
    /// The run; once.
    pub fn take(&mut self) -> Option<RawRun> {
        self.run.take()
    }

    /// Why there is none.
    pub fn problem(&mut self) -> String {
        std::mem::take(&mut self.problem)
    }
}

impl Begun {
    fn refused(problem: impl Into<String>) -> Self {
        Self { run: None, problem: problem.into() }
    }
}

#[wasm_bindgen]
impl RawRun {
    /// A run of a bound plan with values in the table of that number: its input in slot 0, then memory and context if there
    /// are any, then the outputs named in `settings`, then a snapshot's values; `settings` is JSON or empty. `observe` and
    /// `keep`: who wants the trace. Bounds go before the plan's own; -1 for one that is not given.
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
        timeout_ms: f64,
        tokens: f64,
        output_bytes: f64,
    ) -> Begun {
        let Some(program) = bound.program() else { return Begun::refused("the plan can't run") };
        let table = Table::new(table);
        let mut options = Options::new(table.take());
        options.observe = observe || keep;
        let own = program.limits;
        let given = |amount: f64| (amount >= 0.0).then_some(amount);
        options.limits = Some(Limits {
            visits: json::to_count(visits).unwrap_or(own.visits),
            steps: json::to_count(steps).or(own.steps),
            calls: json::to_count(calls).or(own.calls),
            timeout_ms: given(timeout_ms).or(own.timeout_ms),
            tokens: given(tokens).or(own.tokens),
            output_bytes: given(output_bytes).or(own.output_bytes),
        });
        let mut stubs = None;
        let mut frozen = None;
        if !settings.is_empty() {
            let settings = Settings::read(settings);
            options.memory = settings.memory.then(|| table.take());
            options.context = settings.context.then(|| table.take());
            options.outputs = settings.outputs.into_iter().map(|name| (name, table.take())).collect();
            frozen = settings
                .frozen
                .map(|state| (state, (0..settings.values).map(|_| table.take()).collect::<Vec<_>>()));
            stubs = match settings.stubs.map(|stubs| Stubs::from_json(&stubs)).transpose() {
                Ok(stubs) => stubs,
                Err(error) => return Begun::refused(error.to_string()),
            };
        }
        let out = Out::new(&table);
        let pack = Pack::of(table.number());
        let run = match frozen {
            None => Ok(Run::new(Arc::clone(program), table, options)),
            Some((state, values)) => Run::thaw(program, table, options, &state, values),
        };
        match run {
            Ok(run) => {
                let run = Self { run, out, io: Box::default(), keep, stubs, pack };
                Begun { run: Some(run), problem: String::new() }
            }
            Err(error) => Begun::refused(error.message),
        }
    }

    /// Where the words of the last step are in memory.
    pub fn io(&self) -> *const i32 {
        self.io.as_ptr()
    }

    /// Begins.
    pub fn start(&mut self, at_ms: f64) -> u32 {
        self.feed(Event::Start { at_ms })
    }

    /// Goes on from a snapshot.
    pub fn resume(&mut self, at_ms: f64) -> u32 {
        self.feed(Event::Resume { at_ms })
    }

    /// A call was answered; the value is in its answer slot.
    pub fn done(&mut self, scope: u32, serial: u32, at_ms: f64) -> u32 {
        let call = CallId { scope, serial };
        let Some(open) = self.out.close(call) else { return Op::Refused as u32 };
        self.feed(Event::CallDone { call, result: Ok(Answer::Value(open.answer, open.writes)), at_ms })
    }

    /// A call failed.
    pub fn failed(&mut self, scope: u32, serial: u32, code: &str, message: &str, at_ms: f64) -> u32 {
        self.answer(scope, serial, Err(Failure::new(code, message)), at_ms)
    }

    /// A model answered, in JSON.
    pub fn replied(&mut self, scope: u32, serial: u32, reply: &str, at_ms: f64) -> u32 {
        let reply = ChatReply::from_json(&json::read(reply));
        let result = reply.map(Answer::Reply).ok_or_else(|| {
            Failure::new("model/bad-reply", "the model client gave no reply of the agreed shape")
        });
        self.answer(scope, serial, result, at_ms)
    }

    /// A person decided: 0 yes, 1 no, 2 the value in the call's answer slot instead.
    pub fn decided(&mut self, scope: u32, serial: u32, decision: u32, at_ms: f64) -> u32 {
        let Some(open) = self.out.open(scope) else { return Op::Refused as u32 };
        let decision = match decision {
            0 => Decision::Approved,
            1 => Decision::Rejected,
            _ => Decision::Edited(open.answer),
        };
        self.answer(scope, serial, Ok(Answer::Decided(decision)), at_ms)
    }

    /// The time of a timer has come.
    pub fn fired(&mut self, scope: u32, serial: u32, at_ms: f64) -> u32 {
        self.feed(Event::TimerFired { timer: CallId { scope, serial }, at_ms })
    }

    /// A slot for a further named output, set with the answer to the open call of a scope; -1 when there is none.
    pub fn write(&mut self, scope: u32, serial: u32, name: String) -> i32 {
        let value = self.out.table.take();
        let (_, slot) = value.place();
        match self.out.open_mut(scope).filter(|open| open.call.id.serial == serial) {
            Some(open) => {
                open.writes.push((name, value));
                slot.cast_signed()
            }
            None => -1,
        }
    }

    /// Asks the stubs for the open call of a scope: milliseconds to wait before the answer that [`RawRun::stub_done`] gives,
    /// or -1 without a stub. The answer stands where answers do, or is a failure that is told of later.
    pub fn stub(&mut self, scope: u32) -> f64 {
        let (Some(stubs), Some(open)) = (&mut self.stubs, self.out.open(scope)) else { return -1.0 };
        let last = self.run.last_of(open.call.id);
        let stubbed = stubs.answer(self.run.program(), &self.out.table, last, &open.call);
        let (Some(Stubbed { result, delay_ms }), Some(open)) = (stubbed, self.out.open_mut(scope)) else {
            return -1.0;
        };
        open.stub(result);
        delay_ms
    }

    /// What that answer is, as JSON: `{output, writes?}` or `{code, message}`.
    pub fn stub_answer(&self, scope: u32) -> String {
        let json = |value: &Handle| value.json(&Path::default());
        let answer = match self.out.open(scope).and_then(|open| open.stubbed.as_ref()) {
            Some(Ok(Answer::Value(value, writes))) => {
                let writes: Map<String, Json> =
                    writes.iter().filter_map(|(name, value)| Some((name.clone(), json(value)?))).collect();
                json!({"output": json(value), "writes": writes})
            }
            Some(Err(failure)) => json!({"code": failure.code, "message": failure.message}),
            _ => Json::Null,
        };
        answer.to_string()
    }

    /// Gives the stub's answer.
    pub fn stub_done(&mut self, scope: u32, serial: u32, at_ms: f64) -> u32 {
        let stubbed = self.out.open_mut(scope).and_then(|open| open.stubbed.take());
        let Some(result) = stubbed else { return Op::Refused as u32 };
        self.answer(scope, serial, result, at_ms)
    }

    /// Ends the run now.
    pub fn cancel(&mut self, at_ms: f64) -> u32 {
        self.feed(Event::Cancel { at_ms })
    }

    /// What is asked of the model by the open call of a scope, as JSON.
    pub fn request(&self, scope: u32) -> String {
        match self.out.open(scope).map(|open| &open.call.request) {
            Some(Request::Model(request)) => request.to_json().to_string(),
            _ => String::new(),
        }
    }

    /// Where a scope stands: `fan:1/a`; empty for the run itself.
    pub fn path_of(&self, scope: u32) -> String {
        self.run.path_of(CallId { scope, serial: 0 }).to_owned()
    }

    /// Where the last output of a scope is.
    pub fn last(&self, scope: u32) -> i32 {
        self.pack.place(self.run.last_of(CallId { scope, serial: 0 }))
    }

    /// Where the input of a scope is.
    pub fn input(&self, scope: u32) -> i32 {
        self.pack.place(self.run.input_of(CallId { scope, serial: 0 }))
    }

    /// Where an output is, as a scope sees it.
    pub fn output(&self, scope: u32, name: &str) -> i32 {
        let found = self.run.output_of(CallId { scope, serial: 0 }, name);
        found.map_or(NOTHING, |value| self.pack.place(value))
    }

    /// The texts that the words of events point at, from one on, as JSON; empty when there are none.
    pub fn texts(&self, from: usize) -> String {
        texts(&self.out.events, from)
    }

    /// The run's state as JSON, its values being the words at [`RawRun::report_words`]; empty when it is not under way.
    pub fn freeze(&mut self, at_ms: f64) -> String {
        let Some(Frozen { state, values }) = self.run.freeze(at_ms) else { return String::new() };
        self.pack.clear();
        for value in &values {
            self.pack.value(Some(value));
        }
        state.to_string()
    }

    /// Packs all of a report but the trace: outcome, counts, last, outputs, path and what was left behind. Gives how many
    /// words that takes.
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
        pack.count(counts.retries);
        pack.number(counts.tokens);
        pack.value(Some(run.last()));
        pack_outputs(run, pack);
        pack.count(u32::try_from(run.path().len()).unwrap_or(0));
        for node in run.path() {
            pack.count(*node);
        }
        pack_partial(run, pack);
        pack.words.len()
    }

    /// Where the words of the report are in memory.
    pub fn report_words(&self) -> *const i32 {
        self.pack.words.as_ptr()
    }

    /// How many there are.
    pub fn report_length(&self) -> usize {
        self.pack.words.len()
    }

    /// The texts that the words of the report point at, as JSON; empty when there are none.
    pub fn report_texts(&self) -> String {
        texts(&self.pack, 0)
    }

    /// How many words the kept trace takes; it is at [`RawRun::trace_words`].
    pub fn trace_length(&self) -> usize {
        if self.keep { self.out.events.words.len() } else { 0 }
    }

    /// Where the words of the kept trace are in memory.
    pub fn trace_words(&self) -> *const i32 {
        self.out.events.words.as_ptr()
    }
}

impl RawRun {
    fn answer(
        &mut self,
        scope: u32,
        serial: u32,
        result: Result<Answer<Handle>, Failure>,
        at_ms: f64,
    ) -> u32 {
        let call = CallId { scope, serial };
        if self.out.close(call).is_none() {
            return Op::Refused as u32;
        }
        self.feed(Event::CallDone { call, result, at_ms })
    }

    fn feed(&mut self, event: Event<Handle>) -> u32 {
        // What a kept trace points at must stay where it is, so then no slot is used twice.
        if !self.keep && self.out.table.is_full() {
            self.sweep(&event);
        }
        let Self { run, out, .. } = self;
        if !self.keep {
            out.events.clear();
        }
        out.commands.clear();
        let step_at = out.events.words.len();
        let refused = run.step_into(event, out).is_err();
        let events = out.events.words.get(step_at..).unwrap_or_default();
        let length = |words: usize| i32::try_from(words).unwrap_or(0);
        *self.io = [
            length(out.commands.len() / STRIDE),
            address(&out.commands),
            address(events),
            length(events.len()),
        ];
        if refused { Op::Refused as u32 } else { out.op() }
    }

    /// Frees the slots that neither the run, nor the event at hand, nor answers to come hold.
    fn sweep(&self, event: &Event<Handle>) {
        let (answer, written) = match event {
            Event::CallDone { result: Ok(Answer::Value(value, writes)), .. } => {
                (Some(value), writes.as_slice())
            }
            Event::CallDone { result: Ok(Answer::Decided(Decision::Edited(value))), .. } => {
                (Some(value), &[][..])
            }
            _ => (None, &[][..]),
        };
        let open = self.out.open.iter().flatten().flat_map(crate::out::Open::values);
        let writes = written.iter().map(|(_, value)| value);
        self.out.table.sweep(self.run.values().chain(answer).chain(writes).chain(open));
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

/// How many scopes were left behind; of each its name, whether it had completed, its last output, and its named ones.
fn pack_partial(run: &Run<Handle>, pack: &mut Pack) {
    let partial = run.partial();
    pack.count(u32::try_from(partial.len()).unwrap_or(0));
    for part in partial {
        pack.text(&part.scope);
        pack.count(u32::from(part.completed));
        pack.value(Some(part.last));
        pack.count(u32::try_from(part.outputs.len()).unwrap_or(0));
        for (name, value) in part.outputs {
            pack.text(name);
            pack.value(Some(value));
        }
    }
}

/// What is wrong with stubs, as JSON `{place, message}`; nothing if they are sound.
#[wasm_bindgen]
pub fn stub_error(stubs: &str) -> Option<String> {
    let StubError { place, message } = Stubs::from_json(&json::read(stubs)).err()?;
    Some(json!({"place": place, "message": message}).to_string())
}
