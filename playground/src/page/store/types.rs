//! Values of the page's state.

use stepgraph_core::diagnostic::TextEdit;

/// For the text pane.
#[derive(Debug, Clone, Copy)]
pub enum TextPaneEvent<'t> {
    /// Edits from another place, with the prior text.
    Edits(&'t str, &'t [TextEdit]),
    /// Another text.
    Opened(&'t str),
}

/// Canvas item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// Node path.
    Node(String),
    /// Scope and index.
    Edge(String, usize),
}

/// Open dialog.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    /// Command palette.
    Palette,
    /// Node search.
    Find,
    /// Type search.
    Add(Adding),
    /// Renaming field.
    Rename(String),
    /// Key list.
    Keys,
}

/// A new node's place.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Adding {
    /// The graph.
    pub scope: String,
    /// Connects from it.
    pub after: Option<String>,
    /// Edge to split.
    pub into: Option<usize>,
    /// On the canvas.
    pub at: Option<crate::geometry::Point>,
}

/// Shown until closed or replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The message.
    pub text: String,
    /// Is an error.
    pub is_error: bool,
    /// Such as an import's notes.
    pub details: Vec<String>,
}
