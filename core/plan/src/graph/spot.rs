//! A text in the file, in which something may be wrong.
//!
//! Decides nothing: where the parts of a text stand is found out by [`stepgraph_text::source::places`], and only when it is asked for.

use stepgraph_text::diagnostic::{Span, TextEdit};
use stepgraph_text::source::places::Places;

/// A text whose places are found out only when there is a problem.
#[derive(Debug)]
pub struct Spot<'t> {
    /// The text of the file.
    pub source: &'t str,
    span: Span,
    text: &'t str,
    places: Option<Places<'t>>,
}

impl<'t> Spot<'t> {
    /// A text that stands at a place of the file.
    pub fn new(source: &'t str, span: Span, text: &'t str) -> Self {
        Self { source, span, text, places: None }
    }

    /// Where a part of it stands in the file.
    pub fn of(&mut self, part: Span) -> Span {
        self.places.get_or_insert_with(|| Places::new(self.source, self.span, self.text)).of(part)
    }

    /// The edit in the file that puts letters and the like in the place of a part.
    pub fn splice(&mut self, edit: &TextEdit) -> Option<TextEdit> {
        self.places.get_or_insert_with(|| Places::new(self.source, self.span, self.text)).splice(edit)
    }

    /// Where a fallback can be put in after a part; nothing where the part is not written as it is.
    pub(super) fn after(&mut self, part: Span) -> Option<Span> {
        let place = self.of(part);
        let same = self.source.get(place.start..place.end) == self.text.get(part.start..part.end);
        same.then_some(Span::at(place.end))
    }
}
