//! Restores a run, and checks every name and number of its snapshot.

use super::fields::{RestoreResult, count, counts, field, list, map, number, pair, pairs, timer, to_u32};
use super::{FORMAT, RestoreError};
use crate::collect::CollectVec;
use crate::kind::CompositeKind;
use crate::machine::conversation::ActiveConversation;
use crate::machine::gather_state::GatherState;
use crate::machine::program::{CompiledGraph, CompiledNode, Program};
use crate::machine::run::{Options, Run, RunStatus};
use crate::machine::scope_state::{ChildScopes, ChildState, ScopeInit, ScopeState, Wait};
use crate::machine::timer::WaitTimer;
use crate::machine::trace::ScopeRef;
use crate::model::Conversation;
use crate::node::{Action, Composite};
use crate::value::{Path, Value};
use serde_json::Value as Json;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

impl<V: Value> Run<V> {
    /// Restores a run, for [`Event::Resume`](crate::machine::Event::Resume).
    ///
    /// `options` add trusted values, limits, and whether to trace. `values` are the snapshot's, in this run's space.
    ///
    /// # Errors
    /// The snapshot is not valid for this program.
    pub fn restore(
        program: &Arc<Program<V>>,
        space: V::Arena,
        options: Options<V>,
        state: &Json,
        values: Vec<V>,
    ) -> RestoreResult<Self> {
        if state.get("format").and_then(Json::as_u64) != Some(u64::from(FORMAT)) {
            return Err(RestoreError::new("it is of another version, or no snapshot at all"));
        }
        let reader = SnapshotReader { program, values, graphs: graphs(program, state)? };
        let scope_states = list(state, "scope_states")?;
        let mut scopes =
            scope_states.iter().map(|json| reader.scope_state(json)).collect::<RestoreResult<Vec<_>>>()?;
        let ready = reader.ready_scopes(scope_states, &scopes)?;
        reader.check_relations(&scopes)?;
        reader.check_trusted(&scopes, options.context.as_ref())?;
        let memory = reader.optional_value(state.get("memory"))?;
        let path = reader.path(state)?;
        if scopes.is_empty() {
            return Err(RestoreError::new("it has no scopes"));
        }
        let root = scopes.remove(0);
        let mut run = Self::new(Arc::clone(program), space, options);
        run.status = RunStatus::Restored(number(state, "at_ms")?);
        run.memory = memory.or(run.memory);
        run.root = root;
        run.nested = scopes.into_iter().map(Box::new).collect_vec();
        run.path = path;
        run.ready = ready;
        run.counts = counts(state)?;
        // Missing in snapshots of older engines.
        run.template_bytes =
            state.get("counts").and_then(|counts| counts.get("made_bytes")?.as_f64()).unwrap_or(0.0);
        run.started_ms = number(state, "started_ms")?;
        run.serial = count(state, "serial")?;
        run.scopes = count(state, "scopes")?;
        run.timer = state.get("timer").filter(|timer| !timer.is_null()).map(timer).transpose()?;
        Ok(run)
    }
}

struct SnapshotReader<'a, V: Value> {
    program: &'a Program<V>,
    values: Vec<V>,
    graphs: Vec<GraphTable>,
}

/// Maps the snapshot's numbers to the program's.
struct GraphTable {
    graph: u32,
    /// `None` for a removed node, an error only if referenced.
    nodes: Vec<Option<u32>>,
}

