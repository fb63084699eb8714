//! JavaScript bindings of a run: an event is a call with one or two numbers, and commands are words in
//! memory.
//!
//! Invariants:
//! 1. Every method is synchronous and never blocks.
//! 2. An invalid event gives [`Op::Refused`].

use crate::step_output::{Op, STRIDE, StepOutput};
use crate::value::{Handle, Table};
use crate::word_writer::{NO_VALUE, WordWriter};
use serde_json::Value as Json;
use std::rc::Rc;
use std::sync::Arc;
use stepgraph_codec::json;
use stepgraph_core::machine::{Answer, CallId, Decision, Event, Failure, Options, Program, Run};
use stepgraph_core::model::ChatReply;
use stepgraph_core::stub::Stubs;
use wasm_bindgen::prelude::wasm_bindgen;

/// In the order of `wasm/js/command.ts`: number and address of the commands, address and length of the trace
/// events. After a report: its address, length and number of texts, then those of the kept trace.
const STEP_WORDS: usize = 10;

/// A run.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RawRun {
    run: Run<Handle>,
    output: StepOutput,
    io: Box<[i32; STEP_WORDS]>,
    keeps_trace: bool,
    stubs: Option<Stubs>,
    report: WordWriter,
}

#[wasm_bindgen]
impl RawRun {
    /// Returns the address of the last step's words.
    pub fn io(&self) -> *const i32 {
        self.io.as_ptr()
    }

    /// Starts the run.
    pub fn start(&mut self, at_ms: f64) -> u32 {
        self.apply_event(Event::Start { at_ms })
    }

    /// Resumes from a snapshot.
    pub fn resume(&mut self, at_ms: f64) -> u32 {
        self.apply_event(Event::Resume { at_ms })
    }

    /// Completes a call with the value in its answer slot.
    pub fn done(&mut self, scope: u32, serial: u32, at_ms: f64) -> u32 {
        let call = CallId { scope, serial };
        let Some(open_call) = self.output.take_call(call) else { return Op::Refused as u32 };
        let Some(detail) = open_call.detail else {
            return self.complete_handler_call(call, open_call.answer, at_ms);
        };
        self.apply_event(Event::CallDone {
            call,
            result: Ok(Answer::Value(open_call.answer, detail.writes)),
            at_ms,
        })
    }

    /// Fails a call.
    pub fn failed(&mut self, scope: u32, serial: u32, code: &str, message: &str, at_ms: f64) -> u32 {
        self.complete_call(scope, serial, Err(Failure::new(code, message)), at_ms)
    }

    /// Completes a model call with a JSON reply.
    pub fn replied(&mut self, scope: u32, serial: u32, reply: &str, at_ms: f64) -> u32 {
        let reply = ChatReply::from_json(&json::parse(reply));
        let result = reply.map(Answer::Reply).ok_or_else(|| {
            Failure::new("model/bad-reply", "the model client returned no reply of the agreed shape")
        });
        self.complete_call(scope, serial, result, at_ms)
    }

    /// Decides an approval: 0 approved, 1 rejected, 2 replaced by the value in the answer slot.
    pub fn decided(&mut self, scope: u32, serial: u32, decision: u32, at_ms: f64) -> u32 {
        let Some(open_call) = self.output.open_call(CallId { scope, serial }) else {
            return Op::Refused as u32;
        };
        let decision = match decision {
            0 => Decision::Approved,
            1 => Decision::Rejected,
            _ => Decision::Edited(open_call.answer),
        };
        self.complete_call(scope, serial, Ok(Answer::Decided(decision)), at_ms)
    }

    /// Reports that a timer has fired.
    pub fn fired(&mut self, scope: u32, serial: u32, at_ms: f64) -> u32 {
        self.apply_event(Event::TimerFired { timer: CallId { scope, serial }, at_ms })
    }

    /// Allocates a further output of a call. Returns -1 if it is not open.
    pub fn write(&mut self, scope: u32, serial: u32, name: String) -> i32 {
        let value = self.output.table.allocate();
        let (_, slot) = value.address();
        match self.output.open_call_mut(CallId { scope, serial }) {
            Some(open_call) => {
                open_call.detail.get_or_insert_default().writes.push((name, value));
                slot.cast_signed()
            }
            None => -1,
        }
    }

