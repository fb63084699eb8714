//! JavaScript bindings for tool plans.

use crate::schema::patterns;
use serde_json::Value as Json;
use stepgraph_codec::diagnostics::diagnostics_json;
use stepgraph_codec::json;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::tool::{ToolInfo, ToolRegistry};
use stepgraph_core::toolplan::{Trust, check, parse};
use wasm_bindgen::prelude::wasm_bindgen;

/// Returns each name of these tools with its tool's position, as JSON `{name: position}`. `servers` are all
/// names.
#[wasm_bindgen]
pub fn tool_places(tools: &str, servers: &str) -> String {
    let (tools, servers) = (json::parse(tools), json::parse(servers));
    let tools = tools.as_array().into_iter().flatten().filter_map(ToolInfo::from_json);
    let servers: Vec<String> = servers
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    let catalogue = ToolRegistry::with_servers(tools, &servers);
    let places = catalogue.positions().map(|(name, at)| (name.to_owned(), at.into())).collect();
    serde_json::Value::Object(places).to_string()
}

/// Checks a tool plan or a model's text (JSON string). `options` is `{context, trusted}`. Returns a JSON list
/// of diagnostics.
#[wasm_bindgen]
pub fn check_tool_plan(plan: &str, tools: &str, options: &str) -> String {
    let (plan, tools, options) = (json::parse(plan), json::parse(tools), json::parse(options));
    let plan = match &plan {
        Json::String(text) => match parse(text) {
            Ok(plan) => plan,
            Err(diagnostic) => return diagnostics_json(&[*diagnostic], ""),
        },
        plan => plan.clone(),
    };
    let tools = tools.as_array().into_iter().flatten().filter_map(ToolInfo::from_json);
    let tools = ToolRegistry::new(tools).with_patterns(patterns());
    let names = options.get("trusted").and_then(Json::as_array);
    let names =
        names.map(|names| names.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect_vec());
    let context = options.get("context").cloned().unwrap_or_default();
    let trust = Trust { names: names.unwrap_or_else(|| Trust::default().names), context };
    diagnostics_json(&check(&plan, &tools, &trust).diagnostics, "")
}
