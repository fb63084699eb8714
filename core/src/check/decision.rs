//! Decisions on calls, which are named before anybody asks.
//!
//! Decides whether a run of the plan can ask a person under a name: whether there is such a node, whether it asks anybody, and whether a
//! run can come to that visit and that try.

use crate::diagnostic::{brief, near};
use crate::graph::escaped;
use crate::graph::{BRANCHES, Graph, Nested, Node, PlanGraph};
use crate::kind;
use crate::list::List;
use crate::value::list_index;

/// How many calls a help lists.
const MOST_LISTED: usize = 3;
/// How a call ends by which a person is asked for the call of a tool.
const APPROVAL: &str = "approval";

/// Why no run asks a person under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unasked {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
    /// The name that was probably meant.
    pub meant: Option<String>,
    /// Whether it speaks of a node that is not there.
    pub is_unknown: bool,
}

/// Whether a run of a plan can ask a person under the name of this call; why not otherwise.
///
/// `visits` is how often a run may visit a node that does not say so itself, where that is not what the plan says.
///
/// # Example
/// ```
/// use stepgraph_core::{check::check_decision, graph::PlanGraph, source::Format};
/// let plan = PlanGraph::parse("nodes: {ask: {type: approve, input: go}}", Format::Auto).graph.unwrap();
/// assert_eq!(check_decision(&plan, None, "ask:1:1"), None);
/// assert_eq!(check_decision(&plan, None, "aks:1:1").unwrap().meant.as_deref(), Some("ask:1:1"));
/// ```
pub fn check_decision(plan: &PlanGraph, visits: Option<u32>, call: &str) -> Option<Unasked> {
    let visits = visits.unwrap_or(plan.limits.visits);
    let mut name = Name { plan, visits, call, meant: Vec::new(), wrong: None };
    name.graph(&plan.root, &mut call.split('/')).err().or_else(|| name.finish())
}

/// A name as it is read.
struct Name<'a> {
    plan: &'a PlanGraph,
    visits: u32,
    call: &'a str,
    /// Its parts as they should be.
    meant: Vec<String>,
    /// The first thing that is wrong with it: what, whether that is a node which is not there, and what to do.
    wrong: Option<(String, bool, Option<String>)>,
}

