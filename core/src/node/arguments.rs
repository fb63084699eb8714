//! Arguments in a plan against the schema of the tool that is to take them.
//!
//! Decides what is certainly wrong before anything runs: what is missing, what the tool does not know, constants of the wrong
//! kind. Of what templates will put there nothing is claimed.

use crate::capabilities::Capabilities;
use crate::diagnostic::{Code, Diagnostic, Problems, Span, Target, brief};
use crate::graph::{Node, Texts};
use crate::schema::{Partial, Patterns, Schema, Stranger, Violation, misspelt, steps};
use crate::source::{Entry, Kind, Spanned};
use crate::tool::{Catalogue, Misfit, ToolInfo};
use serde_json::Value as Json;

/// What is wrong with the arguments of a node that calls the tool `name`; `input` is what the document says.
pub(super) fn check(
    node: &Node,
    name: &str,
    input: Option<&Spanned>,
    target: &Target,
    capabilities: &Capabilities,
    problems: &mut Problems,
) {
    let tools = capabilities.tools.as_ref();
    let Some((tools, tool)) = tools.and_then(|tools| Some((tools, tools.get(name)?))) else { return };
    if let Some(Err(errors)) = tools.input_schema(name)
        && problems.is_first(name)
    {
        let why = errors.first().map_or("", |error| &error.message);
        let span = node.tool.as_ref().map_or(node.kind_span, |tool| tool.span);
        problems.push(unreadable(name, why).at(span).on(target.clone()));
    }
    let (Some(texts), Some(input)) = (&node.input, input) else { return };
    let misfits = misfits(texts, name, tool, tools);
    for misfit in misfits.iter().filter(|misfit| !misfits.iter().any(|other| tells_the_same(other, misfit))) {
        let problem = match misfit {
            Misfit::Refused(violation) => wrong(violation, input, name),
            Misfit::Unnamed(stranger) => unnamed(stranger, input, name),
        };
        problems.push(problem.on(target.clone()));
    }
}

/// What of a node's input the tool `name` does not take.
pub(super) fn misfits(texts: &Texts, name: &str, tool: &ToolInfo, tools: &Catalogue) -> Vec<Misfit> {
    let around = super::tool::object_around(texts);
    let texts = around.as_ref().unwrap_or(texts);
    let object = texts.constant().and_then(Json::as_str).and_then(super::tool::object_in);
    let value = object.as_ref().map_or_else(|| texts.partial(), Partial::Known);
    let is_map = matches!(value, Partial::Map(_) | Partial::Known(Json::Object(_)));
    // A template alone may become anything. What is no map goes to no server, but a stand-in may take it.
    if matches!(texts, Texts::Template(..)) || !is_map && tool.server.is_none() {
        return Vec::new();
    }
    tools.misfits(name, &value, "the input")
}

/// Whether `missing` tells of a name that is misspelt, which `surplus` tells of too.
fn tells_the_same(missing: &Misfit, surplus: &Misfit) -> bool {
    let Misfit::Refused(missing) = missing else { return false };
    if missing.keyword != "required" || missing.near.is_none() {
        return false;
    }
    let (map, name) = match surplus {
        Misfit::Refused(surplus) if surplus.keyword != "required" => {
            (surplus.instance_path.rsplit_once('/').map(|(parent, _)| parent), surplus.name.as_ref())
        }
        Misfit::Refused(_) => return false,
        Misfit::Unnamed(stranger) => (Some(stranger.map.as_str()), Some(&stranger.name)),
    };
    missing.near.as_ref() == name && map == Some(&missing.instance_path)
}

fn unreadable(name: &str, why: &str) -> Diagnostic {
    let name = brief(name);
    let message =
        format!("the schema of tool `{name}` can't be read in full, and is used as far as it can: {why}");
    Diagnostic::new(Code::ToolSchema, message).help("tell whoever runs the server")
}

/// An argument that the schema does not name, though it names others.
fn unnamed(Stranger { map, name, near }: &Stranger, input: &Spanned, tool: &str) -> Diagnostic {
    let place = if map.is_empty() { String::new() } else { format!(" in `{}`", brief(map)) };
    let message = format!("the schema of tool `{}` names no argument `{}`{place}", brief(tool), brief(name));
    let problem = Diagnostic::new(Code::InvalidArguments, message);
    let (value, _) = find(input, map);
    let Some(entry) = value.get(name) else {
        return problem.at(value.span).help(format!("remove `{}`", brief(name)));
    };
    match near {
        Some(meant) => misspelt_key(problem, entry, meant),
        None => problem.at(entry.key_span).help(format!("remove `{}`", brief(name))),
    }
}

