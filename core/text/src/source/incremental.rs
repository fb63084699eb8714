//! A text that changes, read again only where it changed.
//!
//! Decides what of an earlier reading still holds. The entries of a block YAML text that a change can touch are read anew and put into
//! the tree of before, in which all that follows is moved. Where it is not certain that the result is the same, the whole text is
//! read: JSON, brackets over everything, anchors, aliases and tags, problems that concern several entries.
//!
//! Files: `region` which entries a change can touch · `splice` how they are put into the tree.
//!
//! Invariant: tree, problems and format are those of [`read`](super::read) with the present text, whatever was before.

mod region;
mod splice;

use super::lexeme::byte;
use super::yaml::partial::{Found, Part};
use super::yaml::{MAX_SEPARATORS, Measure};
use super::{Document, Format, MAX_BYTES, MAX_PROBLEMS, MAX_VALUES, Spanned, looks_like_json, read, yaml};
use crate::diagnostic::{Diagnostic, Span};
use region::{Region, regions};
use splice::Splice;
pub(super) use splice::shift;
use std::sync::Arc;
use stepgraph_events::Survey;

/// A text that was read, and how to read it again.
#[derive(Debug, Clone)]
pub struct Reading {
    /// What the text is to be read as.
    asked: Format,
    /// The last text that had a tree.
    known: Option<Known>,
    /// What is wrong with the present text, when it has no tree; and its format.
    broken: Option<(Vec<Diagnostic>, Format)>,
    /// How many changes were read in part.
    parts: usize,
}

/// A text that had a tree.
#[derive(Debug, Clone)]
struct Known {
    tree: Arc<Spanned>,
    problems: Vec<Diagnostic>,
    format: Format,
    /// Upper bounds of what is in it.
    measure: Measure,
    /// In what the present text differs from it.
    dirty: Option<Dirty>,
}

/// A stretch that was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dirty {
    /// Where it begins, before and after.
    pub start: usize,
    /// Where it ended.
    pub before: usize,
    /// Where it ends now.
    pub after: usize,
    /// Whether it ended where a line begins.
    pub lines: bool,
}

impl Dirty {
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
    fn and(self, next: Self) -> Self {
        let start = self.start.min(next.start);
        // Both in the text between the two.
        let end = self.after.max(next.before);
        let lines = if next.before > self.after { next.lines } else { self.lines };
        Self { start, before: end.wrapping_sub(self.shift()), after: end.wrapping_add(next.shift()), lines }
    }
}

impl Reading {
    /// Reads a text.
    pub fn new(text: &str, asked: Format) -> Self {
        let mut reading = Self { asked, known: None, broken: None, parts: 0 };
        reading.whole(text);
        reading
    }

    /// Reads the text again, in which that stretch was replaced.
    pub fn change(&mut self, text: &str, dirty: Dirty) {
        if let Some(known) = &mut self.known {
            known.dirty = Some(known.dirty.map_or(dirty, |before| before.and(dirty)));
        }
        if self.part(text) {
            self.parts += 1;
        } else {
            self.whole(text);
        }
    }

    /// How many changes were read in part.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// The tree of the present text.
    pub fn tree(&self) -> Option<&Arc<Spanned>> {
        self.known.as_ref().filter(|_| self.broken.is_none()).map(|known| &known.tree)
    }

    /// What is wrong with the present text.
    pub fn problems(&self) -> &[Diagnostic] {
        match (&self.broken, &self.known) {
            (Some((problems, _)), _) => problems,
            (None, Some(known)) => &known.problems,
            (None, None) => &[],
        }
    }

    /// What the present text was read as.
    pub fn format(&self) -> Format {
        let known = self.known.as_ref().map_or(self.asked, |known| known.format);
        self.broken.as_ref().map_or(known, |(_, format)| *format)
    }

    fn whole(&mut self, text: &str) {
        let is_yaml = match self.asked {
            Format::Yaml => true,
            Format::Json => false,
            Format::Auto => !looks_like_json(text),
        };
        let (document, measure) = if is_yaml && text.len() <= MAX_BYTES {
            yaml::read_measured(text)
        } else {
            (read(text, self.asked), Measure { odd: true, ..Measure::default() })
        };
        let Document { root, diagnostics, format } = document;
        match root {
            Some(root) => {
                let tree = Arc::new(root);
                self.known = Some(Known { tree, problems: diagnostics, format, measure, dirty: None });
                self.broken = None;
            }
            None => self.broken = Some((diagnostics, format)),
        }
    }

