//! Reports tests that can't pass, whatever their stubs answer.
//!
//! Failures that depend on values need a run.

use super::decision::{ApprovalSource, approval_source, check_decision};
use super::inference::Inference;
use super::inference::has_other_producer;
use crate::capabilities::Capabilities;
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Span, closest_name, shorten_name};
use crate::expression::Condition;
use crate::graph::scope::Scopes;
use crate::graph::{Graph, Node, PlanGraph, RunInputSchema, UnusedStubs, scalar_text};
use crate::key::{did_you_mean, without_conflicting_fix};
use crate::source::{Entry, Spanned, ValueKind};
use crate::tool::{Effect, ToolRegistry};
use serde_json::Value as Json;
use stepgraph_plan::stub::Stubs;

/// Failures before a run starts: refused input or unusable plan.
const REJECTED_CODES: [&str; 2] = ["run/invalid-input", "run/invalid-plan"];

/// Reports tests that can't pass, which prevents no run.
///
/// # Example
/// ```
/// use stepgraph_core::{capabilities::Capabilities, check, graph::PlanGraph, source::Format};
/// let text = "nodes: {a: {type: noop}}\ntests: [{name: no way, expect: {path: []}}]";
/// let plan = PlanGraph::parse(text, Format::Auto).graph.unwrap();
/// assert_eq!(check::check_tests(&plan, &Capabilities::default())[0].code.slug(), "test/never-passes");
/// ```
pub fn check_tests(plan: &PlanGraph, capabilities: &Capabilities) -> Vec<Diagnostic> {
    let mut diagnostics = DiagnosticCollector::default();
    check_into(plan, capabilities, &mut diagnostics);
    diagnostics.finish()
}

pub(crate) fn check_into(
    plan: &PlanGraph,
    capabilities: &Capabilities,
    diagnostics: &mut DiagnosticCollector,
) {
    let tests = plan.document.get("tests").and_then(|entry| entry.value.as_list()).unwrap_or_default();
    if tests.is_empty() {
        return;
    }
    let inputs = RunInputSchema::new(&plan.inputs, capabilities.patterns());
    for test in tests {
        let stubs = test.get("stubs").map(|stubs| Stubs::from_json_lenient(&stubs.value.to_json()));
        let case = PlanTest { plan, capabilities, test, stubs: stubs.unwrap_or_default() };
        case.check_decisions(diagnostics);
        let Some(expect) = test.get("expect").filter(|expect| expect.value.as_map().is_some()) else {
            continue;
        };
        let expected = ExpectedResult { case: &case, expect: &expect.value };
        match inputs.as_ref().and_then(|inputs| case.input_error(inputs)) {
            Some(message) => expected.check_rejected_input(&message, diagnostics),
            None => {
                expected.check_model_stubs(diagnostics);
                expected.check_outcome(diagnostics);
                expected.check_path(diagnostics);
                expected.check_outputs(diagnostics);
            }
        }
    }
}

struct PlanTest<'a> {
    plan: &'a PlanGraph,
    capabilities: &'a Capabilities,
    test: &'a Spanned,
    /// Valid stubs only.
    stubs: Stubs,
}

