//! From a text to a plan, and everything that is wrong with it as such.

use super::flow::Flow;
use super::scope::Scopes;
use super::{Parsed, PlanGraph, mentions, read, rounded};
use std::sync::Arc;
use stepgraph_text::diagnostic::{Diagnostic, Problems};
use stepgraph_text::names::Names;
use stepgraph_text::source::{self, Format, Spanned};

impl PlanGraph {
    /// Reads and checks a plan. Keeps what it understands of a plan with errors.
    ///
    /// # Example
    /// ```
    /// use stepgraph_plan::graph::PlanGraph;
    /// use stepgraph_text::source::Format;
    /// let parsed = PlanGraph::parse("nodes: {hello: {type: log, input: hi}}", Format::Auto);
    /// assert!(parsed.diagnostics.is_empty());
    /// assert_eq!(parsed.graph.unwrap().root.nodes[0].id, "hello");
    /// ```
    pub fn parse(text: &str, format: Format) -> Parsed {
        Self::parse_for(text, format, Names::default())
    }

    /// The same where it is known which outputs a host gives: of these nobody says that they are not there.
    pub fn parse_for(text: &str, format: Format, given: Names) -> Parsed {
        let source::Document { root, diagnostics, .. } = source::read(text, format);
        let mut problems = Problems::after_reading(diagnostics, text);
        let graph = root.and_then(|root| Self::of(Arc::new(root), text, given, &mut problems));
        Parsed { graph, diagnostics: problems.finish() }
    }

    /// The plan that a document says, as far as it was understood; none when that is no map.
    pub fn of(root: Arc<Spanned>, text: &str, given: Names, problems: &mut Problems) -> Option<Self> {
        let mut plan = read::read(root, text, problems)?;
        plan.given.extend(given.into_items());
        check_paths(&plan, text, problems);
        rounded::check(&plan.document, text, problems);
        // A test says nothing of a run, so the plan runs without it. Where errors are only counted, nobody knows which they are.
        let keeps = |error: &&Diagnostic| problems.is_full() || error.stops_runs();
        plan.errors = problems.errors().iter().filter(keeps).cloned().collect();
        Some(plan)
    }
}

/// Reports what is wrong with the graphs of a plan.
fn check_paths(plan: &PlanGraph, source: &str, problems: &mut Problems) {
    let scopes = Scopes::new(plan);
    scopes.shadows(problems);
    let mut flow = Flow::of(&scopes, problems);
    mentions::check(plan, &mut flow, source, problems);
}
