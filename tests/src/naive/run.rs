//! Running a plan whose answers, and their times, are known beforehand.

use super::plan::answer;
use super::plan::{Act, Edge, Fan, Given, Graph, Join, Limits, Node, Shape, When};
use super::told::{Happening, Log, Moment, Order, cut, open};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// `terminal`, `no-match`, or a code and the place of the failure: `handler/failed at fan:1/a/n2`.
    pub outcome: String,
    /// The last output.
    pub last: Json,
    /// All outputs.
    pub outputs: BTreeMap<String, Json>,
    /// The nodes of the plan's own graph that ran.
    pub path: Vec<String>,
    /// Nodes, calls and further tries.
    pub counts: (usize, usize, usize),
    /// What happened, in order.
    pub log: Vec<Happening>,
}

/// A failure and its place.
#[derive(Debug, Clone)]
struct Fault {
    code: String,
    node: String,
    scope: String,
    /// Whether another try could do better.
    again: bool,
}

impl Fault {
    fn json(&self) -> Json {
        let mut error = json!({"code": self.code, "node": self.node});
        if !self.scope.is_empty() {
            error["scope"] = Json::from(self.scope.as_str());
        }
        error
    }

    fn outcome(&self) -> String {
        format!("{} at {}", self.code, within(&self.scope, &self.node))
    }
}

/// What a node or a graph came to, and when.
struct End<T> {
    at: Moment,
    result: Result<T, Fault>,
}

/// What belongs to one scope.
struct Scope<'a> {
    path: String,
    around: Option<&'a Scope<'a>>,
    graph: &'a Graph,
    input: Json,
    last: Json,
    item: Option<Json>,
    index: Option<usize>,
    error: Option<Json>,
    outputs: BTreeMap<String, Json>,
    visits: Vec<usize>,
}

/// What is the same for the whole run.
struct World<'a> {
    order: &'a Order,
    visits: usize,
}

fn within(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}/{name}") }
}

/// Runs a plan, answers coming in that order.
pub fn run(graph: &Graph, input: Json, limits: Limits, order: &Order) -> Ended {
    let world = World { order, visits: limits.visits.unwrap_or(25) };
    let mut scope = Scope::new(graph, None, String::new(), input);
    let mut log = Log::new();
    let mut end = scope.walk(&world, Moment::of(0), &mut log);
    log.sort_by(|(a, _), (b, _)| a.cmp(b));
    if let Some(fault) = bounded(&mut log, limits, order) {
        end.result = Err(fault);
        // What the run's own graph did after that did not happen.
        (scope.outputs, scope.last) = replay(graph, &scope.input, &log);
    }
    let outcome = match end.result {
        Ok(reason) => reason,
        Err(fault) => fault.outcome(),
    };
    let told = log.into_iter().map(|(_, happening)| happening);
    let log: Vec<Happening> = told.filter(|told| !matches!(told, Happening::Answered { .. })).collect();
    let count = |what: fn(&Happening) -> bool| log.iter().filter(|happening| what(happening)).count();
    let counts = (
        count(|happening| matches!(happening, Happening::Entered { .. })),
        count(|happening| matches!(happening, Happening::Asked { .. })),
        count(|happening| matches!(happening, Happening::Retried { .. })),
    );
    let path = log.iter().filter_map(|happening| match happening {
        Happening::Entered { scope, node, .. } if scope.is_empty() => Some(node.clone()),
        _ => None,
    });
    Ended { outcome, last: scope.last, outputs: scope.outputs, path: path.collect(), counts, log }
}

/// The run's own outputs as a log tells them.
fn replay(graph: &Graph, input: &Json, log: &Log) -> (BTreeMap<String, Json>, Json) {
    let mut outputs = BTreeMap::new();
    let mut last = input.clone();
    for (_, happening) in log {
        if let Happening::Gave { scope, node, output } = happening
            && scope.is_empty()
            && graph.nodes.iter().any(|known| known.id == *node)
        {
            outputs.insert(node.clone(), output.clone());
            last = output.clone();
        }
    }
    (outputs, last)
}

