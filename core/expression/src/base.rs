//! The items of `stepgraph-text` that this crate uses.

pub use stepgraph_text::diagnostic::{Span, TextEdit};
pub(crate) use stepgraph_text::diagnostic::{closest_name, shorten_name};
pub(crate) use stepgraph_text::parse_float::parse as parse_float;
pub(crate) use stepgraph_text::value::{
    Path, Segment, TextView, Value, View, get_path, json_text, list_index, number_text,
};
