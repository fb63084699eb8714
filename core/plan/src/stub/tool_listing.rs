//! Checks that a stub matches its own tool listing, as runs do.
//!
//! Invariant: Reports only stubs that never work. An unreadable schema, or one that leaves a name open, reports
//! nothing.

use super::read::Reader;
use serde_json::{Map, Value as Json, json};
use stepgraph_schema::{Partial, Patterns, Schema, misspelt_keywords};
use stepgraph_text::diagnostic::{Code, closest_name, shorten_name};

/// Spelt as in plans or MCP.
pub(super) const KEYS: [&str; 6] =
    ["description", "input_schema", "output_schema", "annotations", "inputSchema", "outputSchema"];
const SPELLINGS: [(&str, &str); 2] = [("input_schema", "inputSchema"), ("output_schema", "outputSchema")];
const HINTS: [&str; 4] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

pub(super) struct ToolListing {
    pub(super) name: String,
    pub(super) json: Json,
    input: Option<Schema>,
    output: Option<Schema>,
}

impl ToolListing {
    pub(super) fn read(name: &str, json: &Json, reader: &mut Reader) -> Self {
        let mut about = Map::new();
        for key in KEYS {
            let Some(value) = json.get(key).filter(|value| !value.is_null()) else { continue };
            let is_fine = if key == "description" { value.is_string() } else { value.is_object() };
            if is_fine {
                about.insert(key.to_owned(), value.clone());
            } else {
                let kind = if key == "description" { "text" } else { "a map" };
                let help = format!("write {kind} here");
                reader.with_key(key, |reader| reader.add_type_flaw(&format!("`{key}` is {kind}"), &help));
            }
        }
        for (ours, theirs) in
            SPELLINGS.iter().filter(|(a, b)| about.contains_key(*a) && about.contains_key(*b))
        {
            let message = format!("`{theirs}` means the same as `{ours}`");
            reader.add_key_flaw(
                theirs,
                Code::StubContradiction,
                message,
                &format!("keep `{ours}` or `{theirs}`"),
                None,
            );
        }
        if let Some(annotations) = about.get("annotations").and_then(Json::as_object) {
            reader.with_key("annotations", |reader| check_hints(annotations, reader));
        }
        let [input, output] = SPELLINGS.map(|(ours, theirs)| schema_of(&about, [ours, theirs], reader));
        if about.is_empty() {
            about.insert("description".to_owned(), "a stub".into());
        }
        Self { name: name.to_owned(), json: Json::Object(about), input, output }
    }

    pub(super) fn check_answer(&self, value: &Json, reader: &mut Reader) {
        let Some(schema) = &self.output else { return };
        let mut report = schema.validate(value, Patterns::default());
        // A run parses text as JSON if the schema allows no text.
        if let Some(read) = value.as_str().and_then(|text| stepgraph_text::json::parse(text.trim()))
            && schema.validate(&read, Patterns::default()).is_valid()
        {
            report.violations.clear();
        }
        for violation in report.violations.iter().filter(|_| !report.is_incomplete) {
            let message =
                format!("the tool `{}` never returns this: {}", shorten_name(&self.name), violation.message);
            let help = "return a value that matches the tool's output schema, or write `fail`";
            reader.at_pointer(&violation.instance_path, |reader| {
                reader.add_flaw(Code::StubResult, message, help, None);
            });
        }
    }

    pub(super) fn check_argument(&self, name: &str, reader: &mut Reader) {
        let Some(schema) = &self.input else { return };
        let given = json!({name: null});
        let meant = match schema.undeclared_properties(&Partial::Known(&given)).into_iter().next() {
            Some(stranger) => stranger.suggestion,
            None => {
                let report = schema.validate(&given, Patterns::default());
                let surplus = report.violations.into_iter().find(|violation| {
                    violation.name.as_deref() == Some(name) && violation.keyword != "required"
                });
                let Some(surplus) = surplus else { return };
                surplus.suggestion
            }
        };
        let tool = shorten_name(&self.name);
        let message = format!("the tool `{tool}` takes no `{}`", shorten_name(name));
        reader.add_flaw(Code::StubArgument, message, "name an argument of the tool's input schema", meant);
    }
}

fn schema_of(about: &Map<String, Json>, names: [&str; 2], reader: &mut Reader) -> Option<Schema> {
    let key = names.into_iter().find(|name| about.contains_key(*name))?;
    // Schemas of tools may have this word of OpenAPI.
    let slips = misspelt_keywords(about.get(key)?).into_iter().filter(|slip| slip.keyword != "nullable");
    for slip in slips {
        reader.with_key(key, |reader| {
            reader.at_path(slip.path.into_iter(), |reader| {
                let message = format!("`{}` is no keyword of JSON Schema", shorten_name(&slip.keyword));
                let meant = Some(slip.intended.to_owned());
                reader.add_key_flaw(
                    &slip.keyword,
                    Code::StubKey,
                    message,
                    "use a keyword of JSON Schema",
                    meant,
                );
            });
        });
    }
    match Schema::compile(about.get(key)?, &(), Patterns::default()) {
        Ok(schema) => Some(schema),
        Err(errors) => {
            reader.with_key(key, |reader| {
                for error in errors {
                    reader.at_pointer(&error.path, |reader| {
                        let help = "write it as JSON Schema, draft 2020-12, has it";
                        reader.add_flaw(Code::StubShape, error.message, help, None);
                    });
                }
            });
            None
        }
    }
}

/// A tool with an unreadable hint counts as destructive.
fn check_hints(annotations: &Map<String, Json>, reader: &mut Reader) {
    for (key, value) in annotations {
        if HINTS.contains(&key.as_str()) {
            if !value.is_boolean() && !value.is_null() {
                let message = format!("`{key}` is true or false");
                reader.with_key(key, |reader| reader.add_type_flaw(&message, "write `true` or `false`"));
            }
        } else if let Some(meant) = suggested_hint(key) {
            let message = format!("there is no hint `{}`", shorten_name(key));
            let known = HINTS.map(|name| format!("`{name}`")).join(", ");
            let help = format!("use {known}");
            let meant = Some(meant).filter(|name| !annotations.contains_key(*name));
            reader.add_key_flaw(key, Code::StubKey, message, &help, meant.map(str::to_owned));
        }
    }
}

/// Servers may add other annotations.
fn suggested_hint(key: &str) -> Option<&'static str> {
    let bare = |name: &str| {
        let name: String =
            name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_ascii_lowercase();
        name.strip_suffix("hint").unwrap_or(&name).to_owned()
    };
    closest_name(key, HINTS).or_else(|| HINTS.into_iter().find(|name| bare(name) == bare(key)))
}
