//! Fixed output schemas of node types.

use super::{Action, gather, plan, react};
use serde_json::Value as Json;

pub(crate) fn output_schema(action: &Action) -> Option<Json> {
    let text = match action {
        Action::Plan(_) => plan::OUTPUT_SCHEMA,
        Action::Gather(..) => gather::OUTPUT_SCHEMA,
        Action::React(_) => react::OUTPUT_SCHEMA,
        _ => return None,
    };
    crate::json::parse(text)
}

pub(crate) fn named_output_schema(action: &Action, name: &str) -> Option<Json> {
    let Action::React(with) = action else { return None };
    react::named_output_schema(name, with.as_ref())
}
