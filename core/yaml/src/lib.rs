//! The events of a YAML text, and the words of one that is plain.
//!
//! Decides nothing about events: it is the parser with the reader that Stepgraph gives it. Most lines of a plan are plain enough to
//! be read word by word without it. A crate of its own because generic code is compiled
//! as the crate that uses it is, and the parser is most of what reading a plan takes: the core is compiled for size, this for speed.
//!
//! Source: `saphyr-parser` 0.3.

mod flow_lexer;
mod line_lexer;
mod parser_input;
mod text_stats;

pub use flow_lexer::{FlowLexer, FlowToken};
pub use line_lexer::{LineLexer, LineToken, TokenSpan};
use parser_input::ParserInput;
pub use saphyr_parser::{Event, Marker, ScalarStyle, ScanError, Span, Tag};
use std::fmt;
pub use text_stats::TextStats;

/// The events of a text, one by one.
pub struct ParserEvents<'t>(Box<dyn EventSource<'t> + 't>);

/// What gives the events of a text.
trait EventSource<'t> {
    /// The next event and where it stands.
    fn next(&mut self) -> NextEvent<'t>;
}

/// An event and where it stands, or why there is none; nothing after the last one.
type NextEvent<'t> = Option<Result<(Event<'t>, Span), ScanError>>;

impl<'t> EventSource<'t> for saphyr_parser::Parser<'t, ParserInput<'t>> {
    fn next(&mut self) -> NextEvent<'t> {
        self.next_event()
    }
}

stepgraph_lazy::lazy! {
    /// The parser. Most plans are plain lines, so a page that opens one does without it.
    fn parser(text: &str) -> Box<dyn EventSource<'_> + '_> = boxed_parser;
}

fn boxed_parser(text: &str) -> Box<dyn EventSource<'_> + '_> {
    Box::new(saphyr_parser::Parser::new(ParserInput::new(text)))
}

impl<'t> ParserEvents<'t> {
    /// The events of `text`.
    pub fn new(text: &'t str) -> Self {
        Self(parser(text))
    }

    /// The next event and where it stands, in characters; nothing after the last one.
    ///
    /// # Errors
    /// What is no YAML. After an unknown anchor reading can go on.
    pub fn next_event(&mut self) -> Option<Result<(Event<'t>, Span), ScanError>> {
        self.0.next()
    }
}

impl fmt::Debug for ParserEvents<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Events")
    }
}
