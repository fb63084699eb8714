//! What the tests and stubs of a plan may speak of, and which stubs no plan has a use for.
//!
//! Invariant: a stubs file that several plans share is judged by all of them together. A stub that one of them uses is no
//! mistake in another.

use super::super::shape::did_you_mean;
use super::super::{Graph, Node, PlanGraph, Texts};
use super::cases::mendable;
use crate::diagnostic::{Code, Diagnostic, brief, near};
use crate::list::List;
use crate::names::Names;
use crate::node;
use crate::source::Spanned;
use crate::stub::Stubs;
use serde_json::Value as Json;

/// What the tests of a plan may speak of.
pub(super) struct Known<'a> {
    /// Ids in the plan's own graph.
    pub(super) own: Vec<&'a str>,
    /// Every node with its place.
    pub(super) nodes: Vec<(String, &'a Node)>,
}

impl<'a> Known<'a> {
    pub(super) fn new(root: &'a Graph) -> Self {
        let mut graphs = Vec::new();
        root.collect(&mut graphs);
        let nodes = graphs.iter().flat_map(|graph| graph.nodes.iter().map(|node| (graph.place(node), node)));
        Self { own: root.nodes.iter().map(|node| node.id.as_str()).list(), nodes: nodes.list() }
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().map(|(_, node)| node.id.as_str())
    }

    pub(super) fn has_node(&self, name: &str) -> bool {
        self.nodes.iter().any(|(place, node)| node.id == name || place == name)
    }

    pub(super) fn has_type(&self, name: &str) -> bool {
        self.nodes.iter().any(|(_, node)| node.kind == name || node::meant(&node.kind) == name)
    }

    /// Whether a node may call a tool of that name, which may begin with its server's.
    pub(super) fn has_listed(&self, name: &str) -> bool {
        self.has_tool(name) || name.split_once('.').is_some_and(|(_, tool)| self.has_tool(tool))
    }

    fn has_tool(&self, name: &str) -> bool {
        self.nodes.iter().any(|(_, node)| {
            node.kind == name
                || node.tool.as_ref().is_some_and(|tool| tool.name == name)
                || (matches!(node.kind.as_str(), "agent" | "react") && offers(node, name))
                // What is planned may be any tool, and so may what is carried out.
                || matches!(node.kind.as_str(), "plan" | "gather" | "execute_tools")
        })
    }

    /// Whether a node may ask that model. `default` answers for every name that a host has no model for.
    pub(super) fn asks(&self, name: &str) -> bool {
        self.nodes.iter().filter(|(_, node)| node::asks_model(&node.kind)).any(|(_, node)| {
            name == "default" || asked(node).is_some_and(|asked| asked == name || asked.contains("${"))
        })
    }

    /// Whether a node writes an output of that name beside its own.
    pub(super) fn may_write(&self, name: &str) -> bool {
        self.nodes.iter().any(|(_, node)| node::may_write(&node.kind).any(|written| written == name))
    }

    /// Whether a host, or a stub, answers for a node: either may write outputs of any name.
    pub(super) fn asks_host(&self) -> bool {
        self.nodes.iter().any(|(_, node)| node.tool.is_some() || !node::is_known(&node.kind))
    }

    /// The names that stubs of a group could have.
    pub(super) fn names(&self, group: &str) -> Vec<String> {
        let mut names = Names::default();
        names.extend(self.nodes.iter().map(|(_, node)| match &node.tool {
            Some(tool) if group == "tools" => tool.name.clone(),
            _ if group == "nodes" => node.id.clone(),
            _ if group == "models" => asked(node).unwrap_or_else(|| "default".to_owned()),
            _ => node.kind.clone(),
        }));
        names.iter().map(str::to_owned).list()
    }

    fn uses(&self, group: &str, name: &str) -> bool {
        match group {
            "types" => self.has_type(name),
            "tools" => self.has_listed(name),
            "models" => self.asks(name),
            _ => self.has_node(name),
        }
    }
}

/// The model that a node asks, by its settings.
fn asked(node: &Node) -> Option<String> {
    match node.with.as_ref()?.get("model")? {
        Texts::Constant(Json::String(name)) => Some(name),
        Texts::Template(..) => Some("${}".to_owned()),
        _ => None,
    }
}

