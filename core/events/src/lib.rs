//! The events of a YAML text, and the words of one that is plain.
//!
//! Decides nothing about events: it is the parser with the reader that Stepgraph gives it. Most lines of a plan are plain enough to
//! be read word by word without it. A crate of its own because generic code is compiled
//! as the crate that uses it is, and the parser is most of what reading a plan takes: the core is compiled for size, this for speed.
//!
//! Source: `saphyr-parser` 0.3.

mod feed;
mod pieces;
mod survey;
mod words;

use feed::Feed;
pub use pieces::{Piece, Pieces};
pub use saphyr_parser::{Event, Marker, ScalarStyle, ScanError, Span, Tag};
use std::fmt;
pub use survey::Survey;
pub use words::{Place, Word, Words};

/// The events of a text, one by one.
pub struct Events<'t>(saphyr_parser::Parser<'t, Feed<'t>>);

impl<'t> Events<'t> {
    /// The events of `text`.
    pub fn new(text: &'t str) -> Self {
        Self(saphyr_parser::Parser::new(Feed::new(text)))
    }

    /// The next event and where it stands, in characters; nothing after the last one.
    ///
    /// # Errors
    /// What is no YAML. After an unknown anchor reading can go on.
    #[inline(never)]
    pub fn next_event(&mut self) -> Option<Result<(Event<'t>, Span), ScanError>> {
        self.0.next_event()
    }
}

impl fmt::Debug for Events<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Events")
    }
}
