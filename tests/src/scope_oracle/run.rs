//! Runs a plan whose answers and times are known in advance.

use super::composite::CompositeNode;
use super::limits::{apply_limits, replay};
use super::plan::{Edge, EdgeCondition, Graph, InputSource, Limits, Node, NodeBehaviour, answer};
use super::trace::{Log, Moment, OracleEvent, Order, cut, withdraw};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// A run's result.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// `terminal`, `no-match`, or a failure's code and place: `handler/failed at fan:1/a/n2`.
    pub outcome: String,
    /// Last output.
    pub last: Json,
    /// All outputs.
    pub outputs: BTreeMap<String, Json>,
    /// Top-level nodes that ran.
    pub path: Vec<String>,
    /// Numbers of nodes, calls and retries.
    pub counts: (usize, usize, usize),
    /// Events, in order.
    pub log: Vec<OracleEvent>,
}

#[derive(Debug, Clone)]
pub(super) struct NodeFailure {
    pub(super) code: String,
    pub(super) node: String,
    pub(super) scope: String,
    pub(super) again: bool,
}

impl NodeFailure {
    pub(super) fn json(&self) -> Json {
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

pub(super) struct Completion<T> {
    pub(super) at: Moment,
    pub(super) result: Result<T, NodeFailure>,
}

pub(super) struct Scope<'a> {
    pub(super) path: String,
    pub(super) around: Option<&'a Scope<'a>>,
    pub(super) graph: &'a Graph,
    pub(super) input: Json,
    pub(super) last: Json,
    pub(super) item: Option<Json>,
    pub(super) index: Option<usize>,
    pub(super) error: Option<Json>,
    pub(super) outputs: BTreeMap<String, Json>,
    pub(super) visits: Vec<usize>,
}

pub(super) struct RunContext<'a> {
    order: &'a Order,
    visits: usize,
}

pub(super) fn within(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}/{name}") }
}

/// Runs a plan with answers in this order.
pub fn run(graph: &Graph, input: Json, limits: Limits, order: &Order) -> RunResult {
    let world = RunContext { order, visits: limits.visits.unwrap_or(25) };
    let mut scope = Scope::new(graph, None, String::new(), input);
    let mut log = Log::new();
    let mut end = scope.walk(&world, Moment::of(0), &mut log);
    log.sort_by(|(a, _), (b, _)| a.cmp(b));
    if let Some(fault) = apply_limits(&mut log, limits, order) {
        end.result = Err(fault);
        // Top-level steps after that moment did not happen.
        (scope.outputs, scope.last) = replay(graph, &scope.input, &log);
    }
    let outcome = match end.result {
        Ok(reason) => reason,
        Err(fault) => fault.outcome(),
    };
    let count = |what: fn(&OracleEvent) -> bool| log.iter().filter(|(_, happening)| what(happening)).count();
    let counts = (
        count(|happening| matches!(happening, OracleEvent::Entered { .. })),
        count(|happening| matches!(happening, OracleEvent::Called { .. })),
        count(|happening| matches!(happening, OracleEvent::Retried { .. })),
    );
    withdraw(&mut log);
    let told = log.into_iter().map(|(_, happening)| happening);
    let log: Vec<OracleEvent> = told.filter(|told| !matches!(told, OracleEvent::Answered { .. })).collect();
    let path = log.iter().filter_map(|happening| match happening {
        OracleEvent::Entered { scope, node, .. } if scope.is_empty() => Some(node.clone()),
        _ => None,
    });
    RunResult { outcome, last: scope.last, outputs: scope.outputs, path: path.collect(), counts, log }
}

