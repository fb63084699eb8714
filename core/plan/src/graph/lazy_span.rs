//! A text in the file, in which something may be wrong.
//!
//! Decides nothing: where the parts of a text stand is found out by [`stepgraph_text::source::source_map`], and only when it is asked for.

use stepgraph_text::diagnostic::{Span, TextEdit};
use stepgraph_text::source::source_map::SourceMap;

/// A text whose places are found out only when there is a problem.
#[derive(Debug)]
pub struct LazySpan<'t> {
    /// The text of the file.
    pub source: &'t str,
    span: Span,
    text: &'t str,
    places: Option<SourceMap<'t>>,
}

impl<'t> LazySpan<'t> {
    /// A text that stands at a place of the file.
    pub fn new(source: &'t str, span: Span, text: &'t str) -> Self {
        Self { source, span, text, places: None }
    }

    /// Where a part of it stands in the file.
    pub fn locate(&mut self, part: Span) -> Span {
        self.places.get_or_insert_with(|| SourceMap::new(self.source, self.span, self.text)).to_file(part)
    }

    /// The edit in the file that puts letters and the like in the place of a part.
    pub fn to_file_edit(&mut self, edit: &TextEdit) -> Option<TextEdit> {
        self.places
            .get_or_insert_with(|| SourceMap::new(self.source, self.span, self.text))
            .splice_in_file(edit)
    }

    /// Where a fallback can be put in after a part; nothing where the part is not written as it is.
    pub(super) fn insertion_span(&mut self, part: Span) -> Option<Span> {
        let span = self.locate(part);
        let same = self.source.get(span.start..span.end) == self.text.get(part.start..part.end);
        same.then_some(Span::at(span.end))
    }
}
