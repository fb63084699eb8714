//! Finds arguments that a tool does not accept, by the understood parts of its schema, for tool nodes and tool plans.

use super::ToolRegistry;
use crate::collect::CollectVec;
use crate::schema::{Partial, UndeclaredProperty, Violation};
use serde_json::{Map, Value as Json};

#[derive(Debug)]
pub(crate) enum ArgumentMismatch {
    Violation(Violation),
    /// Other arguments are declared.
    Undeclared(UndeclaredProperty),
}

impl ToolRegistry {
    /// Ignores values that templates will fill.
    pub(crate) fn mismatches(
        &self,
        tool: &str,
        arguments: &Partial<'_>,
        what: &str,
    ) -> Vec<ArgumentMismatch> {
        let Some(schema) = self.lenient_schema(tool, true) else { return Vec::new() };
        let report = schema.validate_partial(arguments, self.patterns(), what);
        // Unfinished checks are uncertain.
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

/// Declares no parameters. For nested values the same schema allows any map.
fn has_no_parameters(schema: &Json) -> bool {
    let says =
        |key: &str| !matches!(key, "type" | "properties" | "required" | "$schema" | "title" | "description");
    let named = schema.get("properties").and_then(Json::as_object);
    named.is_some_and(Map::is_empty) && !schema.as_object().into_iter().flatten().any(|(key, _)| says(key))
}
