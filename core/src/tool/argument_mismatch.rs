//! Finds arguments that a tool does not accept.
//!
//! Decides this for tool nodes and tool plans alike, before they make a call. If a schema is only partly understood,
//! that part counts.

use super::ToolRegistry;
use crate::collect::CollectVec;
use crate::schema::{Partial, UndeclaredProperty, Violation};
use serde_json::{Map, Value as Json};

#[derive(Debug)]
pub(crate) enum ArgumentMismatch {
    Violation(Violation),
    /// The schema declares other arguments, but not this one.
    Undeclared(UndeclaredProperty),
}

impl ToolRegistry {
    /// Returns the arguments that a tool does not accept. Ignores values that templates will fill.
    pub(crate) fn mismatches(
        &self,
        tool: &str,
        arguments: &Partial<'_>,
        what: &str,
    ) -> Vec<ArgumentMismatch> {
        let Some(schema) = self.lenient_schema(tool, true) else { return Vec::new() };
        let report = schema.validate_partial(arguments, self.patterns(), what);
        // An unfinished check has no certain results.
        if report.is_incomplete {
            return Vec::new();
        }
        let takes_none = self.get(tool).is_some_and(|tool| has_no_parameters(&tool.input_schema));
        let unnamed =
            if takes_none { all_undeclared(arguments) } else { schema.undeclared_properties(arguments) };
        let refused = report.violations.into_iter().map(ArgumentMismatch::Violation);
        refused.chain(unnamed.into_iter().map(ArgumentMismatch::Undeclared)).collect_vec()
    }
}

fn all_undeclared(arguments: &Partial<'_>) -> Vec<UndeclaredProperty> {
    let unnamed = |name: &str| UndeclaredProperty { name: name.to_owned(), ..UndeclaredProperty::default() };
    match arguments {
        Partial::Known(Json::Object(map)) => map.keys().map(|key| unnamed(key)).collect_vec(),
        Partial::Map(entries) => entries.iter().map(|(key, _)| unnamed(key)).collect_vec(),
        _ => Vec::new(),
    }
}

/// Whether a schema declares an empty set of parameters. On a nested value the same schema would allow any map.
fn has_no_parameters(schema: &Json) -> bool {
    let says =
        |key: &str| !matches!(key, "type" | "properties" | "required" | "$schema" | "title" | "description");
    let named = schema.get("properties").and_then(Json::as_object);
    named.is_some_and(Map::is_empty) && !schema.as_object().into_iter().flatten().any(|(key, _)| says(key))
}
