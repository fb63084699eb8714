//! Spans computed on demand, since most texts have no diagnostic.

use stepgraph_text::diagnostic::{Span, TextEdit};
use stepgraph_text::source::source_map::SourceMap;

/// A lazily located text.
#[derive(Debug)]
pub struct LazySpan<'t> {
    /// File text.
    pub source: &'t str,
    span: Span,
    text: &'t str,
    places: Option<SourceMap<'t>>,
}

impl<'t> LazySpan<'t> {
    /// Wraps a text.
    pub fn new(source: &'t str, span: Span, text: &'t str) -> Self {
        Self { source, span, text, places: None }
    }

    /// The span in the file of a part of the text.
    pub fn locate(&mut self, part: Span) -> Span {
        self.places.get_or_insert_with(|| SourceMap::new(self.source, self.span, self.text)).to_file(part)
    }

    /// Converts an edit for the file, with the necessary escapes.
    pub fn to_file_edit(&mut self, edit: &TextEdit) -> Option<TextEdit> {
        self.places
            .get_or_insert_with(|| SourceMap::new(self.source, self.span, self.text))
            .splice_in_file(edit)
    }

    pub(super) fn insertion_span(&mut self, part: Span) -> Option<Span> {
        let span = self.locate(part);
        let same = self.source.get(span.start..span.end) == self.text.get(part.start..part.end);
        same.then_some(Span::at(span.end))
    }
}
