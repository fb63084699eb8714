//! Everything that this crate uses of `stepgraph-text`.

pub use stepgraph_text::diagnostic::{Span, TextEdit};
pub(crate) use stepgraph_text::diagnostic::{brief, near};
pub(crate) use stepgraph_text::number::parse as parse_float;
pub(crate) use stepgraph_text::value::{
    Path, Segment, TextView, Value, View, follow, json_text, list_index, number_text,
};
