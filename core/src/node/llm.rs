//! One model call without tools, which outputs text, or JSON with a `schema`.

use super::checked_node::CheckedNode;
use crate::capabilities::Capabilities;
use crate::collect::CollectVec;
use crate::diagnostic::{
    Code, Diagnostic, DiagnosticCollector, Severity, Target, closest_name, shorten_name,
};
use crate::graph::{Node, TemplateValue};
use crate::key::is_extension_key;
use crate::kind::settings::{TEMPERATURE, are_names, is_name, is_temperature, model_settings};
use crate::model::{ChatReply, ChatRequest, Message, Role};
use crate::source::{Entry, Spanned, ValueKind};
use crate::value::plain_text;
use serde_json::Value as Json;

pub(super) fn check(kind: &str, checked: CheckedNode<'_>, diagnostics: &mut DiagnosticCollector) {
    let CheckedNode { node, target, with, capabilities } = checked;
    let on = |diagnostic: Diagnostic| diagnostic.on(target.clone());
    let entries = with.and_then(Spanned::as_map).unwrap_or_default();
    for entry in entries {
        let diagnostic = match (entry.key.as_str(), &entry.value.kind) {
            (_, ValueKind::Null)
            | ("system" | "model", ValueKind::Text(_))
            | ("schema", ValueKind::Map(_))
            | ("templates", ValueKind::Bool(_)) => None,
            ("max_tokens", ValueKind::Number(number)) if number.as_u64().is_some_and(|n| n > 0) => None,
            ("temperature", found) if is_temperature(found) => None,
            ("conversation", ValueKind::Text(name)) if is_name(name) => None,
            ("max_turns", ValueKind::Number(number))
                if number.as_u64().is_some_and(|n| (1..=1000).contains(&n)) =>
            {
                None
            }
            ("trusted", found) if kind == "agent" && are_names(found) => None,
            ("tools", ValueKind::List(items)) if kind == "agent" && !items.is_empty() => {
                let wrong =
                    items.iter().find(|item| !matches!(&item.kind, ValueKind::Text(name) if is_name(name)));
                wrong.map(|item| wrong_setting("tools", &item.kind).at(item.span))
            }
            ("tools", ValueKind::List(_)) if kind == "agent" => {
                Some(no_tools(node, target).at(entry.value.span))
            }
            (key, found) if model_settings(kind).contains(&key) => Some(wrong_setting(key, found)),
            (key, _) if is_extension_key(key) => None,
            (key, _) => Some(unknown_setting(key, kind)),
        };
        if let Some(diagnostic) = diagnostic {
            let of_key = diagnostic.code == Code::UnknownKey;
            let span = diagnostic.span.unwrap_or(if of_key { entry.key_span } else { entry.value.span });
            diagnostics.push(on(diagnostic.at(span)));
        }
    }
    let schema = entries.iter().find(|entry| entry.key == "schema" && entry.value.as_map().is_some());
    let texts = node.with.as_ref().and_then(|with| with.get("schema"));
    if let (Some(entry), Some(json)) = (schema, texts.as_ref().and_then(TemplateValue::as_constant)) {
        let patterns = capabilities.patterns();
        super::arguments::check_schema(json, &entry.value, patterns, target, diagnostics);
    }
    check_model(checked, diagnostics);
}

pub(super) fn check_model(
    CheckedNode { node, target, with, capabilities }: CheckedNode<'_>,
    diagnostics: &mut DiagnosticCollector,
) {
    let entries = with.and_then(Spanned::as_map).unwrap_or_default();
    let chosen =
        entries.iter().find(|entry: &&Entry| entry.key == "model" && entry.value.kind != ValueKind::Null);
    let (name, span) = match chosen.map(|entry| (&entry.value.kind, entry.value.span)) {
        Some((ValueKind::Text(name), span)) => (name.as_str(), span),
        Some(_) => return,
        None => ("default", node.kind_span),
    };
    if !name.contains("${")
        && let Some(diagnostic) = unknown_model(name, capabilities)
    {
        diagnostics.push(diagnostic.at(span).on(target.clone()));
    }
}

fn wrong_setting(key: &str, kind: &ValueKind) -> Diagnostic {
    let expected = match key {
        "schema" => "a JSON Schema",
        "max_tokens" => "a whole number from 1 up",
        "max_turns" => "a whole number from 1 to 1000",
        "temperature" => TEMPERATURE.2,
        "conversation" => "a plain name",
        "tools" => "a list of plain names of tools",
        "templates" => "`true` or `false`",
        _ => "text",
    };
    super::settings::invalid_setting(key, expected, kind)
}

fn unknown_setting(key: &str, kind: &str) -> Diagnostic {
    super::settings::unknown_setting(key, kind, model_settings(kind).iter().copied())
}

pub(super) fn no_tools(node: &Node, target: &Target) -> Diagnostic {
    Diagnostic::new(Code::NoTools, format!("agent `{}` has no tools", shorten_name(&node.key)))
        .at(node.kind_span)
        .on(target.clone())
        .help("connect a server, or use type `llm`")
}

fn unknown_model(name: &str, capabilities: &Capabilities) -> Option<Diagnostic> {
    let models = capabilities.models.as_ref()?;
    if models.contains(name) {
        return None;
    }
    let meant = closest_name(name, models.iter());
    // `default` answers for every name.
    if models.contains("default") {
        let meant = meant.filter(|meant| *meant != "default")?;
        let message = format!("the run has no model `{}`, so `default` answers", shorten_name(name));
        let help = format!("did you mean `{}`?", shorten_name(meant));
        let mut diagnostic = Diagnostic::new(Code::UnknownModel, message).help(help);
        diagnostic.severity = Severity::Warning;
        return Some(diagnostic);
    }
    let help = match meant {
        Some(meant) => format!("did you mean `{}`?", shorten_name(meant)),
        None if name == "default" => {
            "pass a model called `default` to the run, or choose one in `with.model`".to_owned()
        }
        None => format!("pass a model called `{}` to the run, or one called `default`", shorten_name(name)),
    };
    Some(
        Diagnostic::new(Code::UnknownModel, format!("the run has no model `{}`", shorten_name(name)))
            .help(help),
    )
}

pub(crate) fn build_request(settings: &Json, input: &Json) -> ChatRequest {
    let text = |key: &str| settings.get(key).and_then(Json::as_str).map(str::to_owned);
    let system = text("system").map(|system| Message::new(Role::System, system));
    ChatRequest {
        model: text("model"),
        messages: system.into_iter().chain([Message::new(Role::User, plain_text(input))]).collect_vec(),
        schema: settings.get("schema").filter(|schema| schema.is_object()).cloned(),
        max_tokens: settings.get("max_tokens").and_then(Json::as_u64).and_then(|n| u32::try_from(n).ok()),
        temperature: settings.get("temperature").and_then(Json::as_f64),
        ..ChatRequest::default()
    }
}

/// Parses a reply.
///
/// # Errors
/// No JSON, although required by a schema.
pub(crate) fn parse_reply(reply: &ChatReply, structured: bool) -> Result<Json, String> {
    if !structured {
        return Ok(Json::from(reply.text.as_str()));
    }
    crate::json::parse(&reply.text)
        .ok_or_else(|| "the model was asked for JSON and answered something else".to_owned())
}
