//! Tools as servers describe them, a catalogue of them, and the ways a call can fail.
//!
//! Decides what a tool is called when several servers offer one of the same name. Knows nothing of how a tool is
//! reached: a server over HTTP, a function of the host and a stub look the same from here.
//!
//! Invariants:
//! 1. every tool of a [`Catalogue`] has a name there that no other has;
//! 2. a name that two servers use means neither of them: guessing which one is meant could call the wrong tool;
//!    `shop.pay` means a tool of server `shop` and no other, even while `shop` has no such tool;
//! 3. the order of the catalogue is the order in which the tools were given, so prompts made from it are stable;
//! 4. a [`ToolError`] holds what went wrong, never a credential.
//!
//! Source: design section 9.

mod effect;

pub use effect::Effect;

use crate::list::List;
use crate::schema::{Patterns, Schema, SchemaError};
use serde_json::{Map, Value};

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

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
}

impl ToolInfo {
    /// From its JSON form; nothing without a name. A tool without a schema takes anything.
    pub fn from_json(json: &Value) -> Option<Self> {
        let text = |key: &str| json.get(key).and_then(Value::as_str).map(str::to_owned);
        let given = |key: &str| json.get(key).filter(|value| !value.is_null()).cloned();
        Some(Self {
            name: text("name")?,
            description: text("description"),
            input_schema: given("input_schema").unwrap_or_else(|| Value::Object(Map::new())),
            output_schema: given("output_schema"),
            annotations: given("annotations"),
            server: text("server"),
        })
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

/// The tools of a run, each under a name of its own.
///
/// A tool is found by its plain name when only one server uses that, and by `server.name` always.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    tools: Arc<Vec<(String, ToolInfo)>>,
    by_name: Arc<HashMap<String, usize>>,
    /// Where each tool stands in the list that was given.
    given: Arc<Vec<usize>>,
    servers: Arc<Vec<String>>,
    /// The schemas of arguments and of results by the tools' positions, once they were asked for.
    schemas: Arc<Vec<[OnceLock<Arc<Readable>>; 2]>>,
    patterns: Patterns,
}

/// A schema as far as it can be understood, and what is wrong with it.
type Readable = (Schema, Vec<SchemaError>);

impl Catalogue {
    /// A catalogue of these tools; a second one of the same name in full is left out.
    pub fn new(tools: impl IntoIterator<Item = ToolInfo>) -> Self {
        Self::among(tools, &[])
    }

    /// The same, with the names of all servers of the host, also of those that list nothing now.
    pub fn among(tools: impl IntoIterator<Item = ToolInfo>, servers: &[String]) -> Self {
        let mut seen = HashSet::new();
        let first = |(_, tool): &(usize, ToolInfo)| seen.insert(tool.qualified());
        let (given, tools): (Vec<usize>, Vec<ToolInfo>) = tools.into_iter().enumerate().filter(first).unzip();
        let mut users: HashMap<&str, usize> = HashMap::new();
        let mut known: HashSet<&str> = servers.iter().map(String::as_str).collect();
        for tool in &tools {
            *users.entry(&tool.name).or_default() += 1;
            known.extend(tool.server.as_deref());
        }
        // A plain name must not read like the full name of a tool of another server, whether that tool exists or not.
        let of_another = |tool: &ToolInfo| {
            let mut dots = tool.name.match_indices('.').filter_map(|(dot, _)| tool.name.get(..dot));
            dots.any(|server| known.contains(server) && tool.server.as_deref() != Some(server))
        };
        let own = |tool: &ToolInfo| {
            users.get(tool.name.as_str()) == Some(&1)
                && (tool.server.is_none() || !(seen.contains(&tool.name) || of_another(tool)))
        };
        let shown = |tool: &ToolInfo| if own(tool) { tool.name.clone() } else { tool.qualified() };
        let names: Vec<String> = tools.iter().map(shown).list();
        let mut by_name = HashMap::new();
        for (at, (tool, name)) in tools.iter().zip(&names).enumerate() {
            by_name.insert(tool.qualified(), at);
            by_name.insert(name.clone(), at);
        }
        let tools = names.into_iter().zip(tools).list();
        Self {
            tools: Arc::new(tools),
            by_name: Arc::new(by_name),
            given: Arc::new(given),
            servers: Arc::new(servers.to_vec()),
            ..Self::default()
        }
        .with_patterns(Patterns::default())
    }

