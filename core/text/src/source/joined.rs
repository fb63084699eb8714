//! A plan and the files that it runs as one text, so spans need no file.
//!
//! Invariant: no position belongs to two texts.

use super::LineIndex;
use crate::diagnostic::Span;

/// A joined file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Path from the plan's folder.
    pub path: String,
    /// Its range.
    pub span: Span,
    /// First position that names its path.
    pub named_at: Span,
}

/// The lines of each text.
///
/// # Example
/// ```
/// use stepgraph_text::{diagnostic::Span, source::{SourceFile, SourceIndex}};
/// let files = [SourceFile { path: "b.yaml".to_owned(), span: Span::new(5, 9), named_at: Span::new(3, 4) }];
/// let index = SourceIndex::joined("a: 1\nb: 2", &files);
/// assert_eq!((index.file(0), index.line_col(3)), (None, (1, 4)));
/// assert_eq!((index.file(8), index.line_col(8)), (Some("b.yaml"), (1, 4)));
/// ```
#[derive(Debug, Clone)]
pub struct SourceIndex<'t> {
    own: LineIndex<'t>,
    files: Vec<(&'t SourceFile, LineIndex<'t>)>,
}

impl<'t> SourceIndex<'t> {
    /// Indexes one text.
    pub fn new(text: &'t str) -> Self {
        Self::joined(text, &[])
    }

    /// Indexes a joined text.
    pub fn joined(text: &'t str, files: &'t [SourceFile]) -> Self {
        let part = |file: &'t SourceFile| text.get(file.span.start..file.span.end).unwrap_or_default();
        Self {
            own: LineIndex::new(own_text(text, files)),
            files: files.iter().map(|file| (file, LineIndex::new(part(file)))).collect(),
        }
    }

    /// The file at an offset. `None` for the plan itself.
    pub fn file(&self, offset: usize) -> Option<&'t str> {
        self.at(offset).map(|(file, _)| file.path.as_str())
    }

    /// Line and column in their text, from 1.
    pub fn line_col(&self, offset: usize) -> (usize, usize) {
        match self.at(offset) {
            Some((file, lines)) => lines.line_col(offset - file.span.start),
            None => self.own.line_col(offset),
        }
    }

    /// Converts to UTF-16 units of the text where the span begins.
    pub fn to_utf16(&self, span: Span) -> Span {
        let convert = |lines: &LineIndex<'_>, start: usize| {
            Span::new(lines.to_utf16(span.start - start), lines.to_utf16(span.end - start))
        };
        match self.at(span.start) {
            Some((file, lines)) => convert(lines, file.span.start),
            None => convert(&self.own, 0),
        }
    }

    fn at(&self, offset: usize) -> Option<&(&'t SourceFile, LineIndex<'t>)> {
        let after = self.files.partition_point(|(file, _)| file.span.start <= offset);
        self.files.get(after.checked_sub(1)?)
    }
}

/// The plan itself.
pub fn own_text<'t>(text: &'t str, files: &[SourceFile]) -> &'t str {
    let end = files.first().map_or(text.len(), |file| file.span.start - 1);
    text.get(..end).unwrap_or(text)
}
