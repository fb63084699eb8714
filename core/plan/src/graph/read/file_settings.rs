//! Decides whether a file may be part of a plan.
//!
//! Only the plan sets servers and limits; a file that needs others is refused.

use super::super::{Named, PlanGraph};
use stepgraph_text::diagnostic::{Code, Diagnostic, DiagnosticCollector, Severity, Span, shorten_name};
use stepgraph_text::source::{Entry, Spanned, ValueKind};
use stepgraph_text::value::json_text;

pub(super) struct FileSettings {
    path: String,
    servers: Vec<(Named, String)>,
    limits: Vec<(String, f64, Span)>,
}

impl FileSettings {
    pub(super) fn new(path: &str, servers: Vec<(Named, String)>, root: &Spanned) -> Self {
        let entries = root.get("limits").and_then(|limits| limits.value.as_map()).unwrap_or_default();
        let limit = |entry: &Entry| match &entry.value.kind {
            ValueKind::Number(number) => Some((entry.key.clone(), number.as_f64()?, entry.value.span)),
            _ => None,
        };
        Self { path: path.to_owned(), servers, limits: entries.iter().filter_map(limit).collect() }
    }

    pub(super) fn check(&self, plan: &PlanGraph, problems: &mut DiagnosticCollector) {
        for (server, url) in &self.servers {
            let known = plan.servers.iter().find(|(known, _)| known.name == server.name);
            if known.is_none_or(|(_, known)| known != url) {
                problems.push(self.missing_server(server, known.map(|(known, _)| known.span)));
            }
        }
        for (key, number, span) in &self.limits {
            let limits = &plan.limits;
            let own = match key.as_str() {
                "visits" => Some(f64::from(limits.visits)),
                "steps" => limits.steps.map(f64::from),
                "calls" => limits.calls.map(f64::from),
                "timeout_ms" => limits.timeout_ms,
                "tokens" => limits.tokens,
                "usd" => limits.usd,
                "output_bytes" => limits.output_bytes,
                _ => continue,
            };
            if own.is_none_or(|own| own > *number) {
                let number = stepgraph_text::value::number_text(*number);
                let message =
                    format!("`{}` limits `{key}` to {number}, the plan does not", shorten_name(&self.path));
                let diagnostic = Diagnostic::new(Code::FileLooserLimit, message).at(*span);
                problems.push(
                    diagnostic.help(format!("write `limits: {{{key}: {number}}}` into the plan, or less")),
                );
            }
        }
    }

    fn missing_server(&self, server: &Named, known: Option<Span>) -> Diagnostic {
        let (path, name) = (shorten_name(&self.path), shorten_name(&server.name));
        let diagnostic = |message| Diagnostic::new(Code::FileMissingServer, message).at(server.span);
        match known {
            Some(span) => diagnostic(format!("`{path}` and the plan mean two servers by `{name}`"))
                .help("use one URL in both")
                .label(span, "the plan's server"),
            None => diagnostic(format!("`{path}` uses the server `{name}`, which the plan does not have"))
                .help("add it to the `servers` of the plan"),
        }
    }
}

/// What the graph of a file receives.
#[derive(Clone, Copy)]
pub(super) enum GivenInput<'a> {
    /// The node's `input`, if it has one.
    Node(Option<&'a Spanned>),
    /// An element of a list.
    Element,
}

/// Declared inputs that the node doesn't pass. For a template or the previous output, only a hint about defaults.
pub(super) fn missing_inputs(declared: &[Entry], given: GivenInput<'_>, path: &str) -> Vec<Diagnostic> {
    let GivenInput::Node(input) = given else { return Vec::new() };
    let Some(Spanned { kind: ValueKind::Map(given), span }) = input else {
        let defaults = declared.iter().filter(|entry| entry.value.get("default").is_some());
        return defaults.map(|entry| unused_default(entry, input, path)).collect();
    };
    let lacks = |entry: &&Entry| given.iter().all(|given| given.key != entry.key);
    let diagnostic = |entry: &Entry| {
        let name = shorten_name(&entry.key);
        let message = format!("`{}` needs the input `{name}`, which this input lacks", shorten_name(path));
        let help = match default_text(entry) {
            // The plan has the hash of one with the graph in place of the path.
            Some(default) => {
                format!("add `{name}: {default}`: defaults of a file do not apply to its node")
            }
            None => format!("add `{name}`"),
        };
        Diagnostic::new(Code::FileMissingInput, message)
            .at(*span)
            .label(entry.key_span, "declared here")
            .help(help)
    };
    declared.iter().filter(lacks).map(diagnostic).collect()
}

fn default_text(entry: &Entry) -> Option<String> {
    let default = entry.value.get("default")?;
    Some(shorten_name(&json_text(&default.value.to_json())))
}

fn unused_default(entry: &Entry, input: Option<&Spanned>, path: &str) -> Diagnostic {
    let (name, path) = (shorten_name(&entry.key), shorten_name(path));
    let message = format!("the default of `{name}` in `{path}` does not apply here");
    let diagnostic = Diagnostic::new(Code::FileMissingInput, message);
    let diagnostic = match input {
        Some(input) => diagnostic.at(input.span).label(entry.key_span, "declared here"),
        None => diagnostic.at(entry.key_span),
    };
    let default = default_text(entry).unwrap_or_default();
    let help = format!("pass each value, as in `input: {{{name}: '${{last.{name} ?? {default}}}'}}`");
    Diagnostic { severity: Severity::Hint, ..diagnostic.help(help) }
}
