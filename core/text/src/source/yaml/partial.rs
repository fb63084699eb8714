//! Reads some entries of a YAML text as they would be read with all of it.
//!
//! Decides whether what stands between two places is a number of whole entries of the list or map that holds them. The parser is given
//! a few lines that open what is open there, and all that follows, so that it sees what it would see; it is left where the next
//! entry begins.
//!
//! Invariant: what is found is what reading the whole text would find; where that is not certain, nothing is.
//!
//! Source: YAML 1.2.2 chapter 8.

use super::{Diagnostic, Event, ParserEvents, ValueKind, YamlParser, skip_whitespace, syntax_message};

/// Where to read.
#[derive(Debug)]
pub(in crate::source) struct PartialParse<'t> {
    /// The whole text.
    pub(in crate::source) text: &'t str,
    /// Lines that open what is open at `start`.
    pub(in crate::source) opening: &'t str,
    /// Where the list or map begins whose entries are read: in these lines, when they hold an entry before those.
    pub(in crate::source) holder: usize,
    /// How many lists and maps they open.
    pub(in crate::source) depth: usize,
    /// Where the line of the first entry begins.
    pub(in crate::source) start: usize,
    /// Where the line begins that follows the last entry.
    pub(in crate::source) end: usize,
}

/// What stands there. Places are those of the whole text.
#[derive(Debug)]
pub(in crate::source) enum PartialResult {
    /// Whole entries.
    Entries {
        /// The entries, in a list or a map.
        entries: ValueKind,
        /// How far the shift of their places is, still to be made.
        shift: usize,
        /// Where the last of them ends.
        end: usize,
        /// How many values they hold.
        values: usize,
        /// What is wrong with them.
        diagnostics: Vec<Diagnostic>,
    },
    /// A text that can't be read.
    Broken {
        /// The keys that were read before, if it is a map.
        keys: Vec<String>,
        /// What is wrong, the reason last.
        diagnostics: Vec<Diagnostic>,
    },
    /// What can be told only by reading the whole text.
    Unsure,
}

impl PartialParse<'_> {
    /// Reads what stands there.
    pub(in crate::source) fn parse(&self) -> PartialResult {
        let Some(rest) = self.text.get(self.start..) else { return PartialResult::Unsure };
        let text = [self.opening, rest].concat();
        let shift = self.start.wrapping_sub(self.opening.len());
        let mut reader = YamlParser::new(&text);
        let outcome = self.events(&mut reader, shift);
        let named = reader.has_properties;
        let (end, values) = (reader.cursor.wrapping_add(shift), reader.builder.values());
        // Where it is closed already, nobody knows what is around.
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

    /// Whether an event can be one of the entries, or of what opens them.
    fn belongs(&self, event: &Event<'_>, depth: usize, complete: bool, behind: bool) -> bool {
        match event {
            Event::StreamStart => true,
            Event::DocumentStart(explicit) => depth == 0 && !explicit && !behind,
            Event::SequenceEnd | Event::MappingEnd => depth > self.depth && !complete,
            // A value without text stands where the parser found that there is none.
            Event::Scalar(text, ..) => depth > 0 && (!behind || text.is_empty()),
            Event::SequenceStart(..) | Event::MappingStart(..) => !behind,
            Event::Nothing | Event::Alias(_) | Event::DocumentEnd | Event::StreamEnd => false,
        }
    }
}

/// How the reading ended.
enum Outcome {
    /// Where the next entry begins.
    Whole,
    /// Before a text that is no YAML.
    Broken(Box<Diagnostic>),
    /// At a limit or a mistake, which the builder knows.
    Stopped,
    Unsure,
}

/// Drops the first entry; whether there was one.
fn drop_first(entries: &mut ValueKind) -> bool {
    let any = match entries {
        ValueKind::List(items) => items.drain(..items.len().min(1)).count(),
        ValueKind::Map(entries) => entries.drain(..entries.len().min(1)).count(),
        _ => 0,
    };
    any > 0
}
