//! What the tests and stubs of a plan may speak of, and which stubs no plan has a use for.
//!
//! Invariant: a stubs file that several plans share is judged by all of them together. A stub that one of them uses is no
//! mistake in another.

use super::super::{Graph, Node, PlanGraph, Texts};
use crate::key::{did_you_mean, mendable};
use crate::kind;
use crate::stub::Stubs;
use serde_json::Value as Json;
use std::collections::HashMap;
use stepgraph_schema::{Patterns, Schema};
use stepgraph_text::diagnostic::{Code, Diagnostic, Severity, brief, near};
use stepgraph_text::list::List;
use stepgraph_text::names::Names;
use stepgraph_text::source::{Entry, Spanned};

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
        self.nodes.iter().any(|(_, node)| node.kind == name || kind::meant(&node.kind) == name)
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
        self.nodes.iter().filter(|(_, node)| kind::asks_model(&node.kind)).any(|(_, node)| {
            name == "default" || asked(node).is_some_and(|asked| asked == name || asked.contains("${"))
        })
    }

    /// Whether a node writes an output of that name beside its own.
    pub(super) fn may_write(&self, name: &str) -> bool {
        self.nodes.iter().any(|(_, node)| kind::may_write(&node.kind).any(|written| written == name))
    }

    /// Whether a host, or a stub, answers for a node: either may write outputs of any name.
    pub(super) fn asks_host(&self) -> bool {
        self.nodes.iter().any(|(_, node)| node.tool.is_some() || !kind::is_known(&node.kind))
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
/// use stepgraph_plan::{graph::{PlanGraph, UnusedStubs}, stub::Stubs};
/// use stepgraph_text::source::Format;
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
#[derive(Debug, Default)]
pub struct UnusedStubs {
    stubs: Stubs,
    left: Vec<(&'static str, String)>,
    /// The names that they could have meant.
    names: Vec<(&'static str, String)>,
    /// What the nodes want that ask each model; nothing where one of them takes any answer.
    wanted: HashMap<String, Option<Vec<Schema>>>,
}

impl UnusedStubs {
    /// All stubs, which nobody has used yet.
    pub fn of(stubs: &Stubs) -> Self {
        let all =
            |group, names: Vec<&str>| names.into_iter().map(move |name| (group, name.to_owned())).list();
        let nodes = all("nodes", stubs.nodes().list());
        let [types, tools] = [all("types", stubs.types().list()), all("tools", stubs.tools().list())];
        let models = all("models", stubs.models().list());
        let left = types.into_iter().chain(nodes).chain(tools).chain(models).list();
        Self { stubs: stubs.clone(), left, ..Self::default() }
    }

    /// Leaves out those for which a plan has a use.
    pub fn look_at(&mut self, plan: &PlanGraph) {
        let known = Known::new(&plan.root);
        self.left.retain(|(group, name)| !known.uses(group, name));
        for group in ["types", "nodes", "tools", "models"] {
            self.names.extend(known.names(group).into_iter().map(|name| (group, name)));
        }
        for graph in plan.graphs() {
            for (position, node) in graph.nodes.iter().enumerate() {
                if kind::asks_model(&node.kind) && !self.stands_in(graph, node) {
                    self.want(graph, position, node);
                }
            }
        }
    }

    fn stands_in(&self, graph: &Graph, node: &Node) -> bool {
        let place = graph.place(node);
        self.stubs.nodes().any(|id| id == node.id || id == place)
            || self.stubs.types().any(|kind| kind == node.kind || kind == kind::meant(&node.kind))
    }

    /// Notes what a node wants of the model that it asks.
    fn want(&mut self, graph: &Graph, position: usize, node: &Node) {
        let name = asked(node).unwrap_or_else(|| "default".to_owned());
        let has = |name: &str| self.stubs.models().any(|known| known == name);
        let models = if name.contains("${") {
            self.stubs.models().map(str::to_owned).list()
        } else {
            vec![if has(&name) { name } else { "default".to_owned() }]
        };
        // A plan that goes on after a failure may want to be tried out with an answer that is refused.
        let is_strict = kind::meant(&node.kind) == "llm"
            && !graph.edges_from(position).any(|edge| edge.condition.mentions_error());
        let schema = node.with.as_ref().and_then(|with| with.get("schema"));
        let schema =
            schema.as_ref().and_then(Texts::constant).filter(|schema| is_strict && schema.is_object());
        for model in models {
            let read = schema.and_then(|schema| Schema::compile(schema, &(), Patterns::default()).ok());
            let wanted = self.wanted.entry(model).or_insert_with(|| Some(Vec::new()));
            match (read, wanted.as_mut()) {
                (Some(schema), Some(schemas)) => schemas.push(schema),
                _ => *wanted = None,
            }
        }
    }

    /// Warnings of models whose stub says nothing that a node takes which asks them.
    pub fn refused(&self, root: Option<&Spanned>) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for model in self.stubs.models() {
            let (Some(values), Some(Some(schemas))) = (self.stubs.answers(model), self.wanted.get(model))
            else {
                continue;
            };
            let why = |(value, schema): (&Json, &Schema)| {
                let report = schema.validate(value, Patterns::default());
                report.violations.into_iter().next().filter(|_| !report.unfinished)
            };
            let pairs = values.iter().flat_map(|value| schemas.iter().map(|schema| (*value, schema)));
            let violations: Option<Vec<_>> = pairs.map(why).collect();
            let Some(first) = violations.and_then(|all| all.into_iter().next()) else { continue };
            let message =
                format!("no node takes what the model `{}` says here: {}", brief(model), first.message);
            let mut problem = Diagnostic::new(Code::StubResult, message);
            problem.severity = Severity::Warning;
            let entry = root.and_then(|root| root.get("models")).and_then(|models| models.value.get(model));
            problem.span = entry.map(|entry| entry.value.span);
            found.push(
                problem.help("return what `with.schema` of the node says that asks it, or write `fail`"),
            );
        }
        found
    }

    /// Warnings of those that are left, and of those whose answers nobody takes, at their place in the tree of the file, where there is one.
    pub fn find(&self, root: Option<&Spanned>) -> Vec<Diagnostic> {
        let unused = self.left.iter().map(|(group, name)| self.report(group, name, root));
        unused.chain(self.refused(root)).list()
    }

    fn report(&self, group: &str, name: &str, root: Option<&Spanned>) -> Diagnostic {
        let mut problem = unused(group, name);
        let entries =
            root.and_then(|root| root.get(group)).and_then(|entry| entry.value.as_map()).unwrap_or(&[]);
        if let Some(entry) = entries.iter().find(|entry| entry.key == name) {
            problem = problem.at(entry.key_span);
        }
        let names = self.names.iter().filter(|(kind, _)| *kind == group).map(|(_, name)| name.as_str());
        meant_by(problem, near(name, names), group, name, entries)
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

/// The same with the name that was probably meant. The name of a tool, a type or a model may be the one that is misspelt in the plan, so
/// it is told and not put in the place of the stub's.
pub(super) fn meant_by(
    problem: Diagnostic,
    meant: Option<&str>,
    group: &str,
    name: &str,
    entries: &[Entry],
) -> Diagnostic {
    let Some(meant) = meant else { return problem.help("remove it") };
    let problem = mendable(did_you_mean(problem, meant, name), entries);
    if group == "nodes" { problem } else { Diagnostic { fix: Vec::new(), ..problem } }
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
