//! The run input that a plan declares.

use super::Named;
use serde_json::{Map, Value as Json, json};
use stepgraph_schema::{Patterns, Schema};
use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::{closest_name, shorten_name};

const RUN_INPUT: &str = "the run's input";

/// Input schema.
#[derive(Debug)]
pub struct RunInputSchema {
    schema: Schema,
    names: Vec<String>,
    defaults: Vec<(String, Json)>,
    patterns: Patterns,
}

impl RunInputSchema {
    /// `None` if the plan declares none.
    pub fn new(inputs: &[(Named, Json)], patterns: Patterns) -> Option<Self> {
        if inputs.is_empty() {
            return None;
        }
        let default = |schema: &Json| schema.get("default").cloned();
        let required: Vec<&str> = inputs
            .iter()
            .filter(|(_, schema)| default(schema).is_none())
            .map(|(named, _)| named.name.as_str())
            .collect_vec();
        let properties: Map<String, Json> =
            inputs.iter().map(|(named, schema)| (named.name.clone(), schema.clone())).collect();
        let schema = json!({"type": "object", "properties": properties, "required": required});
        let defaults =
            inputs.iter().filter_map(|(named, schema)| Some((named.name.clone(), default(schema)?)));
        let schema = Schema::compile(&schema, &(), patterns).ok()?;
        let names = inputs.iter().map(|(named, _)| named.name.clone()).collect_vec();
        Some(Self { schema, names, defaults: defaults.collect_vec(), patterns })
    }

    /// Validates the input and adds defaults. `None` if none was needed.
    ///
    /// # Errors
    /// Describes the invalid input.
    pub fn complete_input(&self, given: Json) -> Result<Option<Json>, String> {
        let mut added = given.is_null();
        let mut given = if added { json!({}) } else { given };
        if let Some(map) = given.as_object_mut() {
            for (name, default) in &self.defaults {
                if !map.contains_key(name) {
                    map.insert(name.clone(), default.clone());
                    added = true;
                }
            }
        }
        let fit = self.schema.validate(&given, self.patterns).to_result(RUN_INPUT).err();
        match (fit, self.undeclared_names(&given)) {
            (None, None) => Ok(added.then_some(given)),
            (None, Some(undeclared)) => Err(format!("{RUN_INPUT}: {undeclared}")),
            (Some(fit), None) => Err(fit),
            (Some(fit), Some(undeclared)) => Err(format!("{fit}; {undeclared}")),
        }
    }

    /// Misspelt names would otherwise be ignored in favour of defaults.
    fn undeclared_names(&self, given: &Json) -> Option<String> {
        const MAX_LISTED: usize = 3;
        let is_known = |name: &&String| !self.names.iter().any(|known| known == *name);
        let unknown: Vec<&String> = given.as_object()?.keys().filter(is_known).collect_vec();
        let told = unknown.iter().take(MAX_LISTED).map(|name| {
            let meant = closest_name(name, self.names.iter().map(String::as_str));
            let meant =
                meant.map_or_else(String::new, |meant| format!(" (did you mean `{}`?)", shorten_name(meant)));
            format!("the plan declares no input `{}`{meant}", shorten_name(name))
        });
        let told = told.collect_vec().join("; ");
        match unknown.len().saturating_sub(MAX_LISTED) {
            _ if unknown.is_empty() => None,
            0 => Some(told),
            more => Some(format!("{told}; and {more} more")),
        }
    }
}
