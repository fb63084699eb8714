//! Remembers what the user chose last in pickers, for their first lines.

use super::dom::{load_setting, save_setting};

const MAX_NAMES: usize = 5;
const MAX_LENGTH: usize = 100;

/// A picker's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recent {
    /// Node types and tools.
    NodeTypes,
    /// Commands.
    Commands,
}

impl Recent {
    fn key(self) -> &'static str {
        match self {
            Self::NodeTypes => "stepgraph.recent-types",
            Self::Commands => "stepgraph.recent-commands",
        }
    }

    /// Last one first.
    pub fn names(self) -> Vec<String> {
        let text = load_setting(self.key()).unwrap_or_default();
        text.lines().take(MAX_NAMES).map(str::to_owned).collect()
    }

    /// Puts a name first.
    pub fn remember(self, name: &str) {
        if name.len() > MAX_LENGTH || name.contains('\n') {
            return;
        }
        let mut names = self.names();
        names.retain(|known| known != name);
        names.insert(0, name.to_owned());
        names.truncate(MAX_NAMES);
        save_setting(self.key(), &names.join("\n"));
    }
}
