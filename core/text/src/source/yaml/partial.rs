//! Parses some entries of a YAML text after lines that open their containers. Stops at the next entry.
//!
//! Invariant: Results equal those of a full parse, or are [`PartialResult::Unsure`].
//!
//! Source: YAML 1.2.2 chapter 8.

use super::{Diagnostic, Event, ParserEvents, ValueKind, YamlParser, skip_whitespace, syntax_message};

#[derive(Debug)]
pub(in crate::source) struct PartialParse<'t> {
    pub(in crate::source) text: &'t str,
    pub(in crate::source) opening: &'t str,
    /// The container's start, inside these lines if they contain an entry before the range.
    pub(in crate::source) holder: usize,
    /// How many containers the lines open.
    pub(in crate::source) depth: usize,
    pub(in crate::source) start: usize,
    pub(in crate::source) end: usize,
}

/// Positions outside `entries` refer to the whole text.
#[derive(Debug)]
pub(in crate::source) enum PartialResult {
    Entries {
        entries: ValueKind,
        shift: usize,
        end: usize,
        values: usize,
        diagnostics: Vec<Diagnostic>,
    },
    Broken {
        /// A map's keys before the error.
        keys: Vec<String>,
        /// The reason last.
        diagnostics: Vec<Diagnostic>,
    },
    Unsure,
}

impl PartialParse<'_> {
    pub(in crate::source) fn parse(&self) -> PartialResult {
        let Some(rest) = self.text.get(self.start..) else { return PartialResult::Unsure };
        let text = [self.opening, rest].concat();
        let shift = self.start.wrapping_sub(self.opening.len());
        let mut reader = YamlParser::new(&text);
        let outcome = self.events(&mut reader, shift);
        let named = reader.has_properties;
        let (end, values) = (reader.cursor.wrapping_add(shift), reader.builder.values());
        // A closed container hides the error's context.
        let open = reader.builder.is_open(self.depth, self.holder);
        let keys = reader.builder.keys(self.depth);
        let (entries, mut diagnostics) = reader.builder.into_open();
        for diagnostic in &mut diagnostics {
            if diagnostic.extent().is_none_or(|places| places.start < self.opening.len()) {
                return PartialResult::Unsure;
            }
            diagnostic.spans_mut().for_each(|place| *place = place.shifted(shift));
        }
        match (outcome, entries) {
            _ if named || !open => PartialResult::Unsure,
            (Outcome::Whole, Some(mut entries)) if end <= self.end => {
                if self.holder < self.opening.len() && !drop_first(&mut entries) {
                    return PartialResult::Unsure;
                }
                PartialResult::Entries { entries, shift, end, values, diagnostics }
            }
            (Outcome::Stopped, _) => PartialResult::Broken { keys, diagnostics },
            (Outcome::Broken(diagnostic), _) => {
                diagnostics.push(*diagnostic);
                PartialResult::Broken { keys, diagnostics }
            }
            _ => PartialResult::Unsure,
        }
    }

    fn events(&self, reader: &mut YamlParser<'_>, shift: usize) -> Outcome {
        let end = self.end.wrapping_sub(shift);
        let mut parser = ParserEvents::new(reader.text);
        while let Some(next) = parser.next_event() {
            let (event, mark) = match next {
                Ok(found) => found,
                Err(error) if error.info().contains("unknown anchor") => return Outcome::Unsure,
                Err(error) => {
                    let at = reader.byte(*error.marker());
                    if at < self.opening.len() {
                        return Outcome::Unsure;
                    }
                    let diagnostic = syntax_message::explain(self.text, at.wrapping_add(shift), error.info());
                    return Outcome::Broken(Box::new(reader.explained(diagnostic, self.text, shift)));
                }
            };
            let depth = reader.builder.depth();
            let complete = depth == self.depth && reader.builder.is_ready();
            if complete && skip_whitespace(reader.text, reader.cursor) >= end {
                return Outcome::Whole;
            }
            let behind = reader.byte(mark.start) >= end;
            if !self.belongs(&event, depth, complete, behind) {
                return Outcome::Unsure;
            }
            if reader.event(event, mark).is_err() {
                return Outcome::Stopped;
            }
        }
        Outcome::Unsure
    }

    /// Includes events of the opening lines.
    fn belongs(&self, event: &Event<'_>, depth: usize, complete: bool, behind: bool) -> bool {
        match event {
            Event::StreamStart => true,
            Event::DocumentStart(explicit) => depth == 0 && !explicit && !behind,
            Event::SequenceEnd | Event::MappingEnd => depth > self.depth && !complete,
            // A value without text comes with the next token.
            Event::Scalar(text, ..) => depth > 0 && (!behind || text.is_empty()),
            Event::SequenceStart(..) | Event::MappingStart(..) => !behind,
            Event::Nothing | Event::Alias(_) | Event::DocumentEnd | Event::StreamEnd => false,
        }
    }
}

enum Outcome {
    Whole,
    Broken(Box<Diagnostic>),
    /// A limit, or an error that the builder reported.
    Stopped,
    Unsure,
}

/// Returns whether there was one.
fn drop_first(entries: &mut ValueKind) -> bool {
    let any = match entries {
        ValueKind::List(items) => items.drain(..items.len().min(1)).count(),
        ValueKind::Map(entries) => entries.drain(..entries.len().min(1)).count(),
        _ => 0,
    };
    any > 0
}
