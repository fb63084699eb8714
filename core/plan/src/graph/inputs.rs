//! What a run must be given, by the plan's `inputs`.
//!
//! Decides what is there when nothing else is given, and whether an input will do.

use super::Named;
use serde_json::{Map, Value as Json, json};
use stepgraph_schema::{Patterns, Schema};
use stepgraph_text::diagnostic::{brief, near};
use stepgraph_text::list::List;

/// What is said of an input that does not fit, before why.
const RUN_INPUT: &str = "the run's input";

/// What a run must be given.
#[derive(Debug)]
pub struct Inputs {
    schema: Schema,
    /// The names that the plan declares.
    names: Vec<String>,
    /// What is there when nothing else is given.
    defaults: Vec<(String, Json)>,
    patterns: Patterns,
}

impl Inputs {
    /// What a run of a plan must be given; nothing when the plan says nothing of it.
    pub fn of(inputs: &[(Named, Json)], patterns: Patterns) -> Option<Self> {
        if inputs.is_empty() {
            return None;
        }
        let default = |schema: &Json| schema.get("default").cloned();
        let required: Vec<&str> = inputs
            .iter()
            .filter(|(_, schema)| default(schema).is_none())
            .map(|(named, _)| named.name.as_str())
            .list();
        let properties: Map<String, Json> =
            inputs.iter().map(|(named, schema)| (named.name.clone(), schema.clone())).collect();
        let schema = json!({"type": "object", "properties": properties, "required": required});
        let defaults =
            inputs.iter().filter_map(|(named, schema)| Some((named.name.clone(), default(schema)?)));
        // The check read every schema before.
        let schema = Schema::compile(&schema, &(), patterns).ok()?;
        let names = inputs.iter().map(|(named, _)| named.name.clone()).list();
        Some(Self { schema, names, defaults: defaults.list(), patterns })
    }

    /// The run's input with what the plan gives where nothing is given; nothing where all was given.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn complete(&self, given: Json) -> Result<Option<Json>, String> {
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
        match (fit, self.undeclared(&given)) {
            (None, None) => Ok(added.then_some(given)),
            (None, Some(undeclared)) => Err(format!("{RUN_INPUT}: {undeclared}")),
            (Some(fit), None) => Err(fit),
            (Some(fit), Some(undeclared)) => Err(format!("{fit}; {undeclared}")),
        }
    }

    /// Names that the plan doesn't declare, in words: misspelt, they would be ignored, and a default taken in their place.
    fn undeclared(&self, given: &Json) -> Option<String> {
        const SHOWN: usize = 3;
        let is_known = |name: &&String| !self.names.iter().any(|known| known == *name);
        let unknown: Vec<&String> = given.as_object()?.keys().filter(is_known).list();
        let told = unknown.iter().take(SHOWN).map(|name| {
            let meant = near(name, self.names.iter().map(String::as_str));
            let meant =
                meant.map_or_else(String::new, |meant| format!(" (did you mean `{}`?)", brief(meant)));
            format!("the plan declares no input `{}`{meant}", brief(name))
        });
        let told = told.list().join("; ");
        match unknown.len().saturating_sub(SHOWN) {
            _ if unknown.is_empty() => None,
            0 => Some(told),
            more => Some(format!("{told}; and {more} more")),
        }
    }
}
