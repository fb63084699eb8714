//! Stubs replace handlers, tools and models without network. `stepgraph_core::stub` decides which calls they answer.
//!
//! Source: `docs/stubs.md`.

mod behaviour;
mod flaw;
mod read;
mod tool_listing;

pub use behaviour::StubAction;
pub use flaw::{Flaw, StubError};

use behaviour::BehaviourMap;
use serde_json::Value as Json;
use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::{Diagnostic, sorted_by_position};
use stepgraph_text::interner::NameTable;
use stepgraph_text::source::{Document, Format, Spanned};

/// Stubs by type, node id, tool and model.
///
/// # Shape
/// `{types: {T: B}, nodes: {id: B}, tools: {name: B}, models: {name: B}}`; `B` is `echo`, `input`, `last`, `{return:
/// v, writes?: {name: v}}`, `{sequence: [B, …]}`, `{by: argument, cases: {value: B}, else?: B}` or `{fail: "message",
/// code?}`, the maps with `delay_ms?`. A map for a tool may also describe it as a server would: `description`,
/// `input_schema`, `output_schema`, `annotations`.
///
/// # Example
/// ```
/// use stepgraph_plan::stub::Stubs;
/// let stubs = Stubs::from_json(&serde_json::json!({"types": {"emit": "input"}})).unwrap();
/// assert_eq!(stubs.types().collect::<Vec<_>>(), ["emit"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Stubs {
    types: BehaviourMap,
    nodes: BehaviourMap,
    tools: BehaviourMap,
    models: BehaviourMap,
    /// In the same order.
    tool_listings: Vec<(String, Json)>,
}

/// Stub target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Node type.
    Types,
    /// Node id.
    Nodes,
    /// Tool name.
    Tools,
    /// Model name.
    Models,
}

impl Stubs {
    /// Reads stubs.
    ///
    /// # Errors
    /// The first flaw; [`flaws`] returns all of them.
    pub fn from_json(json: &Json) -> Result<Self, StubError> {
        let (stubs, flaws) = read::read(json);
        match flaws.into_iter().next() {
            Some(flaw) => Err(flaw.into_error()),
            None => Ok(stubs),
        }
    }

    /// Ignores errors, for descriptions that were checked before.
    pub fn from_json_lenient(json: &Json) -> Self {
        read::read(json).0
    }

    /// Stubbed types.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        self.types.names()
    }

    /// Stubbed ids.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        self.nodes.names()
    }

    /// Stubbed tools.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.tools.names()
    }

    /// Stubbed models.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        self.models.names()
    }

    /// A model's replies. `None` if its stub may do anything else.
    pub fn model_replies(&self, model: &str) -> Option<Vec<&Json>> {
        let (_, behaviour) = self.models.0.iter().find(|(known, _)| known == model)?;
        let mut values = Vec::new();
        behaviour.collect_returned(&mut values).then_some(values)
    }

    /// Tools as servers list them: names with JSON maps.
    pub fn tool_listings(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.tool_listings.iter().map(|(name, about)| (name.as_str(), about))
    }

    /// Adds outputs besides the nodes' own.
    pub fn add_named_outputs(&self, names: &mut NameTable) {
        for entries in [&self.types, &self.nodes, &self.tools, &self.models] {
            entries.0.iter().for_each(|(_, behaviour)| behaviour.add_named_outputs(names));
        }
    }

    /// The next action and its delay in milliseconds.
    pub fn next_action(
        &mut self,
        group: Group,
        name: &str,
        given: &dyn Fn() -> Json,
    ) -> Option<(&StubAction, f64)> {
        let entries = match group {
            Group::Types => &mut self.types,
            Group::Nodes => &mut self.nodes,
            Group::Tools => &mut self.tools,
            Group::Models => &mut self.models,
        };
        let mut delay_ms = 0.0;
        let deed = entries.get_mut(name)?.next_action(&mut delay_ms, given);
        Some((deed, delay_ms))
    }
}

/// Flaws, in document order.
pub fn flaws(json: &Json) -> Vec<Flaw> {
    read::read(json).1
}

