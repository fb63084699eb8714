//! Composite types: `graph` runs one graph, `parallel` several, `map` one per list element.

/// Which graphs a composite node runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompositeKind {
    /// One graph.
    Graph,
    /// Several graphs.
    Parallel,
    /// Once per element of the input.
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

    /// Type and graph key.
    pub fn type_and_key(self) -> (&'static str, &'static str) {
        match self {
            Self::Graph => ("graph", "graph"),
            Self::Parallel => ("parallel", "branches"),
            Self::Map => ("map", "do"),
        }
    }

    /// Graph key.
    pub fn key(self) -> &'static str {
        self.type_and_key().1
    }
}

/// When several graphs complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Join {
    /// All completed. Fails with the first failure.
    #[default]
    All,
    /// One completed. Fails if all fail.
    Any,
    /// All completed or failed.
    Settled,
}

impl Join {
    /// Parses the setting.
    pub fn of(word: &str) -> Option<Self> {
        match word {
            "all" => Some(Self::All),
            "any" => Some(Self::Any),
            "settled" => Some(Self::Settled),
            _ => None,
        }
    }
}
