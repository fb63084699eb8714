//! Decides whether a run can ask for an approval under a call's name: the node asks, and the visit and attempt are
//! reachable.

use crate::collect::CollectVec;
use crate::diagnostic::{closest_name, shorten_name};
use crate::graph::escape_id;
use crate::graph::{BRANCHES, Graph, Nested, Node, PlanGraph};
use crate::kind;
use crate::value::list_index;

const MAX_LISTED: usize = 3;
/// Suffix for tool approvals.
const APPROVAL: &str = "approval";

/// Why no run asks for a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionProblem {
    /// The message.
    pub message: String,
    /// Remedy.
    pub help: String,
    /// Probable name.
    pub suggestion: Option<String>,
    /// Whether the node doesn't exist.
    pub is_unknown: bool,
}

/// Why no run can ask for approval under this name, `None` if one can.
///
/// `visits` replaces the plan's limit, but not a node's own.
///
/// # Example
/// ```
/// use stepgraph_core::{check::check_decision, graph::PlanGraph, source::Format};
/// let plan = PlanGraph::parse("nodes: {ask: {type: approve, input: go}}", Format::Auto).graph.unwrap();
/// assert_eq!(check_decision(&plan, None, "ask:1:1"), None);
/// assert_eq!(check_decision(&plan, None, "aks:1:1").unwrap().suggestion.as_deref(), Some("ask:1:1"));
/// ```
pub fn check_decision(plan: &PlanGraph, visits: Option<u32>, call: &str) -> Option<DecisionProblem> {
    let visits = visits.unwrap_or(plan.limits.visits);
    let mut name = CallNameReader { plan, visits, call, suggestion: Vec::new(), first_error: None };
    name.graph(&plan.root, &mut call.split('/')).err().or_else(|| name.finish())
}

struct CallNameReader<'a> {
    plan: &'a PlanGraph,
    visits: u32,
    call: &'a str,
    suggestion: Vec<String>,
    /// Message, whether a node is missing, and help.
    first_error: Option<(String, bool, Option<String>)>,
}

