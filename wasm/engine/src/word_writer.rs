//! What happened, as numbers that JavaScript reads from memory.
//!
//! Decides the layout of events in words of 32 bits; `wasm/js/trace-reader.ts` reads it. Texts that are not in the program go to
//! a list of their own. Nothing is made of events that nobody reads.
//!
//! # Shape
//! An event is its kind, its time as the two words of a 64-bit float, and its fields. A value is its slot, or the
//! complement of its slot among the program's constants, or [`NO_VALUE`].

use crate::value::Handle;
use stepgraph_core::machine::{Outcome, ScopeRef, ScopeStatus, TraceEvent, TransitionReason};

/// No value.
pub const NO_VALUE: i32 = i32::MIN;

/// Words and texts, ready to be read.
#[derive(Debug, Default)]
pub struct WordWriter {
    /// The words.
    pub words: Vec<i32>,
    /// Texts that words point at.
    pub texts: Vec<String>,
    /// The table of the run; values of any other are constants.
    table: u32,
    /// The words of the conditions that the next decision looked at, and how many they are.
    verdicts: Vec<i32>,
    condition_count: u32,
    /// Where the words of the condition at hand begin, and how many comparisons it has so far.
    verdict_start: usize,
    saw: u32,
}

impl WordWriter {
    /// Empty, for values of that table.
    pub fn new(table: u32) -> Self {
        Self { table, ..Self::default() }
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.words.clear();
        self.texts.clear();
    }

    /// A count or position.
    pub fn write_count(&mut self, count: u32) {
        self.words.push(count.cast_signed());
    }

    /// A number as its two words.
    pub fn write_number(&mut self, number: f64) {
        let bits = number.to_bits();
        #[expect(clippy::cast_possible_truncation, reason = "the two halves, one after the other")]
        self.words.extend_from_slice(&[bits as i32, (bits >> 32) as i32]);
    }

    /// A value.
    pub fn write_value(&mut self, value: Option<&Handle>) {
        let word = value.map_or(NO_VALUE, |value| self.value_address(value));
        self.words.push(word);
    }

    /// Where a value is, as one word.
    pub fn value_address(&self, value: &Handle) -> i32 {
        let (table, slot) = value.address();
        let slot = slot.cast_signed();
        if table == self.table { slot } else { !slot }
    }

    /// A text.
    pub fn write_text(&mut self, text: &str) {
        self.write_count(u32::try_from(self.texts.len()).unwrap_or(0));
        self.texts.push(text.to_owned());
    }

