//! Generates the JSON Schema of plan files from [`super::plan_format`].
//!
//! It cannot express unknown node names, invalid conditions or templates, and duplicate ids. It checks
//! built-in settings even if a host handles the type.
//!
//! Source: JSON Schema 2020-12.

use super::plan_format::{
    BEHAVIOUR, BEHAVIOURS, DECISIONS, EnumValue, FieldSpec, KeyNames, MapSpec, NESTED, NODE, NodeTypeSpec,
    PLAN, ValueSpec, node_types,
};
use serde_json::{Map, Value as Json, json};
use stepgraph_core::collect::CollectVec;

/// JSON Schema, draft 2020-12.
///
/// # Example
/// ```
/// use stepgraph_authoring::language::plan_schema;
/// use stepgraph_core::schema::{Patterns, Schema};
/// let schema = Schema::compile(&plan_schema(), &(), Patterns::default()).unwrap();
/// let plan = serde_json::json!({"nodes": {"hello": {"type": "log", "input": "hi"}}});
/// assert!(schema.validate(&plan, Patterns::default()).is_valid());
/// let misspelt = serde_json::json!({"nodes": {"hello": {"typ": "log"}}});
/// assert!(!schema.validate(&misspelt, Patterns::default()).is_valid());
/// ```
pub fn plan_schema() -> Json {
    let mut writer = SchemaWriter { defs: Map::new() };
    let mut schema = writer.object(&PLAN);
    for spec in node_types() {
        let settings = writer.settings(spec);
        writer.defs.insert(format!("{}_settings", spec.name), settings);
    }
    let stub = writer.object(&BEHAVIOUR);
    writer.defs.insert(name_of(BEHAVIOUR.title), stub);
    let head = [
        ("$schema", json!("https://json-schema.org/draft/2020-12/schema")),
        ("title", json!("Stepgraph plan")),
        (
            "description",
            json!(
                "A plan for agents: a graph of nodes that call tools and models, and of edges with conditions."
            ),
        ),
    ];
    let examples = json!([{
        "start": "ask",
        "nodes": {
            "ask": {"type": "llm", "input": "${input.question}"},
            "show": {"type": "log", "input": "The answer: ${output.ask}"},
        },
        "edges": [{"from": "ask", "to": "show"}],
    }]);
    let mut whole = Map::new();
    whole.extend(head.map(|(key, value)| (key.to_owned(), value)));
    if let Json::Object(map) = &mut schema {
        whole.append(map);
    }
    whole.insert("examples".to_owned(), examples);
    whole.insert("$defs".to_owned(), Json::Object(writer.defs));
    Json::Object(whole)
}

struct SchemaWriter {
    defs: Map<String, Json>,
}

/// Replaces spaces, so that references need no escapes.
fn name_of(what: &str) -> String {
    let words = what.strip_prefix("a ").or_else(|| what.strip_prefix("an ")).unwrap_or(what);
    words.replace(' ', "_")
}

/// Such as `1m30s` or `${last.wait}`.
const DURATION_OR_TEMPLATE: &str = r"\$\{|^\+?(0|((\d+(\.\d*)?|\.\d+)(ns|us|[µμ]s|ms|s|m|h))+)$";

impl SchemaWriter {
    fn reference(&mut self, map_spec: &'static MapSpec) -> Json {
        let name = name_of(map_spec.title);
        if !self.defs.contains_key(&name) {
            // Maps are recursive.
            self.defs.insert(name.clone(), Json::Null);
            let schema = self.object(map_spec);
            self.defs.insert(name.clone(), schema);
        }
        json!({"$ref": format!("#/$defs/{name}")})
    }

