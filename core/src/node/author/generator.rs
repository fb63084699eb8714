//! Generates and patches plans.
//!
//! Replies contain a plan or a patch. All others are a generation with errors, never a failed node.
//!
//! Source: `docs/authoring.md`, `workflow_generator`.

use super::text::{json_map, text_field};
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, Target};
use crate::failure::Failure;
use crate::graph::scoped_name;
use crate::node::strategy_input::NodeOutput;
use crate::source::{self, Format};
use crate::value::{json_text, plain_text};
use serde_json::{Map, Value as Json, json};

const FIRST_PROMPT: &str = "Now write the workflow: one JSON object and nothing else.";
const PARTIAL_PROMPT: &str =
    "Now write the workflow for the part that is possible: one JSON object and nothing else.";
const FIX_PROMPT: &str = "\
Mend it. Answer with one JSON object and nothing else: the whole workflow again, or only what changes, as \
{\"patch\": {\"nodes\": {ID: the whole node, or null to remove it}}}. A patch may also hold `edges` (then all of them), `start` and `inputs`.";

/// Longer lists help the model less.
pub(super) const MAX_LISTED: usize = 3;

const MAX_WORKFLOW_BYTES: usize = 50_000;

/// May start a plan in YAML.
const YAML_KEYS: [&str; 10] =
    ["format:", "id:", "description:", "start:", "inputs:", "nodes:", "edges:", "limits:", "patch:", "---"];

pub(super) fn diagnostic_json(diagnostic: &Diagnostic) -> Json {
    let node_path = target_path(&diagnostic.target);
    json_map(vec![
        ("code", Json::from(diagnostic.code.slug())),
        ("message", Json::from(diagnostic.message.as_str())),
        ("help", diagnostic.help.as_deref().map_or(Json::Null, Json::from)),
        ("place", Json::from(node_path)),
    ])
}

fn validation_errors(input: &Json) -> Vec<&Json> {
    input
        .get("validation_errors")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .take(MAX_LISTED)
        .collect_vec()
}

/// Only the changes, if the conversation continues.
pub(super) fn next_prompt(input: &Json, continues: bool, opening: impl FnOnce() -> String) -> String {
    let errors = validation_errors(input);
    let plan = input.get("planning_result");
    let mut model_name = String::new();
    if !continues {
        model_name.push_str(&opening());
        let words = plan.map(|plan| text_field(plan, "plan_markdown")).unwrap_or_default();
        if !words.is_empty() {
            model_name.push_str("\nThe plan in words:\n");
            model_name.push_str(&words.chars().take(8_000).collect::<String>());
            model_name.push('\n');
        }
        if let Some(before) =
            input.get("generated_workflow").filter(|before| before.is_object() && !errors.is_empty())
        {
            model_name.push_str("\nThe workflow so far");
            match Some(json_text(before)).filter(|before| before.len() <= MAX_WORKFLOW_BYTES) {
                Some(before) => {
                    model_name.push_str(":\n");
                    model_name.push_str(&before);
                }
                None => {
                    model_name.push_str(" is too long to be shown. Answer with a whole one that is shorter.");
                }
            }
            model_name.push('\n');
        }
    }
    if errors.is_empty() {
        let partial = plan.is_some_and(|plan| text_field(plan, "status") == "PARTIAL");
        model_name.push_str(if partial { PARTIAL_PROMPT } else { FIRST_PROMPT });
        return model_name;
    }
    model_name.push_str("This workflow can't be run as it is:\n");
    for (at, error) in errors.iter().enumerate() {
        let said = |before: &str, key: &str, after: &str| match text_field(error, key) {
            text if text.is_empty() => String::new(),
            text => format!("{before}{text}{after}"),
        };
        model_name.push_str(&(at + 1).to_string());
        model_name.push_str(&said(". ", "code", ""));
        model_name.push_str(&said(" at `", "place", "`"));
        model_name.push_str(&said(": ", "message", ""));
        model_name.push_str(&said("; ", "help", ""));
        model_name.push('\n');
    }
    match input.get("more_errors").and_then(Json::as_u64) {
        None | Some(0) => {}
        Some(more) => {
            model_name.push_str("And ");
            model_name.push_str(&more.to_string());
            model_name.push_str(" more.\n");
        }
    }
    model_name.push_str(FIX_PROMPT);
    model_name
}

pub(super) fn parse_reply(answer: &str, input: &Json) -> NodeOutput {
    generation_output(input, |before| parse_workflow(answer, before))
}

pub(super) fn cut_off(input: &Json, failure: &Failure) -> NodeOutput {
    let diagnostic = Diagnostic::new(Code::AuthorNoPlan, failure.message.as_str());
    generation_output(input, |_| {
        Err(vec![diagnostic.help("answer with a patch, or with a shorter workflow")])
    })
}