impl<'a> Scope<'a> {
    pub(super) fn new(graph: &'a Graph, around: Option<&'a Scope<'a>>, path: String, input: Json) -> Self {
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

    /// Returns the reason of the end, or the failure.
    pub(super) fn walk(
        &mut self,
        world: &RunContext<'_>,
        start: Moment,
        log: &mut Log,
    ) -> Completion<String> {
        let (mut at, mut now) = (0, start);
        loop {
            let node = &self.graph.nodes[at];
            if self.visits[at] >= node.visits.unwrap_or(world.visits) {
                return Completion { at: now, result: Err(self.fault(node, "run/visit-limit", true)) };
            }
            self.visits[at] += 1;
            let (scope, id) = (self.path.clone(), node.id.clone());
            let entered =
                OracleEvent::Entered { scope: scope.clone(), node: id.clone(), visit: self.visits[at] };
            log.push((now.clone(), entered));
            let end = self.tries(world, at, now, log);
            now = end.at;
            if now.is_never() {
                return Completion { at: now, result: Ok("never".to_owned()) };
            }
            let fault = match end.result {
                Ok(output) => {
                    self.last = output.clone();
                    self.error = None;
                    self.outputs.insert(id.clone(), output.clone());
                    log.push((
                        now.clone(),
                        OracleEvent::Completed { scope: scope.clone(), node: id.clone(), output },
                    ));
                    None
                }
                Err(fault) => {
                    let code = fault.code.clone();
                    log.push((
                        now.clone(),
                        OracleEvent::Failed { scope: scope.clone(), node: id.clone(), code },
                    ));
                    if !self.leaving(at).any(|edge| edge.when.references_error()) {
                        return Completion { at: now, result: Err(fault) };
                    }
                    self.error = Some(fault.json());
                    Some(fault)
                }
            };
            let (next, reason) = self.choose(at, fault.is_some());
            let to = next.map(|next| self.graph.nodes[next].id.clone());
            log.push((
                now.clone(),
                OracleEvent::EdgeTaken { scope, node: id, to, reason: reason.to_owned() },
            ));
            match (next, fault) {
                (Some(next), _) => at = next,
                (None, Some(fault)) => return Completion { at: now, result: Err(fault) },
                (None, None) => return Completion { at: now, result: Ok(reason.to_owned()) },
            }
        }
    }

    fn leaving(&self, at: usize) -> impl Iterator<Item = &'a Edge> + use<'a> {
        self.graph.edges.iter().filter(move |edge| edge.from == at)
    }

    fn choose(&self, at: usize, failed: bool) -> (Option<usize>, &'static str) {
        let held =
            self.leaving(at).find(|edge| (!failed || edge.when.references_error()) && self.holds(&edge.when));
        let fallback = self.leaving(at).find(|edge| !failed && edge.when == EdgeCondition::Always);
        match (held, fallback) {
            (Some(edge), _) => (Some(edge.to), "condition"),
            (None, Some(edge)) => (Some(edge.to), "fallback"),
            (None, None) if self.leaving(at).next().is_none() => (None, "terminal"),
            (None, None) => (None, "no-match"),
        }
    }

    fn holds(&self, when: &EdgeCondition) -> bool {
        match when {
            EdgeCondition::Always => false,
            EdgeCondition::LastIs(text) => self.last == *text,
            EdgeCondition::Failed => self.error().is_some(),
            EdgeCondition::FailedWith(code) => self.error().is_some_and(|error| error["code"] == *code),
            EdgeCondition::OutputIs(name, text) => self.output(name).is_some_and(|value| value == *text),
        }
    }

    fn outward(&self) -> impl Iterator<Item = &Scope<'a>> {
        std::iter::successors(Some(self), |scope| scope.around)
    }

    fn error(&self) -> Option<Json> {
        self.outward().find_map(|scope| scope.error.clone())
    }

    /// Only the nearest graph that has such a node counts.
    fn output(&self, name: &str) -> Option<Json> {
        let owner = self.outward().find(|scope| scope.graph.nodes.iter().any(|node| node.id == name));
        owner?.outputs.get(name).cloned()
    }