impl<V: Value> SnapshotReader<'_, V> {
    fn value(&self, json: &Json) -> RestoreResult<V> {
        let at = json.as_u64().and_then(|at| usize::try_from(at).ok());
        let value = at.and_then(|at| self.values.get(at));
        value.cloned().ok_or_else(|| RestoreError::new("a value is not there"))
    }

    fn optional_value(&self, json: Option<&Json>) -> RestoreResult<Option<V>> {
        json.filter(|json| !json.is_null()).map(|json| self.value(json)).transpose()
    }

    fn scope_state(&self, json: &Json) -> RestoreResult<ScopeState<V>> {
        let table = usize::try_from(count(json, "graph")?).ok().and_then(|at| self.graphs.get(at));
        let table = table.ok_or_else(|| RestoreError::new("a graph is not there"))?;
        let program = self.program;
        let path = json.get("path").and_then(Json::as_str).map(Arc::from);
        let parent = json.get("parent").filter(|parent| !parent.is_null()).map(pair).transpose()?;
        let init = ScopeInit {
            graph: table.graph,
            scope: ScopeRef { serial: count(json, "serial")?, path },
            parent,
            input: self.value(field(json, "input")?)?,
            item: self.optional_value(json.get("item"))?,
            index: self.optional_value(json.get("index"))?,
        };
        let mut scope_state = ScopeState::new(program, init);
        scope_state.last = self.value(field(json, "last")?)?;
        scope_state.error = self.optional_value(json.get("error"))?;
        for (name, value) in map(json, "writes")? {
            scope_state.write_output(program, name.clone(), self.value(value)?);
        }
        for (node, value) in pairs(json, "outputs")? {
            let place = table.node(node)? - scope_state.first;
            if let Some(slot) = scope_state.outputs.get_mut(place as usize) {
                *slot = Some(self.value(value)?);
            }
        }
        for (node, visits) in pairs(json, "visits")? {
            let place = table.node(node)? - scope_state.first;
            if let Some(slot) = scope_state.visits.get_mut(place as usize) {
                *slot = to_u32(visits)?;
            }
        }
        scope_state.node = table.node(field(json, "node")?)?;
        (scope_state.visit, scope_state.attempt) = (count(json, "visit")?, count(json, "attempt")?);
        scope_state.started_ms = number(json, "started_ms")?;
        scope_state.timeout = json.get("timeout").filter(|timer| !timer.is_null()).map(timer).transpose()?;
        scope_state.wait = self.wait(field(json, "wait")?, scope_state.node)?;
        let kept = json.get("conversations").and_then(Json::as_object).into_iter().flatten();
        scope_state.conversations =
            kept.map(|(name, kept)| (name.clone(), Conversation::from_json(kept))).collect_vec();
        Ok(scope_state)
    }

    fn ready_scopes(
        &self,
        scope_states: &[Json],
        scopes: &[ScopeState<V>],
    ) -> RestoreResult<VecDeque<(u32, u32)>> {
        let mut ready = VecDeque::new();
        for ((json, scope_state), scope) in scope_states.iter().zip(scopes).zip(0_u32..) {
            let Some(node) = json.get("wait").and_then(|wait| wait.get("enter")) else { continue };
            let count = self.program.graphs.get(scope_state.graph as usize).map_or(0, |graph| graph.count);
            let node =
                to_u32(node).ok().filter(|node| matches!(scope_state.wait, Wait::Nothing) && *node < count);
            let node = node.ok_or_else(|| RestoreError::new("a node is not there"))?;
            ready.push_back((scope, scope_state.first + node));
        }
        Ok(ready)
    }

    fn wait(&self, json: &Json, node: u32) -> RestoreResult<Wait<V>> {
        let code = self.program.nodes.get(node as usize);
        let composite = match code.map(|compiled| &compiled.action) {
            Some(Action::Composite(composite)) => Some(*composite),
            _ => None,
        };
        let options = code.and_then(|compiled| compiled.options.as_deref());
        let agent = options.and_then(|options| options.agent.as_ref()).map(|code| &code.agent);
        if let Some(talk) = json.get("conversation") {
            let tool = code.is_some_and(|compiled| compiled.action.tool().is_some());
            let conversation = ActiveConversation::from_json(talk, agent).filter(|_| tool || agent.is_some());
            let conversation =
                conversation.ok_or_else(|| RestoreError::new("a conversation does not fit its node"))?;
            return Ok(Wait::Conversation(Box::new(conversation)));
        }
        if let Some(gathering) = json.get("gather") {
            let fits = options.is_some_and(|options| options.gatherer.is_some());
            let take = |place: &Json| self.value(place).ok();
            let gather_state = GatherState::from_json(gathering, &take).filter(|_| fits);
            let gather_state =
                gather_state.ok_or_else(|| RestoreError::new("planned calls do not fit their node"))?;
            return Ok(Wait::Gather(Box::new(gather_state)));
        }
        if let Some(serial) = json.get("call") {
            let asks = agent.is_none()
                && code.is_some_and(|compiled| {
                    !(matches!(compiled.action, Action::Composite(_) | Action::Wait)
                        || compiled.action.is_immediate())
                });
            return if asks {
                to_u32(serial).map(Wait::Call)
            } else {
                Err(RestoreError::new("a node asks nothing"))
            };
        }
        if let Some(backoff) = json.get("backoff") {
            return timer(backoff).map(Wait::Backoff);
        }
        if let Some(delay) = json.get("delay") {
            let delay = WaitTimer::from_json(delay).map_err(RestoreError::new)?;
            return if code.is_some_and(|compiled| compiled.action == Action::Wait) {
                Ok(Wait::Delay(delay))
            } else {
                Err(RestoreError::new("a delay does not fit its node"))
            };
        }
        if json.get("enter").is_some() {
            return Ok(Wait::Nothing);
        }
        match composite.filter(|_| json.get("children").is_some()) {
            Some(composite) => self.child_scopes(json, composite, code),
            None => Err(RestoreError::new("a scope waits for nothing")),
        }
    }

    fn child_scopes(
        &self,
        json: &Json,
        composite: Composite,
        code: Option<&CompiledNode<V>>,
    ) -> RestoreResult<Wait<V>> {
        let mut children = list(json, "children")?
            .iter()
            .map(|child| self.child(child))
            .collect::<RestoreResult<Vec<_>>>()?;
        let next_child = count(json, "next")? as usize;
        if composite.kind != CompositeKind::Map {
            let options = code.and_then(|compiled| compiled.options.as_ref());
            let names: Vec<&str> = options
                .iter()
                .flat_map(|options| &options.children)
                .map(|(name, _)| name.as_str())
                .collect_vec();
            let written: Vec<&str> = list(json, "names")?.iter().filter_map(Json::as_str).collect_vec();
            if names != written || names.len() != children.len() {
                return Err(RestoreError::new("the branches of a node are others, or in another order"));
            }
        }
        let input = self.value(field(json, "input")?)?;
        if next_child > children.len()
            || (composite.kind == CompositeKind::Map && input.length() != children.len())
        {
            return Err(RestoreError::new("the elements of a list are not those it was made with"));
        }
        for child in children.iter_mut().skip(next_child) {
            *child = ChildState::Waiting;
        }
        let running = children.iter().filter(|child| matches!(child, ChildState::Running(_))).count();
        if running == 0 {
            return Err(RestoreError::new("a scope waits for nothing"));
        }
        let running = u32::try_from(running).unwrap_or(u32::MAX);
        Ok(Wait::Children(Box::new(ChildScopes { children, next_child, running, input })))
    }

    fn child(&self, json: &Json) -> RestoreResult<ChildState<V>> {
        if let Some(scope) = json.get("scope") {
            return to_u32(scope).map(ChildState::Running);
        }
        match (json.get("value"), json.get("error")) {
            (Some(value), _) => self.value(value).map(ChildState::Completed),
            (_, Some(error)) => self.value(error).map(ChildState::Failed),
            _ => Ok(ChildState::Waiting),
        }
    }

    fn check_relations(&self, scopes: &[ScopeState<V>]) -> RestoreResult<()> {
        let wrong = || RestoreError::new("its scopes do not fit together");
        for (at, scope_state) in (0_u32..).zip(scopes) {
            match scope_state.parent {
                None if at == 0 && scope_state.graph == 0 => {}
                Some((parent, index)) if parent < at => {
                    let parent = scopes.get(parent as usize).ok_or_else(wrong)?;
                    let Wait::Children(children) = &parent.wait else { return Err(wrong()) };
                    let known = children.children.get(index as usize);
                    let same = matches!(known, Some(ChildState::Running(scope)) if *scope == at);
                    if !same || !self.is_child_graph(parent.node, index, scope_state.graph) {
                        return Err(wrong());
                    }
                }
                _ => return Err(wrong()),
            }
            if let Wait::Children(children) = &scope_state.wait {
                let strangers = children.children.iter().zip(0_u32..).any(|(child, index)| {
                    matches!(child, ChildState::Running(scope)
                        if scopes.get(*scope as usize).and_then(|child| child.parent) != Some((at, index)))
                });
                if strangers {
                    return Err(wrong());
                }
            }
        }
        Ok(())
    }

    /// Open calls need trusted values, which snapshots lack.
    fn check_trusted(&self, scopes: &[ScopeState<V>], context: Option<&V>) -> RestoreResult<()> {
        let context = context.and_then(|context| context.json(&Path::default())).unwrap_or_default();
        for scope_state in scopes {
            let options = self
                .program
                .nodes
                .get(scope_state.node as usize)
                .and_then(|compiled| compiled.options.as_deref());
            let Some(options) = options else { continue };
            let missing = match (&scope_state.wait, &options.gatherer, &options.agent) {
                (Wait::Gather(gather_state), Some(gatherer), _) => gather_state
                    .open_tools()
                    .find_map(|tool| gatherer.guard().missing_trusted(tool, &context)),
                (Wait::Conversation(conversation), _, Some(agent)) => {
                    conversation.open_tools().find_map(|wire| {
                        let tool = agent.agent.tools.iter().find(|tool| tool.spec.name == wire)?;
                        agent.agent.guard.as_ref()?.missing_trusted(&tool.name, &context)
                    })
                }
                _ => None,
            };
            if let Some(name) = missing {
                return Err(RestoreError::new(format!(
                    "a call needs `{name}` of the run's context, which was not given"
                )));
            }
        }
        Ok(())
    }

    fn is_child_graph(&self, node: u32, index: u32, graph: u32) -> bool {
        let Some(compiled) = self.program.nodes.get(node as usize) else { return false };
        let mapped =
            matches!(compiled.action, Action::Composite(composite) if composite.kind == CompositeKind::Map);
        let which = if mapped { 0 } else { index as usize };
        compiled
            .options
            .as_ref()
            .and_then(|options| options.children.get(which))
            .is_some_and(|(_, own)| *own == graph)
    }

    fn path(&self, state: &Json) -> RestoreResult<Vec<u32>> {
        let root = self.graphs.first().filter(|table| table.graph == 0);
        let root = root.ok_or_else(|| RestoreError::new("the plan's own graph is not there"))?;
        list(state, "path")?.iter().map(|node| root.node(node)).collect()
    }
}

