//! From a snapshot to a run.
//!
//! Decides whether a snapshot makes sense for a program. Every name and number in it is looked up; nothing is believed.

use super::{FORMAT, ThawError};
use crate::machine::event::Counts;
use crate::machine::frame::{Birth, Child, Children, Frame, Timer, Wait};
use crate::machine::program::{GraphCode, Program};
use crate::machine::run::{Options, Run, State};
use crate::machine::talk::Talk;
use crate::machine::told::ScopeRef;
use crate::model::Conversation;
use crate::node::{Action, Shape};
use crate::value::Value;
use serde_json::Value as Json;
use std::collections::HashMap;
use std::sync::Arc;

type Thawed<T> = Result<T, ThawError>;

impl<V: Value> Run<V> {
    /// A run that goes on with [`Event::Resume`](crate::machine::Event::Resume) from where a snapshot was made.
    ///
    /// `options` give what is not in the snapshot: trusted values, bounds, whether it is observed. `values` are those of the
    /// snapshot, in this run's space.
    ///
    /// # Errors
    /// A snapshot that makes no sense for this program.
    pub fn thaw(
        program: &Arc<Program<V>>,
        space: V::Space,
        options: Options<V>,
        state: &Json,
        values: Vec<V>,
    ) -> Thawed<Self> {
        if state.get("format").and_then(Json::as_u64) != Some(u64::from(FORMAT)) {
            return Err(ThawError::new("it is of another version, or no snapshot at all"));
        }
        let thawing = Thawing::new(program, values);
        let frames = list(state, "frames")?;
        let mut scopes = frames.iter().map(|json| thawing.frame(json)).collect::<Thawed<Vec<_>>>()?;
        thawing.related(&scopes)?;
        let memory = thawing.some(state.get("memory"))?;
        let path = thawing.path(state)?;
        if scopes.is_empty() {
            return Err(ThawError::new("it has no scopes"));
        }
        let root = scopes.remove(0);
        let mut run = Self::new(Arc::clone(program), space, options);
        run.state = State::Frozen(number(state, "at_ms")?);
        run.memory = memory.or(run.memory);
        run.root = root;
        run.nested = scopes.into_iter().map(Box::new).collect();
        run.path = path;
        run.counts = counts(state)?;
        run.started_ms = number(state, "started_ms")?;
        run.serial = count(state, "serial")?;
        run.scopes = count(state, "scopes")?;
        run.timer = state.get("timer").filter(|timer| !timer.is_null()).map(timer).transpose()?;
        Ok(run)
    }
}

struct Thawing<'a, V: Value> {
    program: &'a Program<V>,
    values: Vec<V>,
    graphs: HashMap<&'a str, u32>,
}

impl<'a, V: Value> Thawing<'a, V> {
    fn new(program: &'a Program<V>, values: Vec<V>) -> Self {
        let graphs = program.graphs.iter().zip(0..).map(|(graph, number)| (graph.scope.as_str(), number));
        Self { program, values, graphs: graphs.collect() }
    }

    fn value(&self, json: &Json) -> Thawed<V> {
        let at = json.as_u64().and_then(|at| usize::try_from(at).ok());
        let value = at.and_then(|at| self.values.get(at));
        value.cloned().ok_or_else(|| ThawError::new("a value is not there"))
    }

    fn some(&self, json: Option<&Json>) -> Thawed<Option<V>> {
        json.filter(|json| !json.is_null()).map(|json| self.value(json)).transpose()
    }

