//! An open document: text, tree, plan and diagnostics, updated on each change.
//!
//! Invariant: except for the last valid plan, the state equals that of a new document with the same text.

use crate::edit::{GraphEdit, edit_parsed};
use std::sync::Arc;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::check;
use stepgraph_core::diagnostic::{
    Diagnostic, DiagnosticCollector, TextEdit, shorten_name, sorted_by_position,
};
use stepgraph_core::graph::{PlanFiles, PlanGraph};
use stepgraph_core::source::edit::{EditedText, apply_edits};
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
    files: PlanFiles,
    missing_files: Vec<String>,
    plan: Option<PlanGraph>,
    last_plan: Option<PlanGraph>,
    diagnostics: Vec<Diagnostic>,
}

impl Document {
    /// For an unknown host.
    pub fn new(text: String, format: Format) -> Self {
        Self::for_host(text, format, Capabilities::default())
    }

    /// For a known host.
    pub fn for_host(text: String, format: Format, capabilities: Capabilities) -> Self {
        let mut document = Self {
            parse: IncrementalParse::new(&text, format),
            text,
            capabilities,
            files: PlanFiles::optional(),
            missing_files: Vec::new(),
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
    /// Ordered edits. Those out of range or inside a character are ignored.
    pub fn change(&mut self, edits: &[TextEdit]) {
        let mut behind = 0;
        let mut fitting: Vec<TextEdit> = Vec::with_capacity(edits.len());
        for edit in edits {
            let fits = edit.span.start >= behind && self.text.get(edit.span.start..edit.span.end).is_some();
            if fits {
                behind = edit.span.end;
                fitting.push(edit.clone());
            }
        }
        let Some(dirty) = DirtyRange::of_edits(&self.text, &fitting) else { return };
        self.text = apply_edits(&self.text, &fitting);
        self.parse.change(&self.text, dirty);
        self.check();
    }

    /// Computes edits of the plan, without applying them.
    ///
    /// # Errors
    /// As for [`edit`](crate::edit::edit).
    pub fn edit(&self, edits: &[GraphEdit]) -> Result<EditedText, Box<Diagnostic>> {
        edit_parsed(&self.text, self.parse.clone(), edits)
    }

    /// Applies the parsed result of [`Document::edit`].
    pub fn apply_edited(&mut self, edited: EditedText) {
        if edited.text != self.text {
            (self.text, self.parse) = (edited.text, edited.parse);
            self.check();
        }
    }

    /// Current text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Never [`Format::Auto`].
    pub fn format(&self) -> Format {
        self.parse.format()
    }

    /// Current lines.
    pub fn line_index(&self) -> LineIndex<'_> {
        LineIndex::new(&self.text)
    }

    /// `None` if the text does not parse.
    pub fn tree(&self) -> Option<&Spanned> {
        self.parse.tree().map(Arc::as_ref)
    }

    /// Its valid parts. `None` if the text does not parse.
    pub fn plan(&self) -> Option<&PlanGraph> {
        self.plan.as_ref()
    }

    /// The plan of the last text that parsed, [`PlanGraph::source`].
    pub fn last_valid_plan(&self) -> Option<&PlanGraph> {
        self.plan.as_ref().or(self.last_plan.as_ref())
    }

    /// Host capabilities.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// Sets and checks host capabilities.
    pub fn set_capabilities(&mut self, capabilities: Capabilities) {
        self.capabilities = capabilities;
        self.check();
    }

    /// Sets the files that the plan may run. Only diagnostics depend on them: the plan, completion and the
    /// diagram show such nodes as closed.
    pub fn set_files(&mut self, mut files: PlanFiles) {
        files.is_optional = true;
        self.files = files;
        self.check();
    }

    /// Files that the plan runs, but that are not set.
    pub fn missing_files(&self) -> &[String] {
        &self.missing_files
    }

    /// In text order: syntax, plan and host.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Counts incremental parses.
    pub fn incremental_parses(&self) -> usize {
        self.parse.partial_count()
    }

    /// Counts whole parses, with the first.
    pub fn full_parses(&self) -> usize {
        self.parse.full_count()
    }

    fn check(&mut self) {
        let mut diagnostics =
            DiagnosticCollector::after_reading(self.parse.diagnostics().to_vec(), &self.text);
        let tree = self.parse.tree().map(Arc::clone);
        let read = |files: &PlanFiles, diagnostics: &mut DiagnosticCollector| {
            let given = self.capabilities.external_outputs();
            PlanGraph::from_document(Arc::clone(tree.as_ref()?), &self.text, given, files, diagnostics)
        };
        let whole = read(&self.files, &mut diagnostics);
        // The host checks are lazy: a new page reports only errors of the plan, until it sets the host
        // capabilities.
        if let Some(plan) = whole.as_ref().filter(|_| stepgraph_lazy::is_loaded()) {
            check_for_host(plan, &self.capabilities, &mut diagnostics);
        }
        let mut found = diagnostics.finish();
        self.missing_files = whole.as_ref().map(|plan| plan.missing_files().to_vec()).unwrap_or_default();
        let plan = match whole {
            Some(whole) if !whole.files().is_empty() => {
                found = show_at_paths(found, &whole);
                read(&PlanFiles::optional(), &mut DiagnosticCollector::default())
            }
            whole => whole,
        };
        let before = std::mem::replace(&mut self.plan, plan);
        if self.plan.is_some() {
            self.last_plan = None;
        } else if before.is_some() {
            self.last_plan = before;
        }
        self.diagnostics = without_repeated(found);
    }
}

stepgraph_lazy::lazy! {
    fn check_for_host(plan: &PlanGraph, capabilities: &Capabilities, diagnostics: &mut DiagnosticCollector) = check::check_all;
}

/// Moves diagnostics of other files to their paths.
fn show_at_paths(diagnostics: Vec<Diagnostic>, plan: &PlanGraph) -> Vec<Diagnostic> {
    let index = plan.source_index();
    let mut shown = Vec::with_capacity(diagnostics.len());
    for mut diagnostic in diagnostics {
        let start = diagnostic.span.map_or(0, |span| span.start);
        if let Some(file) = index.file(start) {
            let (line, column) = index.line_col(start);
            diagnostic.message = format!("{}:{line}:{column}: {}", shorten_name(file), diagnostic.message);
            diagnostic.fix.clear();
            diagnostic.span = plan.path_span(start);
        }
        diagnostic.labels.retain(|label| index.file(label.span.start).is_none());
        shown.push(diagnostic);
    }
    sorted_by_position(shown)
}

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
