//! Nodes that call a tool.
//!
//! Decides which tool is meant and what its arguments are: input that is text holding a JSON object becomes that object.
//!
//! Invariant: what fills a hole stays the value of that hole. A text with holes is read as JSON before they are filled, never
//! after it.

use crate::capabilities::Capabilities;
use crate::diagnostic::{Code, Diagnostic, Problems, Span, Target, brief};
use crate::expr::{Part, Template};
use crate::graph::{Node, Texts};
use crate::kind::settings::is_name;
use crate::list::List;
use crate::source::{Kind, Spanned};
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
    if let Some(problem) = unavailable(name, capabilities) {
        return Some(problem);
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

/// What is wrong with names of tools that stand in settings.
pub(super) fn check_named(
    items: &[Spanned],
    capabilities: &Capabilities,
    target: &Target,
    problems: &mut Problems,
) {
    if capabilities.tools.is_none() {
        return;
    }
    for item in items {
        if let Kind::Text(name) = &item.kind
            && is_name(name)
            && let Some(problem) = unknown(name, capabilities, problems)
        {
            problems.push(problem.at(item.span).on(target.clone()));
        }
    }
}

/// A tool that its server lists, and that can't be called.
pub(super) fn unavailable(name: &str, capabilities: &Capabilities) -> Option<Diagnostic> {
    let reason = capabilities.tools.as_ref()?.unavailable(name)?;
    let message = format!("the tool `{}` can't be called: {reason}", brief(name));
    Some(Diagnostic::new(Code::UnavailableTool, message).help("use another tool"))
}

/// A name, plain or in full, that several servers use, and so means none of their tools.
pub(super) fn clash(name: &str, capabilities: &Capabilities, problems: &Problems) -> Option<Diagnostic> {
    let tools = capabilities.tools.as_ref().filter(|_| !problems.is_full())?;
    let clashes = tools.clashes(name)?;
    let problem =
        Diagnostic::new(Code::UnknownTool, format!("several servers offer a tool `{}`", brief(name)));
    Some(problem.help(if clashes.is_empty() {
        "give one of the servers another name".to_owned()
    } else {
        format!("write one of {}", some(clashes.iter().map(String::as_str)))
    }))
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

/// Stands for a hole while the text around it is read as JSON, on both sides of the hole's number. Not in use for text.
const MARK: char = '\u{E000}';

/// The object that a text with holes holds, its holes still to be filled.
pub(crate) fn object_around(texts: &Texts) -> Option<Texts> {
    let Texts::Template(template, span) = texts else { return None };
    let object = object_in(&marked(&template.parts)?)?;
    unmarked(object, &template.parts, *span)
}

/// The text with its holes marked. A hole outside of quotes becomes a whole value.
fn marked(parts: &[Part]) -> Option<String> {
    let mut out = String::new();
    let (mut quoted, mut escaped) = (false, false);
    for (number, part) in parts.iter().enumerate() {
        match part {
            Part::Hole { .. } if quoted => {
                out.extend([MARK.to_string(), number.to_string(), MARK.to_string()]);
            }
            Part::Hole { .. } => {
                out.extend([
                    "\"".to_owned(),
                    MARK.to_string(),
                    number.to_string(),
                    MARK.to_string(),
                    "\"".to_owned(),
                ]);
            }
            Part::Text(text) if text.contains(MARK) => return None,
            Part::Text(text) => {
                for c in text.chars() {
                    (quoted, escaped) = match (c, escaped) {
                        (_, true) => (quoted, false),
                        ('"', false) => (!quoted, false),
                        ('\\', false) => (quoted, true),
                        _ => (quoted, false),
                    };
                }
                out.push_str(text);
            }
        }
    }
    Some(out)
}

/// The value with holes where its texts are marked; nothing when a key is.
fn unmarked(value: Json, parts: &[Part], span: Span) -> Option<Texts> {
    Some(match value {
        Json::String(text) if text.contains(MARK) => {
            let mut found = Vec::new();
            for (at, piece) in text.split(MARK).enumerate() {
                match piece.parse::<usize>().ok().filter(|_| at % 2 == 1) {
                    Some(number) => found.push(parts.get(number)?.clone()),
                    None if piece.is_empty() => {}
                    None => found.push(Part::Text(piece.to_owned())),
                }
            }
            Texts::Template(Template { parts: found }, span)
        }
        Json::Array(items) => {
            Texts::List(items.into_iter().map(|item| unmarked(item, parts, span)).collect::<Option<_>>()?)
        }
        Json::Object(entries) => {
            let plain = |(key, value): (String, Json)| {
                let value = unmarked(value, parts, span)?;
                (!key.contains(MARK)).then_some((key, value))
            };
            Texts::Map(entries.into_iter().map(plain).collect::<Option<_>>()?)
        }
        constant => Texts::Constant(constant),
    })
}

/// The object that a text holds, as JSON.
pub(super) fn object_in(text: &str) -> Option<Json> {
    let object = text.trim_start().starts_with('{').then(|| crate::json::parse(text))?;
    object.filter(Json::is_object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Format;

    fn read(text: &str) -> Option<Json> {
        let plan = serde_json::json!({"nodes": {"a": {"type": "tool", "tool": "t", "input": text}}});
        let graph = crate::graph::PlanGraph::parse(&plan.to_string(), Format::Json).graph?;
        shown(&object_around(graph.root.nodes.first()?.input.as_ref()?)?)
    }

    /// With `<hole>` where a hole is.
    fn shown(texts: &Texts) -> Option<Json> {
        Some(match texts {
            Texts::Constant(json) => json.clone(),
            Texts::List(items) => items.iter().map(shown).collect::<Option<Vec<_>>>()?.into(),
            Texts::Map(entries) => Json::Object(
                entries
                    .iter()
                    .map(|(key, value)| Some((key.clone(), shown(value)?)))
                    .collect::<Option<_>>()?,
            ),
            Texts::Template(template, _) => template
                .parts
                .iter()
                .map(|part| if let Part::Text(text) = part { text.as_str() } else { "<hole>" })
                .collect::<String>()
                .into(),
        })
    }

    #[test]
    fn holes_stay_values() {
        use serde_json::json;
        for (text, expect) in [
            (r#"{"to":"${input}"}"#, Some(json!({"to": "<hole>"}))),
            (r#"{"to":"Dear ${input}, hi","n":1}"#, Some(json!({"to": "Dear <hole>, hi", "n": 1}))),
            (r#" {"n": ${input}, "l": [${last}, 2]}"#, Some(json!({"n": "<hole>", "l": ["<hole>", 2]}))),
            (r#"{"a":"\"${input}\\","b":${last}}"#, Some(json!({"a": "\"<hole>\\", "b": "<hole>"}))),
            (r#"{"${input}": 1}"#, None),
            (r#"{"a": ${input}"#, None),
            ("${input}", None),
            ("to ${input}", None),
            ("{\"a\": \"\u{E000}0\u{E000}${input}\"}", None),
        ] {
            assert_eq!(read(text), expect, "{text}");
        }
    }
}
