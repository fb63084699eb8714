//! The trace as 32-bit words in memory, whose layout `wasm/js/trace-reader.ts` reads. JavaScript creates
//! objects only for events that someone reads.
//!
//! # Layout
//! An event consists of its kind, its time as the two words of a 64-bit float, and its fields. A value is its
//! slot, the complement of its slot among the program's constants, or [`NO_VALUE`]. Texts outside the program
//! are in a separate list.

use crate::value::Handle;
use stepgraph_core::machine::{Outcome, ScopeRef, TraceEvent};
use stepgraph_core::trace_json::EventKind;

/// An absent value.
pub const NO_VALUE: i32 = i32::MIN;

/// Words and texts for JavaScript.
#[derive(Debug, Default)]
pub struct WordWriter {
    /// The words.
    pub words: Vec<i32>,
    /// The texts of the words.
    pub texts: Vec<String>,
    /// Other tables' values are constants.
    table: u32,
    /// For the next decision.
    verdicts: Vec<i32>,
    condition_count: u32,
    verdict_start: usize,
    saw: u32,
}

impl WordWriter {
    /// Takes a table's number.
    pub fn new(table: u32) -> Self {
        Self { table, ..Self::default() }
    }

    /// Removes words and texts.
    pub fn clear(&mut self) {
        self.words.clear();
        self.texts.clear();
    }

    /// Also forgets a decision that did not end.
    pub fn reset(&mut self) {
        self.clear();
        self.verdicts.clear();
        (self.condition_count, self.verdict_start, self.saw) = (0, 0, 0);
    }

    /// Writes a count or a position.
    pub fn write_count(&mut self, count: u32) {
        self.words.push(count.cast_signed());
    }

    /// Writes a number as two words.
    pub fn write_number(&mut self, number: f64) {
        let bits = number.to_bits();
        #[expect(clippy::cast_possible_truncation, reason = "the two halves, one after the other")]
        self.words.extend_from_slice(&[bits as i32, (bits >> 32) as i32]);
    }

    /// Writes a value's address, or [`NO_VALUE`].
    pub fn write_value(&mut self, value: Option<&Handle>) {
        let word = value.map_or(NO_VALUE, |value| self.value_address(value));
        self.words.push(word);
    }

    /// Returns a value's address.
    pub fn value_address(&self, value: &Handle) -> i32 {
        let (table, slot) = value.address();
        let slot = slot.cast_signed();
        if table == self.table { slot } else { !slot }
    }

    /// Lists a text, and writes its index.
    pub fn write_text(&mut self, text: &str) {
        self.write_count(u32::try_from(self.texts.len()).unwrap_or(0));
        self.texts.push(text.to_owned());
    }

