//! Describes values, types and tools.

use crate::language::complete::argument_doc;
use crate::language::markdown::{code, text};
use crate::language::value_type::ValueType;
use std::fmt::Write as _;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::tool::{Effect, ToolInfo};

pub(super) fn describe_value(name: &str, value_type: &ValueType) -> String {
    let kind = value_type.describe();
    let mut out = if kind.is_empty() { name.to_owned() } else { format!("{name}: {kind}") };
    if let Some(doc) = argument_doc(value_type) {
        out.push_str("\n\n");
        out.push_str(&doc);
    }
    let parts = list_properties(value_type);
    if !parts.is_empty() {
        out.push_str("\n\n");
        out.push_str(&parts);
    }
    out
}

pub(super) fn describe_type(value_type: &ValueType) -> String {
    let kind = value_type.describe();
    let parts = list_properties(value_type);
    let values = value_type
        .values()
        .iter()
        .take(12)
        .map(|value| code(&stepgraph_core::value::json_text(value)))
        .collect_vec()
        .join(", ");
    let kind = if kind.is_empty() { "a value".to_owned() } else { kind };
    match (parts.is_empty(), values.is_empty()) {
        (false, _) => format!("{kind}:\n\n{parts}"),
        (true, false) => format!("{kind}, one of {values}."),
        (true, true) => format!("{kind}."),
    }
}

fn list_properties(value_type: &ValueType) -> String {
    const MAX_PROPERTIES: usize = 20;
    let properties = value_type.properties();
    let mut lines = properties
        .iter()
        .take(MAX_PROPERTIES)
        .map(|property| {
            let kind = property.value_type.describe();
            let kind = if kind.is_empty() { String::new() } else { format!(": {kind}") };
            let needed = if property.required { ", always there" } else { "" };
            let doc = property
                .value_type
                .description()
                .map(|doc| format!(" — {}", text(&doc.replace('\n', " "))))
                .unwrap_or_default();
            format!("- {}{kind}{needed}{doc}", code(&property.name))
        })
        .collect_vec();
    if properties.len() > MAX_PROPERTIES {
        lines.push(format!("- and {} more", properties.len() - MAX_PROPERTIES));
    }
    lines.join("\n")
}

pub(super) fn describe_tool(name: &str, tool: &ToolInfo) -> String {
    let server = tool.server.as_ref().map(|server| format!(" of {}", code(server))).unwrap_or_default();
    let mut out = format!("tool {}{server}", code(name));
    if let Some(doc) = &tool.description {
        let _ = write!(out, "\n\n{}", text(doc));
    }
    if tool.effect() == Effect::Destroys {
        out.push_str("\n\nIt may be destructive: the user is asked for approval before it is called.");
    }
    let takes = list_properties(&ValueType::from_schema(tool.input_schema.clone()))
        .replace(", always there", ", required");
    if !takes.is_empty() {
        let _ = write!(out, "\n\nTakes:\n\n{takes}");
    }
    if let Some(schema) = &tool.output_schema {
        let _ = write!(out, "\n\nGives {}", describe_type(&ValueType::from_schema(schema.clone())));
    }
    out
}
