//! Tools as servers describe them, and errors of calls. HTTP servers, host functions and stubs are alike.
//!
//! Invariant: a [`ToolError`] never contains a credential.

mod argument_mismatch;
mod argument_types;
mod effect;
mod registry;

pub(crate) use argument_mismatch::ArgumentMismatch;
pub(crate) use argument_types::template_arguments;
pub use effect::Effect;
pub use registry::ToolRegistry;

use serde_json::{Map, Value};
use std::fmt;

/// A server's tool.
///
/// # Shape
/// JSON as in the TypeScript type, without absent fields.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolInfo {
    /// Name on its server.
    pub name: String,
    /// For users and models.
    pub description: Option<String>,
    /// Arguments' schema.
    pub input_schema: Value,
    /// Result's schema.
    pub output_schema: Option<Value>,
    /// Hints such as `destructiveHint`.
    pub annotations: Option<Value>,
    /// Its server.
    pub server: Option<String>,
    /// Why this client can't call it, if so.
    pub unavailable: Option<String>,
}

impl ToolInfo {
    /// Accepts the spelling of plans and of MCP, `inputSchema` and `outputSchema`. `None` without a name. Tools without
    /// a schema accept anything.
    pub fn from_json(json: &Value) -> Option<Self> {
        Some(Self::named(json.get("name")?.as_str()?, json))
    }

    /// The name is outside the JSON.
    pub(crate) fn named(name: &str, json: &Value) -> Self {
        let text = |key: &str| json.get(key).and_then(Value::as_str).map(str::to_owned);
        let given = |key: &str| json.get(key).filter(|value| !value.is_null()).cloned();
        let schema = given("input_schema").or_else(|| given("inputSchema"));
        Self {
            name: name.to_owned(),
            description: text("description"),
            input_schema: schema.unwrap_or_else(|| Value::Object(Map::new())),
            output_schema: given("output_schema").or_else(|| given("outputSchema")),
            annotations: given("annotations"),
            server: text("server"),
            unavailable: text("unavailable"),
        }
    }

    /// Omits absent fields.
    pub fn to_json(&self) -> Value {
        let text = |text: &Option<String>| text.as_deref().map(Value::from);
        let fields = [
            ("name", Some(Value::from(self.name.as_str()))),
            ("description", text(&self.description)),
            ("input_schema", Some(self.input_schema.clone())),
            ("output_schema", self.output_schema.clone()),
            ("annotations", self.annotations.clone()),
            ("server", text(&self.server)),
            ("unavailable", text(&self.unavailable)),
        ];
        let fields = fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        Value::Object(fields.collect())
    }

    /// `server.name`, or only the name without a server.
    pub fn qualified(&self) -> String {
        match &self.server {
            Some(server) => format!("{server}.{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// Error kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolErrorKind {
    /// The tool reported an error.
    Failed,
    /// The connection failed or broke early.
    Unreachable,
    /// Late answer.
    Timeout,
    /// Refused name or arguments.
    InvalidArguments,
    /// Protocol violation.
    BadReply,
    /// Beyond the client's size limit.
    TooLarge,
    /// Missing or wrong credential.
    Unauthorized,
    /// The server dropped the session twice.
    SessionLost,
    /// A protocol or HTTP error.
    Protocol,
    /// No common version.
    UnsupportedVersion,
    /// No answer before the stream's end.
    StreamBroken,
    /// Endless tool list.
    EndlessPages,
    /// Requires an elicitation that the host can't answer.
    InputRequired,
    /// Missing client capability.
    MissingCapability,
    /// Unsupported or unconfigured authorization method.
    AuthUnsupported,
    /// Untrusted authorization server or answer.
    AuthUntrusted,
    /// Refused token.
    AuthRefused,
    /// Listed, but not callable here.
    Unavailable,
}

impl ToolErrorKind {
    /// All kinds.
    pub const ALL: [Self; 18] = [
        Self::Failed,
        Self::Unreachable,
        Self::Timeout,
        Self::InvalidArguments,
        Self::BadReply,
        Self::TooLarge,
        Self::Unauthorized,
        Self::SessionLost,
        Self::Protocol,
        Self::UnsupportedVersion,
        Self::StreamBroken,
        Self::EndlessPages,
        Self::InputRequired,
        Self::MissingCapability,
        Self::AuthUnsupported,
        Self::AuthUntrusted,
        Self::AuthRefused,
        Self::Unavailable,
    ];

    /// Such as `tool/timeout` or `mcp/session-lost`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Failed => "tool/failed",
            Self::Unreachable => "tool/unreachable",
            Self::Timeout => "tool/timeout",
            Self::InvalidArguments => "tool/invalid-arguments",
            Self::BadReply => "tool/bad-reply",
            Self::TooLarge => "tool/too-large",
            Self::Unauthorized => "tool/unauthorized",
            Self::SessionLost => "mcp/session-lost",
            Self::Protocol => "mcp/protocol",
            Self::UnsupportedVersion => "mcp/unsupported-version",
            Self::StreamBroken => "mcp/stream-broken",
            Self::EndlessPages => "mcp/endless-pages",
            Self::InputRequired => "mcp/input-required",
            Self::MissingCapability => "mcp/missing-capability",
            Self::AuthUnsupported => "mcp/auth-unsupported",
            Self::AuthUntrusted => "mcp/auth-untrusted",
            Self::AuthRefused => "mcp/auth-refused",
            Self::Unavailable => "tool/unavailable",
        }
    }
}

/// Call error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    /// The kind.
    pub kind: ToolErrorKind,
    /// For users, without credentials. Models receive it after [`ToolErrorKind::Failed`].
    pub message: String,
}

impl ToolError {
    /// Creates an error.
    pub fn new(kind: ToolErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Such as `tool/timeout` or `mcp/session-lost`.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code(), self.message)
    }
}

impl std::error::Error for ToolError {}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(path: &str) -> ToolInfo {
        let (server, name) =
            path.rsplit_once('/').map_or((None, path), |(server, name)| (Some(server.to_owned()), name));
        ToolInfo {
            name: name.to_owned(),
            description: None,
            input_schema: json!({}),
            output_schema: None,
            annotations: None,
            server,
            unavailable: None,
        }
    }

    #[test]
    fn json_form_leaves_out_what_is_absent() {
        let json = json!({"name": "echo", "input_schema": {}, "server": "a"});
        assert_eq!(tool("a/echo").to_json(), json);
        assert_eq!(ToolInfo::from_json(&json), Some(tool("a/echo")));
        let listed =
            json!({"name": "echo", "inputSchema": {"type": "object"}, "outputSchema": {"type": "string"}});
        let ours =
            json!({"name": "echo", "input_schema": {"type": "object"}, "output_schema": {"type": "string"}});
        assert_eq!(ToolInfo::from_json(&listed).map(|tool| tool.to_json()), Some(ours));
    }

    #[test]
    fn an_error_shows_its_code() {
        let error = ToolError::new(ToolErrorKind::SessionLost, "gone");
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            ("mcp/session-lost", "mcp/session-lost: gone")
        );
    }
}
