//! The notation for diagnostics that a fixture expects.
//!
//! In a plan file, a comment under a line describes a diagnostic of that line:
//!
//! ```yaml
//!   - {from: a, to: stpe-1}
//!   # error[graph/unknown-node] "stpe-1" => "step-1": there is no node | did you mean
//! ```
//!
//! It holds the severity, code, underlined text as a JSON string, replacement, and parts of message and help.
//! All from the replacement on is optional. A cut text ends in `…`. A diagnostic with no span says `nowhere`,
//! at the top. JSON and block scalars hold no such comments, so their fixtures have a file `.expect` with line
//! and column in front. `# host: {…}` in the first line sets capabilities: `types`, `ids`, `tools`, `models`,
//! `allow`, `outputs`, `retries`, `stubs`.

use serde_json::Value as Json;
use std::fmt;
use stepgraph_authoring::language::Document;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::diagnostic::{Code, Diagnostic, Span, TextEdit};
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::source::edit::apply_edits;
use stepgraph_core::source::{self, Format, LineIndex};
use stepgraph_core::stub::Stubs;
use stepgraph_core::tool::{ToolInfo, ToolRegistry};

/// An expected diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// Start line and column, from 1, or `None` with no span.
    pub place: Option<(usize, usize)>,
    /// `error[stage/what]`.
    pub head: String,
    /// The underlined text.
    pub text: Option<String>,
    /// Replacement text.
    pub fix: Option<String>,
    /// Part of the message.
    pub message: String,
    /// Part of the help.
    pub help: String,
}

const MAX_SHOWN_CHARS: usize = 48;

impl Expectation {
    /// Converts a diagnostic.
    pub fn of_diagnostic(problem: &Diagnostic, text: &str) -> Self {
        let lines = LineIndex::new(text);
        // Spans of invalid UTF-8 refer to the lossily decoded text.
        let part = |span: Span| text.get(span.start..span.end).unwrap_or("\u{fffd}");
        Self {
            place: problem.span.map(|span| lines.line_col(span.start)),
            head: format!("{}[{}]", problem.severity.as_str(), problem.code.slug()),
            text: problem.span.map(|span| part(span).to_owned()),
            fix: problem.fix.first().map(|edit| edit.text.clone()),
            message: problem.message.clone(),
            help: problem.help.clone().unwrap_or_default(),
        }
    }

    /// Parses the notation. `line` is the commented line.
    ///
    /// # Errors
    /// The part that can't be parsed.
    pub fn parse(written: &str, line: Option<usize>) -> Result<Self, String> {
        let bad = |what: &str| format!("{what} in `{written}`");
        let (place, rest) = match written.split_once(' ') {
            Some((place, rest)) if place.contains(':') && !place.contains('[') => {
                let (line, column) = place.split_once(':').ok_or_else(|| bad("no place"))?;
                let number = |text: &str| text.parse().map_err(|_| bad("no place"));
                (Some((number(line)?, number(column)?)), rest)
            }
            _ => (line.map(|line| (line, 0)), written),
        };
        let (head, rest) = rest.split_once(' ').ok_or_else(|| bad("no text"))?;
        let slug = head.split_once('[').and_then(|(_, slug)| slug.strip_suffix(']'));
        let slug = slug.ok_or_else(|| bad("no code"))?;
        Code::from_slug(slug).ok_or_else(|| bad("an unknown code"))?;
        let (text, rest) = match rest.strip_prefix("nowhere") {
            Some(rest) => (None, rest),
            None => string(rest).map(|(text, rest)| (Some(text), rest)).ok_or_else(|| bad("no text"))?,
        };
        let (fix, rest) = match rest.strip_prefix(" => ") {
            Some(rest) => string(rest).map(|(fix, rest)| (Some(fix), rest)).ok_or_else(|| bad("no fix"))?,
            None => (None, rest),
        };
        let rest = rest.strip_prefix(':').unwrap_or(rest).trim();
        let (message, help) = rest.split_once(" | ").unwrap_or((rest, ""));
        let place = if text.is_some() { place } else { None };
        let (head, message, help) = (head.to_owned(), message.to_owned(), help.to_owned());
        Ok(Self { place, head, text, fix, message, help })
    }

