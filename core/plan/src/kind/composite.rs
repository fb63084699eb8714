//! Composite node types: `graph` runs one graph, `parallel` several at once, `map` one for each element of a list.

/// Which graphs a composite node runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompositeKind {
    /// The only graph.
    Graph,
    /// All graphs at once.
    Parallel,
    /// The only graph, for each element of the input.
    Map,
}

impl CompositeKind {
    /// Returns the kind of a built-in type.
    pub fn of(kind: &str) -> Option<Self> {
        match kind {
            "graph" => Some(Self::Graph),
            "parallel" => Some(Self::Parallel),
            "map" => Some(Self::Map),
            _ => None,
        }
    }

    /// Returns the type, and the key that holds its graphs.
    pub fn type_and_key(self) -> (&'static str, &'static str) {
        match self {
            Self::Graph => ("graph", "graph"),
            Self::Parallel => ("parallel", "branches"),
            Self::Map => ("map", "do"),
        }
    }

    /// Returns the key that holds its graphs.
    pub fn key(self) -> &'static str {
        self.type_and_key().1
    }
}

/// When a node with several graphs completes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Join {
    /// When all have completed. Fails with the first failure.
    #[default]
    All,
    /// When the first has completed. Fails if all fail.
    Any,
    /// When all have completed or failed.
    Settled,
}

impl Join {
    /// Parses the value of the setting.
    pub fn of(word: &str) -> Option<Self> {
        match word {
            "all" => Some(Self::All),
            "any" => Some(Self::Any),
            "settled" => Some(Self::Settled),
            _ => None,
        }
    }
}