    /// Completes a call with its stub's answer.
    pub fn stub_done(&mut self, scope: u32, serial: u32, at_ms: f64) -> u32 {
        let stub_answer = self
            .output
            .open_call_mut(CallId { scope, serial })
            .and_then(|open_call| open_call.detail.as_mut()?.stub_answer.take());
        let Some(result) = stub_answer else { return Op::Refused as u32 };
        self.complete_call(scope, serial, result, at_ms)
    }

    /// Continues a step that paused because of its work.
    pub fn go_on(&mut self, at_ms: f64) -> u32 {
        self.apply_event(Event::Continue { at_ms })
    }

    /// Cancels the run.
    pub fn cancel(&mut self, at_ms: f64) -> u32 {
        self.apply_event(Event::Cancel { at_ms })
    }

    /// Returns a path such as `fan:1/a`. The run's own is empty.
    pub fn path_of(&self, scope: u32) -> String {
        self.run.scope_path_of(CallId { scope, serial: 0 }).to_owned()
    }

    /// The address of a scope's last output.
    pub fn last(&self, scope: u32) -> i32 {
        self.report.value_address(self.run.last_of(CallId { scope, serial: 0 }))
    }

    /// The address of a scope's input.
    pub fn input(&self, scope: u32) -> i32 {
        self.report.value_address(self.run.input_of(CallId { scope, serial: 0 }))
    }

    /// The address of an output visible in a scope.
    pub fn output(&self, scope: u32, name: &str) -> i32 {
        let found = self.run.output_of(CallId { scope, serial: 0 }, name);
        found.map_or(NO_VALUE, |value| self.report.value_address(value))
    }

    /// Returns the texts of event words from an index on, as JSON or empty.
    pub fn texts(&self, from: usize) -> String {
        texts_json(&self.output.events, from)
    }

    /// The address of the report's words.
    pub fn report_words(&self) -> *const i32 {
        self.report.words.as_ptr()
    }

    /// The number of the report's words.
    pub fn report_length(&self) -> usize {
        self.report.words.len()
    }

    /// Returns the report's texts, as JSON or empty.
    pub fn report_texts(&self) -> String {
        texts_json(&self.report, 0)
    }
}

impl RawRun {
    /// Creates a run without settings. Its input is in slot 0 of the table.
    pub fn new(program: &Arc<Program<Handle>>, table: &Rc<Table>) -> Self {
        let run = Run::new(Arc::clone(program), Rc::clone(table), Options::new(table.allocate()));
        let (output, report) = (StepOutput::new(table), WordWriter::new(table.number()));
        Self { run, output, io: Box::default(), keeps_trace: false, stubs: None, report }
    }

    /// Forgets the values, events and calls of the run. Returns options for the next, whose input is in slot 0.
    pub fn clear(&mut self, keep: bool) -> Options<Handle> {
        self.output.clear();
        self.keeps_trace = keep;
        self.stubs = None;
        Options::new(self.output.table.allocate())
    }

    /// Replaces the run by a new one.
    pub fn restart(&mut self, options: Options<Handle>) {
        let table = self.table();
        self.run = Run::new(Arc::clone(self.run.program()), table, options);
    }

    /// Replaces the run by one in the state of a snapshot.
    ///
    /// # Errors
    /// The snapshot can't be resumed, and why.
    pub fn restore(
        &mut self,
        options: Options<Handle>,
        state: &Json,
        values: Vec<Handle>,
    ) -> Result<(), String> {
        let (program, table) = (Arc::clone(self.run.program()), self.table());
        self.run = Run::restore(&program, table, options, state, values).map_err(|error| error.message)?;
        Ok(())
    }

    /// Sets the stubs that answer calls.
    pub fn set_stubs(&mut self, stubs: Option<Stubs>) {
        self.output.has_stubs = stubs.is_some();
        self.stubs = stubs;
    }

    /// The table of its values.
    pub fn table(&self) -> Rc<Table> {
        Rc::clone(&self.output.table)
    }