    /// How a run ended: kind, then reason, or code, message and node.
    pub fn write_outcome(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Completed(why) => {
                self.write_count(0);
                self.write_count(reason_code(*why));
            }
            Outcome::Failed { code, message, node } => {
                self.write_count(1);
                self.write_text(code);
                self.write_text(message);
                self.words.push(node.as_ref().map_or(-1, |(node, _)| node.cast_signed()));
                let path = node.as_ref().and_then(|(_, scope)| scope.path.as_deref());
                match path {
                    Some(path) => self.write_text(path),
                    None => self.words.push(-1),
                }
            }
            Outcome::Cancelled => self.write_count(2),
        }
    }

    /// One event. Inlined, so that an event that is made only to be packed is never made.
    #[inline]
    pub fn write_event(&mut self, event: &TraceEvent<Handle>) {
        match event {
            TraceEvent::RunStarted { at_ms, input } => {
                self.write_head(0, *at_ms);
                self.write_value(Some(input));
            }
            TraceEvent::NodeStarted { at_ms, scope, node, visit, input } => {
                self.write_node(1, *at_ms, scope, *node, *visit);
                self.write_value(Some(input));
            }
            TraceEvent::NodeCompleted { at_ms, scope, node, visit, output, duration_ms } => {
                self.write_node(2, *at_ms, scope, *node, *visit);
                self.write_value(Some(output));
                self.write_number(*duration_ms);
            }
            TraceEvent::NodeFailed { at_ms, scope, node, visit, failure, duration_ms } => {
                self.write_node(3, *at_ms, scope, *node, *visit);
                self.write_text(&failure.code);
                self.write_text(&failure.message);
                self.write_number(*duration_ms);
            }
            TraceEvent::NodeRetried { at_ms, scope, node, visit, attempt, failure, delay_ms } => {
                self.write_node(7, *at_ms, scope, *node, *visit);
                self.write_count(*attempt);
                self.write_text(&failure.code);
                self.write_text(&failure.message);
                self.write_number(*delay_ms);
            }
            TraceEvent::ScopeStarted { at_ms, scope, node, input } => {
                self.write_head(8, *at_ms);
                self.write_count(scope.serial);
                self.write_text(scope.path.as_deref().unwrap_or_default());
                self.write_count(*node);
                self.write_value(Some(input));
            }
            TraceEvent::ScopeEnded { at_ms, scope, end } => {
                self.write_head(9, *at_ms);
                self.write_count(scope.serial);
                self.write_count(match end {
                    ScopeStatus::Completed => 0,
                    ScopeStatus::Failed => 1,
                    ScopeStatus::Abandoned => 2,
                });
            }
            TraceEvent::RunResumed { at_ms, scopes } => {
                self.write_head(10, *at_ms);
                self.write_count(u32::try_from(scopes.len()).unwrap_or(0));
                for scope in scopes {
                    self.write_count(scope.serial);
                    self.write_text(scope.path.as_deref().unwrap_or_default());
                }
            }
            TraceEvent::Logged { at_ms, scope, node, value } => {
                self.write_head(4, *at_ms);
                self.write_count(scope.serial);
                self.write_count(*node);
                self.write_value(Some(value));
            }
            TraceEvent::Conversation { at_ms, scope, node, event: said, call, data } => {
                self.write_head(11, *at_ms);
                self.write_count(scope.serial);
                self.write_count(*node);
                self.write_text(said.as_str());
                self.write_text(call);
                self.write_value(Some(data));
            }
            // Its verdicts came before it, one by one: a list of lists would cost more than all else.
            TraceEvent::EdgeDecided { at_ms, scope, node, edge, reason: why, .. } => {
                self.write_head(5, *at_ms);
                self.write_count(scope.serial);
                self.write_count(*node);
                self.words.push(edge.map_or(-1, u32::cast_signed));
                self.write_count(reason_code(*why));
                self.flush_verdicts();
            }
            TraceEvent::RunEnded { at_ms, outcome } => {
                self.write_head(6, *at_ms);
                self.write_outcome(outcome);
            }
        }
    }

    fn write_head(&mut self, kind: u32, at_ms: f64) {
        self.write_count(kind);
        self.write_number(at_ms);
    }

    fn write_node(&mut self, kind: u32, at_ms: f64, scope: &ScopeRef, node: u32, visit: u32) {
        self.write_head(kind, at_ms);
        self.write_count(scope.serial);
        self.write_count(node);
        self.write_count(visit);
    }

    /// A comparison of the condition that [`WordWriter::write_condition`] tells of next.
    pub fn write_comparison(&mut self, atom: u32, value: Option<&Handle>) {
        if self.saw == 0 {
            self.begin_verdict();
        }
        self.saw += 1;
        let value = value.map_or(NO_VALUE, |value| self.value_address(value));
        self.verdicts.extend_from_slice(&[atom.cast_signed(), value]);
    }

    /// A condition of the decision that comes next.
    pub fn write_condition(&mut self, edge: u32, holds: bool) {
        if self.saw == 0 {
            self.begin_verdict();
        }
        if let Some([of, held, count, ..]) = self.verdicts.get_mut(self.verdict_start..) {
            (*of, *held, *count) = (edge.cast_signed(), i32::from(holds), self.saw.cast_signed());
        }
        self.saw = 0;
        self.condition_count += 1;
    }

    /// Room for the edge, whether it held, and how many comparisons were looked at.
    fn begin_verdict(&mut self) {
        self.verdict_start = self.verdicts.len();
        self.verdicts.extend_from_slice(&[0; 3]);
    }

    /// Packs the conditions that were judged since the last decision.
    fn flush_verdicts(&mut self) {
        self.write_count(self.condition_count);
        self.words.extend_from_slice(&self.verdicts);
        self.verdicts.clear();
        self.condition_count = 0;
    }
}

fn reason_code(reason: TransitionReason) -> u32 {
    match reason {
        TransitionReason::Condition => 0,
        TransitionReason::Fallback => 1,
        TransitionReason::NoMatch => 2,
        TransitionReason::Terminal => 3,
    }
}