    fn given(&self, given: &InputSource) -> Option<Json> {
        let mapped = self.outward().find(|scope| scope.item.is_some());
        match given {
            InputSource::Last => Some(self.last.clone()),
            InputSource::Value(value) => Some(value.clone()),
            InputSource::Item => mapped?.item.clone(),
            InputSource::Index => mapped?.index.map(Json::from),
            InputSource::Input => Some(self.input.clone()),
            InputSource::Output(name) => self.output(name).or_else(|| Some("none".into())),
            InputSource::ErrorCode => self.error().map(|error| error["code"].clone()),
        }
    }

    pub(super) fn fault(&self, node: &Node, code: &str, again: bool) -> NodeFailure {
        NodeFailure { code: code.to_owned(), node: node.id.clone(), scope: self.path.clone(), again }
    }

    fn tries(&self, world: &RunContext<'_>, at: usize, start: Moment, log: &mut Log) -> Completion<Json> {
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
                    log.push((end.at.clone(), OracleEvent::Retried { scope, node, attempt, code }));
                    retry
                }
                _ => return end,
            };
            now = end.at;
            if retry.backoff {
                now = when(world, &format!("wait:{}", self.name(node, place)));
                if now.is_never() {
                    return Completion { at: now, result: Ok(Json::Null) };
                }
            }
        }
        Completion { at: Moment::never(), result: Ok(Json::Null) }
    }

    fn name(&self, node: &Node, (visit, attempt): (usize, usize)) -> String {
        within(&self.path, &format!("{}:{visit}:{attempt}", node.id))
    }

    fn one_try(
        &self,
        world: &RunContext<'_>,
        node: &Node,
        place: (usize, usize),
        now: Moment,
        log: &mut Log,
    ) -> Completion<Json> {
        let input = match node.act {
            NodeBehaviour::Pass => Some(self.last.clone()),
            _ => self.given(&node.given),
        };
        let Some(input) = input else {
            return Completion { at: now, result: Err(self.fault(node, "template/missing", false)) };
        };
        let name = self.name(node, place);
        match &node.act {
            NodeBehaviour::Pass | NodeBehaviour::Log => Completion { at: now, result: Ok(input) },
            NodeBehaviour::Ask(replies) => {
                log.push((now, OracleEvent::Called { name: name.clone(), input: input.clone() }));
                let answered = when(world, &name);
                let result = answer(replies, place, &input).map_err(|code| self.fault(node, code, true));
                if let Some(timeout) = timeout(world, node, &name, &answered) {
                    log.push((timeout.clone(), OracleEvent::Abandoned { name }));
                    return Completion { at: timeout, result: Err(self.fault(node, "node/timeout", true)) };
                }
                if !answered.is_never() {
                    let bytes = result.as_ref().map_or(0, |value: &Json| value.to_string().len());
                    log.push((answered.clone(), OracleEvent::Answered { name, bytes }));
                }
                Completion { at: answered, result }
            }
            NodeBehaviour::Run(fan) => {
                let mut inner = Log::new();
                let composite = CompositeNode { world, node, fan };
                let mut end = self.run_composite(composite, place, &input, now, &mut inner);
                if let Some(timeout) = timeout(world, node, &name, &end.at) {
                    end = Completion { at: timeout, result: Err(self.fault(node, "node/timeout", true)) };
                    cut(&mut inner, &end.at);
                }
                log.append(&mut inner);
                end
            }
        }
    }
}

fn timeout(world: &RunContext<'_>, node: &Node, name: &str, end: &Moment) -> Option<Moment> {
    node.timeout_ms?;
    Some(when(world, &format!("timeout:{name}"))).filter(|timeout| timeout < end)
}

fn covers(pattern: &str, code: &str) -> bool {
    match pattern.strip_suffix("/*") {
        Some(stage) => code.split('/').next() == Some(stage),
        None => pattern == code,
    }
}

fn when(world: &RunContext<'_>, name: &str) -> Moment {
    world.order.get(name).map_or_else(Moment::never, |step| Moment::of(*step))
}