    /// The run and its report's writer.
    pub fn run_and_writer(&mut self) -> (&Run<Handle>, &mut WordWriter) {
        (&self.run, &mut self.report)
    }

    /// Writes where the report and the kept trace are.
    pub fn show_report(&mut self) {
        let events = &self.output.events;
        let trace = if self.keeps_trace { events.words.as_slice() } else { &[] };
        let report = &self.report;
        let [_, _, _, _, rest @ ..] = &mut *self.io;
        *rest = [
            address(&report.words),
            length(report.words.len()),
            length(report.texts.len()),
            address(trace),
            length(trace.len()),
            length(events.texts.len()),
        ];
    }

    /// The stubs, the run, and the calls that stubs may answer.
    pub fn stubs_and_run(&mut self) -> (Option<&mut Stubs>, &Run<Handle>, &mut StepOutput) {
        (self.stubs.as_mut(), &self.run, &mut self.output)
    }

    fn complete_call(
        &mut self,
        scope: u32,
        serial: u32,
        result: Result<Answer<Handle>, Failure>,
        at_ms: f64,
    ) -> u32 {
        let call = CallId { scope, serial };
        if self.output.take_call(call).is_none() {
            return Op::Refused as u32;
        }
        self.apply_event(Event::CallDone { call, result, at_ms })
    }

    /// The fast path for nearly every event creates no [`Event`].
    fn complete_handler_call(&mut self, call: CallId, value: Handle, at_ms: f64) -> u32 {
        if !self.keeps_trace && self.output.table.is_full() {
            self.free_values(Some(&value), &[]);
        }
        let step_at = self.reserve_events();
        let refused = self.run.complete_call(call, value, at_ms, &mut self.output).is_err();
        self.write_step_result(step_at, refused)
    }

    fn apply_event(&mut self, event: Event<Handle>) -> u32 {
        // A kept trace refers to slots, so none may be reused.
        if !self.keeps_trace && self.output.table.is_full() {
            let (answer, writes) = match &event {
                Event::CallDone { result: Ok(Answer::Value(value, writes)), .. } => {
                    (Some(value), writes.as_slice())
                }
                Event::CallDone { result: Ok(Answer::Decided(Decision::Edited(value))), .. } => {
                    (Some(value), &[][..])
                }
                _ => (None, &[][..]),
            };
            self.free_values(answer, writes);
        }
        let step_at = self.reserve_events();
        let refused = self.run.step_into(event, &mut self.output).is_err();
        self.write_step_result(step_at, refused)
    }

    /// Returns the position of the step's first event.
    fn reserve_events(&mut self) -> usize {
        let output = &mut self.output;
        if !self.keeps_trace {
            output.events.clear();
        }
        output.commands.clear();
        output.events.words.len()
    }

    fn write_step_result(&mut self, step_at: usize, refused: bool) -> u32 {
        let output = &self.output;
        let events = output.events.words.get(step_at..).unwrap_or_default();
        let [count, commands, step_at, step_length, ..] = &mut *self.io;
        *count = length(output.commands.len() / STRIDE);
        *commands = address(&output.commands);
        *step_at = address(events);
        *step_length = length(events.len());
        if refused { Op::Refused as u32 } else { output.op() }
    }

    #[cold]
    #[inline(never)]
    fn free_values(&self, answer: Option<&Handle>, written: &[(String, Handle)]) {
        let open_call = self.output.all_open_calls().flat_map(crate::step_output::OpenCall::values);
        let writes = written.iter().map(|(_, value)| value);
        self.output.table.sweep(self.run.values().chain(answer).chain(writes).chain(open_call));
    }
}

fn length(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(0)
}

fn address(words: &[i32]) -> i32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "addresses of WebAssembly have 32 bits"
    )]
    let word = words.as_ptr() as usize as i32;
    word
}

fn texts_json(writer: &WordWriter, from: usize) -> String {
    match writer.texts.get(from..) {
        None | Some([]) => String::new(),
        Some(texts) => Json::from(texts.to_vec()).to_string(),
    }
}