/// The tree and diagnostics of a file, including syntax errors.
///
/// # Example
/// ```
/// use stepgraph_plan::stub::find_flaws;
/// use stepgraph_text::source::Format;
/// let (_, found) = find_flaws("tools: {pay: {retrun: 1}}\n", Format::Auto);
/// assert_eq!(found[0].code.slug(), "stub/unknown-key");
/// assert_eq!(found[0].help.as_deref(), Some("did you mean `return`?"));
/// ```
pub fn find_flaws(text: &str, format: Format) -> (Option<Spanned>, Vec<Diagnostic>) {
    let Document { root, mut diagnostics, .. } = stepgraph_text::source::parse(text, format);
    if let Some(root) = &root {
        diagnostics.extend(flaws(&root.to_json()).iter().map(|flaw| flaw.diagnose(root)).collect_vec());
    }
    (root, sorted_by_position(diagnostics))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn wrong_shapes_say_where() {
        for (json, node_path) in [
            (json!([]), ""),
            (json!({"nods": {}}), "nods"),
            (json!({"types": []}), "types"),
            (json!({"types": {"a": "ecko"}}), "types.a"),
            (json!({"types": {"a": {"sequence": []}}}), "types.a.sequence"),
            (json!({"types": {"a": {"sequence": ["echo", 1]}}}), "types.a.sequence[1]"),
            (json!({"tools": {"a": {"return": 1, "delay_ms": -1}}}), "tools.a.delay_ms"),
            (json!({"tools": {"a": {"by": 1, "cases": {}}}}), "tools.a.by"),
            (json!({"tools": {"a": {"by": "b"}}}), "tools.a"),
            (json!({"tools": {"a": {"by": "b", "cases": {"c": 1}}}}), "tools.a.cases.c"),
            (json!({"tools": {"a": {"by": "b", "cases": {}, "else": []}}}), "tools.a.else"),
            (json!({"tools": {"a": {"fail": 1}}}), "tools.a.fail"),
            (json!({"tools": {"a": {"retrun": 1}}}), "tools.a.retrun"),
            (json!({"tools": {"a": {"input_schema": {}}}}), "tools.a"),
            (json!({"tools": {"a": {"return": 1, "description": 1}}}), "tools.a.description"),
            (json!({"tools": {"a": {"return": 1, "annotations": []}}}), "tools.a.annotations"),
            (
                json!({"tools": {"a": {"return": 1, "input_schema": {"type": "text"}}}}),
                "tools.a.input_schema.type",
            ),
            (json!({"tools": {"a": {"return": 1, "output_schema": true}}}), "tools.a.output_schema"),
            (
                json!({"tools": {"a": {"return": 1, "outputSchema": {"items": {"minimun": 2}}}}}),
                "tools.a.outputSchema.items.minimun",
            ),
            (json!({"models": {"a": {"return": 1, "description": "x"}}}), "models.a.description"),
            (
                json!({"tools": {"a": {"sequence": [{"return": 1, "description": "x"}]}}}),
                "tools.a.sequence[0].description",
            ),
        ] {
            assert_eq!(Stubs::from_json(&json).unwrap_err().path, node_path, "{json}");
        }
        assert!(Stubs::from_json(&json!(null)).is_ok(), "an empty file");
    }

    #[test]
    fn all_mistakes_are_found_in_one_pass_where_they_stand() {
        let text = r"
toolz: {}
types: {a: ecko, b: {sequence: [echo, 1]}}
models: {default: {by: city, cases: {}}}
tools:
  get:
    return: {id: 1, name: x}
    fail: no
    code: tool/failed
    annotations: {readOnlyHit: true, read_only: true, destructiveHint: 'no', title: T, vendor: 1}
    outputSchema: {type: object, properties: {id: {type: string}}}
  by:
    by: ctiy
    cases: {Oslo: {return: 1, esle: 2}}
    input_schema: {type: object, properties: {city: {type: string}}}
  open: {by: any, cases: {a: echo}, input_schema: {type: object}, x-mine: 1}
  near: {retrun: 1}
";
        let (root, diagnostics) = find_flaws(text, Format::Auto);
        assert!(root.is_some());
        let word = |diagnostic: &Diagnostic| {
            let span = diagnostic.span.unwrap();
            format!(
                "{} {} {}",
                diagnostic.code.slug(),
                text.get(span.start..span.end).unwrap(),
                diagnostic.help.as_deref().unwrap()
            )
        };
        let found: Vec<String> = diagnostics.iter().map(word).collect();
        let expected = [
            "stub/unknown-key toolz did you mean `tools`?",
            "stub/wrong-shape ecko did you mean `echo`?",
            "stub/wrong-shape 1 write `echo`, `input`, `last`, `{return: …}` or `{fail: …}`",
            "stub/unknown-argument city write `sequence`, or one answer",
            "stub/wrong-result 1 return a value that matches the tool's output schema, or write `fail`",
            "stub/contradiction fail keep `return` or `fail`",
            "stub/unknown-key code remove `code`",
            "stub/unknown-key readOnlyHit did you mean `readOnlyHint`?",
            "stub/unknown-key read_only did you mean `readOnlyHint`?",
            "stub/wrong-shape 'no' write `true` or `false`",
            "stub/unknown-argument ctiy did you mean `city`?",
            "stub/unknown-key esle did you mean `else`?",
            "stub/unknown-key retrun did you mean `return`?",
        ];
        assert_eq!(found, expected);
    }
}
