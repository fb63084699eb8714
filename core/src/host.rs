//! What embeds the engine: what it offers, and how it answers.
//!
//! Decides the shape of a host: which handlers, tools and models there are. Knows nothing of how they work.
//!
//! Source: design sections 6, 7 and 9; seed 002, "Resolución de handlers".

use crate::tool::Catalogue;
use std::collections::BTreeSet;

/// What a host can do, as far as it is known. What is not known is not judged.
#[derive(Debug, Clone, Default)]
pub struct Capabilities {
    /// Node types that the host handles itself.
    pub types: Option<BTreeSet<String>>,
    /// Node ids that the host handles itself.
    pub ids: BTreeSet<String>,
    /// The tools of all servers.
    pub tools: Option<Catalogue>,
    /// The names of the models.
    pub models: Option<BTreeSet<String>>,
}

impl Capabilities {
    /// Whether the host handles this type itself.
    pub fn handles_type(&self, kind: &str) -> bool {
        self.types.as_ref().is_some_and(|types| types.contains(kind))
    }

    /// Whether the host handles this node itself.
    pub fn handles_id(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// Whether there is a tool of this name.
    pub fn has_tool(&self, name: &str) -> bool {
        self.tools.as_ref().is_some_and(|tools| tools.get(name).is_some())
    }
}