    fn frame(&self, json: &Json) -> Thawed<Frame<V>> {
        let graph = json.get("graph").and_then(Json::as_str).and_then(|scope| self.graphs.get(scope));
        let number_of_graph = *graph.ok_or_else(|| ThawError::new("a graph is not there"))?;
        let program = self.program;
        let graph = program.graphs.get(number_of_graph as usize);
        let graph = graph.ok_or_else(|| ThawError::new("a graph is not there"))?;
        let path = json.get("path").and_then(Json::as_str).map(Arc::from);
        let parent = json.get("parent").filter(|parent| !parent.is_null()).map(pair).transpose()?;
        let birth = Birth {
            graph: number_of_graph,
            scope: ScopeRef { serial: count(json, "serial")?, path },
            parent,
            input: self.value(field(json, "input")?)?,
            item: self.some(json.get("item"))?,
            index: self.some(json.get("index"))?,
        };
        let mut frame = Frame::new(program, birth);
        frame.last = self.value(field(json, "last")?)?;
        frame.error = self.some(json.get("error"))?;
        for (name, value) in map(json, "outputs")? {
            frame.write(program, name.clone(), self.value(value)?);
        }
        for (id, visits) in map(json, "visits")? {
            let node = node(graph, id)?;
            if let Some(place) = frame.visits.get_mut((node - graph.first) as usize) {
                *place = whole(visits)?;
            }
        }
        frame.node = node(graph, field(json, "node")?.as_str().unwrap_or_default())?;
        (frame.visit, frame.attempt) = (count(json, "visit")?, count(json, "attempt")?);
        frame.started_ms = number(json, "started_ms")?;
        frame.timeout = json.get("timeout").filter(|timer| !timer.is_null()).map(timer).transpose()?;
        frame.wait = self.wait(field(json, "wait")?, frame.node)?;
        let kept = json.get("conversations").and_then(Json::as_object).into_iter().flatten();
        frame.conversations =
            kept.map(|(name, kept)| (name.clone(), Conversation::from_json(kept))).collect();
        Ok(frame)
    }

    fn wait(&self, json: &Json, node: u32) -> Thawed<Wait<V>> {
        let code = self.program.nodes.get(node as usize);
        let fan = match code.map(|code| &code.action) {
            Some(Action::Fan(fan)) => Some(*fan),
            _ => None,
        };
        let extra = code.and_then(|code| code.extra.as_deref());
        let agent = extra.and_then(|extra| extra.agent.as_ref()).map(|code| &code.agent);
        if let Some(talk) = json.get("talk") {
            let tool = code.is_some_and(|code| code.action.tool().is_some());
            let talk = Talk::from_json(talk, agent).filter(|_| tool || agent.is_some());
            let talk = talk.ok_or_else(|| ThawError::new("a conversation does not fit its node"))?;
            return Ok(Wait::Talk(Box::new(talk)));
        }
        if let Some(serial) = json.get("call") {
            let asks = agent.is_none()
                && code
                    .is_some_and(|code| !matches!(code.action, Action::Fan(_) | Action::Pass | Action::Log));
            return if asks {
                whole(serial).map(Wait::Call)
            } else {
                Err(ThawError::new("a node asks nothing"))
            };
        }
        if let Some(backoff) = json.get("backoff") {
            return timer(backoff).map(Wait::Backoff);
        }
        let (Some(fan), true) = (fan, json.get("places").is_some()) else {
            return Err(ThawError::new("a scope waits for nothing"));
        };
        let mut places =
            list(json, "places")?.iter().map(|child| self.child(child)).collect::<Thawed<Vec<_>>>()?;
        let next = count(json, "next")? as usize;
        if fan.shape != Shape::Map {
            let extra = code.and_then(|code| code.extra.as_ref());
            let names: Vec<&str> =
                extra.iter().flat_map(|extra| &extra.children).map(|(name, _)| name.as_str()).collect();
            let written: Vec<&str> = list(json, "names")?.iter().filter_map(Json::as_str).collect();
            if names != written || names.len() != places.len() {
                return Err(ThawError::new("the branches of a node are others, or in another order"));
            }
        }
        let input = self.value(field(json, "input")?)?;
        if next > places.len() || (fan.shape == Shape::Map && input.length() != places.len()) {
            return Err(ThawError::new("the elements of a list are not those it was made with"));
        }
        for child in places.iter_mut().skip(next) {
            *child = Child::Waiting;
        }
        let running = places.iter().filter(|child| matches!(child, Child::Running(_))).count();
        if running == 0 {
            return Err(ThawError::new("a scope waits for nothing"));
        }
        let running = u32::try_from(running).unwrap_or(u32::MAX);
        Ok(Wait::Children(Box::new(Children { places, next, running, input })))
    }

    fn child(&self, json: &Json) -> Thawed<Child<V>> {
        if let Some(scope) = json.get("scope") {
            return whole(scope).map(Child::Running);
        }
        match (json.get("value"), json.get("error")) {
            (Some(value), _) => self.value(value).map(Child::Completed),
            (_, Some(error)) => self.value(error).map(Child::Failed),
            _ => Ok(Child::Waiting),
        }
    }

