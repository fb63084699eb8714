//! An incremental parser: replaces the entries that a change can affect, or else parses the whole text.
//!
//! Invariant: Tree, diagnostics and format equal those of [`parse`](super::parse).

mod region;
mod splice;

use super::lexeme::byte;
use super::yaml::partial::{PartialParse, PartialResult};
use super::yaml::{MAX_SEPARATORS, ParseStats};
use super::{Document, Format, MAX_BYTES, MAX_PROBLEMS, MAX_VALUES, Spanned, looks_like_json, parse, yaml};
use crate::diagnostic::{Diagnostic, Span, TextEdit};
use region::{Region, regions};
use splice::Splice;
pub(super) use splice::shift;
use std::sync::Arc;
use stepgraph_yaml::TextStats;

/// A changeable parsed text.
#[derive(Debug, Clone)]
pub struct IncrementalParse {
    requested_format: Format,
    last_parsed: Option<ParsedText>,
    broken: Option<(Vec<Diagnostic>, Format)>,
    partial_count: usize,
    full_count: usize,
}

#[derive(Debug, Clone)]
struct ParsedText {
    tree: Arc<Spanned>,
    diagnostics: Vec<Diagnostic>,
    format: Format,
    /// Upper limits.
    stats: ParseStats,
    dirty: Option<DirtyRange>,
}

/// A replaced range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirtyRange {
    /// In both texts.
    pub start: usize,
    /// Old end.
    pub before: usize,
    /// New end.
    pub after: usize,
    /// Whether the old range ended at a line start.
    pub lines: bool,
}

impl DirtyRange {
    /// The old `start..before` becomes `length` bytes.
    pub fn new(text: &str, start: usize, before: usize, length: usize) -> Self {
        let lines = before == 0 || byte(text, before - 1) == b'\n';
        Self { start, before, after: start + length, lines }
    }

    /// The range that ordered edits replace.
    pub fn of_edits(text: &str, edits: &[TextEdit]) -> Option<Self> {
        let (start, end) = (edits.first()?.span.start, edits.last()?.span.end);
        let removed: usize = edits.iter().map(|edit| edit.span.end - edit.span.start).sum();
        let added: usize = edits.iter().map(|edit| edit.text.len()).sum();
        Some(Self::new(text, start, end, end - start - removed + added))
    }

    /// Wraps around for a shift to the left.
    fn shift(self) -> usize {
        self.after.wrapping_sub(self.before)
    }

    fn merge(self, next: Self) -> Self {
        let start = self.start.min(next.start);
        // Both offsets refer to the text between the changes.
        let end = self.after.max(next.before);
        let lines = if next.before > self.after { next.lines } else { self.lines };
        Self { start, before: end.wrapping_sub(self.shift()), after: end.wrapping_add(next.shift()), lines }
    }
}

impl IncrementalParse {
    /// Parses a text.
    pub fn new(text: &str, asked: Format) -> Self {
        let mut reading = Self {
            requested_format: asked,
            last_parsed: None,
            broken: None,
            partial_count: 0,
            full_count: 0,
        };
        reading.parse_all(text);
        reading
    }

    /// Parses after the replacement of a range.
    pub fn change(&mut self, text: &str, range: DirtyRange) {
        if let Some(known) = &mut self.last_parsed {
            known.dirty = Some(known.dirty.map_or(range, |before| before.merge(range)));
        }
        if self.parse_region(text) {
            self.partial_count += 1;
        } else {
            self.parse_all(text);
        }
    }

    /// Counts partial parses.
    pub fn partial_count(&self) -> usize {
        self.partial_count
    }

    /// Counts whole parses, with the first.
    pub fn full_count(&self) -> usize {
        self.full_count
    }

    /// Current tree.
    pub fn tree(&self) -> Option<&Arc<Spanned>> {
        self.last_parsed.as_ref().filter(|_| self.broken.is_none()).map(|known| &known.tree)
    }

    /// Current diagnostics.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match (&self.broken, &self.last_parsed) {
            (Some((diagnostics, _)), _) => diagnostics,
            (None, Some(known)) => &known.diagnostics,
            (None, None) => &[],
        }
    }

    /// Current format.
    pub fn format(&self) -> Format {
        let known = self.last_parsed.as_ref().map_or(self.requested_format, |known| known.format);
        self.broken.as_ref().map_or(known, |(_, format)| *format)
    }

    fn parse_all(&mut self, text: &str) {
        self.full_count += 1;
        let is_yaml = match self.requested_format {
            Format::Yaml => true,
            Format::Json => false,
            Format::Auto => !looks_like_json(text),
        };
        let (document, stats) = if is_yaml && text.len() <= MAX_BYTES {
            yaml::parse_with_stats(text)
        } else {
            (parse(text, self.requested_format), ParseStats { is_odd: true, ..ParseStats::default() })
        };
        let Document { root, diagnostics, format } = document;
        match root {
            Some(root) => {
                let tree = Arc::new(root);
                self.last_parsed = Some(ParsedText { tree, diagnostics, format, stats, dirty: None });
                self.broken = None;
            }
            None => self.broken = Some((diagnostics, format)),
        }
    }

    /// Returns `false` if a full parse is necessary.
    fn parse_region(&mut self, text: &str) -> bool {
        let Some(known) = &mut self.last_parsed else { return false };
        let Some(range) = known.dirty else { return false };
        let is_yaml =
            known.format == Format::Yaml && (self.requested_format == Format::Yaml || !looks_like_json(text));
        if !is_yaml || known.stats.is_odd || text.len() > MAX_BYTES {
            return false;
        }
        for region in regions(&known.tree, text, range).iter().rev() {
            match known.reparse(region, text, range) {
                Some(Ok(())) => {
                    self.broken = None;
                    return true;
                }
                Some(Err(diagnostics)) => {
                    self.broken = Some((diagnostics, Format::Yaml));
                    return true;
                }
                None => {}
            }
        }
        false
    }
}

