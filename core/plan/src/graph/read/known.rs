//! Names that tests and stubs may use, and unused stubs.
//!
//! Invariant: A shared stub is valid if any plan uses it.

use super::super::{Graph, Node, PlanGraph, TemplateValue};
use crate::key::{did_you_mean, without_conflicting_fix};
use crate::kind;
use crate::stub::Stubs;
use serde_json::Value as Json;
use std::collections::HashMap;
use stepgraph_schema::{Patterns, Schema};
use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::{Code, Diagnostic, Severity, closest_name, is_typo, shorten_name};
use stepgraph_text::interner::NameTable;
use stepgraph_text::source::{Entry, Spanned};

pub(super) struct KnownNames<'a> {
    pub(super) root_ids: Vec<&'a str>,
    pub(super) nodes: Vec<(String, &'a Node)>,
}

impl<'a> KnownNames<'a> {
    pub(super) fn new(root: &'a Graph) -> Self {
        let mut graphs = Vec::new();
        root.collect(&mut graphs);
        let nodes =
            graphs.iter().flat_map(|graph| graph.nodes.iter().map(|node| (graph.node_path(node), node)));
        Self {
            root_ids: root.nodes.iter().map(|node| node.id.as_str()).collect_vec(),
            nodes: nodes.collect_vec(),
        }
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().map(|(_, node)| node.id.as_str())
    }

    pub(super) fn has_node(&self, name: &str) -> bool {
        self.nodes.iter().any(|(node_path, node)| node.id == name || node_path == name)
    }

    pub(super) fn has_type(&self, name: &str) -> bool {
        self.nodes.iter().any(|(_, node)| node.kind == name || kind::resolve_alias(&node.kind) == name)
    }

    /// The tool may have a server prefix.
    pub(super) fn has_qualified_tool(&self, name: &str) -> bool {
        self.has_tool(name) || name.split_once('.').is_some_and(|(_, tool)| self.has_tool(tool))
    }

    fn has_tool(&self, name: &str) -> bool {
        self.nodes.iter().any(|(_, node)| {
            node.kind == name
                || node.tool.as_ref().is_some_and(|tool| tool.name == name)
                || (matches!(node.kind.as_str(), "agent" | "react") && agent_offers(node, name))
                // Planned calls may use any tool.
                || matches!(node.kind.as_str(), "plan" | "gather" | "execute_tools")
        })
    }

    /// `default` replaces every model that the host lacks.
    pub(super) fn calls_model(&self, name: &str) -> bool {
        self.nodes.iter().filter(|(_, node)| kind::calls_model(&node.kind)).any(|(_, node)| {
            name == "default"
                || model_of(node).is_some_and(|model_name| model_name == name || model_name.contains("${"))
        })
    }

    pub(super) fn may_write(&self, name: &str) -> bool {
        self.nodes
            .iter()
            .any(|(_, node)| kind::possible_named_outputs(&node.kind).any(|written| written == name))
    }

    /// Hosts and stubs may write outputs of any name.
    pub(super) fn needs_host(&self) -> bool {
        self.nodes.iter().any(|(_, node)| node.tool.is_some() || !kind::is_built_in(&node.kind))
    }

    pub(super) fn names(&self, group: &str) -> Vec<String> {
        let mut names = NameTable::default();
        if group == "tools" {
            names.extend(self.nodes.iter().flat_map(|(_, node)| offered_tools(node)));
        }
        let is_other = |kind: &str| kind::is_built_in(kind) && !kind::is_older_name(kind);
        let calls = |node: &Node| group != "tools" || node.tool.is_some() || !is_other(&node.kind);
        names.extend(self.nodes.iter().filter(|(_, node)| calls(node)).map(|(_, node)| match &node.tool {
            Some(tool) if group == "tools" => tool.name.clone(),
            _ if group == "nodes" => node.id.clone(),
            _ if group == "models" => model_of(node).unwrap_or_else(|| "default".to_owned()),
            _ => node.kind.clone(),
        }));
        names.iter().map(str::to_owned).collect_vec()
    }

    fn is_used(&self, group: &str, name: &str) -> bool {
        match group {
            "types" => self.has_type(name),
            "tools" => self.has_qualified_tool(name),
            "models" => self.calls_model(name),
            _ => self.has_node(name),
        }
    }
}

fn model_of(node: &Node) -> Option<String> {
    match node.with.as_ref()?.get("model")? {
        TemplateValue::Constant(Json::String(name)) => Some(name),
        TemplateValue::Template(..) => Some("${}".to_owned()),
        _ => None,
    }
}

fn agent_offers(agent: &Node, name: &str) -> bool {
    let named = agent.with.as_ref().and_then(|with| with.get("tools"));
    match named.as_ref().and_then(TemplateValue::as_constant).and_then(Json::as_array) {
        Some(tools) => tools.iter().any(|tool| tool.as_str() == Some(name)),
        None => true,
    }
}