/// Whether an agent may call a tool of that name, as far as the plan says.
fn offers(agent: &Node, name: &str) -> bool {
    let named = agent.with.as_ref().and_then(|with| with.get("tools"));
    match named.as_ref().and_then(Texts::constant).and_then(Json::as_array) {
        Some(tools) => tools.iter().any(|tool| tool.as_str() == Some(name)),
        None => true,
    }
}

/// The stubs of a file for which no plan has a use, of those plans that were looked at.
///
/// # Example
/// ```
/// use stepgraph_core::{graph::{PlanGraph, UnusedStubs}, source::Format, stub::Stubs};
/// let stubs = Stubs::from_json(&serde_json::json!({"tools": {"pay": "echo", "serch": "echo"}})).unwrap();
/// let mut unused = UnusedStubs::of(&stubs);
/// for tool in ["pay", "search"] {
///     let plan = PlanGraph::parse(&format!("nodes: {{a: {{type: tool, tool: {tool}}}}}"), Format::Auto).graph.unwrap();
///     unused.look_at(&plan);
/// }
/// let found = unused.find(None);
/// assert_eq!(found.len(), 1);
/// assert_eq!(found[0].help.as_deref(), Some("did you mean `search`?"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct UnusedStubs {
    left: Vec<(&'static str, String)>,
    /// The names that they could have meant.
    names: Vec<(&'static str, String)>,
}

impl UnusedStubs {
    /// All stubs, which nobody has used yet.
    pub fn of(stubs: &Stubs) -> Self {
        let all =
            |group, names: Vec<&str>| names.into_iter().map(move |name| (group, name.to_owned())).list();
        let nodes = all("nodes", stubs.nodes().list());
        let [types, tools] = [all("types", stubs.types().list()), all("tools", stubs.tools().list())];
        let models = all("models", stubs.models().list());
        Self { left: types.into_iter().chain(nodes).chain(tools).chain(models).list(), names: Vec::new() }
    }

    /// Leaves out those for which a plan has a use.
    pub fn look_at(&mut self, plan: &PlanGraph) {
        let known = Known::new(&plan.root);
        self.left.retain(|(group, name)| !known.uses(group, name));
        for group in ["types", "nodes", "tools", "models"] {
            self.names.extend(known.names(group).into_iter().map(|name| (group, name)));
        }
    }

    /// Warnings of those that are left, at their place in the tree of the file, where there is one.
    pub fn find(&self, root: Option<&Spanned>) -> Vec<Diagnostic> {
        self.left.iter().map(|(group, name)| self.report(group, name, root)).list()
    }

    fn report(&self, group: &str, name: &str, root: Option<&Spanned>) -> Diagnostic {
        let mut problem = unused(group, name);
        let entries =
            root.and_then(|root| root.get(group)).and_then(|entry| entry.value.as_map()).unwrap_or(&[]);
        if let Some(entry) = entries.iter().find(|entry| entry.key == name) {
            problem = problem.at(entry.key_span);
        }
        let names = self.names.iter().filter(|(kind, _)| *kind == group).map(|(_, name)| name.as_str());
        let problem = match near(name, names) {
            Some(meant) => did_you_mean(problem, meant, name),
            None => problem.help("remove it"),
        };
        mendable(problem, entries)
    }
}

/// Warnings of stubs that a host has for types, tools and models, and for which this plan has no use.
pub fn unused_stubs(plan: &PlanGraph, stubs: &Stubs) -> Vec<Diagnostic> {
    let mut unused = UnusedStubs::of(stubs);
    unused.look_at(plan);
    // A stub of a node is a handler by id, which is looked at with those of the host.
    unused.left.retain(|(group, _)| *group != "nodes");
    unused.find(None)
}

/// A stub that nobody uses.
pub(super) fn unused(group: &str, name: &str) -> Diagnostic {
    let name = brief(name);
    match group {
        "nodes" => Diagnostic::new(Code::UnknownHandler, format!("no node has the id `{name}`")),
        _ => {
            let what = group.trim_end_matches('s');
            let verb = if group == "models" { "asks" } else { "has" };
            let message = format!("no node {verb} the {what} `{name}`, so this stub stands in for nothing");
            Diagnostic::new(Code::UnusedStub, message)
        }
    }
}
