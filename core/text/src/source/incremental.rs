//! A text that changes, read again only where it changed.
//!
//! Decides what of an earlier reading still holds. The entries of a block YAML text that a change can touch are read anew and put into
//! the tree of before, in which all that follows is moved. Where it is not certain that the result is the same, the whole text is
//! read: JSON, brackets over everything, anchors, aliases and tags, problems that concern several entries.
//!
//! Files: `region` which entries a change can touch · `splice` how they are put into the tree.
//!
//! Invariant: tree, problems and format are those of [`parse`](super::parse) with the present text, whatever was before.

mod region;
mod splice;

use super::lexeme::byte;
use super::yaml::partial::{PartialParse, PartialResult};
use super::yaml::{MAX_SEPARATORS, ParseStats};
use super::{Document, Format, MAX_BYTES, MAX_PROBLEMS, MAX_VALUES, Spanned, looks_like_json, parse, yaml};
use crate::diagnostic::{Diagnostic, Span};
use region::{Region, regions};
use splice::Splice;
pub(super) use splice::shift;
use std::sync::Arc;
use stepgraph_yaml::TextStats;

/// A text that was read, and how to read it again.
#[derive(Debug, Clone)]
pub struct IncrementalParse {
    /// What the text is to be read as.
    requested_format: Format,
    /// The last text that had a tree.
    last_parsed: Option<ParsedText>,
    /// What is wrong with the present text, when it has no tree; and its format.
    broken: Option<(Vec<Diagnostic>, Format)>,
    /// How many changes were read in part.
    partial_count: usize,
}

/// A text that had a tree.
#[derive(Debug, Clone)]
struct ParsedText {
    tree: Arc<Spanned>,
    diagnostics: Vec<Diagnostic>,
    format: Format,
    /// Upper bounds of what is in it.
    stats: ParseStats,
    /// In what the present text differs from it.
    dirty: Option<DirtyRange>,
}

/// A stretch that was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirtyRange {
    /// Where it begins, before and after.
    pub start: usize,
    /// Where it ended.
    pub before: usize,
    /// Where it ends now.
    pub after: usize,
    /// Whether it ended where a line begins.
    pub lines: bool,
}

impl DirtyRange {
    /// That `start..before` of a text is to be replaced by that many bytes.
    pub fn new(text: &str, start: usize, before: usize, length: usize) -> Self {
        let lines = before == 0 || byte(text, before - 1) == b'\n';
        Self { start, before, after: start + length, lines }
    }

    /// How far what follows has moved, back where it wraps around.
    fn shift(self) -> usize {
        self.after.wrapping_sub(self.before)
    }

    /// This and then another one as one.
    fn merge(self, next: Self) -> Self {
        let start = self.start.min(next.start);
        // Both in the text between the two.
        let end = self.after.max(next.before);
        let lines = if next.before > self.after { next.lines } else { self.lines };
        Self { start, before: end.wrapping_sub(self.shift()), after: end.wrapping_add(next.shift()), lines }
    }
}

impl IncrementalParse {
    /// Reads a text.
    pub fn new(text: &str, asked: Format) -> Self {
        let mut reading = Self { requested_format: asked, last_parsed: None, broken: None, partial_count: 0 };
        reading.parse_all(text);
        reading
    }

    /// Reads the text again, in which that stretch was replaced.
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

    /// How many changes were read in part.
    pub fn partial_count(&self) -> usize {
        self.partial_count
    }

    /// The tree of the present text.
    pub fn tree(&self) -> Option<&Arc<Spanned>> {
        self.last_parsed.as_ref().filter(|_| self.broken.is_none()).map(|known| &known.tree)
    }

    /// What is wrong with the present text.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match (&self.broken, &self.last_parsed) {
            (Some((diagnostics, _)), _) => diagnostics,
            (None, Some(known)) => &known.diagnostics,
            (None, None) => &[],
        }
    }

    /// What the present text was read as.
    pub fn format(&self) -> Format {
        let known = self.last_parsed.as_ref().map_or(self.requested_format, |known| known.format);
        self.broken.as_ref().map_or(known, |(_, format)| *format)
    }

    fn parse_all(&mut self, text: &str) {
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

    /// Reads the text again where it changed; whether that could be done.
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
    /// Reads the entries of a region. `Err` is what is wrong with a text that can't be read; nothing where that is not certain.
    fn reparse(
        &mut self,
        region: &Region,
        text: &str,
        range: DirtyRange,
    ) -> Option<Result<(), Vec<Diagnostic>>> {
        let written = text.get(region.start..region.end)?;
        // Reading all of it takes no longer.
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
                // How many problems are found before a text that is no YAML depends on how far the parser looks
                // ahead. That may reach back before the region: the key of a lone `?` is known only when the token
                // after it is.
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

/// The problems of a text outside some entries.
struct OutsideDiagnostics<'p> {
    earlier: &'p [Diagnostic],
    later: &'p [Diagnostic],
}

impl<'p> OutsideDiagnostics<'p> {
    /// Nothing where a problem speaks of places inside and outside.
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

    /// All problems, with those of the entries as they are now.
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

/// Where a problem stands.
fn start(diagnostic: &Diagnostic) -> usize {
    diagnostic.span.map_or(0, |span| span.start)
}

#[cfg(test)]
mod tests;