impl GraphTable {
    fn node(&self, json: &Json) -> RestoreResult<u32> {
        let at = json.as_u64().and_then(|at| usize::try_from(at).ok());
        let node = at.and_then(|at| *self.nodes.get(at)?);
        node.ok_or_else(|| RestoreError::new("a node is not there"))
    }
}

fn graphs<V: Value>(program: &Program<V>, state: &Json) -> RestoreResult<Vec<GraphTable>> {
    let known: HashMap<&str, u32> =
        program.graphs.iter().zip(0..).map(|(graph, number)| (graph.scope.as_str(), number)).collect();
    let table = |json: &Json| {
        let graph = json.get("scope").and_then(Json::as_str).and_then(|scope| known.get(scope));
        let graph = *graph.ok_or_else(|| RestoreError::new("a graph is not there"))?;
        let compiled =
            program.graphs.get(graph as usize).ok_or_else(|| RestoreError::new("a graph is not there"))?;
        let nodes = list(json, "nodes")?.iter().map(|id| node(compiled, id.as_str()?)).collect_vec();
        Ok(GraphTable { graph, nodes })
    };
    list(state, "graphs")?.iter().map(table).collect()
}

fn node(graph: &CompiledGraph, id: &str) -> Option<u32> {
    graph.names.get(id).filter(|at| *at < graph.count).map(|at| graph.first + at)
}