impl Name<'_> {
    /// Reads the rest of the name, which stands in a graph.
    fn graph<'n>(&mut self, graph: &Graph, parts: &mut impl Iterator<Item = &'n str>) -> Result<(), Unasked> {
        let Some(part) = parts.next() else { return Err(self.hopeless("names no node", true)) };
        let (id, numbers) = numbered(part);
        let Some(node) = self.node(graph, id) else {
            return Err(self.hopeless(&format!("no node has the id `{}`", brief(id)), true));
        };
        if node.is_broken {
            // Nobody knows what it does.
            self.meant = vec![self.call.to_owned()];
            return Ok(());
        }
        let Some(first) = node.nested.first().filter(|_| holds(node)) else {
            return self.leaf(node, &numbers, parts);
        };
        let (visit, attempt) = self.numbers(node, &numbers, 1);
        let again = if attempt > 1 { format!(":{attempt}") } else { String::new() };
        self.meant.push(format!("{}:{visit}{again}", escaped(&node.id)));
        match first.key {
            BRANCHES => self.branch(node, parts),
            "do" => {
                let place = parts.next().unwrap_or("0");
                if list_index(place).is_none() {
                    self.note(format!("`{}` has no element `{}`", brief(&node.id), brief(place)), None);
                }
                self.meant.push(list_index(place).unwrap_or(0).to_string());
                self.graph(&first.graph, parts)
            }
            _ => self.graph(&first.graph, parts),
        }
    }

    fn branch<'n>(&mut self, node: &Node, parts: &mut impl Iterator<Item = &'n str>) -> Result<(), Unasked> {
        let name = parts.next().unwrap_or_default();
        let found = |name: &str| node.nested.iter().find(|branch| escaped(&branch.name) == name);
        let near = || near(name, node.nested.iter().map(|branch| branch.name.as_str())).and_then(found);
        let message = || format!("`{}` has no branch `{}`", brief(&node.id), brief(name));
        let Some(Nested { name, graph, .. }) = found(name).or_else(|| {
            self.note(message(), None);
            near()
        }) else {
            return Err(self.hopeless(&message(), true));
        };
        self.meant.push(escaped(name).into_owned());
        self.graph(graph, parts)
    }

    /// Reads the node that asks, and what it asks for.
    fn leaf<'n>(
        &mut self,
        node: &Node,
        numbers: &[u32],
        parts: &mut impl Iterator<Item = &'n str>,
    ) -> Result<(), Unasked> {
        let (visit, attempt) = self.numbers(node, numbers, 2);
        self.meant.push(format!("{}:{visit}:{attempt}", escaped(&node.id)));
        let rest = parts.list();
        match asks(node) {
            Asks::Nobody => {
                return Err(self.hopeless(&format!("`{}` asks nobody", brief(&node.id)), false));
            }
            Asks::Itself => {}
            Asks::ForTool => self.meant.push(APPROVAL.to_owned()),
            Asks::ForCalls => {
                let number = |at: usize| rest.get(at).copied().and_then(list_index);
                let turn = number(0).filter(|turn| *turn > 0).unwrap_or(1);
                self.meant.extend([turn.to_string(), number(1).unwrap_or(0).to_string()]);
                self.meant.push(APPROVAL.to_owned());
            }
        }
        Ok(())
    }

    fn node<'g>(&mut self, graph: &'g Graph, id: &str) -> Option<&'g Node> {
        let found = |id: &str| graph.nodes.iter().find(|node| escaped(&node.id) == id);
        if let Some(node) = found(id) {
            return Some(node);
        }
        let bare = id.split(':').next().unwrap_or_default();
        let known = found(bare);
        if known.is_none() {
            self.unknown(id);
        }
        known.or_else(|| near(bare, graph.nodes.iter().map(|node| node.id.as_str())).and_then(found))
    }

    fn unknown(&mut self, id: &str) {
        if self.wrong.is_none() {
            self.wrong = Some((format!("no node has the id `{}`", brief(id)), true, None));
        }
    }

    /// The visit and the try of a node, as far as a run can come to them; `least` of them are needed.
    fn numbers(&mut self, node: &Node, given: &[u32], least: usize) -> (u32, u32) {
        if given.len() < least && self.wrong.is_none() {
            let help = "a call has the number of the visit and of the try";
            self.wrong = Some((String::new(), false, Some(help.to_owned())));
        }
        let id = brief(&node.id);
        let (visits, tries) =
            (node.visits.unwrap_or(self.visits), node.retry.as_ref().map_or(1, |retry| retry.attempts));
        let mut within = |at: usize, most: u32, what: &str| {
            let number = given.get(at).copied().unwrap_or(1);
            if (1..=most).contains(&number) {
                return number;
            }
            let times = if most == 1 { "once".to_owned() } else { format!("{most} times") };
            self.note(format!("`{id}` is {what} {times} at most, and this is number {number}"), None);
            number.clamp(1, most)
        };
        (within(0, visits, "visited"), within(1, tries, "tried"))
    }

    fn note(&mut self, message: String, help: Option<String>) {
        self.wrong.get_or_insert((message, false, help));
    }

    fn finish(self) -> Option<Unasked> {
        let meant = self.meant.join("/");
        if self.wrong.is_none() && meant == self.call {
            return None;
        }
        let (message, is_unknown, help) = self.wrong.unwrap_or_default();
        let call = brief(self.call);
        let message = match message.as_str() {
            "" => format!("no call is called `{call}`"),
            _ => format!("{message}, so no call is called `{call}`"),
        };
        let shown = brief(&meant);
        let help = match help {
            Some(help) => format!("{help}: write `{shown}`"),
            None => format!("did you mean `{shown}`?"),
        };
        Some(Unasked { message, help, meant: Some(meant), is_unknown })
    }

    /// Nothing near is known: lists what the plan asks for.
    fn hopeless(&self, message: &str, is_unknown: bool) -> Unasked {
        let call = brief(self.call);
        let message = if message.starts_with("names") {
            format!("`{call}` {message} that asks")
        } else {
            format!("{message}, so no call is called `{call}`")
        };
        let mut calls = Vec::new();
        list(&self.plan.root, "", &mut calls);
        let listed = calls.iter().take(MOST_LISTED).map(|call| format!("`{}`", brief(call))).list();
        let help = match listed.as_slice() {
            [] => "leave it out: nothing in this plan asks a person".to_owned(),
            listed => format!("name a call of this plan, as in {}", listed.join(", ")),
        };
        Unasked { message, help, meant: None, is_unknown }
    }
}

/// An id and the numbers behind it: at most two, the visit and the try.
fn numbered(part: &str) -> (&str, Vec<u32>) {
    let (mut id, mut numbers) = (part, Vec::new());
    while let Some((before, number)) = id.rsplit_once(':').filter(|_| numbers.len() < 2)
        && let Ok(number) = number.parse::<u32>()
    {
        numbers.insert(0, number);
        id = before;
    }
    (id, numbers)
}

/// Whom a node may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    Nobody,
    /// A person, by itself.
    Itself,
    /// A person, for its tool.
    ForTool,
    /// A person, for the calls that a model chose.
    ForCalls,
}

/// Whom a node may ask, by its type. A type that is not built in may be a tool's name.
pub(super) fn asks(node: &Node) -> Asks {
    match node.kind.as_str() {
        "approve" => Asks::Itself,
        "agent" | "gather" | "execute_tools" => Asks::ForCalls,
        "tool" => Asks::ForTool,
        kind if kind::is_known(kind) && !kind::is_older_name(kind) => Asks::Nobody,
        _ => Asks::ForTool,
    }
}

/// Whether a node runs the graphs inside it.
fn holds(node: &Node) -> bool {
    matches!(node.kind.as_str(), "graph" | "parallel" | "map")
}

/// The calls by which the nodes of a graph ask first.
fn list(graph: &Graph, around: &str, found: &mut Vec<String>) {
    for node in &graph.nodes {
        let id = format!("{around}{}:1", escaped(&node.id));
        for nested in node.nested.iter().filter(|_| holds(node)) {
            let own = match nested.key {
                BRANCHES => format!("/{}", escaped(&nested.name)),
                "do" => "/0".to_owned(),
                _ => String::new(),
            };
            list(&nested.graph, &format!("{id}{own}/"), found);
        }
        match asks(node) {
            Asks::Nobody => {}
            Asks::Itself => found.push(format!("{id}:1")),
            Asks::ForTool => found.push(format!("{id}:1/{APPROVAL}")),
            Asks::ForCalls => found.push(format!("{id}:1/1/0/{APPROVAL}")),
        }
    }
}