    fn object(&mut self, map_spec: &MapSpec) -> Json {
        let mut schema = self.fields(map_spec.fields);
        if map_spec.title == NODE.title {
            let all: Vec<Json> = node_types().iter().map(type_requirements).collect_vec();
            add(&mut schema, "allOf", Json::Array(all));
        }
        if map_spec.title == BEHAVIOUR.title {
            let ways = ["return", "sequence", "by", "fail"].map(|key| json!({"required": [key]}));
            add(&mut schema, "anyOf", json!(ways));
        }
        schema
    }

    fn fields(&mut self, fields: &[FieldSpec]) -> Json {
        let mut properties = Map::new();
        for field in fields {
            let mut schema = self.value(field.value, !field.required);
            add(&mut schema, "description", json!(field.doc));
            properties.insert(field.key.to_owned(), schema);
        }
        let required: Vec<&str> =
            fields.iter().filter(|field| field.required).map(|field| field.key).collect_vec();
        let mut schema = json!({"type": "object", "properties": properties, "patternProperties": {"^x-": {}}, "additionalProperties": false});
        if !required.is_empty() {
            add(&mut schema, "required", json!(required));
        }
        schema
    }

    fn settings(&mut self, spec: &NodeTypeSpec) -> Json {
        let mut schema = self.fields(spec.settings);
        add(&mut schema, "type", json!(["object", "null"]));
        if !spec.has_known_settings() {
            add(&mut schema, "additionalProperties", json!(true));
        }
        if spec.requires_settings() {
            add(&mut schema, "type", json!("object"));
        }
        if !spec.exclusive_settings.is_empty() {
            let one =
                |key: &&str| json!({"required": [key], "properties": {*key: {"not": {"type": "null"}}}});
            add(&mut schema, "oneOf", spec.exclusive_settings.iter().map(one).collect());
        }
        add(&mut schema, "description", json!(format!("The settings of `{}`. {}", spec.name, spec.doc)));
        schema
    }

    /// `empty` allows `null` as a missing key.
    fn value(&mut self, spec: ValueSpec, empty: bool) -> Json {
        let kinds = |names: &[&str]| match (names, empty) {
            ([name], false) => json!({"type": name}),
            (names, false) => json!({"type": names}),
            (names, true) => json!({"type": names.iter().copied().chain(["null"]).collect_vec()}),
        };
        let or_null =
            |schema: Json| if empty { json!({"anyOf": [schema, {"type": "null"}]}) } else { schema };
        match spec {
            ValueSpec::Map(map_spec) if map_spec.title == NESTED.title => {
                let path = json!({"type": "string", "pattern": "\\.(ya?ml|json)$", "description": "The path of a plan file, relative to this one."});
                let mut either = vec![self.reference(map_spec), path];
                either.extend(empty.then(|| json!({"type": "null"})));
                json!({"anyOf": either})
            }
            ValueSpec::Map(map_spec) => or_null(self.reference(map_spec)),
            ValueSpec::Named(names, inner) => {
                // Optional declarations may be `null`.
                let free = matches!(inner, ValueSpec::Text | ValueSpec::Schema | ValueSpec::Any);
                let inner = self.value(*inner, free);
                let mut schema = kinds(&["object"]);
                add(&mut schema, "additionalProperties", inner);
                if names == KeyNames::DeclaredNodes {
                    add(&mut schema, "minProperties", json!(1));
                }
                schema
            }
            ValueSpec::List(inner) => {
                let inner = self.value(*inner, false);
                let mut schema = kinds(&["array"]);
                add(&mut schema, "items", inner);
                schema
            }
            ValueSpec::OneOrMany(inner) => {
                let mut inner = self.value(*inner, false);
                add(&mut inner, "pattern", json!("/"));
                add(&mut inner, "type", json!("string"));
                json!({"anyOf": [inner, {"type": "array", "items": inner}, {"type": "null"}]})
            }
            // Numbers and booleans count as text.
            ValueSpec::Text
            | ValueSpec::Prose
            | ValueSpec::NodeKey
            | ValueSpec::NodeId
            | ValueSpec::Tool
            | ValueSpec::FailureCode => kinds(&["string", "number", "boolean"]),
            ValueSpec::Condition => condition_schema(kinds(&["string", "number", "boolean"])),
            ValueSpec::Model | ValueSpec::Template => kinds(&["string"]),
            ValueSpec::NodeType => node_type_schema(),
            ValueSpec::Bool => kinds(&["boolean"]),
            ValueSpec::Number { min, max, integer } => {
                number_schema(kinds(&[if integer { "integer" } else { "number" }]), min, max)
            }
            ValueSpec::NumberTemplate => or_null(
                json!({"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": DURATION_OR_TEMPLATE}]}),
            ),
            ValueSpec::Enum(words) => or_null(enum_schema(words)),
            ValueSpec::Schema => kinds(&["object", "boolean"]),
            ValueSpec::Settings => kinds(&["object"]),
            ValueSpec::Input | ValueSpec::Any => json!({}),
            ValueSpec::Pair => {
                json!({"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2})
            }
            ValueSpec::Behaviour => {
                let reference = json!({"$ref": format!("#/$defs/{}", name_of(BEHAVIOUR.title))});
                json!({"anyOf": [enum_schema(BEHAVIOURS), reference]})
            }
            ValueSpec::Decision => {
                let value = json!({"type": "object", "required": ["value"]});
                json!({"anyOf": [enum_schema(DECISIONS), value]})
            }
            ValueSpec::Format => or_null(json!({"const": 1})),
        }
    }
}

