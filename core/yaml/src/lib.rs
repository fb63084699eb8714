//! Parses YAML into events.
//!
#![doc = include_str!("../README.md")]

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

/// Events of a text.
pub struct ParserEvents<'t>(Box<dyn EventSource<'t> + 't>);

trait EventSource<'t> {
    fn next(&mut self) -> NextEvent<'t>;
}

/// `None` after the last event.
type NextEvent<'t> = Option<Result<(Event<'t>, Span), ScanError>>;

impl<'t> EventSource<'t> for saphyr_parser::Parser<'t, ParserInput<'t>> {
    fn next(&mut self) -> NextEvent<'t> {
        self.next_event()
    }
}

stepgraph_lazy::lazy! {
    /// Lazy, since most plans have only plain lines.
    fn parser(text: &str) -> Box<dyn EventSource<'_> + '_> = boxed_parser;
}

fn boxed_parser(text: &str) -> Box<dyn EventSource<'_> + '_> {
    Box::new(saphyr_parser::Parser::new(ParserInput::new(text)))
}

impl<'t> ParserEvents<'t> {
    /// Parses `text`.
    pub fn new(text: &'t str) -> Self {
        Self(parser(text))
    }

    /// The next event and its span in characters. `None` after the last one.
    ///
    /// # Errors
    /// A syntax error. The caller can continue after an unknown anchor.
    pub fn next_event(&mut self) -> Option<Result<(Event<'t>, Span), ScanError>> {
        self.0.next()
    }
}

impl fmt::Debug for ParserEvents<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Events")
    }
}
