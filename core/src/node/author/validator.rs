//! The judgement of a generated plan.
//!
//! Decides whether it may be given out: our own checker finds nothing wrong with it, it uses nothing but browsed components and structure,
//! names no server, and leaves trusted values to the run. A model that was talked into something by a tool's description or by the request
//! gets no further than here.
//!
//! Source: `docs/authoring.md`, "Validation".

mod inputs;

use super::browsing::{chosen, component};
use super::generator::{MOST, problem};
use super::planning::STRUCTURE;
use crate::diagnostic::{Code, Diagnostic, Target, brief, near};
use crate::expr::{Part, Root};
use crate::graph::{self, Graph, Node, PlanGraph, Texts, within};
use crate::host::Capabilities;
use crate::list::List;
use crate::names::Names;
use crate::node::meant;
use crate::node::mind::{Asked, Told};
use crate::source::Format;
use crate::tool::Catalogue;
use crate::value::json_text;
use serde_json::{Value as Json, json};

/// Warnings that mean a plan would most likely fail; as long as the model may be asked again it is told of them.
const GRAVE: [Code; 5] =
    [Code::NeverThere, Code::UnknownOutput, Code::UnknownPath, Code::ForeignTemplate, Code::UnreachableNode];

/// A place of a plan, as text; empty for all of it.
pub(super) fn place(target: &Target) -> String {
    match target {
        Target::Document | Target::Call(_) => String::new(),
        Target::Node(place) => place.clone(),
        Target::Edge(scope, at) | Target::Condition(scope, at) => within(scope, &format!("edges[{at}]")),
    }
}

/// What the node gives: `valid`, `retry` as long as a generation is left, or `failed`.
pub(super) fn judge(asked: &Asked<'_>, host: &Capabilities, trusted: &[String], generations: u32) -> Told {
    let input = asked.input;
    let unread = input.get("generation_errors").and_then(Json::as_array).filter(|errors| !errors.is_empty());
    let (mut errors, mut warnings): (Vec<Json>, Vec<Json>) = match unread {
        Some(errors) => (errors.iter().take(MOST).cloned().list(), Vec::new()),
        None => {
            let found = problems(input.get("generated_workflow"), input, host, trusted);
            let (errors, warnings): (Vec<_>, Vec<_>) = found.iter().partition(|found| found.is_error());
            let grave =
                warnings.iter().filter(|found| GRAVE.contains(&found.code) && asked.visit < generations);
            let told: Vec<Json> = errors.into_iter().chain(grave.copied()).take(MOST).map(problem).list();
            (told, warnings.into_iter().take(10).map(problem).list())
        }
    };
    let action = match errors.is_empty() {
        true => "valid",
        false if asked.visit < generations => "retry",
        false => "failed",
    };
    let writes = vec![
        ("validation_errors", Json::Array(std::mem::take(&mut errors))),
        ("validation_warnings", Json::Array(std::mem::take(&mut warnings))),
        ("generations", json!(asked.visit)),
    ];
    Told { value: Json::from(action), writes }
}

/// All that is wrong with a plan; what it must not do stands first.
fn problems(plan: Option<&Json>, input: &Json, host: &Capabilities, trusted: &[String]) -> Vec<Diagnostic> {
    let Some(plan) = plan.filter(|plan| plan.is_object()) else {
        let problem = Diagnostic::new(Code::AuthorNoPlan, "there is no workflow");
        return vec![problem.help("answer with one JSON object that has `nodes`")];
    };
    let parsed = PlanGraph::parse(&json_text(plan), Format::Json);
    let Some(graph) = parsed.graph.filter(PlanGraph::is_sound) else { return parsed.diagnostics };
    let nothing = Catalogue::default();
    let tools = host.tools.as_ref().unwrap_or(&nothing);
    let browsed = chosen(input, tools);
    let mut judge = Judge { tools, browsed: &browsed, trusted, found: Vec::new() };
    if let Some((server, _)) = graph.servers.first() {
        let message =
            format!("the workflow names the server `{}`, and it may name none", brief(&server.name));
        judge.found.push(Diagnostic::new(Code::AuthorServer, message).help("remove `servers`"));
    }
    for inner in graph.graphs() {
        for node in &inner.nodes {
            judge.node(inner, node);
        }
        judge.conditions(inner);
    }
    let mut found = judge.found;
    // Handlers by id are those of the run at hand, not of the plan's own.
    let host = Capabilities { ids: Names::default(), ..host.clone() };
    let checked = graph::check(&graph, &host);
    let declared: Vec<&str> = graph.inputs.iter().map(|(named, _)| named.name.as_str()).list();
    let mut undeclared = Vec::new();
    inputs::check(&graph.root, &inputs::Given::Run, &declared, &mut undeclared);
    // One mistake takes one of the few places that a model is told of.
    let is_told =
        |target: &Target| checked.iter().any(|one| one.code == Code::UnknownPath && one.target == *target);
    found.extend(undeclared.into_iter().filter(|one| !is_told(&one.target)));
    found.extend(checked);
    found.extend(parsed.diagnostics);
    found
}

struct Judge<'a> {
    tools: &'a Catalogue,
    browsed: &'a [String],
    trusted: &'a [String],
    found: Vec<Diagnostic>,
}