    /// Reads the text again where it changed; whether that could be done.
    fn part(&mut self, text: &str) -> bool {
        let Some(known) = &mut self.known else { return false };
        let Some(dirty) = known.dirty else { return false };
        let is_yaml = known.format == Format::Yaml && (self.asked == Format::Yaml || !looks_like_json(text));
        if !is_yaml || known.measure.odd || text.len() > MAX_BYTES {
            return false;
        }
        for region in regions(&known.tree, text, dirty).iter().rev() {
            match known.read(region, text, dirty) {
                Some(Ok(())) => {
                    self.broken = None;
                    return true;
                }
                Some(Err(problems)) => {
                    self.broken = Some((problems, Format::Yaml));
                    return true;
                }
                None => {}
            }
        }
        false
    }
}

impl Known {
    /// Reads the entries of a region. `Err` is what is wrong with a text that can't be read; nothing where that is not certain.
    fn read(&mut self, region: &Region, text: &str, dirty: Dirty) -> Option<Result<(), Vec<Diagnostic>>> {
        let written = text.get(region.start..region.end)?;
        // Reading all of it takes no longer.
        if written.len() > text.len() / 2 && text.len() > 1000 {
            return None;
        }
        let survey = Survey::of(written);
        let separators = self.measure.separators + survey.separators;
        if survey.control.is_some() || survey.odd || separators > MAX_SEPARATORS {
            return None;
        }
        let before = Span::new(region.start, region.end.wrapping_sub(dirty.shift()));
        let apart = Apart::new(&self.problems, before)?;
        if region.end == text.len() && !apart.later.is_empty() {
            return None;
        }
        let part = Part {
            text,
            opening: &region.opening,
            holder: region.begins,
            depth: region.way.len() + 1,
            start: region.start,
            end: region.end,
        };
        match part.read() {
            Found::Entries { entries, shift, end, values, problems } => {
                let values = self.measure.values + values;
                if values > MAX_VALUES || self.problems.len() + problems.len() >= MAX_PROBLEMS {
                    return None;
                }
                let splice = Splice { region, entries, shift, end, by: dirty.shift() };
                splice.make(&mut self.tree)?;
                self.problems = apart.with(problems, dirty.shift());
                self.measure = Measure { values, separators, ..self.measure };
                self.dirty = None;
                Some(Ok(()))
            }
            Found::Broken { keys, problems } => {
                // How many problems are found before a text that is no YAML depends on how far the parser looks
                // ahead. That may reach back before the region: the key of a lone `?` is known only when the token
                // after it is.
                if !apart.earlier.is_empty() || problems.len() > 1 || region.has_before(&self.tree, &keys) {
                    return None;
                }
                Some(Err(problems))
            }
            Found::Unsure => None,
        }
    }
}

/// The problems of a text outside some entries.
struct Apart<'p> {
    earlier: &'p [Diagnostic],
    later: &'p [Diagnostic],
}

impl<'p> Apart<'p> {
    /// Nothing where a problem speaks of places inside and outside.
    fn new(problems: &'p [Diagnostic], region: Span) -> Option<Self> {
        let from = problems.partition_point(|problem| start(problem) < region.start);
        let to = problems.partition_point(|problem| start(problem) < region.end);
        let (earlier, later) = (problems.get(..from)?, problems.get(to..)?);
        let apart = |problem: &Diagnostic, inside: bool| {
            problem.extent().is_some_and(|places| {
                let within = places.start >= region.start && places.end <= region.end;
                let without = places.end <= region.start || places.start >= region.end;
                if inside { within } else { without }
            })
        };
        let inside = problems.get(from..to)?;
        let sound = earlier.iter().chain(later).all(|problem| apart(problem, false))
            && inside.iter().all(|problem| apart(problem, true));
        sound.then_some(Self { earlier, later })
    }

    /// All problems, with those of the entries as they are now.
    fn with(&self, found: Vec<Diagnostic>, by: usize) -> Vec<Diagnostic> {
        let mut problems = self.earlier.to_vec();
        problems.extend(crate::diagnostic::in_order(found));
        problems.extend(self.later.iter().cloned().map(|mut problem| {
            problem.places_mut().for_each(|place| *place = place.moved(by));
            problem
        }));
        problems
    }
}

/// Where a problem stands.
fn start(problem: &Diagnostic) -> usize {
    problem.span.map_or(0, |span| span.start)
}

#[cfg(test)]
mod tests;
