//! From a snapshot to a run.
//!
//! Decides whether a snapshot makes sense for a program. Every name and number in it is looked up; nothing is believed.

use super::{FORMAT, ThawError};
use crate::kind::Shape;
use crate::list::List;
use crate::machine::event::Counts;
use crate::machine::frame::{Birth, Child, Children, Frame, Wait};
use crate::machine::gather::Gathering;
use crate::machine::program::{GraphCode, Program};
use crate::machine::run::{Options, Run, State};
use crate::machine::talk::Talk;
use crate::machine::timer::Timer;
use crate::machine::told::ScopeRef;
use crate::model::Conversation;
use crate::node::Action;
use crate::value::{Path, Value};
use serde_json::Value as Json;
use std::collections::{HashMap, VecDeque};
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
        let thawing = Thawing { program, values, graphs: graphs(program, state)? };
        let frames = list(state, "frames")?;
        let mut scopes = frames.iter().map(|json| thawing.frame(json)).collect::<Thawed<Vec<_>>>()?;
        let ready = thawing.ready(frames, &scopes)?;
        thawing.related(&scopes)?;
        thawing.trusted(&scopes, options.context.as_ref())?;
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
        run.nested = scopes.into_iter().map(Box::new).list();
        run.path = path;
        run.ready = ready;
        run.counts = counts(state)?;
        // Snapshots of older engines don't have it.
        run.made_bytes =
            state.get("counts").and_then(|counts| counts.get("made_bytes")?.as_f64()).unwrap_or(0.0);
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
    graphs: Vec<Table>,
}

/// What a snapshot calls a graph and its nodes, by their numbers in this program.
struct Table {
    graph: u32,
    /// Nothing where a node is there no more, which matters only when the snapshot speaks of it again.
    nodes: Vec<Option<u32>>,
}

