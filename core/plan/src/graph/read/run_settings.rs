//! Reads a plan's limits, inputs and servers.

use super::super::map_reader::{KeySpec, MapReader, wrong_type};
use super::super::{Limits, Named};
use super::reader::Reader;
use crate::secret_names::is_secret;
use serde_json::Value as Json;
use stepgraph_text::diagnostic::{Code, Diagnostic, Target, shorten_name};
use stepgraph_text::source::ValueKind;

pub(in super::super) const LIMITS: KeySpec = KeySpec {
    known: &["visits", "steps", "calls", "timeout_ms", "tokens", "usd", "output_bytes"],
    required: &[],
};
pub(super) const SERVER: KeySpec = KeySpec { known: &["url"], required: &["url"] };

impl Reader<'_> {
    pub(super) fn limits(&mut self, map: &MapReader<'_>) -> Limits {
        let mut limits = Limits::default();
        let Some(value) = map.get("limits") else { return limits };
        let Some(map) = MapReader::new(value, "`limits`", Target::Document, self.problems) else {
            return limits;
        };
        map.check_keys(&LIMITS, self.problems);
        limits.visits = map.count("visits", self.problems).unwrap_or(limits.visits);
        limits.steps = map.count("steps", self.problems);
        limits.calls = map.count("calls", self.problems);
        limits.timeout_ms = map.amount("timeout_ms", 1, self.problems);
        limits.tokens = map.amount("tokens", 1, self.problems);
        limits.usd = map.amount("usd", 0, self.problems);
        limits.output_bytes = map.amount("output_bytes", 1, self.problems);
        limits
    }

    pub(super) fn inputs(&mut self, map: &MapReader<'_>) -> Vec<(Named, Json)> {
        let Some(value) = map.get("inputs") else { return Vec::new() };
        let ValueKind::Map(entries) = &value.kind else {
            self.problems.push(wrong_type(value, "`inputs`", "a map from name to JSON Schema"));
            return Vec::new();
        };
        let mut inputs = Vec::new();
        for entry in entries {
            let named = Named { name: entry.key.clone(), span: entry.key_span };
            match &entry.value.kind {
                ValueKind::Null => inputs.push((named, Json::Bool(true))),
                ValueKind::Map(_) | ValueKind::Bool(_) => inputs.push((named, entry.value.to_json())),
                _ => self.problems.push(wrong_type(
                    &entry.value,
                    &format!("input `{}`", shorten_name(&entry.key)),
                    "a JSON Schema",
                )),
            }
        }
        inputs
    }

    /// Rejects credentials.
    pub(super) fn servers(&mut self, map: &MapReader<'_>) -> Vec<(Named, String)> {
        let Some(value) = map.get("servers") else { return Vec::new() };
        let ValueKind::Map(entries) = &value.kind else {
            self.problems.push(wrong_type(value, "`servers`", "a map from name to server"));
            return Vec::new();
        };
        let mut servers = Vec::new();
        for entry in entries {
            let what = format!("server `{}`", shorten_name(&entry.key));
            let Some(server) = MapReader::new(&entry.value, &what, Target::Document, self.problems) else {
                continue;
            };
            server.check_keys(&SERVER, self.problems);
            let url = server.text("url", self.problems);
            if let Some(url) = url.filter(|url| is_url(&url.name)) {
                if holds_secret(&url.name) {
                    // The name's span, so that no message shows the key.
                    let message = format!("the URL of {what} contains a key");
                    let help = format!("pass the key by {}", variable(&entry.key));
                    let diagnostic = Diagnostic::new(Code::SecretInAddress, message).at(entry.key_span);
                    self.problems.push(diagnostic.help(help));
                }
                servers.push((Named { name: entry.key.clone(), span: entry.key_span }, url.name));
                continue;
            }
            let message = format!("{what} has no `url` that begins with `http`");
            let diagnostic = Diagnostic::new(Code::WrongShape, message).at(entry.value.span);
            server.report_missing("url", diagnostic.help("write `{url: \"https://…\"}`"), self.problems);
        }
        servers
    }
}

/// Whether plans accept the URL of a server.
pub fn is_url(text: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| text.len() > scheme.len() && text.starts_with(scheme))
}

/// A user, a password, or a secret parameter.
fn holds_secret(url: &str) -> bool {
    let (_, rest) = url.split_once("//").unwrap_or_default();
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (_, query) = rest.split_once('?').unwrap_or_default();
    let query = query.split('#').next().unwrap_or_default();
    let telling = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or_default();
        !value.is_empty() && (is_secret(name) || name.eq_ignore_ascii_case("key"))
    };
    authority.contains('@') || query.split('&').any(telling)
}

fn variable(name: &str) -> String {
    let mut variable = "STEPGRAPH_SERVER_KEY_".to_owned();
    let mut gap = false;
    for c in name.chars().flat_map(char::to_uppercase) {
        let plain = c.is_ascii_alphanumeric();
        if plain || !gap {
            variable.push(if plain { c } else { '_' });
        }
        gap = !plain;
    }
    variable
}
