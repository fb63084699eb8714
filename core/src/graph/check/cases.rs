//! Tests of a plan that can't pass, whatever their stubs answer.
//!
//! Decides by the plan alone: by its inputs, by its edges, and by what ends how. A test that fails because of values is found out by
//! running it.

use crate::diagnostic::{Code, Diagnostic, Problems, Span, brief};
use crate::graph::shape::scalar_text;
use crate::graph::{Node, PlanGraph};
use crate::list::List;
use crate::machine::Inputs;
use crate::node;
use crate::schema::Patterns;
use crate::source::{Entry, Kind, Spanned};
use serde_json::Value as Json;

/// The tests of a plan that can't pass. They keep no run from beginning.
///
/// # Example
/// ```
/// use stepgraph_core::{graph::{self, PlanGraph}, schema::Patterns, source::Format};
/// let text = "nodes: {a: {type: noop}}\ntests: [{name: no way, expect: {path: []}}]";
/// let plan = PlanGraph::parse(text, Format::Auto).graph.unwrap();
/// assert_eq!(graph::check_tests(&plan, Patterns::default())[0].code.slug(), "test/never-passes");
/// ```
pub fn check_tests(plan: &PlanGraph, patterns: Patterns) -> Vec<Diagnostic> {
    let mut problems = Problems::default();
    judge(plan, patterns, &mut problems);
    problems.finish()
}

/// The same, told to those who know of other problems already.
pub(crate) fn judge(plan: &PlanGraph, patterns: Patterns, problems: &mut Problems) {
    let tests = plan.document.get("tests").and_then(|entry| entry.value.as_list()).unwrap_or_default();
    if tests.is_empty() {
        return;
    }
    let inputs = Inputs::of(&plan.inputs, patterns);
    for test in tests {
        let Some(expect) = test.get("expect").filter(|expect| expect.value.as_map().is_some()) else {
            continue;
        };
        let case = Case { plan, test, expect: &expect.value };
        case.ending(problems);
        case.path(problems);
        if let Some(inputs) = &inputs {
            case.input(inputs, problems);
        }
    }
}

struct Case<'a> {
    plan: &'a PlanGraph,
    test: &'a Spanned,
    expect: &'a Spanned,
}

impl<'a> Case<'a> {
    /// What is expected under a key, unless that is null.
    fn expected(&self, key: &str) -> Option<&'a Entry> {
        self.expect.get(key).filter(|entry| entry.value.kind != Kind::Null)
    }

    fn outcome(&self) -> &'a str {
        match self.expected("outcome") {
            Some(outcome) => outcome.value.as_text().unwrap_or_default(),
            None if self.expected("code").is_some() => "failed",
            None => "completed",
        }
    }

    /// Reports what a run that ends so does not have, and an end that no run of the plan comes to.
    fn ending(&self, problems: &mut Problems) {
        let outcome = self.outcome();
        if matches!(outcome, "completed" | "paused") {
            for entry in ["code", "node"].into_iter().filter_map(|key| self.expected(key)) {
                let message = format!("a run that is {outcome} has no `{}`", entry.key);
                let help = format!("remove `{}`, or write `outcome: failed`", entry.key);
                problems.push(never(message, entry.key_span).help(help));
            }
        }
        if let Some(entry) = self.expected("outcome").filter(|_| outcome == "paused")
            && !self.plan.graphs().iter().any(|graph| graph.nodes.iter().any(may_ask))
        {
            let message = "no run of this plan is paused: nothing in it asks a person";
            let help = "expect another outcome, or add a node of type `approve`";
            problems.push(never(message.to_owned(), entry.value.span).help(help));
        }
    }

    /// Reports a path that no run goes.
    fn path(&self, problems: &mut Problems) {
        let Some(path) = self.expected("path") else { return };
        let (Some(items), root) = (path.value.as_list(), &self.plan.root) else { return };
        let Some(start) = root.start.and_then(|at| root.nodes.get(at)) else { return };
        if items.is_empty() && self.outcome() == "completed" {
            let message = "a run that is completed comes to a node at least".to_owned();
            problems.push(never(message, path.value.span).help(format!("begin with `{}`", brief(&start.id))));
        }
        let position = |item: &Spanned| {
            let id = scalar_text(item)?;
            root.nodes.iter().position(|node| node.id == id)
        };
        let found = items.iter().map(position).list();
        if let (Some(Some(first)), Some(item)) = (found.first(), items.first())
            && Some(*first) != root.start
        {
            let help = format!("begin with `{}`", brief(&start.id));
            let message = format!("a run begins at `{}`", brief(&start.id));
            problems.push(never(message, item.span).help(help));
        }
        let steps = found.windows(2).zip(items.iter().skip(1));
        for (step, item) in steps {
            let [Some(from), Some(to)] = step else { continue };
            let (Some(from), Some(to)) = (root.nodes.get(*from).map(|n| (*from, n)), root.nodes.get(*to))
            else {
                continue;
            };
            self.step(from, to, item.span, problems);
        }
    }

    /// Reports a step that no edge makes.
    fn step(&self, (position, from): (usize, &Node), to: &Node, place: Span, problems: &mut Problems) {
        let root = &self.plan.root;
        let targets = root.edges.iter().filter(|edge| edge.source == position);
        let targets = targets.filter_map(|edge| root.nodes.get(edge.target)).list();
        if !root.broken.is_empty() || targets.iter().any(|node| node.id == to.id) {
            return;
        }
        let message = format!("no edge leads from `{}` to `{}`", brief(&from.id), brief(&to.id));
        let mut names = targets.iter().map(|node| format!("`{}`", brief(&node.id))).list();
        names.dedup();
        let help = match names.as_slice() {
            [] => format!("end the path with `{}`", brief(&from.id)),
            [one] => format!("after it comes {one}"),
            several => format!("after it comes one of {}", several.join(", ")),
        };
        problems.push(never(message, place).help(help));
    }

    /// Reports an input that the plan refuses, where the run is to go on.
    fn input(&self, inputs: &Inputs, problems: &mut Problems) {
        if !matches!(self.outcome(), "completed" | "paused") {
            return;
        }
        let given = self.test.get("input");
        let json = given.map_or(Json::Null, |entry| entry.value.to_json());
        let Err(message) = inputs.complete(json) else { return };
        let place = match given {
            Some(entry) => entry.value.span,
            None => self.test.get("name").map_or(self.test.span, |name| name.value.span),
        };
        let help = match given {
            Some(_) => "give what the plan's `inputs` say, or expect `code: run/invalid-input`",
            None => "add `input` with what the plan's `inputs` say",
        };
        problems.push(never(message, place).help(help));
    }
}

/// Whether a run may ask a person because of a node.
fn may_ask(node: &Node) -> bool {
    let asks_nobody = ["llm", "log", "noop", "decision", "graph", "map", "parallel"];
    node.is_broken || !asks_nobody.contains(&node::meant(&node.kind))
}

fn never(message: String, place: Span) -> Diagnostic {
    Diagnostic::new(Code::NeverPasses, message).at(place)
}
