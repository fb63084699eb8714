//! Tools as servers describe them, a registry of tools, and errors of calls.
//!
//! Decides how a server's description becomes a tool. Treats a server over HTTP, a function of the host and a stub
//! alike.
//!
//! Invariant: a [`ToolError`] never contains a credential.

mod argument_mismatch;
mod effect;
mod registry;

pub(crate) use argument_mismatch::ArgumentMismatch;
pub use effect::Effect;
pub use registry::ToolRegistry;

use serde_json::{Map, Value};
use std::fmt;

/// A tool as its server describes it.
///
/// # Shape
/// JSON as in the TypeScript type. Absent fields are omitted.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolInfo {
    /// Its name on its server.
    pub name: String,
    /// Its description, for users and models.
    pub description: Option<String>,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// JSON Schema of its result, if the server declares one.
    pub output_schema: Option<Value>,
    /// Hints of the server, such as `destructiveHint`.
    pub annotations: Option<Value>,
    /// Its server.
    pub server: Option<String>,
    /// The reason why this client can't call it, if any.
    pub unavailable: Option<String>,
}

impl ToolInfo {
    /// Parses its JSON form. Returns `None` without a name. A tool without a schema accepts anything.
    ///
    /// Accepts the spelling of plans and that of MCP, `inputSchema` and `outputSchema`.
    pub fn from_json(json: &Value) -> Option<Self> {
        Some(Self::named(json.get("name")?.as_str()?, json))
    }

    /// Parses a tool whose name is stored outside the JSON.
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

    /// Returns its JSON form. Omits absent fields.
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

    /// Returns `server.name`, or the name alone for a tool without a server.
    pub fn qualified(&self) -> String {
        match &self.server {
            Some(server) => format!("{server}.{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// The kind of a tool error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolErrorKind {
    /// The tool ran and reported an error.
    Failed,
    /// The connection failed, or broke before the answer was complete.
    Unreachable,
    /// The answer did not arrive in time.
    Timeout,
    /// The server refuses the name or the arguments.
    InvalidArguments,
    /// The answer does not follow the protocol.
    BadReply,
    /// The answer exceeds the client's size limit.
    TooLarge,
    /// The server requires a credential, or a different one.
    Unauthorized,
    /// The server dropped the session, and then the next one, too.
    SessionLost,
    /// The server answered with an error of the protocol or of HTTP.
    Protocol,
    /// Client and server share no protocol version.
    UnsupportedVersion,
    /// The stream ended without an answer.
    StreamBroken,
    /// The tool list has no end.
    EndlessPages,
    /// The tool requires an answer to an elicitation request, which the host can't provide.
    InputRequired,
    /// The server requires a client capability that the host lacks.
    MissingCapability,
    /// The server requires an authorization method that the client does not support, or that is not configured.
    AuthUnsupported,
    /// The authorization server, or one of its answers, can't be trusted.
    AuthUntrusted,
    /// The authorization server refused a token.
    AuthRefused,
    /// The server lists the tool, but this client can't call it.
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

    /// Returns the stable code, such as `tool/timeout` or `mcp/session-lost`.
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

/// An error of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    /// The kind.
    pub kind: ToolErrorKind,
    /// The message for users, without credentials. A model receives it after [`ToolErrorKind::Failed`].
    pub message: String,
}

impl ToolError {
    /// Creates an error of this kind.
    pub fn new(kind: ToolErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Returns the stable code, such as `tool/timeout` or `mcp/session-lost`.
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