    /// Every name by which a tool is called, plain or qualified, with the tool's position in the list that was given.
    pub fn places(&self) -> impl Iterator<Item = (&str, usize)> {
        self.by_name.iter().filter_map(|(name, at)| Some((name.as_str(), *self.given.get(*at)?)))
    }

    /// The same, whose schemas' patterns these regular expressions judge.
    #[must_use]
    pub fn with_patterns(self, patterns: Patterns) -> Self {
        Self { patterns, schemas: Arc::new(vec![Default::default(); self.tools.len()]), ..self }
    }

    /// The names of the host's servers, as far as they were told apart from the tools.
    pub fn servers(&self) -> &[String] {
        &self.servers
    }

    /// The regular expressions that judge patterns.
    pub fn patterns(&self) -> Patterns {
        self.patterns
    }

    /// The schema of the arguments of a tool, which is read when it is first asked for.
    ///
    /// # Errors
    /// What is wrong with the schema; a server's mistake, which the plan is not to blame for.
    pub fn input_schema(&self, name: &str) -> Option<Result<&Schema, &[SchemaError]>> {
        let (schema, errors) = self.read(name, true)?;
        Some(if errors.is_empty() { Ok(schema) } else { Err(errors) })
    }

    /// The schema of the arguments of a tool, or of what it gives, as far as it can be understood.
    pub(crate) fn understood(&self, name: &str, input: bool) -> Option<&Schema> {
        self.read(name, input).map(|(schema, _)| schema)
    }

    fn read(&self, name: &str, input: bool) -> Option<&Readable> {
        let at = *self.by_name.get(name)?;
        let (_, tool) = self.tools.get(at)?;
        let [ours, theirs] = self.schemas.get(at)?;
        let (place, schema) =
            if input { (ours, &tool.input_schema) } else { (theirs, tool.output_schema.as_ref()?) };
        Some(place.get_or_init(|| Arc::new(Schema::tolerant(schema, self.patterns))))
    }

    /// The tool of a plain or a qualified name.
    pub fn get(&self, name: &str) -> Option<&ToolInfo> {
        self.entry(name).map(|(_, tool)| tool)
    }

    /// The same with the name that it has here.
    pub fn entry(&self, name: &str) -> Option<(&str, &ToolInfo)> {
        self.by_name.get(name).and_then(|at| self.tools.get(*at)).map(|(shown, tool)| (shown.as_str(), tool))
    }

    /// The names of the tools that a plain name could mean, when it could mean several.
    pub fn clashes(&self, name: &str) -> Vec<&str> {
        let same: Vec<&str> =
            self.tools.iter().filter(|(_, tool)| tool.name == name).map(|(shown, _)| shown.as_str()).list();
        if same.len() > 1 { same } else { Vec::new() }
    }

    /// Every tool with its name, in the order given.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ToolInfo)> {
        self.tools.iter().map(|(name, tool)| (name.as_str(), tool))
    }

    /// Every name, in the order given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(name, _)| name)
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}

/// In which way a tool could not be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolFault {
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
}

impl ToolFault {
    /// Every way.
    pub(crate) const ALL: [Self; 17] = [
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
        }
    }
}

/// A call that gave no value, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    /// In which way.
    pub fault: ToolFault,
    /// What happened, for a person and, after [`ToolFault::Failed`], for a model; without credentials.
    pub message: String,
}

impl ToolError {
    /// A failure of this kind.
    pub fn new(fault: ToolFault, message: impl Into<String>) -> Self {
        Self { fault, message: message.into() }
    }

