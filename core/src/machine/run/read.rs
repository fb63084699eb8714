//! What a run tells of itself between events.

use super::super::event::{CallId, Counts, Outcome};
use super::super::frame::Frame;
use super::super::lookup::From;
use super::super::program::Program;
use super::join::place_path;
use super::{Run, State};
use crate::kind::Shape;
use crate::node::Action;
use crate::value::Value;
use std::sync::Arc;

/// What a graph inside a node, or a conversation, had when the run ended around it.
#[derive(Debug)]
pub struct Partial<'a, V> {
    /// Where it stands: `fan:1/a`.
    pub scope: String,
    /// Whether it had come to its end.
    pub completed: bool,
    /// Its last output.
    pub last: &'a V,
    /// Its outputs by name; nothing when it had come to its end, for then only the last counts.
    pub outputs: Vec<(&'a str, &'a V)>,
}

impl<V: Value> Run<V> {
    /// The program that is run.
    pub fn program(&self) -> &Arc<Program<V>> {
        &self.program
    }

    /// Where the run's own values live.
    pub fn space(&self) -> &V::Space {
        &self.space
    }

    /// The output of the node before.
    pub fn last(&self) -> &V {
        &self.root.last
    }

    /// The same within the scope that a call was made from.
    pub fn last_of(&self, call: CallId) -> &V {
        &self.frame(call.scope).last
    }

    /// The input of the scope that a call was made from.
    pub fn input_of(&self, call: CallId) -> &V {
        &self.frame(call.scope).input
    }

    /// Where the scope of a call or timer stands: `fan:1/a`; empty for the run itself.
    pub fn path_of(&self, id: CallId) -> &str {
        self.frame_at(id).and_then(|frame| frame.scope.path.as_deref()).unwrap_or_default()
    }

    /// The outputs whose names the plan's own graph knows, by the position of the name, and those that it does not.
    pub fn outputs_by_number(&self) -> (&[Option<V>], &[(String, V)]) {
        (&self.root.outputs, &self.root.others)
    }

    /// Every value that the run holds; a host that keeps values in a table of its own can clear all others.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        let frames = std::iter::once(&self.root).chain(self.nested.iter().map(|frame| &**frame));
        self.memory.iter().chain(&self.context).chain(frames.flat_map(Frame::values))
    }

    /// The run's input, and what the host remembers.
    pub fn given(&self) -> (&V, Option<&V>) {
        (&self.root.input, self.memory.as_ref())
    }

    pub(in super::super) fn memory(&self) -> Option<&V> {
        self.memory.as_ref()
    }

    pub(in super::super) fn context(&self) -> Option<&V> {
        self.context.as_ref()
    }

    /// Every output that is there, by name, `input` first.
    pub fn outputs(&self) -> impl Iterator<Item = (&str, &V)> {
        let memory = self.memory.as_ref().map(|memory| ("memory", memory));
        let given = [("input", &self.root.input)].into_iter().chain(memory);
        given.chain(self.root.named(&self.program))
    }

    /// One output by its name.
    pub fn output(&self, name: &str) -> Option<&V> {
        self.output_of(CallId { scope: 0, serial: 0 }, name)
    }

    /// One output by its name, as the scope sees it that a call was made from.
    pub fn output_of(&self, call: CallId, name: &str) -> Option<&V> {
        let frame = self.frame(call.scope);
        match name {
            "input" => return Some(&frame.input),
            "memory" => return self.memory.as_ref(),
            _ => {}
        }
        let from = From { run: self, program: &self.program, frame };
        from.outward().find_map(|frame| frame.get(&self.program, name))
    }

    /// What graphs inside nodes had that gave up with the run: nothing of it is in the run's own outputs.
    pub fn partial(&self) -> Vec<Partial<'_, V>> {
        let mut found = Vec::new();
        for kept in &self.kept {
            let Some(code) = self.program.nodes.get(kept.node as usize) else { continue };
            let branches = code.extra.as_ref().map_or(&[][..], |extra| extra.children.as_slice());
            let mapped = matches!(code.action, Action::Fan(fan) if fan.shape == Shape::Map);
            if let Some((last, said)) = &kept.said {
                let scope = place_path(&kept.scope, &code.id, (kept.visit, kept.attempt), Some(""), 0);
                found.push(Partial { scope, completed: false, last, outputs: vec![("conversation", said)] });
            }
            for (place, value) in &kept.values {
                let name = branches.get(*place).filter(|_| !mapped).map(|(name, _)| name.as_str());
                let scope = place_path(&kept.scope, &code.id, (kept.visit, kept.attempt), name, *place);
                found.push(Partial { scope, completed: true, last: value, outputs: Vec::new() });
            }
        }
        for frame in self.dying.iter().map(|scope| self.frame(*scope)) {
            let outputs: Vec<_> = frame.named(&self.program).collect();
            if !outputs.is_empty() {
                let scope = frame.scope.to_string();
                found.push(Partial { scope, completed: false, last: &frame.last, outputs });
            }
        }
        found
    }

    /// The nodes of the plan's own graph that ran, in order, by position.
    pub fn path(&self) -> &[u32] {
        &self.path
    }

    /// What was counted.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// How long the run has taken, as far as events told.
    pub fn duration_ms(&self) -> f64 {
        self.ended_ms - self.started_ms
    }

    /// How it ended, if it did.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.state {
            State::Finished(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// The scope that a call or timer belongs to, while it is there.
    pub(super) fn frame_at(&self, call: CallId) -> Option<&Frame<V>> {
        match (call.scope as usize).checked_sub(1) {
            None => Some(&self.root),
            Some(at) => self.nested.get(at).map(|frame| &**frame).filter(|frame| frame.alive),
        }
    }
}

impl<V: Value> Run<V> {
    /// The scope of that number, as others of the machine see it.
    pub(in super::super) fn scope(&self, scope: u32) -> &Frame<V> {
        self.frame(scope)
    }
}