    /// Returns whether a diagnostic matches.
    pub fn matches(&self, found: &Self) -> bool {
        let text = match (&self.text, &found.text) {
            (Some(written), Some(text)) => match written.strip_suffix('…') {
                Some(start) => text.starts_with(start),
                None => written == text,
            },
            (written, text) => written == text,
        };
        let place = match (self.place, found.place) {
            (Some((line, 0)), Some((found, _))) => line == found,
            (place, found) => place == found,
        };
        let fix = self.fix.is_none() || self.fix == found.fix;
        let words = found.message.contains(&self.message) && found.help.contains(&self.help);
        self.head == found.head && text && place && fix && words
    }

    /// Formats with line and column in front.
    pub fn with_position(&self) -> String {
        self.place.map_or_else(|| self.to_string(), |(line, column)| format!("{line}:{column} {self}"))
    }
}

fn string(text: &str) -> Option<(String, &str)> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let string = stream.next()?.ok()?;
    let end = stream.byte_offset();
    Some((string, text.get(end..)?))
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.head)?;
        match &self.text {
            None => write!(f, "nowhere")?,
            Some(text) if text.chars().count() <= MAX_SHOWN_CHARS => {
                write!(f, "{}", Json::from(text.as_str()))?;
            }
            Some(text) => {
                let start: String = text.chars().take(MAX_SHOWN_CHARS).chain(['…']).collect();
                write!(f, "{}", Json::from(start))?;
            }
        }
        if let Some(fix) = &self.fix {
            write!(f, " => {}", Json::from(fix.as_str()))?;
        }
        write!(f, ": {} | {}", self.message, self.help)
    }
}

/// Returns a plan's diagnostics, checked against its host if any.
pub fn find_diagnostics(
    bytes: &[u8],
    format: Format,
    host: Option<&Json>,
) -> Result<Vec<Diagnostic>, String> {
    let text = match source::decode(bytes) {
        Ok(text) => text,
        Err(problem) => return Ok(vec![problem]),
    };
    let Some(host) = host else { return Ok(PlanGraph::parse(text, format).diagnostics) };
    let document = Document::for_host(text.to_owned(), format, capabilities(host)?);
    Ok(document.diagnostics().to_vec())
}

/// Applies a fix.
pub fn apply(text: &str, fix: &[TextEdit]) -> String {
    let mut edits = fix.to_vec();
    edits.sort_by_key(|edit| edit.span.start);
    apply_edits(text, &edits)
}

/// Parses a host's capabilities.
pub fn capabilities(host: &Json) -> Result<Capabilities, String> {
    let names = |key: &str| -> Option<Vec<String>> {
        let list = host.get(key)?.as_array()?;
        Some(list.iter().filter_map(Json::as_str).map(str::to_owned).collect())
    };
    let tools = host.get("tools").and_then(Json::as_array).map(|tools| tools.iter().map(parse_tool));
    let mut capabilities = Capabilities {
        types: names("types").map(|types| types.into_iter().collect()),
        ids: names("ids").unwrap_or_default().into_iter().collect(),
        tools: tools
            .map(|tools| {
                tools
                    .collect::<Result<Vec<_>, _>>()
                    .map(|tools| ToolRegistry::new(tools).with_patterns(crate::patterns()))
            })
            .transpose()?,
        models: names("models").map(|models| models.into_iter().collect()),
        allowed: names("allow").unwrap_or_default().into_iter().collect(),
        outputs: names("outputs").map(|outputs| outputs.into_iter().collect()),
        retries: host.get("retries").and_then(Json::as_bool).unwrap_or(false),
        patterns: crate::patterns(),
        ..Capabilities::default()
    };
    if let Some(stubs) = host.get("stubs") {
        capabilities.add_stubs(&Stubs::from_json(stubs).map_err(|error| error.to_string())?);
    }
    Ok(capabilities)
}

/// Accepts a whole tool, its name, or `server/name`.
fn parse_tool(json: &Json) -> Result<ToolInfo, String> {
    if let Some(tool) = ToolInfo::from_json(json) {
        return Ok(tool);
    }
    let path = json.as_str().ok_or_else(|| format!("{json} is no name of a tool"))?;
    let (server, name) = path.split_once('/').map_or((None, path), |(server, name)| (Some(server), name));
    let schema = serde_json::json!({"type": "object"});
    ToolInfo::from_json(&serde_json::json!({"name": name, "server": server, "input_schema": schema}))
        .ok_or_else(|| format!("{json} is no name of a tool"))
}