impl<V: Value> Thawing<'_, V> {
    fn value(&self, json: &Json) -> Thawed<V> {
        let at = json.as_u64().and_then(|at| usize::try_from(at).ok());
        let value = at.and_then(|at| self.values.get(at));
        value.cloned().ok_or_else(|| ThawError::new("a value is not there"))
    }

    fn some(&self, json: Option<&Json>) -> Thawed<Option<V>> {
        json.filter(|json| !json.is_null()).map(|json| self.value(json)).transpose()
    }

    fn frame(&self, json: &Json) -> Thawed<Frame<V>> {
        let table = usize::try_from(count(json, "graph")?).ok().and_then(|at| self.graphs.get(at));
        let table = table.ok_or_else(|| ThawError::new("a graph is not there"))?;
        let program = self.program;
        let path = json.get("path").and_then(Json::as_str).map(Arc::from);
        let parent = json.get("parent").filter(|parent| !parent.is_null()).map(pair).transpose()?;
        let birth = Birth {
            graph: table.graph,
            scope: ScopeRef { serial: count(json, "serial")?, path },
            parent,
            input: self.value(field(json, "input")?)?,
            item: self.some(json.get("item"))?,
            index: self.some(json.get("index"))?,
        };
        let mut frame = Frame::new(program, birth);
        frame.last = self.value(field(json, "last")?)?;
        frame.error = self.some(json.get("error"))?;
        for (name, value) in map(json, "writes")? {
            frame.write(program, name.clone(), self.value(value)?);
        }
        for (node, value) in pairs(json, "outputs")? {
            let place = table.node(node)? - frame.first;
            if let Some(slot) = frame.outputs.get_mut(place as usize) {
                *slot = Some(self.value(value)?);
            }
        }
        for (node, visits) in pairs(json, "visits")? {
            let place = table.node(node)? - frame.first;
            if let Some(slot) = frame.visits.get_mut(place as usize) {
                *slot = whole(visits)?;
            }
        }
        frame.node = table.node(field(json, "node")?)?;
        (frame.visit, frame.attempt) = (count(json, "visit")?, count(json, "attempt")?);
        frame.started_ms = number(json, "started_ms")?;
        frame.timeout = json.get("timeout").filter(|timer| !timer.is_null()).map(timer).transpose()?;
        frame.wait = self.wait(field(json, "wait")?, frame.node)?;
        let kept = json.get("conversations").and_then(Json::as_object).into_iter().flatten();
        frame.conversations = kept.map(|(name, kept)| (name.clone(), Conversation::from_json(kept))).list();
        Ok(frame)
    }

    /// The scopes that were to go on, and with which node.
    fn ready(&self, frames: &[Json], scopes: &[Frame<V>]) -> Thawed<VecDeque<(u32, u32)>> {
        let mut ready = VecDeque::new();
        for ((json, frame), scope) in frames.iter().zip(scopes).zip(0_u32..) {
            let Some(node) = json.get("wait").and_then(|wait| wait.get("enter")) else { continue };
            let count = self.program.graphs.get(frame.graph as usize).map_or(0, |graph| graph.count);
            let node = whole(node).ok().filter(|node| matches!(frame.wait, Wait::Nothing) && *node < count);
            let node = node.ok_or_else(|| ThawError::new("a node is not there"))?;
            ready.push_back((scope, frame.first + node));
        }
        Ok(ready)
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
        if let Some(gathering) = json.get("gather") {
            let fits = extra.is_some_and(|extra| extra.gatherer.is_some());
            let take = |place: &Json| self.value(place).ok();
            let gathering = Gathering::from_json(gathering, &take).filter(|_| fits);
            let gathering = gathering.ok_or_else(|| ThawError::new("planned calls do not fit their node"))?;
            return Ok(Wait::Gather(Box::new(gathering)));
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
        if json.get("enter").is_some() {
            return Ok(Wait::Nothing);
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
                extra.iter().flat_map(|extra| &extra.children).map(|(name, _)| name.as_str()).list();
            let written: Vec<&str> = list(json, "names")?.iter().filter_map(Json::as_str).list();
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

    /// Whether the run is given the trusted values that its outstanding calls need: a snapshot holds none.
    fn trusted(&self, scopes: &[Frame<V>], context: Option<&V>) -> Thawed<()> {
        let context = context.and_then(|context| context.json(&Path::default())).unwrap_or_default();
        for frame in scopes {
            let extra = self.program.nodes.get(frame.node as usize).and_then(|code| code.extra.as_deref());
            let Some(extra) = extra else { continue };
            let missing = match (&frame.wait, &extra.gatherer, &extra.agent) {
                (Wait::Gather(gathering), Some(gatherer), _) => {
                    gathering.asked().find_map(|tool| gatherer.guard().missing(tool, &context))
                }
                (Wait::Talk(talk), _, Some(code)) => talk.asked().find_map(|wire| {
                    let tool = code.agent.tools.iter().find(|tool| tool.spec.name == wire)?;
                    code.agent.guard.as_ref()?.missing(&tool.name, &context)
                }),
                _ => None,
            };
            if let Some(name) = missing {
                return Err(ThawError::new(format!(
                    "a call needs `{name}` of the run's context, which was not given"
                )));
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
        let root = self.graphs.first().filter(|table| table.graph == 0);
        let root = root.ok_or_else(|| ThawError::new("the plan's own graph is not there"))?;
        list(state, "path")?.iter().map(|node| root.node(node)).collect()
    }
}

impl Table {
    /// The position in the program of a node by its number in the snapshot.
    fn node(&self, json: &Json) -> Thawed<u32> {
        let at = json.as_u64().and_then(|at| usize::try_from(at).ok());
        let node = at.and_then(|at| *self.nodes.get(at)?);
        node.ok_or_else(|| ThawError::new("a node is not there"))
    }
}

/// The graphs that a snapshot speaks of.
fn graphs<V: Value>(program: &Program<V>, state: &Json) -> Thawed<Vec<Table>> {
    let known: HashMap<&str, u32> =
        program.graphs.iter().zip(0..).map(|(graph, number)| (graph.scope.as_str(), number)).collect();
    let table = |json: &Json| {
        let graph = json.get("scope").and_then(Json::as_str).and_then(|scope| known.get(scope));
        let graph = *graph.ok_or_else(|| ThawError::new("a graph is not there"))?;
        let code =
            program.graphs.get(graph as usize).ok_or_else(|| ThawError::new("a graph is not there"))?;
        let nodes = list(json, "nodes")?.iter().map(|id| node(code, id.as_str()?)).list();
        Ok(Table { graph, nodes })
    };
    list(state, "graphs")?.iter().map(table).collect()
}

/// The position of a node in the program.
fn node(graph: &GraphCode, id: &str) -> Option<u32> {
    graph.names.get(id).filter(|at| *at < graph.count).map(|at| graph.first + at)
}

/// A list of pairs, one after the other.
fn pairs<'a>(json: &'a Json, key: &str) -> Thawed<impl Iterator<Item = (&'a Json, &'a Json)>> {
    let list = list(json, key)?;
    if list.len() % 2 == 1 {
        return Err(ThawError::new(format!("`{key}` is no list of pairs")));
    }
    Ok(list.chunks_exact(2).filter_map(|pair| Some((pair.first()?, pair.last()?))))
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
    Timer::from_json(json).map_err(ThawError::new)
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
