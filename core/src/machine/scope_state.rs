//! The state of a scope: the run itself, or a nested graph.
//!
//! It waits for at most one answer, except for the calls of one model message.

use super::conversation::ActiveConversation;
use super::event::CallId;
use super::gather_state::GatherState;
use super::program::Program;
use super::timer::{Timer, WaitTimer};
use super::trace::ScopeRef;
use crate::failure::Failure;
use crate::interner::NameTable;
use crate::model::Conversation;
use crate::value::Value;

#[derive(Debug)]
pub(super) struct ScopeState<V> {
    /// Graph number, and its first node's position.
    pub(super) graph: u32,
    pub(super) first: u32,
    /// Trace name and unique number.
    pub(super) scope: ScopeRef,
    pub(super) parent: Option<(u32, u32)>,
    pub(super) input: V,
    pub(super) last: V,
    /// A `map` element, and its index if referenced.
    pub(super) item: Option<V>,
    pub(super) index: Option<V>,
    pub(super) error: Option<V>,
    pub(super) outputs: Vec<Option<V>>,
    /// Outputs that its graph does not reference.
    pub(super) other_outputs: Vec<(String, V)>,
    other_names: NameTable,
    pub(super) visits: Vec<u32>,
    /// Slots of ended scopes are reused.
    pub(super) is_alive: bool,
    pub(super) node: u32,
    pub(super) visit: u32,
    pub(super) attempt: u32,
    pub(super) started_ms: f64,
    pub(super) wait: Wait<V>,
    pub(super) timeout: Option<Timer>,
    /// Results at a timeout, for `error.partial`.
    pub(super) partial: Option<V>,
    pub(super) conversations: Vec<(String, Conversation)>,
}

#[derive(Debug)]
pub(super) enum Wait<V> {
    /// About to continue.
    Nothing,
    Call(u32),
    Backoff(Timer),
    Delay(WaitTimer),
    Children(Box<ChildScopes<V>>),
    Conversation(Box<ActiveConversation>),
    Gather(Box<GatherState<V>>),
}

#[derive(Debug)]
pub(super) struct ChildScopes<V> {
    pub(super) children: Vec<ChildState<V>>,
    /// First unstarted child.
    pub(super) next_child: usize,
    pub(super) running: u32,
    /// Their node's input, for a `map` the list.
    pub(super) input: V,
}

#[derive(Debug)]
pub(super) enum ChildState<V> {
    Waiting,
    Running(u32),
    /// Holds the last output.
    Completed(V),
    Failed(V),
}

/// Children's results before their node failed or was abandoned.
#[derive(Debug)]
pub(super) struct PartialResult<V> {
    pub(super) scope: ScopeRef,
    pub(super) node: u32,
    pub(super) visit: u32,
    pub(super) attempt: u32,
    /// Values by index.
    pub(super) values: Vec<(usize, V)>,
    /// Last reply and conversation.
    pub(super) last_reply: Option<(V, V)>,
}

#[derive(Debug, Clone)]
pub(super) struct NodeFailure {
    pub(super) failure: Failure,
    pub(super) node: u32,
    pub(super) scope: ScopeRef,
}

#[derive(Debug)]
pub(super) struct ScopeInit<V> {
    pub(super) graph: u32,
    pub(super) scope: ScopeRef,
    pub(super) parent: Option<(u32, u32)>,
    pub(super) input: V,
    pub(super) item: Option<V>,
    pub(super) index: Option<V>,
}

impl<V: Value> ScopeState<V> {
    pub(super) fn new(program: &Program<V>, init: ScopeInit<V>) -> Self {
        let compiled = program.graphs.get(init.graph as usize);
        let (names, nodes) =
            compiled.map_or((0, 0), |compiled| (compiled.names.items().len(), compiled.count as usize));
        Self {
            graph: init.graph,
            first: compiled.map_or(0, |compiled| compiled.first),
            scope: init.scope,
            parent: init.parent,
            last: init.input.clone(),
            input: init.input,
            item: init.item,
            index: init.index,
            error: None,
            outputs: vec![None; names],
            other_outputs: Vec::new(),
            other_names: NameTable::default(),
            visits: vec![0; nodes],
            is_alive: true,
            node: 0,
            visit: 0,
            attempt: 1,
            started_ms: 0.0,
            wait: Wait::Nothing,
            timeout: None,
            partial: None,
            conversations: Vec::new(),
        }
    }

