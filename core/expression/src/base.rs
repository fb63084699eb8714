//! Re-exports the parts of `stepgraph-text` that this crate uses, and has the types that errors and programs share.

pub use stepgraph_text::diagnostic::{Code, Span, TextEdit};
pub(crate) use stepgraph_text::diagnostic::{closest_name, shorten_name};
pub(crate) use stepgraph_text::parse_float::parse as parse_float;
pub(crate) use stepgraph_text::reference_syntax::is_misspelt_root;
pub use stepgraph_text::reference_syntax::{ROOTS, is_key_char, is_root};
pub(crate) use stepgraph_text::source::{MAX_PROBLEMS, json_number, source_map::SourceMap};
pub(crate) use stepgraph_text::value::{
    Path, Segment, TextView, View, get_path, json_equal, json_text, list_index, number_text, ordered_keys,
};

/// Position of an operation in a program. Here, since errors refer to operations, and operations hold errors.
pub(crate) type OpId = u32;