fn misspelt_key(problem: Diagnostic, entry: &Entry, meant: &str) -> Diagnostic {
    let problem = problem.at(entry.key_span).help(format!("did you mean `{}`?", brief(meant)));
    match renamed(entry, meant) {
        Some(place) => problem.fix(place, meant),
        None => problem,
    }
}

fn wrong(violation: &Violation, input: &Spanned, tool: &str) -> Diagnostic {
    let (value, entry) = find(input, &violation.instance_path);
    let problem = Diagnostic::new(Code::InvalidArguments, violation.message.as_str());
    let Some(name) = &violation.name else {
        return problem.at(value.span).help(format!("change it to what tool `{}` takes", brief(tool)));
    };
    let missing = violation.keyword.ends_with("equired");
    let pair = match &violation.near {
        Some(given) if missing => value.get(given).map(|entry| (entry, name)),
        Some(meant) => entry.map(|entry| (entry, meant)),
        None => None,
    };
    match (pair, entry) {
        (Some((entry, meant)), _) => misspelt_key(problem, entry, meant),
        (None, Some(entry)) if !missing => {
            problem.at(entry.key_span).help(format!("remove `{}`", brief(name)))
        }
        _ if missing => problem.at(value.span).help(format!("add `{}`", brief(name))),
        _ => problem.at(value.span).help(format!("remove `{}`", brief(name))),
    }
}

/// What is wrong with a schema that stands in the plan.
pub(crate) fn check_schema(
    json: &Json,
    value: &Spanned,
    patterns: Patterns,
    target: &Target,
    problems: &mut Problems,
) {
    for slip in misspelt(json) {
        let (place, _) = descend(value, slip.path.iter().map(String::as_str));
        let Some(entry) = place.get(&slip.keyword) else { continue };
        let message = format!("`{}` is no keyword of JSON Schema", brief(&slip.keyword));
        let problem = misspelt_key(Diagnostic::new(Code::SchemaInvalid, message), entry, slip.meant);
        problems.push(problem.on(target.clone()));
    }
    let Err(errors) = Schema::compile(json, &(), patterns) else { return };
    for error in errors {
        let (place, _) = find(value, &error.path);
        let help = if error.path.ends_with("ef") {
            "put what is referred to into `$defs`"
        } else {
            "write it as JSON Schema, draft 2020-12, has it"
        };
        let problem = Diagnostic::new(Code::SchemaInvalid, error.message).at(place.span).help(help);
        problems.push(problem.on(target.clone()));
    }
}

/// Checks the schema of a declared input, and that its default fits.
pub(crate) fn check_input(
    name: &str,
    json: &Json,
    value: &Spanned,
    patterns: Patterns,
    problems: &mut Problems,
) {
    check_schema(json, value, patterns, &Target::Document, problems);
    let Some(entry) = value.get("default") else { return };
    let Ok(schema) = Schema::compile(json, &(), patterns) else { return };
    let report = schema.validate(&entry.value.to_json(), patterns);
    let Some(violation) = report.violations.first().filter(|_| !report.unfinished) else { return };
    let (place, _) = find(&entry.value, &violation.instance_path);
    let message = format!("the default of input `{}` does not fit: {}", brief(name), violation.message);
    let problem = Diagnostic::new(Code::DefaultInvalid, message).at(place.span);
    problems.push(problem.help("change the default, or the schema beside it").on(Target::Document));
}

/// Where a key is to be replaced by a name, when that needs no quotes of its own.
fn renamed(entry: &Entry, name: &str) -> Option<Span> {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
        && !["null", "true", "false"].contains(&name);
    let written = entry.key_span.end - entry.key_span.start;
    match written.checked_sub(entry.key.len()) {
        Some(0) if plain => Some(entry.key_span),
        Some(2) if plain => Some(entry.key_span.part(1, written - 1)),
        _ => None,
    }
}

/// What stands at the end of a JSON pointer, or as far as it leads, and the entry it stands in.
pub(crate) fn find<'a>(value: &'a Spanned, pointer: &str) -> (&'a Spanned, Option<&'a Entry>) {
    descend(value, steps(pointer))
}

fn descend<S: AsRef<str>>(value: &Spanned, path: impl Iterator<Item = S>) -> (&Spanned, Option<&Entry>) {
    let (mut value, mut entry) = (value, None);
    for step in path {
        let step = step.as_ref();
        match &value.kind {
            Kind::Map(_) => match value.get(step) {
                Some(found) => (value, entry) = (&found.value, Some(found)),
                None => break,
            },
            Kind::List(items) => match step.parse::<usize>().ok().and_then(|at| items.get(at)) {
                Some(item) => (value, entry) = (item, None),
                None => break,
            },
            _ => break,
        }
    }
    (value, entry)
}
