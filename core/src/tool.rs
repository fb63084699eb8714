//! Tools as servers describe them, a catalogue of them, and the ways a call can fail.
//!
//! Decides how a tool is read from what its server says. Knows nothing of how it is reached: a server over HTTP, a function
//! of the host and a stub look the same from here.
//!
//! Invariant: a [`ToolError`] holds what went wrong, never a credential.

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
/// JSON as in the TypeScript type; what is absent is left out.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolInfo {
    /// The name by which its server knows it.
    pub name: String,
    /// What it does, for people and models.
    pub description: Option<String>,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// JSON Schema of its result, when the server promises one.
    pub output_schema: Option<Value>,
    /// Hints of the server, such as `destructiveHint`.
    pub annotations: Option<Value>,
    /// The server that offers it.
    pub server: Option<String>,
    /// Why this client can't call it, when it can't.
    pub unavailable: Option<String>,
}

impl ToolInfo {
    /// From its JSON form; nothing without a name. A tool without a schema takes anything.
    ///
    /// The schemas go by the spelling of plans or by that of MCP, `inputSchema` and `outputSchema`.
    pub fn from_json(json: &Value) -> Option<Self> {
        Some(Self::named(json.get("name")?.as_str()?, json))
    }

    /// The same for a tool whose name stands elsewhere.
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

    /// Its JSON form; what is absent is left out.
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

    /// `server.name`, or the name alone for a tool without a server.
    pub fn qualified(&self) -> String {
        match &self.server {
            Some(server) => format!("{server}.{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// In which way a tool could not be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolErrorKind {
    /// The tool ran and says that it failed.
    Failed,
    /// No connection, or it broke before the answer was whole.
    Unreachable,
    /// No answer within the time it was given.
    Timeout,
    /// The server refuses the name or the arguments.
    InvalidArguments,
    /// The answer is not what the protocol says.
    BadReply,
    /// The answer is larger than the client takes.
    TooLarge,
    /// The server wants a key, or another one.
    Unauthorized,
    /// The server forgot the session, and then the next one, too.
    SessionLost,
    /// The server answers with an error of the protocol or of HTTP.
    Protocol,
    /// No revision of the protocol is known to both sides.
    UnsupportedVersion,
    /// The stream of the answer ended without an answer.
    StreamBroken,
    /// The list of tools does not end.
    EndlessPages,
    /// The tool asks a question back, which nobody here can answer.
    InputRequired,
    /// The server wants to be able to ask what nobody here answers.
    MissingCapability,
    /// The server wants a key that can be had only in a way that is not known here, or not set up.
    AuthUnsupported,
    /// Who gives keys for the server, or what was answered on the way to one, can't be trusted.
    AuthUntrusted,
    /// Whoever gives keys for the server gives none.
    AuthRefused,
    /// The server lists the tool, and this client can't call it.
    Unavailable,
}

impl ToolErrorKind {
    /// Every way.
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

    /// `tool/what` or `mcp/what`, stable for ever.
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

/// A call that gave no value, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    /// In which way.
    pub kind: ToolErrorKind,
    /// What happened, for a person and, after [`ToolErrorKind::Failed`], for a model; without credentials.
    pub message: String,
}

impl ToolError {
    /// A failure of this kind.
    pub fn new(kind: ToolErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// `tool/what` or `mcp/what`, stable for ever.
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