impl ParsedText {
    /// `Err` contains syntax errors. `None` means that the result is not certain.
    fn reparse(
        &mut self,
        region: &Region,
        text: &str,
        range: DirtyRange,
    ) -> Option<Result<(), Vec<Diagnostic>>> {
        let written = text.get(region.start..region.end)?;
        // A full parse takes no longer.
        if written.len() > text.len() / 2 && text.len() > 1000 {
            return None;
        }
        let stats = TextStats::of(written);
        let separators = self.stats.separators + stats.separators;
        if stats.control_char.is_some() || stats.is_odd || separators > MAX_SEPARATORS {
            return None;
        }
        let before = Span::new(region.start, region.end.wrapping_sub(range.shift()));
        let apart = OutsideDiagnostics::new(&self.diagnostics, before)?;
        if region.end == text.len() && !apart.later.is_empty() {
            return None;
        }
        let part = PartialParse {
            text,
            opening: &region.opening,
            holder: region.begins,
            depth: region.path.len() + 1,
            start: region.start,
            end: region.end,
        };
        match part.parse() {
            PartialResult::Entries { entries, shift, end, values, diagnostics } => {
                let values = self.stats.values + values;
                if values > MAX_VALUES || self.diagnostics.len() + diagnostics.len() >= MAX_PROBLEMS {
                    return None;
                }
                let splice = Splice { region, entries, shift, end, by: range.shift() };
                splice.apply(&mut self.tree)?;
                self.diagnostics = apart.with(diagnostics, range.shift());
                self.stats = ParseStats { values, separators, ..self.stats };
                self.dirty = None;
                Some(Ok(()))
            }
            PartialResult::Broken { keys, diagnostics } => {
                // The parser's lookahead decides how many diagnostics precede a syntax error. It may reach
                // back before the region: the key of a lone `?` is complete only at the next token.
                if !apart.earlier.is_empty() || diagnostics.len() > 1 || region.has_before(&self.tree, &keys)
                {
                    return None;
                }
                Some(Err(diagnostics))
            }
            PartialResult::Unsure => None,
        }
    }
}

struct OutsideDiagnostics<'p> {
    earlier: &'p [Diagnostic],
    later: &'p [Diagnostic],
}

impl<'p> OutsideDiagnostics<'p> {
    /// `None` if a diagnostic is on both sides.
    fn new(diagnostics: &'p [Diagnostic], region: Span) -> Option<Self> {
        let from = diagnostics.partition_point(|diagnostic| start(diagnostic) < region.start);
        let to = diagnostics.partition_point(|diagnostic| start(diagnostic) < region.end);
        let (earlier, later) = (diagnostics.get(..from)?, diagnostics.get(to..)?);
        let apart = |diagnostic: &Diagnostic, inside: bool| {
            diagnostic.extent().is_some_and(|places| {
                let within = places.start >= region.start && places.end <= region.end;
                let without = places.end <= region.start || places.start >= region.end;
                if inside { within } else { without }
            })
        };
        let inside = diagnostics.get(from..to)?;
        let sound = earlier.iter().chain(later).all(|diagnostic| apart(diagnostic, false))
            && inside.iter().all(|diagnostic| apart(diagnostic, true));
        sound.then_some(Self { earlier, later })
    }

    /// Adds the region's new diagnostics.
    fn with(&self, found: Vec<Diagnostic>, by: usize) -> Vec<Diagnostic> {
        let mut diagnostics = self.earlier.to_vec();
        diagnostics.extend(crate::diagnostic::sorted_by_position(found));
        diagnostics.extend(self.later.iter().cloned().map(|mut diagnostic| {
            diagnostic.spans_mut().for_each(|place| *place = place.shifted(by));
            diagnostic
        }));
        diagnostics
    }
}

fn start(diagnostic: &Diagnostic) -> usize {
    diagnostic.span.map_or(0, |span| span.start)
}

#[cfg(test)]
mod tests;