/// Ends the log where a bound of the whole run is passed first.
fn bounded(log: &mut Log, limits: Limits, order: &Order) -> Option<Fault> {
    let timeout = limits.timeout.then(|| order.get("timeout:")).flatten().map(|step| Moment::of(*step));
    let (mut steps, mut calls, mut bytes) = (0, 0, 0);
    let at = |code: &str, place: &str| {
        let (scope, node) = place.rsplit_once('/').unwrap_or(("", place));
        Fault { code: code.to_owned(), node: node.to_owned(), scope: scope.to_owned(), again: false }
    };
    let mut top = String::new();
    let mut found = None;
    for (position, (moment, happening)) in log.iter().enumerate() {
        if timeout.as_ref().is_some_and(|timeout| moment > timeout) {
            found = Some((position, at("run/timeout", &top), false));
            break;
        }
        match happening {
            Happening::Entered { scope, node, .. } => {
                steps += 1;
                if limits.steps.is_some_and(|most| steps > most) {
                    found = Some((position, at("run/step-limit", &within(scope, node)), false));
                    break;
                }
                if scope.is_empty() {
                    top.clone_from(node);
                }
            }
            Happening::Asked { name, .. } => {
                calls += 1;
                if limits.calls.is_some_and(|most| calls > most) {
                    found = Some((position, at("run/call-limit", node_of(name)), true));
                    break;
                }
            }
            Happening::Answered { name, bytes: more } => {
                bytes += more;
                if *more > 0 && limits.output_bytes.is_some_and(|most| bytes > most) {
                    // The answer itself stays: its node has completed.
                    found = Some((position + 2, at("run/output-limit", node_of(name)), false));
                    break;
                }
            }
            _ => {}
        }
    }
    let (position, fault, told) = match found {
        Some(found) => found,
        // Everything that was to come has come, and the run still waits for what never does.
        None => (log.len(), timeout.map(|_| at("run/timeout", &top))?, false),
    };
    log.truncate(position);
    let now = log.last().map_or(Moment::of(0), |(moment, _)| moment.clone());
    if told {
        let (scope, node, code) = (fault.scope.clone(), fault.node.clone(), fault.code.clone());
        log.push((now.clone(), Happening::Failed { scope, node, code }));
    }
    let given_up = open(log);
    log.extend(given_up.into_iter().map(|happening| (now.clone(), happening)));
    Some(fault)
}

/// The scope and node of a call's name.
fn node_of(name: &str) -> &str {
    let tried = name.rsplit_once(':').map_or(name, |(rest, _)| rest);
    tried.rsplit_once(':').map_or(tried, |(rest, _)| rest)
}

impl<'a> Scope<'a> {
    fn new(graph: &'a Graph, around: Option<&'a Scope<'a>>, path: String, input: Json) -> Self {
        Self {
            path,
            around,
            graph,
            last: input.clone(),
            input,
            item: None,
            index: None,
            error: None,
            outputs: BTreeMap::new(),
            visits: vec![0; graph.nodes.len()],
        }
    }