    /// Whether parents and children know each other, and nothing is its own ancestor.
    fn related(&self, scopes: &[Frame<V>]) -> Thawed<()> {
        let wrong = || ThawError::new("its scopes do not fit together");
        for (at, frame) in (0_u32..).zip(scopes) {
            match frame.parent {
                None if at == 0 && frame.graph == 0 => {}
                Some((parent, place)) if parent < at => {
                    let parent = scopes.get(parent as usize).ok_or_else(wrong)?;
                    let Wait::Children(children) = &parent.wait else { return Err(wrong()) };
                    let known = children.places.get(place as usize);
                    let same = matches!(known, Some(Child::Running(scope)) if *scope == at);
                    if !same || !self.runs(parent.node, place, frame.graph) {
                        return Err(wrong());
                    }
                }
                _ => return Err(wrong()),
            }
            if let Wait::Children(children) = &frame.wait {
                let strangers = children.places.iter().zip(0_u32..).any(|(child, place)| {
                    matches!(child, Child::Running(scope)
                        if scopes.get(*scope as usize).and_then(|child| child.parent) != Some((at, place)))
                });
                if strangers {
                    return Err(wrong());
                }
            }
        }
        Ok(())
    }

    /// Whether a node runs that graph at that place.
    fn runs(&self, node: u32, place: u32, graph: u32) -> bool {
        let Some(code) = self.program.nodes.get(node as usize) else { return false };
        let mapped = matches!(code.action, Action::Fan(fan) if fan.shape == Shape::Map);
        let which = if mapped { 0 } else { place as usize };
        code.extra.as_ref().and_then(|extra| extra.children.get(which)).is_some_and(|(_, own)| *own == graph)
    }

    /// The nodes that ran, by their positions in this program.
    fn path(&self, state: &Json) -> Thawed<Vec<u32>> {
        let root = self.program.root();
        let nodes = list(state, "nodes")?.iter().map(|id| node(root, id.as_str().unwrap_or_default()));
        let nodes = nodes.collect::<Thawed<Vec<u32>>>()?;
        let at = |json: &Json| {
            let node = whole(json).ok().and_then(|at| nodes.get(at as usize)).copied();
            node.ok_or_else(|| ThawError::new("a node of the path is not there"))
        };
        list(state, "path")?.iter().map(at).collect()
    }
}

/// The position of a node in the program.
fn node(graph: &GraphCode, id: &str) -> Thawed<u32> {
    let at = graph.names.get(id).filter(|at| *at < graph.count);
    at.map(|at| graph.first + at).ok_or_else(|| ThawError::new(format!("there is no node `{id}`")))
}

fn field<'a>(json: &'a Json, key: &str) -> Thawed<&'a Json> {
    json.get(key).ok_or_else(|| ThawError::new(format!("`{key}` is not there")))
}

fn number(json: &Json, key: &str) -> Thawed<f64> {
    field(json, key)?.as_f64().ok_or_else(|| ThawError::new(format!("`{key}` is no number")))
}

fn whole(json: &Json) -> Thawed<u32> {
    let number = json.as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| ThawError::new("a count is no count"))
}

fn count(json: &Json, key: &str) -> Thawed<u32> {
    whole(field(json, key)?)
}

fn list<'a>(json: &'a Json, key: &str) -> Thawed<&'a Vec<Json>> {
    field(json, key)?.as_array().ok_or_else(|| ThawError::new(format!("`{key}` is no list")))
}

fn map<'a>(json: &'a Json, key: &str) -> Thawed<&'a serde_json::Map<String, Json>> {
    field(json, key)?.as_object().ok_or_else(|| ThawError::new(format!("`{key}` is no map")))
}

fn pair(json: &Json) -> Thawed<(u32, u32)> {
    match json.as_array().map(Vec::as_slice) {
        Some([first, second]) => Ok((whole(first)?, whole(second)?)),
        _ => Err(ThawError::new("a pair is no pair")),
    }
}

fn timer(json: &Json) -> Thawed<Timer> {
    match json.as_array().map(Vec::as_slice) {
        Some([serial, due]) => {
            let due_ms = due.as_f64().ok_or_else(|| ThawError::new("a timer has no time"))?;
            Ok(Timer { serial: whole(serial)?, due_ms })
        }
        _ => Err(ThawError::new("a timer is no timer")),
    }
}

fn counts(state: &Json) -> Thawed<Counts> {
    let counts = field(state, "counts")?;
    Ok(Counts {
        steps: count(counts, "steps")?,
        calls: count(counts, "calls")?,
        retries: count(counts, "retries")?,
        tokens: number(counts, "tokens")?,
        output_bytes: number(counts, "output_bytes")?,
    })
}
