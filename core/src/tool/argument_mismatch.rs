//! What of the arguments of a call a tool does not take.
//!
//! Decides it once for every place where calls are written down before they are made: tool nodes and tool plans. A schema that
//! can't be understood in full counts as far as it can.

use super::ToolRegistry;
use crate::collect::CollectVec;
use crate::schema::{Partial, UndeclaredProperty, Violation};
use serde_json::{Map, Value as Json};

/// What is wrong with arguments.
#[derive(Debug)]
pub(crate) enum ArgumentMismatch {
    /// The schema refuses it.
    Violation(Violation),
    /// The schema names other arguments and says nothing of this one.
    Undeclared(UndeclaredProperty),
}

impl ToolRegistry {
    /// What of these arguments a tool does not take. What templates will put there is not judged.
    pub(crate) fn mismatches(
        &self,
        tool: &str,
        arguments: &Partial<'_>,
        what: &str,
    ) -> Vec<ArgumentMismatch> {
        let Some(schema) = self.lenient_schema(tool, true) else { return Vec::new() };
        let report = schema.validate_partial(arguments, self.patterns(), what);
        // Where checking was given up it found nothing that is certain.
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

/// Whether a schema names the parameters of a tool, and there are none: further down that would only mean any map.
fn has_no_parameters(schema: &Json) -> bool {
    let says =
        |key: &str| !matches!(key, "type" | "properties" | "required" | "$schema" | "title" | "description");
    let named = schema.get("properties").and_then(Json::as_object);
    named.is_some_and(Map::is_empty) && !schema.as_object().into_iter().flatten().any(|(key, _)| says(key))
}
