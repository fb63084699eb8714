//! Validates a generated plan.
//!
//! Besides passing the checker, the plan may use only browsed components and structure, read only its inputs, name no
//! server, and leave trusted values to the run. This stops prompt injections in tool descriptions and requests.
//! Omissions (`coverage`) are errors while another generation remains.
//!
//! Source: `docs/authoring.md`, "validator".

mod closed_world;
mod coverage;
mod merge;

use super::browsing::{chosen_components, component};
use super::generator::{MAX_LISTED, diagnostic_json};
use super::planning::STRUCTURE;
use crate::capabilities::Capabilities;
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, Target, closest_name, shorten_name};
use crate::expression::{Root, TemplatePart};
use crate::graph::{Graph, Node, PlanGraph, TemplateValue};
use crate::interner::NameTable;
use crate::kind::resolve_alias;
use crate::node::author::text::json_map;
use crate::node::strategy_input::{CheckPlan, NodeOutput, StrategyInput};
use crate::source::Format;
use crate::tool::ToolRegistry;
use crate::value::json_text;
use serde_json::Value as Json;

/// They certainly fail a run: a generated plan receives only its inputs.
const CERTAIN_WARNINGS: [Code; 3] = [Code::NeverThere, Code::UnknownOutput, Code::UnknownPath];
/// Errors while another generation remains, then for the user's review.
const SEVERE_WARNINGS: [Code; 12] = [
    Code::ForeignTemplate,
    Code::UnreachableNode,
    Code::DeadEdge,
    Code::NeverHolds,
    Code::MayBeMissing,
    Code::RejectionIgnored,
    Code::NeverTrue,
    Code::ExpressionType,
    Code::AuthorLeftOut,
    Code::AuthorUnguarded,
    Code::AuthorStep,
    Code::AuthorUnread,
];
const MAX_WARNINGS: usize = 10;

#[derive(Default)]
struct ValidationResult {
    errors: Vec<Json>,
    warnings: Vec<Json>,
    /// For the user's review.
    unresolved: Vec<Json>,
    coverage: Vec<Json>,
}

impl ValidationResult {
    fn of(input: &Json, host: &Capabilities, trusted: &[String], check: CheckPlan) -> Self {
        let unread = input.get("generation_errors").and_then(Json::as_array);
        if let Some(unread) = unread.filter(|errors| !errors.is_empty()) {
            return Self { errors: unread.clone(), ..Self::default() };
        }
        let (diagnostics, coverage) =
            find_problems(input.get("generated_workflow"), input, host, trusted, check);
        let is_certain =
            |diagnostic: &Diagnostic| diagnostic.is_error() || CERTAIN_WARNINGS.contains(&diagnostic.code);
        let of = |is: &dyn Fn(&Diagnostic) -> bool| {
            merge::merge_diagnostics(
                diagnostics.iter().filter(|one| is(one)).map(diagnostic_json).collect_vec(),
            )
        };
        let unresolved =
            of(&|diagnostic| !is_certain(diagnostic) && SEVERE_WARNINGS.contains(&diagnostic.code));
        let mut warnings = of(&|diagnostic| !is_certain(diagnostic));
        warnings.truncate(MAX_WARNINGS.max(unresolved.len()));
        Self { errors: of(&is_certain), warnings, unresolved, coverage }
    }

    /// The plan with findings, the result if no later one is valid.
    fn acceptable(&self, input: &Json) -> Json {
        let part = |key: &'static str| (key, input.get(key).cloned().unwrap_or_default());
        json_map(vec![
            part("generated_workflow"),
            part("execution_params"),
            part("missing_params"),
            ("validation_warnings", Json::Array(self.warnings.clone())),
            ("unresolved", Json::Array(self.unresolved.clone())),
            ("coverage", Json::Array(self.coverage.clone())),
        ])
    }
}