    /// Walks the graph to its end: a reason, or the failure.
    fn walk(&mut self, world: &World<'_>, start: Moment, log: &mut Log) -> End<String> {
        let (mut at, mut now) = (0, start);
        loop {
            let node = &self.graph.nodes[at];
            if self.visits[at] >= node.visits.unwrap_or(world.visits) {
                return End { at: now, result: Err(self.fault(node, "run/visit-limit", true)) };
            }
            self.visits[at] += 1;
            let (scope, id) = (self.path.clone(), node.id.clone());
            let entered =
                Happening::Entered { scope: scope.clone(), node: id.clone(), visit: self.visits[at] };
            log.push((now.clone(), entered));
            let end = self.tries(world, at, now, log);
            now = end.at;
            if now.is_never() {
                return End { at: now, result: Ok("never".to_owned()) };
            }
            let fault = match end.result {
                Ok(output) => {
                    self.last = output.clone();
                    self.error = None;
                    self.outputs.insert(id.clone(), output.clone());
                    log.push((
                        now.clone(),
                        Happening::Gave { scope: scope.clone(), node: id.clone(), output },
                    ));
                    None
                }
                Err(fault) => {
                    let code = fault.code.clone();
                    log.push((
                        now.clone(),
                        Happening::Failed { scope: scope.clone(), node: id.clone(), code },
                    ));
                    if !self.leaving(at).any(|edge| edge.when.speaks_of_error()) {
                        return End { at: now, result: Err(fault) };
                    }
                    self.error = Some(fault.json());
                    Some(fault)
                }
            };
            let (next, reason) = self.choose(at, fault.is_some());
            let to = next.map(|next| self.graph.nodes[next].id.clone());
            log.push((now.clone(), Happening::Took { scope, node: id, to, reason: reason.to_owned() }));
            match (next, fault) {
                (Some(next), _) => at = next,
                (None, Some(fault)) => return End { at: now, result: Err(fault) },
                (None, None) => return End { at: now, result: Ok(reason.to_owned()) },
            }
        }
    }

    fn leaving(&self, at: usize) -> impl Iterator<Item = &'a Edge> + use<'a> {
        self.graph.edges.iter().filter(move |edge| edge.from == at)
    }

    fn choose(&self, at: usize, failed: bool) -> (Option<usize>, &'static str) {
        let held =
            self.leaving(at).find(|edge| (!failed || edge.when.speaks_of_error()) && self.holds(&edge.when));
        let fallback = self.leaving(at).find(|edge| !failed && edge.when == When::Always);
        match (held, fallback) {
            (Some(edge), _) => (Some(edge.to), "condition"),
            (None, Some(edge)) => (Some(edge.to), "fallback"),
            (None, None) if self.leaving(at).next().is_none() => (None, "terminal"),
            (None, None) => (None, "no-match"),
        }
    }

    fn holds(&self, when: &When) -> bool {
        match when {
            When::Always => false,
            When::LastIs(text) => self.last == *text,
            When::Failed => self.error().is_some(),
            When::FailedWith(code) => self.error().is_some_and(|error| error["code"] == *code),
            When::OutputIs(name, text) => self.output(name).is_some_and(|value| value == *text),
        }
    }

