//! A text that is being edited, with all that is known of it.
//!
//! Decides what is known while a text changes: the tree, the plan and the problems of the present text, and the plan of the last
//! text that could be read, for the time in which the present one can't be.
//!
//! Invariants: after any changes everything is as if the present text had been given at once; only the last plan that was read remembers.

use std::sync::Arc;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::check;
use stepgraph_core::diagnostic::{Diagnostic, DiagnosticCollector, TextEdit};
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::source::edit::apply_edits;
use stepgraph_core::source::{DirtyRange, Format, IncrementalParse, LineIndex, Spanned};

/// A plan file that is open in an editor.
///
/// # Example
/// ```
/// use stepgraph_authoring::language::Document;
/// use stepgraph_core::{diagnostic::{Span, TextEdit}, source::Format};
/// let mut document = Document::new("nodes: {a: {type: log}}\n".to_owned(), Format::Yaml);
/// assert!(document.diagnostics().is_empty() && document.plan().is_some());
/// document.change(&[TextEdit { span: Span::new(21, 22), text: String::new() }]);
/// assert_eq!(document.text(), "nodes: {a: {type: log}\n");
/// assert_eq!(document.diagnostics()[0].code.slug(), "source/syntax");
/// assert!(document.plan().is_none() && document.last_valid_plan().is_some());
/// ```
#[derive(Debug, Clone)]
pub struct Document {
    text: String,
    parse: IncrementalParse,
    capabilities: Capabilities,
    plan: Option<PlanGraph>,
    /// The last plan, while the present text has none.
    last_plan: Option<PlanGraph>,
    diagnostics: Vec<Diagnostic>,
}

impl Document {
    /// A text that was opened; nothing is known yet of who will run it.
    pub fn new(text: String, format: Format) -> Self {
        Self::for_host(text, format, Capabilities::default())
    }

    /// A text that was opened, and what the host can do that will run it.
    pub fn for_host(text: String, format: Format, capabilities: Capabilities) -> Self {
        let mut document = Self {
            parse: IncrementalParse::new(&text, format),
            text,
            capabilities,
            plan: None,
            last_plan: None,
            diagnostics: Vec::new(),
        };
        document.check();
        document
    }

    /// Changes the text.
    ///
    /// # Shape
    /// Edits of the present text, in its order, which do not overlap. One that lies elsewhere, or would split a character, is left out.
    pub fn change(&mut self, edits: &[TextEdit]) {
        let mut behind = 0;
        let mut fitting = Vec::with_capacity(edits.len());
        for edit in edits {
            let fits = edit.span.start >= behind && self.text.get(edit.span.start..edit.span.end).is_some();
            if fits {
                behind = edit.span.end;
                fitting.push(edit.clone());
            }
        }
        let (Some(first), Some(last)) = (fitting.first(), fitting.last()) else { return };
        let (start, before) = (first.span.start, last.span.end);
        let text = apply_edits(&self.text, &fitting);
        let length = text.len() - (self.text.len() - before) - start;
        let dirty = DirtyRange::new(&self.text, start, before, length);
        self.text = text;
        self.parse.change(&self.text, dirty);
        self.check();
    }

    /// The present text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the present text is read as; never [`Format::Auto`].
    pub fn format(&self) -> Format {
        self.parse.format()
    }

    /// The lines of the present text.
    pub fn line_index(&self) -> LineIndex<'_> {
        LineIndex::new(&self.text)
    }

    /// The tree of the present text, when it can be read; maybe with problems.
    pub fn tree(&self) -> Option<&Spanned> {
        self.parse.tree().map(Arc::as_ref)
    }

    /// The plan of the present text as far as it was understood; none while the text can't be read at all.
    pub fn plan(&self) -> Option<&PlanGraph> {
        self.plan.as_ref()
    }

    /// The plan of the last text that could be read; [`PlanGraph::source`] is that text.
    pub fn last_valid_plan(&self) -> Option<&PlanGraph> {
        self.plan.as_ref().or(self.last_plan.as_ref())
    }

    /// What the host can do that will run this.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// Says what the host can do that will run this.
    pub fn set_capabilities(&mut self, capabilities: Capabilities) {
        self.capabilities = capabilities;
        self.check();
    }

    /// All problems of the present text: of reading it, of the plan, and of what the host can do; in the order of the text.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// How many changes so far could be read in part, without reading the whole text again.
    pub fn incremental_parses(&self) -> usize {
        self.parse.partial_count()
    }

    /// Finds out what the tree says and what is wrong with it.
    fn check(&mut self) {
        let mut diagnostics =
            DiagnosticCollector::after_reading(self.parse.diagnostics().to_vec(), &self.text);
        let tree = self.parse.tree().map(Arc::clone);
        let given = self.capabilities.external_outputs();
        let plan = tree.and_then(|tree| PlanGraph::from_document(tree, &self.text, given, &mut diagnostics));
        // A page that has just opened tells what is wrong with the plan as such. When somebody comes, it tells the host's offer, and the
        // rest is judged.
        if let Some(plan) = plan.as_ref().filter(|_| stepgraph_lazy::is_loaded()) {
            check_for_host(plan, &self.capabilities, &mut diagnostics);
        }
        let before = std::mem::replace(&mut self.plan, plan);
        if self.plan.is_some() {
            self.last_plan = None;
        } else if before.is_some() {
            self.last_plan = before;
        }
        self.diagnostics = without_repeated(diagnostics.finish());
    }
}

stepgraph_lazy::lazy! {
    /// Judges a plan by what the host can do.
    fn check_for_host(plan: &PlanGraph, capabilities: &Capabilities, diagnostics: &mut DiagnosticCollector) = check::check_all;
}

/// The same without those that say what another one says of the same place.
fn without_repeated(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut kept: Vec<Diagnostic> = Vec::with_capacity(diagnostics.len());
    for diagnostic in diagnostics {
        let here = kept.iter().rev().take_while(|other| other.span == diagnostic.span);
        let mut same = here.filter(|other| **other == diagnostic);
        if same.next().is_none() {
            kept.push(diagnostic);
        }
    }
    kept
}