fn generation_output(
    input: &Json,
    generated: impl FnOnce(Option<&Json>) -> Result<Json, Vec<Diagnostic>>,
) -> NodeOutput {
    let before = input.get("generated_workflow").filter(|before| before.is_object());
    let (plan, errors) = match generated(before) {
        Ok(plan) => (plan, Vec::new()),
        // The next reply can patch the previous plan.
        Err(diagnostics) => {
            let told = diagnostics
                .iter()
                .filter(|diagnostic| diagnostic.is_error())
                .map(diagnostic_json)
                .collect_vec();
            (before.cloned().unwrap_or_default(), told)
        }
    };
    let named_outputs = vec![("generated_workflow", plan), ("generation_errors", Json::Array(errors))];
    NodeOutput { value: Json::from("validate"), named_outputs }
}

fn parse_workflow(answer: &str, before: Option<&Json>) -> Result<Json, Vec<Diagnostic>> {
    let mut found = document(answer)?;
    join_metadata_lists(&mut found);
    let Some(patch) = found.get("patch") else { return Ok(found) };
    let bad = |message: &str, help: &str| vec![Diagnostic::new(Code::AuthorBadPatch, message).help(help)];
    let Some(before) = before else {
        return Err(bad("there is no workflow to patch", "answer with the whole workflow"));
    };
    apply_patch(before, patch).ok_or_else(|| {
        bad(
            "the patch is no map of what changes",
            "answer with `{\"patch\": {\"nodes\": {ID: the whole node}}}`",
        )
    })
}

/// Joins metadata lists: `[1, 3]` becomes `1, 3`.
fn join_metadata_lists(plan: &mut Json) {
    match plan {
        Json::Object(map) => {
            for (key, value) in map {
                match (key.as_str(), value) {
                    ("metadata", Json::Object(metadata)) => {
                        for (_, value) in metadata.iter_mut().filter(|(_, value)| value.is_array()) {
                            let texts = value.as_array().into_iter().flatten().map(plain_text).collect_vec();
                            *value = Json::from(texts.join(", "));
                        }
                    }
                    (_, value) => join_metadata_lists(value),
                }
            }
        }
        Json::Array(items) => items.iter_mut().for_each(join_metadata_lists),
        _ => {}
    }
}

fn apply_patch(before: &Json, patch: &Json) -> Option<Json> {
    let mut plan = before.as_object()?.clone();
    for (key, value) in patch.as_object()? {
        match (key.as_str(), value) {
            ("nodes", Json::Object(changes)) => {
                let nodes = plan.entry("nodes").or_insert_with(|| json!({}));
                let nodes = nodes.as_object_mut()?;
                for (id, node) in changes {
                    set_entry(nodes, id, node);
                }
            }
            ("nodes", _) => return None,
            _ => set_entry(&mut plan, key, value),
        }
    }
    Some(Json::Object(plan))
}

fn set_entry(map: &mut Map<String, Json>, key: &str, value: &Json) {
    if value.is_null() {
        // Keeps the order of entries.
        map.shift_remove(key);
    } else {
        map.insert(key.to_owned(), value.clone());
    }
}

fn document(answer: &str) -> Result<Json, Vec<Diagnostic>> {
    let mut first = None;
    for text in candidates(answer) {
        match parse_document(text) {
            Ok(Some(found)) => return Ok(found),
            Err(diagnostics) if first.is_none() => first = Some(diagnostics),
            _ => {}
        }
    }
    Err(first.unwrap_or_else(|| {
        let diagnostic = Diagnostic::new(Code::AuthorNoPlan, "the answer contains no workflow");
        vec![diagnostic.help("answer with one JSON object that has `nodes`, and nothing else")]
    }))
}

/// Possible documents, best first: fenced blocks, the whole reply, text in braces, text from a YAML key on.
fn candidates(answer: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = answer;
    while let Some(at) = rest.find("```") {
        let inner = rest.get(at + 3..).unwrap_or_default();
        let inner = inner.get(inner.find('\n').map_or(inner.len(), |end| end + 1)..).unwrap_or_default();
        let end = inner.find("```").unwrap_or(inner.len());
        found.extend(inner.get(..end));
        rest = inner.get(end + 3..).unwrap_or_default();
    }
    // The last block is the final version.
    found.reverse();
    found.push(answer);
    if let (Some(from), Some(to)) = (answer.find('{'), answer.rfind('}')) {
        found.extend(answer.get(from..=to));
    }
    let mut at = 0;
    for line in answer.split_inclusive('\n') {
        if YAML_KEYS.iter().any(|key| line.starts_with(key)) {
            found.extend(answer.get(at..));
            break;
        }
        at += line.len();
    }
    found
}

