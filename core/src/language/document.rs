//! A text that is being edited, with all that is known of it.
//!
//! Decides what is known while a text changes: the tree, the plan and the problems of the present text, and the last plan that was
//! sound, for the time in which the text is not.
//!
//! Invariants: after any changes everything is as if the present text had been given at once; only the last good plan remembers.
//!
//! Source: design sections 2 and 14.

use crate::diagnostic::{Diagnostic, Problems, TextEdit};
use crate::graph::{self, PlanGraph};
use crate::host::Capabilities;
use crate::source::edit::spliced;
use crate::source::{self, Format, Lines, Spanned};
use std::sync::Arc;

/// A plan file that is open in an editor.
///
/// # Example
/// ```
/// use stepgraph_core::{diagnostic::{Span, TextEdit}, language::Document, source::Format};
/// let mut document = Document::new("nodes: {a: {type: log}}\n".to_owned(), Format::Yaml);
/// assert!(document.diagnostics().is_empty() && document.plan().is_some());
/// document.change(&[TextEdit { span: Span::new(21, 22), text: String::new() }]);
/// assert_eq!(document.text(), "nodes: {a: {type: log}\n");
/// assert_eq!(document.diagnostics()[0].code.slug(), "source/syntax");
/// assert!(document.plan().is_none() && document.last_good().is_some());
/// ```
#[derive(Debug, Clone)]
pub struct Document {
    text: String,
    /// What the text is to be read as.
    asked: Format,
    /// What it was read as.
    format: Format,
    capabilities: Capabilities,
    tree: Option<Arc<Spanned>>,
    plan: Option<PlanGraph>,
    /// The last plan, while the present text has none.
    earlier: Option<PlanGraph>,
    /// The problems of reading, which are looked for once for each text.
    read: Vec<Diagnostic>,
    diagnostics: Vec<Diagnostic>,
}

impl Document {
    /// A text that was opened; nothing is known yet of who will run it.
    pub fn new(text: String, format: Format) -> Self {
        let mut document = Self {
            text,
            asked: format,
            format,
            capabilities: Capabilities::default(),
            tree: None,
            plan: None,
            earlier: None,
            read: Vec::new(),
            diagnostics: Vec::new(),
        };
        document.read();
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
        if fitting.is_empty() {
            return;
        }
        self.text = spliced(&self.text, &fitting);
        self.read();
    }

    /// The present text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the present text is read as; never [`Format::Auto`].
    pub fn format(&self) -> Format {
        self.format
    }

    /// The lines of the present text.
    pub fn lines(&self) -> Lines<'_> {
        Lines::new(&self.text)
    }

    /// The tree of the present text, when it can be read; maybe with problems.
    pub fn tree(&self) -> Option<&Spanned> {
        self.tree.as_deref()
    }

    /// The plan of the present text, when nothing is wrong with it as such. What a host lacks does not count.
    pub fn plan(&self) -> Option<&PlanGraph> {
        self.plan.as_ref()
    }

    /// The plan of the last text that had one; [`PlanGraph::source`] is that text.
    pub fn last_good(&self) -> Option<&PlanGraph> {
        self.plan.as_ref().or(self.earlier.as_ref())
    }

    /// What the host can do that will run this.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// Says what the host can do that will run this.
    pub fn set_capabilities(&mut self, capabilities: Capabilities) {
        self.capabilities = capabilities;
        self.judge();
    }

    /// All problems of the present text: of reading it, of the plan, and of what the host can do; in the order of the text.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Finds out all about the present text.
    fn read(&mut self) {
        let source::Document { root, diagnostics, format } = source::read(&self.text, self.asked);
        self.format = format;
        self.tree = root.map(Arc::new);
        self.read = diagnostics;
        self.judge();
    }

    /// Finds out what the tree says and what is wrong with it.
    fn judge(&mut self) {
        let mut problems = Problems::after_reading(self.read.clone(), &self.text);
        let plan =
            self.tree.as_ref().and_then(|tree| PlanGraph::of(Arc::clone(tree), &self.text, &mut problems));
        if let Some(plan) = &plan {
            graph::judge(plan, &self.capabilities, &mut problems);
        }
        let before = std::mem::replace(&mut self.plan, plan);
        if self.plan.is_some() {
            self.earlier = None;
        } else if before.is_some() {
            self.earlier = before;
        }
        self.diagnostics = without_repeated(problems.finish());
    }
}

/// The same without those that say what another one says of the same place.
fn without_repeated(problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut kept: Vec<Diagnostic> = Vec::with_capacity(problems.len());
    for problem in problems {
        let here = kept.iter().rev().take_while(|other| other.span == problem.span);
        let mut same = here.filter(|other| **other == problem);
        if same.next().is_none() {
            kept.push(problem);
        }
    }
    kept
}
