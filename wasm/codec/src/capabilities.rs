//! A host's capabilities, from JSON. Null and absent values are unknown, and not checked against.

use crate::json;
use serde_json::Value as Json;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::schema::Patterns;
use stepgraph_core::stub::Stubs;
use stepgraph_core::tool::{ToolInfo, ToolRegistry};

/// A host's capabilities.
#[derive(Debug)]
pub struct HostCapabilities {
    types: Option<Vec<String>>,
    ids: Vec<String>,
    tools: Option<Vec<ToolInfo>>,
    servers: Vec<String>,
    models: Option<Vec<String>>,
    stubs: Option<Json>,
    allowed: Vec<String>,
    outputs: Option<Vec<String>>,
    retries: bool,
    errors_only: bool,
}

impl HostCapabilities {
    /// Reads `{types?, ids?, tools?, servers?, models?, stubs?, allowed?, outputs?, retries?, errorsOnly?}`.
    #[inline]
    pub fn from_json(text: &str) -> Self {
        let host = json::parse(text);
        Self {
            types: json::texts_at(&host, "types"),
            ids: json::texts_at(&host, "ids").unwrap_or_default(),
            tools: host
                .get("tools")
                .and_then(Json::as_array)
                .map(|tools| tools.iter().filter_map(ToolInfo::from_json).collect_vec()),
            servers: json::texts_at(&host, "servers").unwrap_or_default(),
            models: json::texts_at(&host, "models"),
            allowed: json::texts_at(&host, "allowed").unwrap_or_default(),
            outputs: json::texts_at(&host, "outputs"),
            retries: host.get("retries").and_then(Json::as_bool).unwrap_or(false),
            errors_only: host.get("errorsOnly").and_then(Json::as_bool).unwrap_or(false),
            stubs: host.get("stubs").filter(|stubs| !stubs.is_null()).cloned(),
        }
    }

    /// Converts to the core's type. `patterns` are for the regular expressions of schemas.
    #[inline]
    pub fn into_capabilities(self, patterns: Patterns) -> Capabilities {
        // The host already got the errors of invalid stubs.
        let stubs = self.stubs.as_ref().map(Stubs::from_json_lenient);
        let mut capabilities = Capabilities {
            types: self.types.map(|types| types.into_iter().collect()),
            ids: self.ids.into_iter().collect(),
            tools: self
                .tools
                .map(|tools| ToolRegistry::with_servers(tools, &self.servers).with_patterns(patterns)),
            models: self.models.map(|models| models.into_iter().collect()),
            allowed: self.allowed.into_iter().collect(),
            outputs: self.outputs.map(|outputs| outputs.into_iter().collect()),
            retries: self.retries,
            errors_only: self.errors_only,
            patterns,
            ..Capabilities::default()
        };
        if let Some(stubs) = stubs {
            capabilities.add_stubs(&stubs);
        }
        capabilities
    }
}
