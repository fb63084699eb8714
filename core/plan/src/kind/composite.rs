//! Types of nodes that run graphs: `graph` runs one, `parallel` several at once, `map` one for each element of a list.

/// Which graphs are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// The one there is.
    Graph,
    /// All of them, at once.
    Parallel,
    /// The one there is, for each element of the input.
    Map,
}

impl Shape {
    /// The shape of a built-in type.
    pub fn of(kind: &str) -> Option<Self> {
        match kind {
            "graph" => Some(Self::Graph),
            "parallel" => Some(Self::Parallel),
            "map" => Some(Self::Map),
            _ => None,
        }
    }

    /// The type, and the key that holds its graphs.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Graph => ("graph", "graph"),
            Self::Parallel => ("parallel", "branches"),
            Self::Map => ("map", "do"),
        }
    }

    /// The key that holds its graphs.
    pub fn key(self) -> &'static str {
        self.names().1
    }
}

/// When a node with several graphs is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Join {
    /// When all have completed; fails with the first that fails.
    #[default]
    All,
    /// When the first has completed; fails when all have failed.
    Any,
    /// When all have ended, however.
    Settled,
}

impl Join {
    /// By its word.
    pub fn of(word: &str) -> Option<Self> {
        match word {
            "all" => Some(Self::All),
            "any" => Some(Self::Any),
            "settled" => Some(Self::Settled),
            _ => None,
        }
    }
}
