//! Parses and checks plans.

use super::control_flow::FlowAnalysis;
use super::scope::Scopes;
use super::{Parsed, PlanFiles, PlanGraph, read, reference_check, unsafe_integers};
use std::sync::Arc;
use stepgraph_text::diagnostic::{Diagnostic, DiagnosticCollector};
use stepgraph_text::interner::NameTable;
use stepgraph_text::source::{self, Format, Spanned};

impl PlanGraph {
    /// Keeps the readable parts of a plan with errors.
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
        Self::parse_with(text, format, NameTable::default(), &PlanFiles::default())
    }

    /// `given` are outputs that the host writes. The plan may use `files`.
    pub fn parse_with(text: &str, format: Format, given: NameTable, files: &PlanFiles) -> Parsed {
        let source::Document { root, diagnostics, .. } = source::parse(text, format);
        let mut problems = DiagnosticCollector::after_reading(diagnostics, text);
        let graph =
            root.and_then(|root| Self::from_document(Arc::new(root), text, given, files, &mut problems));
        Parsed { graph, diagnostics: problems.finish() }
    }

    /// `None` if the document is no map.
    pub fn from_document(
        root: Arc<Spanned>,
        text: &str,
        given: NameTable,
        files: &PlanFiles,
        diagnostics: &mut DiagnosticCollector,
    ) -> Option<Self> {
        let joined = read::join(root, text, files, diagnostics);
        let mut plan = read::read(Arc::clone(&joined.root), &joined.text, diagnostics)?;
        joined.check_settings(&plan, diagnostics);
        (plan.files, plan.missing_files, plan.file_inputs) = (joined.files, joined.missing, joined.inputs);
        plan.external_outputs.extend(given.into_items());
        check_paths(&plan, &joined.text, diagnostics);
        unsafe_integers::check(&plan.document, &joined.text, diagnostics);
        // Failing tests don't stop runs. Beyond the diagnostics limit, the plan keeps every error.
        let keeps = |error: &&Diagnostic| diagnostics.is_full() || error.blocks_runs();
        plan.errors = diagnostics.errors().iter().filter(keeps).cloned().collect();
        Some(plan)
    }
}

fn check_paths(plan: &PlanGraph, source: &str, diagnostics: &mut DiagnosticCollector) {
    let scopes = Scopes::new(plan);
    scopes.report_shadowing(plan, diagnostics);
    let mut analysis = FlowAnalysis::new(&scopes, diagnostics);
    reference_check::check(plan, &mut analysis, source, diagnostics);
}