impl Judge<'_> {
    fn report(&mut self, graph: &Graph, node: &Node, code: Code, message: String, help: &str) {
        self.found.push(Diagnostic::new(code, message).on(graph.target(node)).help(help));
    }

    fn is_browsed(&self, name: &str) -> bool {
        component(self.tools, name).is_some_and(|known| self.browsed.iter().any(|browsed| browsed == known))
    }

    fn node(&mut self, graph: &Graph, node: &Node) {
        let kind = meant(&node.kind);
        let tool = match kind {
            "tool" => node.tool.as_ref().map(|tool| tool.name.as_str()),
            kind if STRUCTURE.contains(&kind) => None,
            kind => Some(kind),
        };
        if let Some(name) = tool {
            self.browsed(graph, node, name);
        }
        if kind == "agent" {
            self.agent(graph, node);
        }
        let tool = tool.filter(|name| self.tools.get(name).is_some());
        let needed = tool.map(|name| self.needed(name)).unwrap_or_default();
        self.trusted(graph, node, &needed);
    }

    fn browsed(&mut self, graph: &Graph, node: &Node, name: &str) {
        if self.is_browsed(name) {
            return;
        }
        let help = match near(name, self.browsed.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if self.browsed.is_empty() => "use structure alone".to_owned(),
            None => format!(
                "use one of {}",
                self.browsed.iter().take(20).map(|name| format!("`{name}`")).list().join(", ")
            ),
        };
        let message = format!("`{}` is none of the components that were chosen", brief(name));
        self.report(graph, node, Code::AuthorNotBrowsed, message, &help);
    }

    /// Which way a run goes tells of what its conditions look at: bit by bit, as much as they like.
    fn conditions(&mut self, graph: &Graph) {
        for edge in &graph.edges {
            if edge.condition.atoms().iter().any(|atom| atom.reference.root == Root::Context) {
                let message = format!("the condition `{}` looks at a trusted value", brief(edge.text.trim()));
                let problem = Diagnostic::new(Code::AuthorTrusted, message);
                let target = Target::Condition(graph.scope.clone(), edge.index);
                self.found.push(problem.on(target).help("remove the reference to `context`"));
            }
        }
    }

    /// An agent calls the tools that it names; one that names none would be offered all there are.
    fn agent(&mut self, graph: &Graph, node: &Node) {
        let tools = node.with.as_ref().and_then(|with| with.get("tools"));
        let tools = tools.as_ref().and_then(Texts::constant).and_then(Json::as_array);
        let Some(tools) = tools else {
            let message = format!("agent `{}` does not say which tools it may call", brief(&node.key));
            let help = "name them in `with: {tools: [...]}`";
            return self.report(graph, node, Code::AuthorNotBrowsed, message, help);
        };
        for name in tools.iter().filter_map(Json::as_str) {
            self.browsed(graph, node, name);
            if let Some(parameter) = self.needed(name).first() {
                let message = format!(
                    "an agent would fill `{parameter}` of `{}`, which only the run may fill",
                    brief(name)
                );
                self.report(graph, node, Code::AuthorTrusted, message, "call it in a node of type `tool`");
            }
        }
    }

    /// The trusted parameters that a tool takes.
    fn needed(&self, tool: &str) -> Vec<String> {
        let properties = self.tools.get(tool).and_then(|tool| tool.input_schema.get("properties"));
        let takes = |name: &&String| properties.is_some_and(|map| map.get(name.as_str()).is_some());
        self.trusted.iter().filter(takes).cloned().list()
    }

    /// Trusted values come from the run, go to the parameters of their name, and nowhere else.
    fn trusted(&mut self, graph: &Graph, node: &Node, needed: &[String]) {
        let given = |name: &str| match &node.input {
            Some(Texts::Map(entries)) => {
                entries.iter().find(|(key, _)| key == name).map(|(_, texts)| is_given(texts, name))
            }
            Some(Texts::Constant(Json::Object(map))) => map.get(name).map(|_| false),
            Some(_) | None => Some(false),
        };
        for name in needed {
            if given(name) == Some(false) {
                let message = format!("`{name}` is filled by the run alone");
                let help = format!(
                    "write its parameters one by one, and `\"{name}\": \"${{context.{name}}}\"` for this one"
                );
                self.report(graph, node, Code::AuthorTrusted, message, &help);
            }
        }
        let mut leaks = 0;
        if let Some(Texts::Map(entries)) = &node.input {
            let allowed = |key: &String, texts: &Texts| needed.contains(key) && is_given(texts, key);
            leaks += entries
                .iter()
                .filter(|(key, texts)| !allowed(key, texts))
                .map(|(_, texts)| uses(texts))
                .sum::<usize>();
        } else {
            leaks += node.input.as_ref().map_or(0, uses);
        }
        leaks += node.with.as_ref().map_or(0, uses);
        if leaks > 0 {
            let message =
                format!("node `{}` uses a trusted value where it is not asked for", brief(&node.key));
            self.report(graph, node, Code::AuthorTrusted, message, "remove the reference to `context`");
        }
    }
}

/// Whether a value is the trusted one of that name and nothing else.
fn is_given(texts: &Texts, name: &str) -> bool {
    let Texts::Template(template, _) = texts else { return false };
    let [Part::Hole { choices, fallback: None, .. }] = template.parts.as_slice() else { return false };
    let [reference] = choices.as_slice() else { return false };
    reference.to_string() == format!("context.{name}")
}

/// How often a value refers to trusted ones.
fn uses(texts: &Texts) -> usize {
    match texts {
        Texts::Constant(_) => 0,
        Texts::List(items) => items.iter().map(uses).sum(),
        Texts::Map(entries) => entries.iter().map(|(_, texts)| uses(texts)).sum(),
        Texts::Template(template, _) => template
            .parts
            .iter()
            .filter(|part| matches!(part, Part::Hole { choices, .. } if choices.iter().any(|one| one.root == Root::Context)))
            .count(),
    }
}
