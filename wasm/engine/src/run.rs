//! A run, as JavaScript sees it: numbers in, numbers out.
//!
//! Decides how little crosses: an event is a call with a number or two, commands are words in memory. Objects are made in
//! JavaScript, for those who look at them.
//!
//! Invariants: 1. every method is synchronous and waits for nothing; 2. what makes no sense gives [`Op::Refused`].

use crate::step_output::{Op, STRIDE, StepOutput};
use crate::value::{Handle, Table};
use crate::word_writer::{NO_VALUE, WordWriter};
use serde_json::Value as Json;
use std::rc::Rc;
use stepgraph_codec::json;
use stepgraph_core::machine::{Answer, CallId, Decision, Event, Failure, Run};
use stepgraph_core::model::ChatReply;
use stepgraph_core::stub::Stubs;
use wasm_bindgen::prelude::wasm_bindgen;

/// Words that JavaScript reads after a step, in the order of `wasm/js/command.ts`: how many commands there are and where,
/// then where the packed events are and how many words they take.
const STEP_WORDS: usize = 4;

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
    /// Where the words of the last step are in memory.
    pub fn io(&self) -> *const i32 {
        self.io.as_ptr()
    }

    /// Begins.
    pub fn start(&mut self, at_ms: f64) -> u32 {
        self.apply_event(Event::Start { at_ms })
    }

    /// Goes on from a snapshot.
    pub fn resume(&mut self, at_ms: f64) -> u32 {
        self.apply_event(Event::Resume { at_ms })
    }

    /// A call was answered; the value is in its answer slot.
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

    /// A call failed.
    pub fn failed(&mut self, scope: u32, serial: u32, code: &str, message: &str, at_ms: f64) -> u32 {
        self.complete_call(scope, serial, Err(Failure::new(code, message)), at_ms)
    }

    /// A model answered, in JSON.
    pub fn replied(&mut self, scope: u32, serial: u32, reply: &str, at_ms: f64) -> u32 {
        let reply = ChatReply::from_json(&json::parse(reply));
        let result = reply.map(Answer::Reply).ok_or_else(|| {
            Failure::new("model/bad-reply", "the model client gave no reply of the agreed shape")
        });
        self.complete_call(scope, serial, result, at_ms)
    }

    /// A person decided: 0 yes, 1 no, 2 the value in the call's answer slot instead.
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

    /// The time of a timer has come.
    pub fn fired(&mut self, scope: u32, serial: u32, at_ms: f64) -> u32 {
        self.apply_event(Event::TimerFired { timer: CallId { scope, serial }, at_ms })
    }

    /// A slot for a further named output, set with the answer to an open call; -1 when there is none.
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

    /// Gives the stub's answer.
    pub fn stub_done(&mut self, scope: u32, serial: u32, at_ms: f64) -> u32 {
        let stub_answer = self
            .output
            .open_call_mut(CallId { scope, serial })
            .and_then(|open_call| open_call.detail.as_mut()?.stub_answer.take());
        let Some(result) = stub_answer else { return Op::Refused as u32 };
        self.complete_call(scope, serial, result, at_ms)
    }

    /// Goes on after a step that did much at once.
    pub fn go_on(&mut self, at_ms: f64) -> u32 {
        self.apply_event(Event::Continue { at_ms })
    }

    /// Ends the run now.
    pub fn cancel(&mut self, at_ms: f64) -> u32 {
        self.apply_event(Event::Cancel { at_ms })
    }

    /// Where a scope stands: `fan:1/a`; empty for the run itself.
    pub fn path_of(&self, scope: u32) -> String {
        self.run.scope_path_of(CallId { scope, serial: 0 }).to_owned()
    }

    /// Where the last output of a scope is.
    pub fn last(&self, scope: u32) -> i32 {
        self.report.value_address(self.run.last_of(CallId { scope, serial: 0 }))
    }

    /// Where the input of a scope is.
    pub fn input(&self, scope: u32) -> i32 {
        self.report.value_address(self.run.input_of(CallId { scope, serial: 0 }))
    }

    /// Where an output is, as a scope sees it.
    pub fn output(&self, scope: u32, name: &str) -> i32 {
        let found = self.run.output_of(CallId { scope, serial: 0 }, name);
        found.map_or(NO_VALUE, |value| self.report.value_address(value))
    }

    /// The texts that the words of events point at, from one on, as JSON; empty when there are none.
    pub fn texts(&self, from: usize) -> String {
        texts_json(&self.output.events, from)
    }

    /// Where the words of the report are in memory.
    pub fn report_words(&self) -> *const i32 {
        self.report.words.as_ptr()
    }

    /// How many there are.
    pub fn report_length(&self) -> usize {
        self.report.words.len()
    }

    /// The texts that the words of the report point at, as JSON; empty when there are none.
    pub fn report_texts(&self) -> String {
        texts_json(&self.report, 0)
    }

    /// How many words the kept trace takes; it is at [`RawRun::trace_words`].
    pub fn trace_length(&self) -> usize {
        if self.keeps_trace { self.output.events.words.len() } else { 0 }
    }

    /// Where the words of the kept trace are in memory.
    pub fn trace_words(&self) -> *const i32 {
        self.output.events.words.as_ptr()
    }
}