/// Tools that an agent names.
fn offered_tools(node: &Node) -> Vec<String> {
    if !matches!(node.kind.as_str(), "agent" | "react") {
        return Vec::new();
    }
    let named = node.with.as_ref().and_then(|with| with.get("tools"));
    let tools = named.as_ref().and_then(TemplateValue::as_constant).and_then(Json::as_array);
    tools.into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect_vec()
}

/// Stubs that no checked plan uses.
///
/// # Example
/// ```
/// use stepgraph_plan::{graph::{PlanGraph, UnusedStubs}, stub::Stubs};
/// use stepgraph_text::source::Format;
/// let stubs = Stubs::from_json(&serde_json::json!({"tools": {"pay": "echo", "serch": "echo"}})).unwrap();
/// let mut unused = UnusedStubs::of(&stubs);
/// for tool in ["pay", "search"] {
///     let plan = PlanGraph::parse(&format!("nodes: {{a: {{type: tool, tool: {tool}}}}}"), Format::Auto).graph.unwrap();
///     unused.remove_used_by(&plan);
/// }
/// let found = unused.find(None);
/// assert_eq!(found.len(), 1);
/// assert_eq!(found[0].help.as_deref(), Some("did you mean `search`?"));
/// ```
#[derive(Debug, Default)]
pub struct UnusedStubs {
    stubs: Stubs,
    left: Vec<(&'static str, String)>,
    names: Vec<(&'static str, String)>,
    /// Tools of the host, whose names are surely meant.
    host_tools: NameTable,
    /// Reply schemas by model. `None` if some node accepts any reply.
    expected_replies: HashMap<String, Option<Vec<Schema>>>,
}

impl UnusedStubs {
    /// All stubs.
    pub fn of(stubs: &Stubs) -> Self {
        let all = |group, names: Vec<&str>| {
            names.into_iter().map(move |name| (group, name.to_owned())).collect_vec()
        };
        let nodes = all("nodes", stubs.nodes().collect_vec());
        let [types, tools] =
            [all("types", stubs.types().collect_vec()), all("tools", stubs.tools().collect_vec())];
        let models = all("models", stubs.models().collect_vec());
        let left = types.into_iter().chain(nodes).chain(tools).chain(models).collect_vec();
        Self { stubs: stubs.clone(), left, ..Self::default() }
    }

    /// Marks used stubs.
    pub fn remove_used_by(&mut self, plan: &PlanGraph) {
        let known_names = KnownNames::new(&plan.root);
        self.left.retain(|(group, name)| !known_names.is_used(group, name));
        for group in ["types", "nodes", "tools", "models"] {
            self.names.extend(known_names.names(group).into_iter().map(|name| (group, name)));
        }
        for graph in plan.graphs() {
            for (position, node) in graph.nodes.iter().enumerate() {
                if kind::calls_model(&node.kind) && !self.is_used_at(graph, node) {
                    self.add_expected_replies(graph, position, node);
                }
            }
        }
    }

    fn is_used_at(&self, graph: &Graph, node: &Node) -> bool {
        let node_path = graph.node_path(node);
        self.stubs.nodes().any(|id| id == node.id || id == node_path)
            || self.stubs.types().any(|kind| kind == node.kind || kind == kind::resolve_alias(&node.kind))
    }

    fn add_expected_replies(&mut self, graph: &Graph, position: usize, node: &Node) {
        let name = model_of(node).unwrap_or_else(|| "default".to_owned());
        let has = |name: &str| self.stubs.models().any(|known| known == name);
        let models = if name.contains("${") {
            self.stubs.models().map(str::to_owned).collect_vec()
        } else {
            vec![if has(&name) { name } else { "default".to_owned() }]
        };
        // Handled failures may test a rejected reply.
        let is_strict = kind::resolve_alias(&node.kind) == "llm"
            && !graph.edges_from(position).any(|edge| edge.condition.references_error());
        let schema = node.with.as_ref().and_then(|with| with.get("schema"));
        let schema = schema
            .as_ref()
            .and_then(TemplateValue::as_constant)
            .filter(|schema| is_strict && schema.is_object());
        for model in models {
            let read = schema.and_then(|schema| Schema::compile(schema, &(), Patterns::default()).ok());
            let wanted = self.expected_replies.entry(model).or_insert_with(|| Some(Vec::new()));
            match (read, wanted.as_mut()) {
                (Some(schema), Some(schemas)) => schemas.push(schema),
                _ => *wanted = None,
            }
        }
    }

    /// Warns of stubs whose replies no calling node accepts.
    pub fn rejected_replies(&self, root: Option<&Spanned>) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for model in self.stubs.models() {
            let (Some(values), Some(Some(schemas))) =
                (self.stubs.model_replies(model), self.expected_replies.get(model))
            else {
                continue;
            };
            let why = |(value, schema): (&Json, &Schema)| {
                let report = schema.validate(value, Patterns::default());
                report.violations.into_iter().next().filter(|_| !report.is_incomplete)
            };
            let pairs = values.iter().flat_map(|value| schemas.iter().map(|schema| (*value, schema)));
            let violations: Option<Vec<_>> = pairs.map(why).collect();
            let Some(first) = violations.and_then(|all| all.into_iter().next()) else { continue };
            let message = format!(
                "the reply of the model `{}` fits none of its nodes: {}",
                shorten_name(model),
                first.message
            );
            let mut diagnostic = Diagnostic::new(Code::StubResult, message);
            diagnostic.severity = Severity::Warning;
            let entry = root.and_then(|root| root.get("models")).and_then(|models| models.value.get(model));
            diagnostic.span = entry.map(|entry| entry.value.span);
            diagnostics.push(
                diagnostic.help("return a value that matches `with.schema` of the node, or write `fail`"),
            );
        }
        diagnostics
    }

    /// Warns of unused stubs and rejected replies, with spans in `root`.
    pub fn find(&self, root: Option<&Spanned>) -> Vec<Diagnostic> {
        let (mut found, mut others, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for (group, name) in &self.left {
            let unused = self.report(group, name, root);
            if unused.code == Code::UnusedStub && unused.help.as_deref() == Some(REMOVE) {
                names.push(name.as_str());
                others.push(unused);
            } else {
                found.push(unused);
            }
        }
        found.extend(unused_together(others, &names));
        found.extend(self.rejected_replies(root));
        found
    }

    fn report(&self, group: &str, name: &str, root: Option<&Spanned>) -> Diagnostic {
        let mut diagnostic = unused_stub(group, name);
        let entries =
            root.and_then(|root| root.get(group)).and_then(|entry| entry.value.as_map()).unwrap_or(&[]);
        if let Some(entry) = entries.iter().find(|entry| entry.key == name) {
            diagnostic = diagnostic.at(entry.key_span);
        }
        let names = || self.names.iter().filter(|(kind, _)| *kind == group).map(|(_, name)| name.as_str());
        let is_known = group == "tools" && self.host_tools.contains(name);
        let typo = names().find(|meant| !is_known && is_typo(name, meant) && !self.has_stub(group, meant));
        let meant = typo.or_else(|| closest_name(name, names()));
        with_suggestion(diagnostic, meant.map(|meant| (meant, typo.is_some())), group, name, entries)
    }

    fn has_stub(&self, group: &str, name: &str) -> bool {
        match group {
            "nodes" => self.stubs.nodes().any(|known| known == name),
            "types" => self.stubs.types().any(|known| known == name),
            "tools" => self.stubs.tools().any(|known| known == name),
            _ => self.stubs.models().any(|known| known == name),
        }
    }
}

/// Warns of the host's unused stubs for types, tools and models. Misspelt ones are errors.
pub fn unused_stubs(plan: &PlanGraph, stubs: &Stubs, host_tools: &NameTable) -> Vec<Diagnostic> {
    let mut unused = UnusedStubs { host_tools: host_tools.clone(), ..UnusedStubs::of(stubs) };
    unused.remove_used_by(plan);
    // Handlers of nodes are checked elsewhere.
    unused.left.retain(|(group, _)| *group != "nodes");
    unused.find(None)
}

const REMOVE: &str = "remove it";

/// One hint at stubs whose names resemble none of the plan, since stubs may be for several plans.
fn unused_together(unused: Vec<Diagnostic>, names: &[&str]) -> Option<Diagnostic> {
    let mut first = unused.into_iter().next()?;
    if let [name, _, ..] = names {
        let name = shorten_name(name);
        first.message = format!("no node uses {} of the stubs, such as `{name}`", names.len());
    }
    first.severity = Severity::Hint;
    Some(first.help("keep them if they are for several plans"))
}

/// A typo is an error, because the call that has no stub would be a real one. A similar name that has a stub, too, is
/// none: stubs may be for several plans. No fix for tools, types and models: the plan may have the typo.
pub(super) fn with_suggestion(
    diagnostic: Diagnostic,
    meant: Option<(&str, bool)>,
    group: &str,
    name: &str,
    entries: &[Entry],
) -> Diagnostic {
    let Some((meant, is_typo)) = meant else { return diagnostic.help(REMOVE) };
    let mut diagnostic = without_conflicting_fix(did_you_mean(diagnostic, meant, name), entries);
    if is_typo {
        diagnostic.severity = Severity::Error;
    }
    if group == "nodes" { diagnostic } else { Diagnostic { fix: Vec::new(), ..diagnostic } }
}

pub(super) fn unused_stub(group: &str, name: &str) -> Diagnostic {
    let name = shorten_name(name);
    match group {
        "nodes" => Diagnostic::new(Code::UnknownHandler, format!("no node has the id `{name}`")),
        _ => {
            let what = group.trim_end_matches('s');
            let verb = if group == "models" { "asks" } else { "has" };
            let message = format!("no node {verb} the {what} `{name}`, so this stub is unused");
            Diagnostic::new(Code::UnusedStub, message)
        }
    }
}