    /// Ignores reserved names.
    pub(super) fn write_output(&mut self, program: &Program<V>, name: String, value: V) {
        if matches!(name.as_str(), "input" | "memory") {
            return;
        }
        let known = program.graphs.get(self.graph as usize).and_then(|graph| graph.names.get(&name));
        if let Some(slot) = known.and_then(|known| self.outputs.get_mut(known as usize)) {
            *slot = Some(value);
        } else if let Some((_, other)) =
            self.other_names.get(&name).and_then(|at| self.other_outputs.get_mut(at as usize))
        {
            *other = value;
        } else {
            self.other_names.intern(name.clone());
            self.other_outputs.push((name, value));
        }
    }

    pub(super) fn output<'a>(&'a self, program: &Program<V>, name: &str) -> Option<&'a V> {
        let known = program.graphs.get(self.graph as usize)?.names.get(name);
        match known {
            Some(slot) => self.outputs.get(slot as usize)?.as_ref(),
            None => self.other_names.get(name).and_then(|at| Some(&self.other_outputs.get(at as usize)?.1)),
        }
    }

    pub(super) fn clear(&mut self, nothing: V) {
        (self.input, self.last) = (nothing.clone(), nothing);
        (self.item, self.index, self.error, self.wait) = (None, None, None, Wait::Nothing);
        self.outputs.clear();
        self.other_outputs.clear();
        self.conversations.clear();
    }

    pub(super) fn named_outputs<'a>(
        &'a self,
        program: &'a Program<V>,
    ) -> impl Iterator<Item = (&'a str, &'a V)> {
        self.named_outputs_from(program, 0)
    }

    pub(super) fn other_outputs<'a>(
        &'a self,
        program: &'a Program<V>,
    ) -> impl Iterator<Item = (&'a str, &'a V)> {
        self.named_outputs_from(program, self.visits.len())
    }

    fn named_outputs_from<'a>(
        &'a self,
        program: &'a Program<V>,
        first: usize,
    ) -> impl Iterator<Item = (&'a str, &'a V)> {
        let names = program.graphs.get(self.graph as usize).map(|graph| graph.names.iter());
        let known = names.into_iter().flatten().zip(&self.outputs).skip(first);
        let others = self.other_outputs.iter().map(|(name, value)| (name.as_str(), value));
        known.filter_map(|(name, value)| Some((name, value.as_ref()?))).chain(others)
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &V> {
        let single = [
            Some(&self.input),
            Some(&self.last),
            self.item.as_ref(),
            self.index.as_ref(),
            self.error.as_ref(),
        ];
        let (places, given) = match &self.wait {
            Wait::Children(children) => (children.children.as_slice(), Some(&children.input)),
            _ => (&[][..], None),
        };
        let ended = places.iter().filter_map(|child| match child {
            ChildState::Completed(value) | ChildState::Failed(value) => Some(value),
            _ => None,
        });
        let gather_state =
            if let Wait::Gather(gather_state) = &self.wait { Some(gather_state) } else { None };
        let ended = ended.chain(gather_state.into_iter().flat_map(|it| it.values().map(|(_, value)| value)));
        let outputs = self.outputs.iter().filter_map(Option::as_ref);
        let others = self.other_outputs.iter().map(|(_, value)| value);
        single.into_iter().flatten().chain(outputs).chain(others).chain(given).chain(ended)
    }

    pub(super) fn awaits(&self, call: CallId) -> bool {
        match &self.wait {
            Wait::Conversation(conversation) => {
                conversation.open_serials().any(|serial| serial == call.serial)
            }
            Wait::Gather(gather_state) => gather_state.open_serials().any(|serial| serial == call.serial),
            _ => self.awaits_only(call),
        }
    }

    pub(super) fn awaits_only(&self, call: CallId) -> bool {
        matches!(self.wait, Wait::Call(serial) if serial == call.serial)
    }
}