fn parse_document(text: &str) -> Result<Option<Json>, Vec<Diagnostic>> {
    let is_plan = |json: &Json| json.get("nodes").is_some() || json.get("patch").is_some();
    let looks = text.contains("nodes") || text.contains("patch");
    let mut read = source::parse(text, Format::Auto);
    if read.diagnostics.iter().any(Diagnostic::is_error) && text.trim_start().starts_with('{') {
        // Unlike JSON, YAML allows trailing commas.
        let other = source::parse(text, Format::Yaml);
        if other.root.is_some() && !other.diagnostics.iter().any(Diagnostic::is_error) {
            read = other;
        }
    }
    let json = read.root.as_ref().map(source::Spanned::to_json).filter(Json::is_object);
    if read.diagnostics.iter().any(Diagnostic::is_error) {
        return if looks { Err(read.diagnostics) } else { Ok(None) };
    }
    let Some(json) = json else { return Ok(None) };
    if is_plan(&json) {
        return Ok(Some(json));
    }
    // A wrapped plan: `{"workflow": {…}}`.
    let wrapped = json.as_object().filter(|map| map.len() == 1).and_then(|map| map.values().next());
    Ok(wrapped.filter(|inner| inner.is_object() && is_plan(inner)).cloned())
}

/// Empty for the whole plan.
pub(super) fn target_path(target: &Target) -> String {
    match target {
        Target::Document | Target::Call(_) => String::new(),
        Target::Node(node_path) => node_path.clone(),
        Target::Edge(scope, at) | Target::Condition(scope, at) => scoped_name(scope, &format!("edges[{at}]")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = r#"{"nodes": {"a": {"type": "llm"}}}"#;

    #[test]
    fn plans_are_found_in_answers() {
        for answer in [
            PLAN.to_owned(),
            format!("```json\n{PLAN}\n```"),
            format!("Sure, here it is:\n\n```\n{PLAN}\n```\nIt does all."),
            format!("Here is the workflow: {PLAN} Anything else?"),
            r#"{"nodes": {"a": {"type": "llm",},},}"#.to_owned(),
            format!(r#"{{"workflow": {PLAN}}}"#),
            "nodes:\n  a: {type: llm}\n".to_owned(),
            "Here it is:\nnodes:\n  a:\n    type: llm\n".to_owned(),
            "```yaml\nnodes:\n  a:\n    type: llm\n```".to_owned(),
            format!("```json\n{{\"nodes\": {{}}}}\n```\nNo, rather:\n```json\n{PLAN}\n```"),
            format!("```json\n{PLAN}"),
        ] {
            let output = parse_reply(&answer, &Json::Null);
            assert_eq!(output.named_outputs[0].1["nodes"]["a"]["type"], "llm", "{answer}: {output:?}");
            assert_eq!(output.named_outputs[1].1, json!([]), "{answer}");
        }
    }

    #[test]
    fn what_is_no_plan_is_a_generation_with_errors() {
        for (answer, code) in [
            ("", "author/no-plan"),
            ("I can't do that.", "author/no-plan"),
            ("[1]", "author/no-plan"),
            ("{\"nodes\": {\"a\": {\"type\": \"llm\"", "source/syntax"),
            ("{\"nodes\": {\"a\": 1, \"a\": 2}}", "graph/duplicate-key"),
            ("{\"patch\": {\"nodes\": {}}}", "author/bad-patch"),
        ] {
            let output = parse_reply(answer, &Json::Null);
            assert_eq!(output.value, "validate");
            assert_eq!(output.named_outputs[0].1, Json::Null, "{answer}");
            assert_eq!(output.named_outputs[1].1[0]["code"], code, "{answer}: {output:?}");
        }
    }

    #[test]
    fn patches_change_what_they_name() {
        let before = json!({"nodes": {"a": {"type": "x"}, "b": {"type": "y"}}, "edges": [{"from": "a", "to": "b"}], "start": "a"});
        let input = json!({"generated_workflow": before});
        for (patch, expect) in [
            (
                json!({"nodes": {"a": {"type": "z"}}}),
                json!({"nodes": {"a": {"type": "z"}, "b": {"type": "y"}}, "edges": [{"from": "a", "to": "b"}], "start": "a"}),
            ),
            (
                json!({"nodes": {"b": null}, "edges": [], "start": null}),
                json!({"nodes": {"a": {"type": "x"}}, "edges": []}),
            ),
            (
                json!({"inputs": {"r": {}}}),
                json!({"nodes": {"a": {"type": "x"}, "b": {"type": "y"}}, "edges": [{"from": "a", "to": "b"}], "start": "a", "inputs": {"r": {}}}),
            ),
        ] {
            let output = parse_reply(&json!({"patch": patch}).to_string(), &input);
            assert_eq!(output.named_outputs[0].1, expect, "{patch}");
        }
        for bad in [r#"{"patch": []}"#, r#"{"patch": {"nodes": [1]}}"#, "prose"] {
            let output = parse_reply(bad, &input);
            assert_eq!(output.named_outputs[0].1, before, "what was there stays");
            assert_ne!(output.named_outputs[1].1, json!([]));
        }
    }
}
