//! What nodes give, where their types alone say that.

use super::{Action, gather, plan, react};
use serde_json::Value as Json;

/// JSON Schema of what an action gives, where its type alone says that.
pub(crate) fn gives(action: &Action) -> Option<Json> {
    let text = match action {
        Action::Plan(_) => plan::GIVES,
        Action::Gather(..) => gather::GIVES,
        Action::React(_) => react::GIVES,
        _ => return None,
    };
    crate::json::parse(text)
}

/// JSON Schema of what a node writes under a name beside its output, where its type says that.
pub(crate) fn written(action: &Action, name: &str) -> Option<Json> {
    let Action::React(with) = action else { return None };
    react::written(name, with.as_ref())
}