    /// Writes kind, then reason, or code, message and node.
    pub fn write_outcome(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Completed(why) => {
                self.write_count(0);
                self.write_count(*why as u32);
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

    /// Writes an event. Inlined, so that the compiler never builds an event only to write it.
    #[inline]
    pub fn write_event(&mut self, event: &TraceEvent<Handle>) {
        match event {
            TraceEvent::RunStarted { at_ms, input } => {
                self.write_head(EventKind::RunStarted, *at_ms);
                self.write_value(Some(input));
            }
            TraceEvent::NodeStarted { at_ms, scope, node, visit, input } => {
                self.write_node(EventKind::NodeStarted, *at_ms, scope, *node, *visit);
                self.write_value(Some(input));
            }
            TraceEvent::NodeCompleted { at_ms, scope, node, visit, output, duration_ms } => {
                self.write_node(EventKind::NodeCompleted, *at_ms, scope, *node, *visit);
                self.write_value(Some(output));
                self.write_number(*duration_ms);
            }
            TraceEvent::NodeFailed { at_ms, scope, node, visit, failure, duration_ms } => {
                self.write_node(EventKind::NodeFailed, *at_ms, scope, *node, *visit);
                self.write_text(&failure.code);
                self.write_text(&failure.message);
                self.write_number(*duration_ms);
            }
            TraceEvent::NodeRetried { at_ms, scope, node, visit, attempt, failure, delay_ms } => {
                self.write_node(EventKind::NodeRetried, *at_ms, scope, *node, *visit);
                self.write_count(*attempt);
                self.write_text(&failure.code);
                self.write_text(&failure.message);
                self.write_number(*delay_ms);
            }
            TraceEvent::ScopeStarted { at_ms, scope, node, input } => {
                self.write_head(EventKind::ScopeStarted, *at_ms);
                self.write_count(scope.serial);
                self.write_text(scope.path.as_deref().unwrap_or_default());
                self.write_count(*node);
                self.write_value(Some(input));
            }
            TraceEvent::ScopeEnded { at_ms, scope, end } => {
                self.write_head(EventKind::ScopeEnded, *at_ms);
                self.write_count(scope.serial);
                self.write_count(*end as u32);
            }
            TraceEvent::RunResumed { at_ms, scopes } => {
                self.write_head(EventKind::RunResumed, *at_ms);
                self.write_count(u32::try_from(scopes.len()).unwrap_or(0));
                for scope in scopes {
                    self.write_count(scope.serial);
                    self.write_text(scope.path.as_deref().unwrap_or_default());
                }
            }
            TraceEvent::Logged { at_ms, scope, node, value } => {
                self.write_head(EventKind::Logged, *at_ms);
                self.write_count(scope.serial);
                self.write_count(*node);
                self.write_value(Some(value));
            }
            TraceEvent::Conversation { at_ms, scope, node, event: said, call, data } => {
                self.write_head(EventKind::Conversation, *at_ms);
                self.write_count(scope.serial);
                self.write_count(*node);
                self.write_text(said.as_str());
                self.write_text(call);
                self.write_value(Some(data));
            }
            // Its conditions are already written: a list of lists would cost more than everything else.
            TraceEvent::EdgeDecided { at_ms, scope, node, edge, reason: why, .. } => {
                self.write_head(EventKind::EdgeDecided, *at_ms);
                self.write_count(scope.serial);
                self.write_count(*node);
                self.words.push(edge.map_or(-1, u32::cast_signed));
                self.write_count(*why as u32);
                self.flush_verdicts();
            }
            TraceEvent::RunEnded { at_ms, outcome } => {
                self.write_head(EventKind::RunEnded, *at_ms);
                self.write_outcome(outcome);
            }
        }
    }

    fn write_head(&mut self, kind: EventKind, at_ms: f64) {
        self.write_count(kind as u32);
        self.write_number(at_ms);
    }

    fn write_node(&mut self, kind: EventKind, at_ms: f64, scope: &ScopeRef, node: u32, visit: u32) {
        self.write_head(kind, at_ms);
        self.write_count(scope.serial);
        self.write_count(node);
        self.write_count(visit);
    }

    /// Writes a comparison of the next condition.
    pub fn write_comparison(&mut self, atom: u32, value: Option<&Handle>) {
        if self.saw == 0 {
            self.begin_verdict();
        }
        self.saw += 1;
        let value = value.map_or(NO_VALUE, |value| self.value_address(value));
        self.verdicts.extend_from_slice(&[atom.cast_signed(), value]);
    }

    /// Writes a condition of the next decision: 1 if it holds, 2 if its evaluation failed.
    pub fn write_condition(&mut self, edge: u32, holds: Option<bool>) {
        if self.saw == 0 {
            self.begin_verdict();
        }
        if let Some([of, held, count, ..]) = self.verdicts.get_mut(self.verdict_start..) {
            (*of, *held, *count) = (edge.cast_signed(), holds.map_or(2, i32::from), self.saw.cast_signed());
        }
        self.saw = 0;
        self.condition_count += 1;
    }

    fn begin_verdict(&mut self) {
        self.verdict_start = self.verdicts.len();
        self.verdicts.extend_from_slice(&[0; 3]);
    }

    fn flush_verdicts(&mut self) {
        self.write_count(self.condition_count);
        self.words.extend_from_slice(&self.verdicts);
        self.verdicts.clear();
        self.condition_count = 0;
    }
}
