//! One of three versions.

use stepgraph_core::diagnostic::{Diagnostic, Span, TextEdit};
use stepgraph_core::source::{Format, Spanned, parse};
use stepgraph_core::value::Segment;

/// Its nodes have the common keys.
#[derive(Debug)]
pub(super) struct MergeVersion {
    pub(super) text: String,
    pub(super) edits: Vec<Vec<TextEdit>>,
    pub(super) root: Spanned,
}

impl MergeVersion {
    pub(super) fn new(text: &str, format: Format) -> Result<Self, Box<Diagnostic>> {
        let document = parse(text, format);
        if let Some(diagnostic) = document.diagnostics.into_iter().find(Diagnostic::is_error) {
            return Err(Box::new(diagnostic));
        }
        let root = document
            .root
            .unwrap_or(Spanned { kind: stepgraph_core::source::ValueKind::Null, span: Span::default() });
        Ok(Self { text: text.to_owned(), edits: Vec::new(), root })
    }

    pub(super) fn span(&self, way: &[Segment]) -> Option<Span> {
        let mut at = &self.root;
        for segment in way {
            at = match segment {
                Segment::Key(key) => &at.get(key)?.value,
                Segment::Index(index) => at.as_list()?.get(*index)?,
            };
        }
        let back = |at: usize| self.edits.iter().rev().fold(at, |at, edits| offset_before(edits, at));
        Some(Span::new(back(at.span.start), back(at.span.end)))
    }
}

fn offset_before(edits: &[TextEdit], at: usize) -> usize {
    let mut shift = 0_usize;
    for edit in edits {
        let start = edit.span.start.wrapping_add(shift);
        if at < start {
            break;
        }
        if at < start.wrapping_add(edit.text.len()) {
            return edit.span.start;
        }
        let gone = edit.span.end - edit.span.start;
        shift = shift.wrapping_add(edit.text.len()).wrapping_sub(gone);
    }
    at.wrapping_sub(shift)
}