impl RawRun {
    /// A run with what it needs to be driven.
    pub fn new(run: Run<Handle>, table: &Rc<Table>, keep: bool, stubs: Option<Stubs>) -> Self {
        let (output, writer) = (StepOutput::new(table, stubs.is_some()), WordWriter::new(table.number()));
        Self { run, output, io: Box::default(), keeps_trace: keep, stubs, report: writer }
    }

    /// The run itself, and room to pack what is told of it.
    pub fn run_and_writer(&mut self) -> (&Run<Handle>, &mut WordWriter) {
        (&self.run, &mut self.report)
    }

    /// The stubs, the run, and the open calls that they may answer.
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

    /// What nearly every event is, without the detour of being one: a handler gave a value and nothing else.
    fn complete_handler_call(&mut self, call: CallId, value: Handle, at_ms: f64) -> u32 {
        if !self.keeps_trace && self.output.table.is_full() {
            self.free_values(Some(&value), &[]);
        }
        let step_at = self.reserve_events();
        let refused = self.run.complete_call(call, value, at_ms, &mut self.output).is_err();
        self.write_step_result(step_at, refused)
    }

    fn apply_event(&mut self, event: Event<Handle>) -> u32 {
        // What a kept trace points at must stay where it is, so then no slot is used twice.
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

    /// Makes room for what the next step leads to; gives where its events will begin.
    fn reserve_events(&mut self) -> usize {
        let output = &mut self.output;
        if !self.keeps_trace {
            output.events.clear();
        }
        output.commands.clear();
        output.events.words.len()
    }

    /// Writes down for JavaScript where it finds what the step led to.
    fn write_step_result(&mut self, step_at: usize, refused: bool) -> u32 {
        let output = &self.output;
        let events = output.events.words.get(step_at..).unwrap_or_default();
        let length = |words: usize| i32::try_from(words).unwrap_or(0);
        *self.io = [
            length(output.commands.len() / STRIDE),
            address(&output.commands),
            address(events),
            length(events.len()),
        ];
        if refused { Op::Refused as u32 } else { output.op() }
    }

    /// Frees the slots that neither the run, nor the answer at hand, nor answers to come hold.
    #[cold]
    #[inline(never)]
    fn free_values(&self, answer: Option<&Handle>, written: &[(String, Handle)]) {
        let open_call = self.output.all_open_calls().flat_map(crate::step_output::OpenCall::values);
        let writes = written.iter().map(|(_, value)| value);
        self.output.table.sweep(self.run.values().chain(answer).chain(writes).chain(open_call));
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

fn texts_json(writer: &WordWriter, from: usize) -> String {
    match writer.texts.get(from..) {
        None | Some([]) => String::new(),
        Some(texts) => Json::from(texts.to_vec()).to_string(),
    }
}
