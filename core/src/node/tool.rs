//! Nodes that call a tool.
//!
//! Decides which tool is meant and what its arguments are: input that is text holding a JSON object becomes that object.

use crate::diagnostic::{Code, Diagnostic, Problems, brief};
use crate::graph::Node;
use crate::host::Capabilities;
use crate::list::List;
use crate::value::{Path, Value, View};
use serde_json::Value as Json;

/// A tool that no server offers.
pub(super) fn check(
    node: &Node,
    name: &str,
    capabilities: &Capabilities,
    problems: &mut Problems,
) -> Option<Diagnostic> {
    let span = node.tool.as_ref().map_or(node.kind_span, |tool| tool.span);
    unknown(name, capabilities, problems).map(|problem| problem.at(span))
}

/// A name that means no tool.
pub(super) fn unknown(
    name: &str,
    capabilities: &Capabilities,
    problems: &mut Problems,
) -> Option<Diagnostic> {
    let tools = capabilities.tools.as_ref()?;
    if tools.get(name).is_some() {
        return None;
    }
    let help = match problems.near(name, tools.names()) {
        Some(meant) => format!("did you mean `{}`?", brief(meant)),
        None if tools.is_empty() => "connect the server that offers it".to_owned(),
        None => format!("use one of {}", some(tools.names())),
    };
    Some(clash(name, capabilities, problems).unwrap_or_else(|| {
        Diagnostic::new(Code::UnknownTool, format!("there is no tool `{}`", brief(name))).help(help)
    }))
}

/// A name that several servers use, and so means none of their tools.
pub(super) fn clash(name: &str, capabilities: &Capabilities, problems: &Problems) -> Option<Diagnostic> {
    let tools = capabilities.tools.as_ref().filter(|_| !problems.is_full())?;
    let clashes = tools.clashes(name);
    let problem =
        Diagnostic::new(Code::UnknownTool, format!("several servers offer a tool `{}`", brief(name)));
    (!clashes.is_empty()).then(|| problem.help(format!("write one of {}", some(clashes.into_iter()))))
}

fn some<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{}`", brief(name))).list();
    match names.get(..8) {
        Some(first) if names.len() > 8 => format!("{} and {} more", first.join(", "), names.len() - 8),
        _ => names.join(", "),
    }
}

/// The arguments of a call.
pub(crate) fn arguments<V: Value>(space: &V::Space, input: V) -> V {
    let whole = Path::default();
    if !matches!(input.view(&whole), View::Text(_)) {
        return input;
    }
    match input.text(&whole).and_then(|text| object_in(&text)) {
        Some(json) => V::from_json(space, &json),
        None => input,
    }
}

/// The object that a text holds, as JSON.
pub(super) fn object_in(text: &str) -> Option<Json> {
    let object = text.trim_start().starts_with('{').then(|| crate::json::parse(text))?;
    object.filter(Json::is_object)
}