fn condition_schema(mut schema: Json) -> Json {
    let examples = json!([
        "last==yes",
        "output.check.score >= 0.5",
        "last.contains:refund || last.urgent.exists",
        "size(last.items) > 2 && last.total <= input.budget",
        "error.code==tool/unreachable",
        "default"
    ]);
    add(&mut schema, "examples", examples);
    schema
}

fn node_type_schema() -> Json {
    let known = super::plan_format::node_types()
        .iter()
        .map(|spec| json!({"const": spec.name, "description": spec.doc}))
        .collect_vec();
    let other = json!({
        "type": ["string", "number", "boolean"],
        "description": "The name of a tool, or a type that the host handles.",
    });
    json!({"anyOf": known.into_iter().chain([other]).collect_vec()})
}

fn number_schema(mut schema: Json, min: u32, max: Option<u32>) -> Json {
    add(&mut schema, "minimum", json!(min));
    if let Some(max) = max {
        add(&mut schema, "maximum", json!(max));
    }
    schema
}

fn enum_schema(words: &[EnumValue]) -> Json {
    let words = words.iter().map(|(word, doc)| json!({"const": word, "description": doc})).collect_vec();
    json!({"anyOf": words})
}

fn type_requirements(spec: &NodeTypeSpec) -> Json {
    let settings = json!({"$ref": format!("#/$defs/{}_settings", spec.name)});
    let mut properties = Map::new();
    properties.insert("with".to_owned(), settings);
    // This type does not run them.
    for key in ["graph", "branches", "do"].iter().filter(|key| !spec.required_keys.contains(key)) {
        properties.insert((*key).to_owned(), json!({"type": "null"}));
    }
    let mut then = json!({"properties": properties});
    match spec.required_keys {
        [] if spec.requires_settings() => add(&mut then, "required", json!(["with"])),
        [] => {}
        ["tool"] => {
            // `metadata.tool` also names the tool.
            let named = json!({"required": ["metadata"], "properties": {"metadata": {"required": ["tool"]}}});
            add(&mut then, "anyOf", json!([{"required": ["tool"]}, named]));
        }
        needs => add(&mut then, "required", json!(needs)),
    }
    json!({"if": {"properties": {"type": {"const": spec.name}}, "required": ["type"]}, "then": then})
}

fn add(schema: &mut Json, key: &str, value: Json) {
    if let Json::Object(map) = schema {
        map.insert(key.to_owned(), value);
    }
}