    /// `tool/what` or `mcp/what`, stable for ever.
    pub fn code(&self) -> &'static str {
        self.fault.code()
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
        }
    }

    #[test]
    fn names() {
        for (tools, expect) in [
            (&["a/echo", "b/add"][..], &["echo", "add"][..]),
            (&["a/echo", "b/echo", "b/add"], &["a.echo", "b.echo", "add"]),
            (&["echo", "b/echo"], &["echo", "b.echo"]),
            (&["a/echo", "a/echo"], &["echo"]),
            (&[], &[]),
        ] {
            let catalogue = Catalogue::new(tools.iter().map(|t| tool(t)));
            assert_eq!(catalogue.names().collect::<Vec<_>>(), expect, "{tools:?}");
            assert_eq!(catalogue.len(), expect.len());
            assert_eq!(catalogue.is_empty(), expect.is_empty());
        }
    }

    #[test]
    fn look_ups() {
        for (tools, name, expect) in [
            (&["a/echo", "b/add"][..], "echo", Some("a.echo")),
            (&["a/echo", "b/add"], "a.echo", Some("a.echo")),
            (&["a/echo", "b/echo"], "echo", None),
            (&["a/echo", "b/echo"], "b.echo", Some("b.echo")),
            (&["echo", "b/echo"], "echo", Some("echo")),
            (&["a/echo"], "b.echo", None),
            // The plain name of one is the name in full of another.
            (&["b/a.echo", "a/echo", "c/echo"], "a.echo", Some("a.echo")),
            (&["b/a.echo", "a/echo"], "b.a.echo", Some("b.a.echo")),
            // A tool that is called like a tool of another server has to be qualified, whether that one exists or not.
            (&["b/a.pay", "a/echo"], "a.pay", None),
            (&["b/a.pay", "a/echo"], "b.a.pay", Some("b.a.pay")),
            (&["b/c.pay", "a/echo"], "c.pay", Some("b.c.pay")),
        ] {
            let catalogue = Catalogue::new(tools.iter().map(|t| tool(t)));
            assert_eq!(
                catalogue.get(name).map(ToolInfo::qualified).as_deref(),
                expect,
                "{name} of {tools:?}"
            );
        }
    }

    #[test]
    fn a_server_that_lists_nothing_keeps_its_names() {
        let tools = ["other/shop.pay", "other/echo"];
        let silent = Catalogue::among(tools.map(tool), &["shop".to_owned()]);
        assert_eq!(silent.get("shop.pay"), None);
        assert!(silent.get("other.shop.pay").is_some());
        assert!(Catalogue::new(tools.map(tool)).get("shop.pay").is_some());
    }

    #[test]
    fn places_are_those_of_the_given_list() {
        let catalogue = Catalogue::new(["a/echo", "a/echo", "b/add", "c/add"].map(tool));
        let mut places: Vec<_> = catalogue.places().collect();
        places.sort_unstable();
        assert_eq!(places, [("a.echo", 0), ("b.add", 2), ("c.add", 3), ("echo", 0)]);
    }

    #[test]
    fn a_clash_names_its_parties() {
        let catalogue = Catalogue::new(["a/echo", "b/echo", "b/add"].map(tool));
        assert_eq!(catalogue.clashes("echo"), ["a.echo", "b.echo"]);
        assert!(catalogue.clashes("add").is_empty());
        assert!(catalogue.clashes("other").is_empty());
    }

    #[test]
    fn json_form_leaves_out_what_is_absent() {
        let json = json!({"name": "echo", "input_schema": {}, "server": "a"});
        assert_eq!(tool("a/echo").to_json(), json);
        assert_eq!(ToolInfo::from_json(&json), Some(tool("a/echo")));
    }

    #[test]
    fn an_error_shows_its_code() {
        let error = ToolError::new(ToolFault::SessionLost, "gone");
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            ("mcp/session-lost", "mcp/session-lost: gone")
        );
    }
}