/// `valid`, `retry` while a generation remains, or `failed`. At last, a runnable plan with omissions is valid, perhaps
/// an earlier one.
pub(super) fn validate(
    strategy_input: &StrategyInput<'_>,
    host: &Capabilities,
    trusted: &[String],
    generations: u32,
) -> NodeOutput {
    let input = strategy_input.input;
    let is_last = strategy_input.visit >= generations;
    let mut verdict = ValidationResult::of(input, host, trusted, strategy_input.check);
    let mut acceptable = input.get("acceptable").cloned().unwrap_or_default();
    if !is_last {
        if verdict.errors.is_empty() {
            acceptable = verdict.acceptable(input);
        }
        verdict.errors.append(&mut verdict.unresolved);
    }
    let mut named_outputs = vec![("generations", Json::from(strategy_input.visit))];
    let before = acceptable.as_object_mut().filter(|_| is_last && !verdict.errors.is_empty());
    let action = if let Some(before) = before {
        verdict.errors.clear();
        let mut take = |key: &'static str| (key, before.remove(key).unwrap_or_default());
        named_outputs.extend(["generated_workflow", "execution_params", "missing_params"].map(&mut take));
        named_outputs.extend(["validation_warnings", "unresolved", "coverage"].map(take));
        "valid"
    } else {
        named_outputs.push(("validation_warnings", Json::Array(verdict.warnings)));
        named_outputs.push(("unresolved", Json::Array(verdict.unresolved)));
        named_outputs.push(("coverage", Json::Array(verdict.coverage)));
        match verdict.errors.is_empty() {
            true => "valid",
            false if !is_last => "retry",
            false => "failed",
        }
    };
    let errors = merge::merge_diagnostics(verdict.errors);
    named_outputs.push(("validation_errors", errors.iter().take(MAX_LISTED).cloned().collect()));
    named_outputs.push(("more_errors", Json::from(errors.len().saturating_sub(MAX_LISTED))));
    named_outputs.push(("acceptable", acceptable));
    NodeOutput { value: Json::from(action), named_outputs }
}

/// Forbidden contents first, and the nodes per requirement.
fn find_problems(
    plan: Option<&Json>,
    input: &Json,
    host: &Capabilities,
    trusted: &[String],
    check: CheckPlan,
) -> (Vec<Diagnostic>, Vec<Json>) {
    let Some(plan) = plan.filter(|plan| plan.is_object()) else {
        let diagnostic = Diagnostic::new(Code::AuthorNoPlan, "there is no workflow");
        return (vec![diagnostic.help("answer with one JSON object that has `nodes`")], Vec::new());
    };
    let parsed = PlanGraph::parse(&json_text(plan), Format::Json);
    let Some(graph) = parsed.graph else { return (parsed.diagnostics, Vec::new()) };
    let nothing = ToolRegistry::default();
    let tools = host.tools.as_ref().unwrap_or(&nothing);
    let browsed = chosen_components(input, tools);
    let mut judge = PlanValidator { tools, browsed: &browsed, trusted, diagnostics: Vec::new() };
    if let Some((server, _)) = graph.servers.first() {
        let message =
            format!("the workflow names the server `{}`, and it may name none", shorten_name(&server.name));
        judge.diagnostics.push(Diagnostic::new(Code::AuthorServer, message).help("remove `servers`"));
    }
    for inner in graph.graphs() {
        for node in inner.nodes.iter().filter(|node| !node.is_broken) {
            judge.check_node(inner, node);
        }
        judge.check_conditions(inner);
    }
    let mut diagnostics = judge.diagnostics;
    // Handlers by id belong to the current run.
    let host = Capabilities { ids: NameTable::default(), ..host.clone() };
    // The model receives few findings, so no repetition.
    let is_told = |all: &[Diagnostic], one: &Diagnostic, codes: &[Code], by: Code| {
        codes.contains(&one.code) && all.iter().any(|other| other.code == by && other.target == one.target)
    };
    let unknown = [Code::UnknownTool, Code::UnknownType];
    let mut checked = check(&graph, &host);
    checked.retain(|one| !is_told(&diagnostics, one, &unknown, Code::AuthorNotBrowsed));
    let mut world = closed_world::check(&graph);
    world.retain(|one| !is_told(&checked, one, &[Code::AuthorInput], Code::UnknownPath));
    diagnostics.extend(world);
    diagnostics.extend(checked);
    diagnostics.extend(parsed.diagnostics);
    // For valid plans only.
    if !graph.is_sound() {
        return (diagnostics, Vec::new());
    }
    let (left_out, covered) = coverage::check(&graph, input, tools);
    diagnostics.extend(left_out);
    (diagnostics, covered)
}

struct PlanValidator<'a> {
    tools: &'a ToolRegistry,
    browsed: &'a [String],
    trusted: &'a [String],
    diagnostics: Vec<Diagnostic>,
}