impl PlanTest<'_> {
    fn input_error(&self, inputs: &RunInputSchema) -> Option<String> {
        inputs.complete_input(self.test.get("input").map_or(Json::Null, |entry| entry.value.to_json())).err()
    }

    fn decision_entries(&self) -> &[Entry] {
        self.test.get("decisions").and_then(|entry| entry.value.as_map()).unwrap_or_default()
    }

    fn check_decisions(&self, diagnostics: &mut DiagnosticCollector) {
        let entries = self.decision_entries();
        if entries.is_empty() {
            return;
        }
        let graphs = self.plan.graphs();
        let nodes = || graphs.iter().flat_map(|graph| graph.nodes.iter().map(move |node| (*graph, node)));
        for entry in entries {
            let key = entry.key.as_str();
            let mut named = nodes().filter(|(_, node)| node.id == key).peekable();
            let diagnostic = if named.peek().is_some() {
                if named.any(|(graph, node)| self.may_need_approval(graph, node)) {
                    continue;
                }
                let id = shorten_name(key);
                let message = if nodes()
                    .any(|(_, node)| node.id == key && approval_source(node) != ApprovalSource::None)
                {
                    format!(
                        "a stub of this test stands in for what `{id}` asks, so nothing is decided for it"
                    )
                } else {
                    format!("`{id}` asks for no approval, so nothing is decided for it")
                };
                Diagnostic::new(Code::UnusedDecision, message)
                    .help("remove it, or name a node that asks a person")
            } else if let Some((_, node)) = nodes().find(|(graph, node)| graph.node_path(node) == key) {
                let message = format!("no node has the id `{}`", shorten_name(key));
                did_you_mean(Diagnostic::new(Code::UnknownInTest, message).at(entry.key_span), &node.id, key)
            } else if !key.contains([':', '/']) {
                let message = format!("a test refers to node `{}`, which does not exist", shorten_name(key));
                let diagnostic = Diagnostic::new(Code::UnknownInTest, message).at(entry.key_span);
                match closest_name(key, nodes().map(|(_, node)| node.id.as_str())) {
                    Some(meant) => did_you_mean(diagnostic, meant, key),
                    None => diagnostic.help("name a node by its id"),
                }
            } else if let Some(unasked) = check_decision(self.plan, None, key) {
                let code = if unasked.is_unknown { Code::UnknownInTest } else { Code::UnusedDecision };
                let diagnostic = Diagnostic::new(code, unasked.message).at(entry.key_span);
                match &unasked.suggestion {
                    Some(meant) => did_you_mean(diagnostic, meant, key),
                    None => diagnostic.help(unasked.help),
                }
            } else {
                continue;
            };
            diagnostics.push(without_conflicting_fix(diagnostic.at(entry.key_span), entries));
        }
    }

    /// Takes this test's stubs into account.
    fn may_need_approval(&self, graph: &Graph, node: &Node) -> bool {
        let node_path = graph.node_path(node);
        let is_stubbed = self.stubs.nodes().any(|id| id == node.id || id == node_path)
            || self.stubs.types().any(|kind| kind == node.kind);
        if node.is_broken || is_stubbed {
            return node.is_broken;
        }
        match approval_source(node) {
            ApprovalSource::None => false,
            ApprovalSource::Node | ApprovalSource::ModelCalls => true,
            ApprovalSource::Tool => {
                let name = node.tool.as_ref().map_or(node.kind.as_str(), |tool| tool.name.as_str());
                let effect_in = |tools: Option<&ToolRegistry>| Some(tools?.get(name)?.effect());
                let stubs = Capabilities::of_stubs(&self.stubs).tools;
                // Under a lock, the stub of a tool gets the tool's own annotations.
                effect_in(stubs.as_ref()).is_none_or(|effect| effect == Effect::Destroys)
                    || effect_in(self.capabilities.tools.as_ref()) == Some(Effect::Destroys)
            }
        }
    }
}

struct ExpectedResult<'a> {
    case: &'a PlanTest<'a>,
    expect: &'a Spanned,
}

