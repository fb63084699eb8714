//! Everything that this crate uses of `stepgraph-text`.

pub(crate) use stepgraph_text::diagnostic::{Span, TextEdit, brief, near};
pub(crate) use stepgraph_text::number::parse as parse_float;
pub(crate) use stepgraph_text::value::{
    Path, Segment, TextView, Value, View, follow, list_index, number_text,
};