    /// The scopes from this one outward.
    fn outward(&self) -> impl Iterator<Item = &Scope<'a>> {
        std::iter::successors(Some(self), |scope| scope.around)
    }

    fn error(&self) -> Option<Json> {
        self.outward().find_map(|scope| scope.error.clone())
    }

    /// The nearest graph that has such a node is meant, and no other.
    fn output(&self, name: &str) -> Option<Json> {
        let owner = self.outward().find(|scope| scope.graph.nodes.iter().any(|node| node.id == name));
        owner?.outputs.get(name).cloned()
    }

    fn given(&self, given: &Given) -> Option<Json> {
        let mapped = self.outward().find(|scope| scope.item.is_some());
        match given {
            Given::Last => Some(self.last.clone()),
            Given::Value(value) => Some(value.clone()),
            Given::Item => mapped?.item.clone(),
            Given::Index => mapped?.index.map(Json::from),
            Given::Input => Some(self.input.clone()),
            Given::Output(name) => self.output(name).or_else(|| Some("none".into())),
            Given::ErrorCode => self.error().map(|error| error["code"].clone()),
        }
    }

    fn fault(&self, node: &Node, code: &str, again: bool) -> Fault {
        Fault { code: code.to_owned(), node: node.id.clone(), scope: self.path.clone(), again }
    }

    /// All tries of a node.
    fn tries(&self, world: &World<'_>, at: usize, start: Moment, log: &mut Log) -> End<Json> {
        let node = &self.graph.nodes[at];
        let visit = self.visits[at];
        let mut now = start;
        for attempt in 1.. {
            let place = (visit, attempt);
            let end = self.one_try(world, node, place, now, log);
            let retry = match (&node.retry, &end.result) {
                (Some(retry), Err(fault)) if fault.again && !end.at.is_never() => {
                    let covered =
                        retry.on.is_empty() || retry.on.iter().any(|code| covers(code, &fault.code));
                    if !covered || attempt >= retry.attempts {
                        return end;
                    }
                    let (scope, node, code) = (self.path.clone(), node.id.clone(), fault.code.clone());
                    log.push((end.at.clone(), Happening::Retried { scope, node, attempt, code }));
                    retry
                }
                _ => return end,
            };
            now = end.at;
            if retry.backoff {
                now = when(world, &format!("wait:{}", self.name(node, place)));
                if now.is_never() {
                    return End { at: now, result: Ok(Json::Null) };
                }
            }
        }
        End { at: Moment::never(), result: Ok(Json::Null) }
    }

    /// What a call of a node is called.
    fn name(&self, node: &Node, (visit, attempt): (usize, usize)) -> String {
        within(&self.path, &format!("{}:{visit}:{attempt}", node.id))
    }

    fn one_try(
        &self,
        world: &World<'_>,
        node: &Node,
        place: (usize, usize),
        now: Moment,
        log: &mut Log,
    ) -> End<Json> {
        let input = match node.act {
            Act::Pass => Some(self.last.clone()),
            _ => self.given(&node.given),
        };
        let Some(input) = input else {
            return End { at: now, result: Err(self.fault(node, "template/missing", false)) };
        };
        let name = self.name(node, place);
        match &node.act {
            Act::Pass | Act::Log => End { at: now, result: Ok(input) },
            Act::Ask(replies) => {
                log.push((now, Happening::Asked { name: name.clone(), input: input.clone() }));
                let answered = when(world, &name);
                let result = answer(replies, place, &input).map_err(|code| self.fault(node, code, true));
                if let Some(timeout) = self.timeout(world, node, &name, &answered) {
                    log.push((timeout.clone(), Happening::GaveUp { name }));
                    return End { at: timeout, result: Err(self.fault(node, "node/timeout", true)) };
                }
                if !answered.is_never() {
                    let bytes = result.as_ref().map_or(0, |value: &Json| value.to_string().len());
                    log.push((answered.clone(), Happening::Answered { name, bytes }));
                }
                End { at: answered, result }
            }
            Act::Run(fan) => {
                let mut inner = Log::new();
                let mut end = self.fan(world, node, fan, place, input, now, &mut inner);
                if let Some(timeout) = self.timeout(world, node, &name, &end.at) {
                    end = End { at: timeout, result: Err(self.fault(node, "node/timeout", true)) };
                    cut(&mut inner, &end.at);
                }
                log.append(&mut inner);
                end
            }
        }
    }

    /// When the time of a try is over, if that is before it has ended.
    fn timeout(&self, world: &World<'_>, node: &Node, name: &str, end: &Moment) -> Option<Moment> {
        node.timeout_ms?;
        Some(when(world, &format!("timeout:{name}"))).filter(|timeout| timeout < end)
    }

    #[expect(clippy::too_many_arguments, reason = "all of them are at hand, and none belongs to another")]
    fn fan(
        &self,
        world: &World<'_>,
        node: &Node,
        fan: &Fan,
        (visit, attempt): (usize, usize),
        input: Json,
        now: Moment,
        log: &mut Log,
    ) -> End<Json> {
        let again = if attempt > 1 { format!(":{attempt}") } else { String::new() };
        let path = within(&self.path, &format!("{}:{visit}{again}", node.id));
        let mut scopes: Vec<Scope<'_>> = Vec::new();
        match (fan.shape, &input) {
            (Shape::Map, Json::Array(items)) => {
                for (place, item) in items.iter().enumerate() {
                    let (path, graph) = (format!("{path}/{place}"), &fan.graphs[0].1);
                    let mut scope = Scope::new(graph, Some(self), path, item.clone());
                    (scope.item, scope.index) = (Some(item.clone()), Some(place));
                    scopes.push(scope);
                }
            }
            (Shape::Map, _) => {
                return End { at: now, result: Err(self.fault(node, "map/not-a-list", false)) };
            }
            _ => {
                for (name, graph) in &fan.graphs {
                    let path = if name.is_empty() { path.clone() } else { format!("{path}/{name}") };
                    scopes.push(Scope::new(graph, Some(self), path, input.clone()));
                }
            }
        }
        if scopes.is_empty() {
            let nothing = self.fault(node, "join/none-completed", false);
            let result = if fan.join == Join::Any { Err(nothing) } else { Ok(json!([])) };
            return End { at: now, result };
        }
        let usual = if fan.shape == Shape::Map { 8 } else { usize::MAX };
        let most = fan.concurrency.unwrap_or(usual);
        let mut ends: Vec<End<Json>> = Vec::new();
        let mut running: Vec<usize> = Vec::new();
        for (place, scope) in scopes.iter_mut().enumerate() {
            let (began, turn) = if place < most {
                (now.clone(), now.then(place))
            } else {
                // It takes the place of the one that ends first.
                running.sort_by(|a, b| ends[*a].at.cmp(&ends[*b].at));
                let first = running.remove(0);
                if ends[first].at.is_never() || decides(fan.join, &ends[first].result) {
                    break;
                }
                (ends[first].at.clone(), ends[first].at.then(0))
            };
            let (path, around, id) = (scope.path.clone(), self.path.clone(), node.id.clone());
            log.push((began, Happening::Began { scope: path.clone(), around, node: id }));
            let end = scope.walk(world, turn, log);
            let how = if end.result.is_ok() { "completed" } else { "failed" };
            if !end.at.is_never() {
                log.push((end.at.clone(), Happening::Ended { scope: path, how: how.to_owned() }));
            }
            let result = end.result.map(|_| scope.last.clone());
            ends.push(End { at: end.at, result });
            running.push(place);
        }
        let came = |end: &&End<Json>| !end.at.is_never();
        let deciding = ends.iter().filter(came).filter(|end| decides(fan.join, &end.result));
        if let Some(deciding) = deciding.min_by(|a, b| a.at.cmp(&b.at)) {
            cut(log, &deciding.at);
            // Whatever failed inside, the node as a whole can be tried again.
            let result = deciding.result.clone().map_err(|fault| Fault { again: true, ..fault });
            return End { at: deciding.at.clone(), result };
        }
        if ends.len() < scopes.len() || !ends.iter().all(|end| came(&end)) {
            return End { at: Moment::never(), result: Ok(Json::Null) };
        }
        let last = ends.iter().map(|end| &end.at).max().cloned().unwrap_or(now);
        if fan.join == Join::Any {
            return End { at: last, result: Err(self.fault(node, "join/none-completed", true)) };
        }
        let values = ends.into_iter().map(|end| value(fan.join, end.result));
        let result = match fan.shape {
            Shape::Graph => values.last().unwrap_or_default(),
            Shape::Map => Json::Array(values.collect()),
            Shape::Parallel => {
                let names = fan.graphs.iter().map(|(name, _)| name.clone());
                Json::Object(names.zip(values).collect::<Map<_, _>>())
            }
        };
        End { at: last, result: Ok(result) }
    }
}

/// Whether one end of a graph decides the join alone.
fn decides(join: Join, result: &Result<Json, Fault>) -> bool {
    match join {
        Join::All => result.is_err(),
        Join::Any => result.is_ok(),
        Join::Settled => false,
    }
}

fn value(join: Join, result: Result<Json, Fault>) -> Json {
    match (result, join) {
        (Ok(value), Join::Settled) => json!({"status": "completed", "value": value}),
        (Ok(value), _) => value,
        (Err(fault), _) => json!({"status": "failed", "error": fault.json()}),
    }
}

fn covers(pattern: &str, code: &str) -> bool {
    match pattern.strip_suffix("/*") {
        Some(stage) => code.split('/').next() == Some(stage),
        None => pattern == code,
    }
}

fn when(world: &World<'_>, name: &str) -> Moment {
    world.order.get(name).map_or_else(Moment::never, |step| Moment::of(*step))
}
