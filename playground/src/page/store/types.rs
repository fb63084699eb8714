//! Values of the page's state: items of the canvas, dialogs, notifications, and changes for the text pane.

use stepgraph_core::diagnostic::TextEdit;

/// A change that the text pane must apply.
#[derive(Debug, Clone, Copy)]
pub enum TextPaneEvent<'t> {
    /// Edits made elsewhere, and the text before them.
    Edits(&'t str, &'t [TextEdit]),
    /// Another text was opened.
    Opened(&'t str),
}

/// An item on the canvas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A node, by path.
    Node(String),
    /// An edge, by scope and index.
    Edge(String, usize),
}

/// The open dialog.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    /// The command palette.
    Palette,
    /// The search for nodes.
    Find,
    /// The search for a node type to add.
    Add(Adding),
    /// The field that renames a node in place.
    Rename(String),
    /// The list of keys.
    Keys,
}

/// The target of a new node.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Adding {
    /// The graph.
    pub scope: String,
    /// The path of the node to connect from.
    pub after: Option<String>,
    /// The edge to insert into.
    pub into: Option<usize>,
    /// The position on the canvas.
    pub at: Option<crate::geometry::Point>,
}

/// A notification, shown until it is closed or replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The message.
    pub text: String,
    /// Whether it is an error.
    pub is_error: bool,
    /// What the message sums up, such as the notes of an import.
    pub details: Vec<String>,
}