impl PlanValidator<'_> {
    fn report(&mut self, graph: &Graph, node: &Node, code: Code, message: String, help: &str) {
        self.diagnostics.push(Diagnostic::new(code, message).on(graph.target(node)).help(help));
    }

    fn is_browsed(&self, name: &str) -> bool {
        component(self.tools, name).is_some_and(|known| self.browsed.iter().any(|browsed| browsed == known))
    }

    fn check_node(&mut self, graph: &Graph, node: &Node) {
        let kind = resolve_alias(&node.kind);
        let tool = match kind {
            "tool" => node.tool.as_ref().map(|tool| tool.name.as_str()),
            kind if STRUCTURE.contains(&kind) => None,
            kind => Some(kind),
        };
        if let Some(name) = tool {
            self.check_browsed(graph, node, name);
        }
        if kind == "agent" {
            self.check_agent(graph, node);
        }
        let tool = tool.filter(|name| self.tools.get(name).is_some());
        let needed = tool.map(|name| self.trusted_parameters(name)).unwrap_or_default();
        self.check_trusted(graph, node, &needed);
    }

    fn check_browsed(&mut self, graph: &Graph, node: &Node, name: &str) {
        if self.is_browsed(name) {
            return;
        }
        let help = match closest_name(name, self.browsed.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if self.browsed.is_empty() => "use structure alone".to_owned(),
            None => format!(
                "use one of {}",
                self.browsed.iter().take(20).map(|name| format!("`{name}`")).collect_vec().join(", ")
            ),
        };
        let message = format!("`{}` is not one of the chosen components", shorten_name(name));
        self.report(graph, node, Code::AuthorNotBrowsed, message, &help);
    }

    /// Conditions on trusted values leak a bit per transition.
    fn check_conditions(&mut self, graph: &Graph) {
        for edge in &graph.edges {
            if edge.condition.references().any(|(reference, _)| reference.root == Root::Context) {
                let message = format!(
                    "the condition `{}` reads a trusted value",
                    shorten_name(edge.condition_text.trim())
                );
                let diagnostic = Diagnostic::new(Code::AuthorTrusted, message);
                let target = Target::Condition(graph.scope.clone(), edge.index);
                self.diagnostics.push(diagnostic.on(target).help("remove the reference to `context`"));
            }
        }
    }

    /// Otherwise the agent could call all tools.
    fn check_agent(&mut self, graph: &Graph, node: &Node) {
        let tools = node.with.as_ref().and_then(|with| with.get("tools"));
        let tools = tools.as_ref().and_then(TemplateValue::as_constant).and_then(Json::as_array);
        let Some(tools) = tools else {
            let message = format!("agent `{}` does not list its tools", shorten_name(&node.key));
            let help = "name them in `with: {tools: [...]}`";
            return self.report(graph, node, Code::AuthorNotBrowsed, message, help);
        };
        for name in tools.iter().filter_map(Json::as_str) {
            self.check_browsed(graph, node, name);
            if let Some(parameter) = self.trusted_parameters(name).first() {
                let message = format!(
                    "an agent would fill `{parameter}` of `{}`, which only the run may fill",
                    shorten_name(name)
                );
                self.report(graph, node, Code::AuthorTrusted, message, "call it in a node of type `tool`");
            }
        }
    }

    fn trusted_parameters(&self, tool: &str) -> Vec<String> {
        let properties = self.tools.get(tool).and_then(|tool| tool.input_schema.get("properties"));
        let takes = |name: &&String| properties.is_some_and(|map| map.get(name.as_str()).is_some());
        self.trusted.iter().filter(takes).cloned().collect_vec()
    }

    /// Trusted values must come from the run, for parameters of their name.
    fn check_trusted(&mut self, graph: &Graph, node: &Node, needed: &[String]) {
        let given = |name: &str| match &node.input {
            Some(TemplateValue::Map(entries)) => entries
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, template)| is_trusted_reference(template, name)),
            Some(TemplateValue::Constant(Json::Object(map))) => map.get(name).map(|_| false),
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
        if let Some(TemplateValue::Map(entries)) = &node.input {
            let allowed = |key: &String, template: &TemplateValue| {
                needed.contains(key) && is_trusted_reference(template, key)
            };
            leaks += entries
                .iter()
                .filter(|(key, template)| !allowed(key, template))
                .map(|(_, template)| trusted_reference_count(template))
                .sum::<usize>();
        } else {
            leaks += node.input.as_ref().map_or(0, trusted_reference_count);
        }
        leaks += node.with.as_ref().map_or(0, trusted_reference_count);
        if leaks > 0 {
            let message =
                format!("node `{}` uses a trusted value where none is declared", shorten_name(&node.key));
            self.report(graph, node, Code::AuthorTrusted, message, "remove the reference to `context`");
        }
    }
}

fn is_trusted_reference(texts: &TemplateValue, name: &str) -> bool {
    let TemplateValue::Template(template, _) = texts else { return false };
    let [TemplatePart::Placeholder { choices, fallback: None, .. }] = template.parts.as_slice() else {
        return false;
    };
    let [reference] = choices.as_slice() else { return false };
    reference.to_string() == format!("context.{name}")
}

fn trusted_reference_count(texts: &TemplateValue) -> usize {
    match texts {
        TemplateValue::Constant(_) => 0,
        TemplateValue::List(items) => items.iter().map(trusted_reference_count).sum(),
        TemplateValue::Map(entries) => entries.iter().map(|(_, texts)| trusted_reference_count(texts)).sum(),
        TemplateValue::Template(template, _) => {
            template.references().filter(|(reference, _)| reference.root == Root::Context).count()
        }
    }
}
