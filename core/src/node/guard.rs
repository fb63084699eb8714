//! Trusted parameters, which only the run fills, even in a model's calls.
//!
//! Invariants: 1. The run adds values when it calls, so outputs, messages and snapshots lack them. 2. A model's value
//! for them reaches no tool.
//!
//! Source: `docs/planning.md`.

use crate::capabilities::Capabilities;
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, shorten_name};
use crate::failure::Failure;
use crate::graph::{Graph, TemplateValue};
use crate::tool::{ToolInfo, ToolRegistry};
use crate::toolplan::{SAME_VALUE_KEYWORDS, Trust, argument_subschemas};
use serde_json::{Map, Value as Json};
use std::collections::HashSet;

/// A node's tools, and parameters that its model must not fill.
#[derive(Debug, Default)]
pub struct Guard {
    tools: ToolRegistry,
    names: Vec<String>,
}

impl Guard {
    pub(super) fn of(with: Option<&TemplateValue>, capabilities: &Capabilities) -> Self {
        Self { tools: capabilities.tools.clone().unwrap_or_default(), names: trusted_names(with) }
    }

    pub(crate) fn tools(&self) -> &ToolRegistry {
        &self.tools
    }

    pub(super) fn trust(&self, context: &Json) -> Trust {
        Trust { names: self.names.clone(), context: context.clone() }
    }

    pub(super) fn visible_schema(&self, schema: &Json) -> Json {
        visible_schema(schema, &self.names)
    }

    fn guarded<'a>(
        &self,
        tool: &str,
        arguments: &'a mut Json,
    ) -> Option<(&ToolInfo, &'a mut Map<String, Json>)> {
        let info = self.tools.get(tool).filter(|_| !self.names.is_empty())?;
        Some((info, arguments.as_object_mut()?))
    }

    /// Removes the model's values.
    ///
    /// # Errors
    /// The run lacks a value that the tool needs.
    pub(crate) fn strip_trusted(
        &self,
        tool: &str,
        mut arguments: Json,
        context: &Json,
    ) -> Result<Json, Failure> {
        if let Some((info, given)) = self.guarded(tool, &mut arguments) {
            let trust = self.trust(context);
            trust.trusted_values(info).map_err(missing_trusted)?;
            trust.remove_trusted_parameters(info, given);
        }
        Ok(arguments)
    }

    pub(crate) fn trusted_values(&self, tool: &str, context: &Json) -> Vec<(String, Json)> {
        let Some(info) = self.tools.get(tool).filter(|_| !self.names.is_empty()) else { return Vec::new() };
        let trust = self.trust(context);
        let own = trust.trusted_values(info).unwrap_or_default();
        own.into_iter().map(|(name, value)| (name.to_owned(), value.clone())).collect_vec()
    }

    /// The edited arguments, without the run's values.
    ///
    /// # Errors
    /// The edit changes a trusted parameter.
    pub(crate) fn strip_edited(
        &self,
        tool: &str,
        mut arguments: Json,
        context: &Json,
    ) -> Result<Json, Failure> {
        if let Some((info, given)) = self.guarded(tool, &mut arguments) {
            let trust = self.trust(context);
            let own = trust.trusted_values(info).map_err(missing_trusted)?;
            for (name, written) in trust.remove_trusted_parameters(info, given) {
                if !own.contains(&(name.as_str(), &written)) {
                    let message = format!(
                        "`{name}` comes from the run's context, and an edit of a call can't change it"
                    );
                    return Err(Failure::new(Code::PlanUntrusted.slug(), message));
                }
            }
        }
        Ok(arguments)
    }

    pub(crate) fn missing_trusted(&self, tool: &str, context: &Json) -> Option<String> {
        let info = self.tools.get(tool).filter(|_| !self.names.is_empty())?;
        self.trust(context).trusted_values(info).err().map(str::to_owned)
    }
}

/// Covers every subschema that applies to the arguments as a whole.
pub(super) fn visible_schema(schema: &Json, trusted: &[String]) -> Json {
    if trusted.is_empty() {
        return schema.clone();
    }
    let found: HashSet<*const Json> =
        argument_subschemas(schema, &SAME_VALUE_KEYWORDS).into_iter().map(std::ptr::from_ref).collect();
    without_names(schema, &found, trusted)
}

fn without_names(schema: &Json, found: &HashSet<*const Json>, trusted: &[String]) -> Json {
    let is_trusted = |name: &str| trusted.iter().any(|trusted| trusted == name);
    match schema {
        Json::Array(items) => {
            items.iter().map(|item| without_names(item, found, trusted)).collect_vec().into()
        }
        Json::Object(entries) if found.contains(&std::ptr::from_ref(schema)) => {
            let mut shown = Map::new();
            for (key, value) in entries {
                let mut value = without_names(value, found, trusted);
                match (key.as_str(), &mut value) {
                    // They contain whole sets of arguments.
                    ("default" | "examples", _) => continue,
                    (
                        "properties" | "dependentRequired" | "dependentSchemas" | "dependencies",
                        Json::Object(map),
                    ) => {
                        map.retain(|name, _| !is_trusted(name));
                    }
                    ("required", Json::Array(names)) => {
                        names.retain(|name| !name.as_str().is_some_and(is_trusted));
                    }
                    _ => {}
                }
                shown.insert(key.clone(), value);
            }
            Json::Object(shown)
        }
        Json::Object(entries) => {
            entries.iter().map(|(key, value)| (key.clone(), without_names(value, found, trusted))).collect()
        }
        plain => plain.clone(),
    }
}

fn missing_trusted(name: &str) -> Failure {
    let message = format!("the tool needs `{name}`, which this run does not have; do without it");
    Failure::new(Code::PlanMissingContext.slug(), message)
}

/// Reports executors that trust other parameters than the preceding planner.
pub(super) fn check(graph: &Graph, position: usize, diagnostics: &mut DiagnosticCollector) {
    let Some(planner) = graph.nodes.get(position) else { return };
    let makes = if planner.kind == "react" { "execute_tools" } else { "gather" };
    let planned = trusted_names(planner.with.as_ref());
    for edge in graph.edges_from(position) {
        let Some(maker) = graph.nodes.get(edge.target).filter(|node| node.kind == makes) else { continue };
        let made = trusted_names(maker.with.as_ref());
        let same = planned.len() == made.len() && planned.iter().all(|name| made.contains(name));
        if same {
            continue;
        }
        let names = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let message = format!(
            "`{}` trusts other parameters ({}) than `{}` ({}), whose calls it makes",
            shorten_name(&maker.key),
            shorten_name(&names(&made)),
            shorten_name(&planner.key),
            shorten_name(&names(&planned)),
        );
        let span = maker.with.as_ref().map_or(maker.kind_span, |_| maker.with_span);
        let diagnostic = Diagnostic::new(Code::TrustDiffers, message).at(span).on(graph.target(maker));
        diagnostics.push(diagnostic.help("write the same `with: {trusted: […]}` in both nodes"));
    }
}

pub(crate) fn trusted_names(with: Option<&TemplateValue>) -> Vec<String> {
    let given = with.and_then(|with| with.get("trusted"));
    let given = given.as_ref().and_then(TemplateValue::as_constant).and_then(Json::as_array);
    given.map_or_else(
        || Trust::default().names,
        |names| names.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect_vec(),
    )
}