impl<'a> ExpectedResult<'a> {
    fn entry(&self, key: &str) -> Option<&'a Entry> {
        self.expect.get(key).filter(|entry| entry.value.kind != ValueKind::Null)
    }

    fn outcome(&self) -> &'a str {
        match self.entry("outcome") {
            Some(outcome) => outcome.value.as_text().unwrap_or_default(),
            None if self.entry("code").is_some() => "failed",
            None => "completed",
        }
    }

    fn check_outcome(&self, diagnostics: &mut DiagnosticCollector) {
        let outcome = self.outcome();
        if matches!(outcome, "completed" | "paused") {
            for entry in ["code", "node"].into_iter().filter_map(|key| self.entry(key)) {
                let message = format!("a run that is {outcome} has no `{}`", entry.key);
                let help = format!("remove `{}`, or write `outcome: failed`", entry.key);
                diagnostics.push(impossible(message, entry.key_span).help(help));
            }
        }
        if let Some(entry) = self.entry("outcome").filter(|_| outcome == "paused")
            && let Some((message, help)) = self.no_pause_reason()
        {
            diagnostics.push(impossible(message.to_owned(), entry.value.span).help(help));
        }
    }

    fn no_pause_reason(&self) -> Option<(&'static str, &'static str)> {
        let graphs = self.case.plan.graphs();
        let any = |asks: &dyn Fn(&Graph, &Node) -> bool| {
            graphs.iter().any(|graph| graph.nodes.iter().any(|node| asks(graph, node)))
        };
        if !any(&|_, node| node.is_broken || approval_source(node) != ApprovalSource::None) {
            Some((
                "no run of this plan is paused: nothing in it asks a person",
                "expect another outcome, or add a node of type `approve`",
            ))
        } else if !any(&|graph, node| self.case.may_need_approval(graph, node)) {
            Some((
                "no run of this test is paused: its stubs stand in for all that asks a person",
                "expect another outcome, or remove a stub of what asks; the stub of a tool asks if it has the \
                 annotation `destructiveHint: true`",
            ))
        } else if !self.case.decision_entries().is_empty() {
            Some((
                "a run with decisions is never paused: what they leave open fails with `test/undecided`",
                "remove `decisions`, or expect how the run goes on",
            ))
        } else {
            None
        }
    }

    fn check_rejected_input(&self, message: &str, diagnostics: &mut DiagnosticCollector) {
        let case = self.case;
        let given = case.test.get("input");
        if self.outcome() != "failed" {
            let span = match given {
                Some(entry) => entry.value.span,
                None => case.test.get("name").map_or(case.test.span, |name| name.value.span),
            };
            let help = match given {
                Some(_) => "give what the plan's `inputs` say, or expect `code: run/invalid-input`",
                None => "add `input` with what the plan's `inputs` say",
            };
            return diagnostics.push(impossible(message.to_owned(), span).help(help));
        }
        let is_nothing = |entry: &Entry| match &entry.value.kind {
            ValueKind::List(items) => items.is_empty(),
            ValueKind::Number(number) => number.as_f64() == Some(0.0),
            _ => false,
        };
        for entry in ["code", "node", "path", "calls"].into_iter().filter_map(|key| self.entry(key)) {
            if entry.value.as_text().is_some_and(|code| REJECTED_CODES.contains(&code)) || is_nothing(entry) {
                continue;
            }
            let why = format!("the plan refuses the input, so the run fails at once: {message}");
            let help = match entry.key.as_str() {
                "code" => "write `run/invalid-input`, or give what the plan's `inputs` say".to_owned(),
                key => format!("remove `{key}`, or give what the plan's `inputs` say"),
            };
            return diagnostics.push(impossible(why, entry.value.span).help(help));
        }
    }

    /// Reports replies that no node accepts, unless failure is expected.
    fn check_model_stubs(&self, diagnostics: &mut DiagnosticCollector) {
        let PlanTest { plan, test, stubs, .. } = self.case;
        if let Some(written) = test.get("stubs").filter(|_| self.outcome() != "failed") {
            let mut uses = UnusedStubs::of(stubs);
            uses.remove_used_by(plan);
            for diagnostic in uses.rejected_replies(Some(&written.value)) {
                diagnostics.push(diagnostic);
            }
        }
    }

    fn check_outputs(&self, diagnostics: &mut DiagnosticCollector) {
        let PlanTest { plan, capabilities, stubs, .. } = self.case;
        let last = self.expect.get("last").filter(|_| self.outcome() == "completed");
        let outputs = self.entry("outputs").and_then(|entry| entry.value.as_map()).unwrap_or_default();
        if last.is_none() && outputs.is_empty() {
            return;
        }
        // Tests call no server: only stubs describe results.
        let mut host = Capabilities {
            types: capabilities.types.clone(),
            ids: capabilities.ids.clone(),
            tools: Some(ToolRegistry::default().with_patterns(capabilities.patterns())),
            stubs: capabilities.stubs.clone(),
            ..Capabilities::default()
        };
        host.add_stubs(stubs);
        let scopes = Scopes::new(plan);
        let mut inference = Inference::new(&scopes, plan, &host);
        let mut report = |what: &str, value: &Spanned, why: Option<String>| {
            let Some(why) = why else { return };
            let message = format!("{what} is never this: {why}");
            diagnostics.push(impossible(message, value.span).help("expect what the node can give"));
        };
        if let Some(last) = last {
            let known_value = inference.run_output();
            report("`last`", &last.value, known_value.mismatch(&last.value.to_json(), host.patterns()));
        }
        for entry in outputs.iter().filter(|entry| !has_other_producer(plan, &host, &entry.key)) {
            let position = plan.root.nodes.iter().position(|node| node.id == entry.key);
            let Some(known_value) = position.map(|position| inference.output_at(position)) else { continue };
            let what = format!("the output of `{}`", shorten_name(&entry.key));
            report(&what, &entry.value, known_value.mismatch(&entry.value.to_json(), host.patterns()));
        }
    }

    fn check_path(&self, diagnostics: &mut DiagnosticCollector) {
        let Some(path) = self.entry("path") else { return };
        let (Some(items), root) = (path.value.as_list(), &self.case.plan.root) else { return };
        let Some(start) = root.start.and_then(|at| root.nodes.get(at)) else { return };
        if items.is_empty() && self.outcome() == "completed" {
            let message = "a run that is completed comes to a node at least".to_owned();
            diagnostics.push(
                impossible(message, path.value.span)
                    .help(format!("begin with `{}`", shorten_name(&start.id))),
            );
        }
        let position = |item: &Spanned| {
            let id = scalar_text(item)?;
            root.nodes.iter().position(|node| node.id == id)
        };
        let found = items.iter().map(position).collect_vec();
        if let (Some(Some(first)), Some(item)) = (found.first(), items.first())
            && Some(*first) != root.start
        {
            let help = format!("begin with `{}`", shorten_name(&start.id));
            let message = format!("a run begins at `{}`", shorten_name(&start.id));
            diagnostics.push(impossible(message, item.span).help(help));
        }
        let mut is_way = true;
        let steps = found.windows(2).zip(items.iter().skip(1));
        for (step, item) in steps {
            let [Some(from), Some(to)] = step else { continue };
            let (Some(from), Some(to)) = (root.nodes.get(*from).map(|n| (*from, n)), root.nodes.get(*to))
            else {
                continue;
            };
            is_way &= self.check_step(from, to, item.span, diagnostics);
        }
        if let (Some(Some(end)), Some(item)) = (found.last(), items.last())
            && is_way
            && self.outcome() == "completed"
        {
            self.check_path_end(*end, item.span, diagnostics);
        }
    }

    /// Reports ends where every run continues.
    fn check_path_end(&self, position: usize, span: Span, diagnostics: &mut DiagnosticCollector) {
        let root = &self.case.plan.root;
        let Some(node) = root.nodes.get(position).filter(|_| root.broken.is_empty()) else { return };
        let mut edges = root.edges_from(position);
        let Some(edge) = edges.find(|edge| edge.condition == Condition::Fallback) else { return };
        let Some(next) = root.nodes.get(edge.target) else { return };
        let message = format!("a run that is completed goes on from `{}`", shorten_name(&node.id));
        let diagnostic = impossible(message, span).label(edge.to.span, "by this edge, whatever it gives");
        diagnostics.push(diagnostic.help(format!("go on with `{}`", shorten_name(&next.id))));
    }

    /// Reports steps without an edge.
    fn check_step(
        &self,
        (position, from): (usize, &Node),
        to: &Node,
        span: Span,
        diagnostics: &mut DiagnosticCollector,
    ) -> bool {
        let root = &self.case.plan.root;
        let targets = root.edges_from(position).filter_map(|edge| root.nodes.get(edge.target)).collect_vec();
        if !root.broken.is_empty() || targets.iter().any(|node| node.id == to.id) {
            return true;
        }
        let message =
            format!("no edge leads from `{}` to `{}`", shorten_name(&from.id), shorten_name(&to.id));
        let mut names = targets.iter().map(|node| format!("`{}`", shorten_name(&node.id))).collect_vec();
        names.dedup();
        let help = match names.as_slice() {
            [] => format!("end the path with `{}`", shorten_name(&from.id)),
            [one] => format!("after it comes {one}"),
            several => format!("after it comes one of {}", several.join(", ")),
        };
        diagnostics.push(impossible(message, span).help(help));
        false
    }
}

fn impossible(message: String, span: Span) -> Diagnostic {
    Diagnostic::new(Code::NeverPasses, message).at(span)
}
