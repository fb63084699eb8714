//! The recorded log of one run: a JSON line per call and event.
//!
//! The JavaScript package shares the format. The first line holds the input without trusted values.
//!
//! Invariants:
//! 1. An event's line precedes the lines of the calls that it causes.
//! 2. Refused events have no line.
//! 3. Values under secret names and texts of the context are never written.
//!
//! Source: `docs/cassettes.md`, which describes every line.

mod record;
mod redact;

pub use record::Recorder;
pub(crate) use record::timer_name;
pub(crate) use redact::matches_redacted;
pub use redact::{REDACTED, Redactor};

use crate::collect::CollectVec;
use crate::graph::Fingerprint;
use crate::json;
use crate::machine::{Call, Program, Request};
use crate::value::{Path, Value};
use serde_json::{Value as Json, json};
use std::fmt;

/// Readers refuse other versions.
pub const FORMAT: u64 = 1;

/// A parsed cassette.
#[derive(Debug, Clone)]
pub struct Cassette {
    /// Input and options.
    pub(crate) head: Json,
    /// Calls and events, in order.
    pub(crate) lines: Vec<Json>,
    /// The run's plan.
    pub plan: Fingerprint,
}

/// Why a cassette is unusable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CassetteError {
    /// A slug: `replay/unusable`, `replay/diverged`, `replay/incomplete`, `run/plan-changed` or `run/invalid-plan`.
    pub code: &'static str,
    /// The message.
    pub message: String,
}

impl CassetteError {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl fmt::Display for CassetteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CassetteError {}

impl Cassette {
    /// Drops a truncated last line.
    ///
    /// # Errors
    /// `replay/unusable` for other texts and versions.
    pub fn parse(text: &str) -> Result<Self, CassetteError> {
        let unusable = |why: String| {
            CassetteError::new("replay/unusable", format!("this is no cassette that can be used: {why}"))
        };
        let texts: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect_vec();
        let head = texts.first().and_then(|line| json::parse(line)).unwrap_or_default();
        if text_field(&head, "type") != "cassette" {
            return Err(unusable("its first line is not that of a cassette".to_owned()));
        }
        if head.get("format").and_then(Json::as_u64) != Some(FORMAT) {
            return Err(unusable(format!("this program reads format {FORMAT}")));
        }
        let plan = head.get("plan").and_then(Fingerprint::from_json);
        let Some(plan) = plan.filter(|_| head.get("host").is_some_and(Json::is_object)) else {
            return Err(unusable("its first line lacks the plan or the host".to_owned()));
        };
        let mut lines = Vec::new();
        for (i, text) in texts.iter().enumerate().skip(1) {
            match json::parse(text) {
                None if i + 1 == texts.len() => break,
                Some(line) if is_line(&line) => lines.push(line),
                _ => return Err(unusable(format!("line {} is none of a cassette", i + 1))),
            }
        }
        Ok(Self { head, lines, plan })
    }
}

fn is_line(line: &Json) -> bool {
    let texts: &[&str] = match text_field(line, "type") {
        "asked" => &["call", "kind"],
        "start" | "resume" | "cancel" => &[],
        "done" | "replied" | "decided" => &["call"],
        "failed" => &["call", "code", "message"],
        "fired" => &["timer"],
        "end" => &["outcome"],
        _ => return false,
    };
    let timed = text_field(line, "type") == "asked" || line.get("atMs").is_some_and(Json::is_number);
    timed && texts.iter().all(|key| line.get(key).is_some_and(Json::is_string))
}

pub(crate) fn text_field<'a>(line: &'a Json, key: &str) -> &'a str {
    line.get(key).and_then(Json::as_str).unwrap_or_default()
}

fn to_json<V: Value>(value: &V) -> Json {
    value.json(&Path::default()).unwrap_or(Json::Null)
}

/// Includes secrets.
pub(crate) fn call_line<V: Value>(program: &Program<V>, call: &Call<V>) -> Json {
    let code = program.nodes.get(call.node as usize);
    let name = call.name(code.map_or("", |compiled| &compiled.id));
    match (&call.request, code.map(|compiled| &compiled.action)) {
        (Request::Tool(arguments), Some(action)) => json!({
            "type": "asked", "call": name, "kind": "tool", "tool": call.tool(action), "arguments": to_json(arguments),
        }),
        (Request::Model(request), _) => {
            json!({"type": "asked", "call": name, "kind": "model", "request": request.to_json()})
        }
        (Request::Approval, _) => {
            json!({"type": "asked", "call": name, "kind": "approval", "input": to_json(&call.input)})
        }
        _ => json!({"type": "asked", "call": name, "kind": "handler", "input": to_json(&call.input)}),
    }
}