impl CallNameReader<'_> {
    fn graph<'n>(
        &mut self,
        graph: &Graph,
        parts: &mut impl Iterator<Item = &'n str>,
    ) -> Result<(), DecisionProblem> {
        let Some(part) = parts.next() else { return Err(self.no_node()) };
        let (id, numbers) = split_numbers(part);
        let Some(node) = self.node(graph, id) else {
            return Err(self.no_such_call(&format!("no node has the id `{}`", shorten_name(id)), true));
        };
        if node.is_broken {
            // This node's structure is unknown.
            self.suggestion = vec![self.call.to_owned()];
            return Ok(());
        }
        let Some(first) = node.nested.first().filter(|_| has_nested(node)) else {
            return self.leaf(node, &numbers, parts);
        };
        let (visit, attempt) = self.numbers(node, &numbers, 1);
        let again = if attempt > 1 { format!(":{attempt}") } else { String::new() };
        self.suggestion.push(format!("{}:{visit}{again}", escape_id(&node.id)));
        match first.key {
            BRANCHES => self.branch(node, parts),
            "do" => {
                let element = parts.next().unwrap_or("0");
                if list_index(element).is_none() {
                    self.add_error(
                        format!("`{}` has no element `{}`", shorten_name(&node.id), shorten_name(element)),
                        None,
                    );
                }
                self.suggestion.push(list_index(element).unwrap_or(0).to_string());
                self.graph(&first.graph, parts)
            }
            _ => self.graph(&first.graph, parts),
        }
    }

    fn branch<'n>(
        &mut self,
        node: &Node,
        parts: &mut impl Iterator<Item = &'n str>,
    ) -> Result<(), DecisionProblem> {
        let name = parts.next().unwrap_or_default();
        let found = |name: &str| node.nested.iter().find(|branch| escape_id(&branch.name) == name);
        let near =
            || closest_name(name, node.nested.iter().map(|branch| branch.name.as_str())).and_then(found);
        let message = || format!("`{}` has no branch `{}`", shorten_name(&node.id), shorten_name(name));
        let Some(Nested { name, graph, .. }) = found(name).or_else(|| {
            self.add_error(message(), None);
            near()
        }) else {
            return Err(self.no_such_call(&message(), true));
        };
        self.suggestion.push(escape_id(name).into_owned());
        self.graph(graph, parts)
    }

    fn leaf<'n>(
        &mut self,
        node: &Node,
        numbers: &[u32],
        parts: &mut impl Iterator<Item = &'n str>,
    ) -> Result<(), DecisionProblem> {
        let (visit, attempt) = self.numbers(node, numbers, 2);
        self.suggestion.push(format!("{}:{visit}:{attempt}", escape_id(&node.id)));
        let rest = parts.collect_vec();
        match approval_source(node) {
            ApprovalSource::None => {
                return Err(
                    self.no_such_call(&format!("`{}` asks for no decision", shorten_name(&node.id)), false)
                );
            }
            ApprovalSource::Node => {}
            ApprovalSource::Tool => self.suggestion.push(APPROVAL.to_owned()),
            ApprovalSource::ModelCalls => {
                let number = |at: usize| rest.get(at).copied().and_then(list_index);
                let turn = number(0).filter(|turn| *turn > 0).unwrap_or(1);
                self.suggestion.extend([turn.to_string(), number(1).unwrap_or(0).to_string()]);
                self.suggestion.push(APPROVAL.to_owned());
            }
        }
        Ok(())
    }

    fn node<'g>(&mut self, graph: &'g Graph, id: &str) -> Option<&'g Node> {
        let found = |id: &str| graph.nodes.iter().find(|node| escape_id(&node.id) == id);
        if let Some(node) = found(id) {
            return Some(node);
        }
        let bare = id.split(':').next().unwrap_or_default();
        let known = found(bare);
        if known.is_none() {
            self.add_unknown_node(id);
        }
        known.or_else(|| closest_name(bare, graph.nodes.iter().map(|node| node.id.as_str())).and_then(found))
    }

    fn add_unknown_node(&mut self, id: &str) {
        if self.first_error.is_none() {
            self.first_error = Some((format!("no node has the id `{}`", shorten_name(id)), true, None));
        }
    }

    /// Checks visit and attempt against the limits. The name must have `least` of them.
    fn numbers(&mut self, node: &Node, given: &[u32], least: usize) -> (u32, u32) {
        if given.len() < least && self.first_error.is_none() {
            let help = "a call has the number of the visit and of the try";
            self.first_error = Some((String::new(), false, Some(help.to_owned())));
        }
        let id = shorten_name(&node.id);
        let (visits, tries) =
            (node.visits.unwrap_or(self.visits), node.retry.as_ref().map_or(1, |retry| retry.attempts));
        let mut within = |at: usize, limit: u32, what: &str| {
            let number = given.get(at).copied().unwrap_or(1);
            if (1..=limit).contains(&number) {
                return number;
            }
            let times = if limit == 1 { "once".to_owned() } else { format!("{limit} times") };
            self.add_error(format!("`{id}` is {what} {times} at most, and this is number {number}"), None);
            number.clamp(1, limit)
        };
        (within(0, visits, "visited"), within(1, tries, "tried"))
    }

    fn add_error(&mut self, message: String, help: Option<String>) {
        self.first_error.get_or_insert((message, false, help));
    }

    fn finish(self) -> Option<DecisionProblem> {
        let meant = self.suggestion.join("/");
        if self.first_error.is_none() && meant == self.call {
            return None;
        }
        let (message, is_unknown, help) = self.first_error.unwrap_or_default();
        let call = shorten_name(self.call);
        let message = match message.as_str() {
            "" => format!("no call is called `{call}`"),
            _ => format!("{message}, so no call is called `{call}`"),
        };
        let shown = shorten_name(&meant);
        let help = match help {
            Some(help) => format!("{help}: write `{shown}`"),
            None => format!("did you mean `{shown}`?"),
        };
        Some(DecisionProblem { message, help, suggestion: Some(meant), is_unknown })
    }

    #[inline(never)]
    fn no_node(&self) -> DecisionProblem {
        let message = format!("`{}` names no node that asks for a decision", shorten_name(self.call));
        self.without_suggestion(message, true)
    }

    #[inline(never)]
    fn no_such_call(&self, why: &str, is_unknown: bool) -> DecisionProblem {
        let message = format!("{why}, so no call is called `{}`", shorten_name(self.call));
        self.without_suggestion(message, is_unknown)
    }

    /// Lists the plan's approvals if no name is similar.
    fn without_suggestion(&self, message: String, is_unknown: bool) -> DecisionProblem {
        let mut calls = Vec::new();
        collect_calls(&self.plan.root, "", &mut calls);
        let listed =
            calls.iter().take(MAX_LISTED).map(|call| format!("`{}`", shorten_name(call))).collect_vec();
        let help = match listed.as_slice() {
            [] => "leave it out: nothing in this plan asks for a decision".to_owned(),
            listed => format!("name a call of this plan, as in {}", listed.join(", ")),
        };
        DecisionProblem { message, help, suggestion: None, is_unknown }
    }
}

/// At most two numbers: visit and attempt.
fn split_numbers(part: &str) -> (&str, Vec<u32>) {
    let (mut id, mut numbers) = (part, Vec::new());
    while let Some((before, number)) = id.rsplit_once(':').filter(|_| numbers.len() < 2)
        && let Ok(number) = number.parse::<u32>()
    {
        numbers.insert(0, number);
        id = before;
    }
    (id, numbers)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ApprovalSource {
    None,
    Node,
    Tool,
    ModelCalls,
}

/// Types that are not built in may be tools.
pub(super) fn approval_source(node: &Node) -> ApprovalSource {
    match node.kind.as_str() {
        "approve" => ApprovalSource::Node,
        "agent" | "gather" | "execute_tools" => ApprovalSource::ModelCalls,
        "tool" => ApprovalSource::Tool,
        kind if kind::is_built_in(kind) && !kind::is_older_name(kind) => ApprovalSource::None,
        _ => ApprovalSource::Tool,
    }
}

fn has_nested(node: &Node) -> bool {
    matches!(node.kind.as_str(), "graph" | "parallel" | "map")
}

fn collect_calls(graph: &Graph, around: &str, found: &mut Vec<String>) {
    for node in &graph.nodes {
        let id = format!("{around}{}:1", escape_id(&node.id));
        for nested in node.nested.iter().filter(|_| has_nested(node)) {
            let own = match nested.key {
                BRANCHES => format!("/{}", escape_id(&nested.name)),
                "do" => "/0".to_owned(),
                _ => String::new(),
            };
            collect_calls(&nested.graph, &format!("{id}{own}/"), found);
        }
        match approval_source(node) {
            ApprovalSource::None => {}
            ApprovalSource::Node => found.push(format!("{id}:1")),
            ApprovalSource::Tool => found.push(format!("{id}:1/{APPROVAL}")),
            ApprovalSource::ModelCalls => found.push(format!("{id}:1/1/0/{APPROVAL}")),
        }
    }
}
