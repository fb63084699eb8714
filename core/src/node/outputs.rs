//! What nodes give, where their types alone say that.

use super::{Action, gather, plan, react};
use serde_json::Value as Json;

/// JSON Schema of what an action gives, where its type alone says that.
pub(crate) fn output_schema(action: &Action) -> Option<Json> {
    let text = match action {
        Action::Plan(_) => plan::OUTPUT_SCHEMA,
        Action::Gather(..) => gather::OUTPUT_SCHEMA,
        Action::React(_) => react::OUTPUT_SCHEMA,
        _ => return None,
    };
    crate::json::parse(text)
}

/// JSON Schema of what a node writes under a name beside its output, where its type says that.
pub(crate) fn named_output_schema(action: &Action, name: &str) -> Option<Json> {
    let Action::React(with) = action else { return None };
    react::named_output_schema(name, with.as_ref())
}
