//! Properties of any text parsed as a plan, condition or template.

use super::hash_of;
use crate::expectation::apply;
use crate::{Case, assert_same_reading, by_machine};
use serde_json::json;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::check;
use stepgraph_core::diagnostic::{Code, Diagnostic, Span, TextEdit};
use stepgraph_core::expression::{Condition, Error, Reference, Template, TemplatePart};
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::source::{Format, MAX_PROBLEMS, decode};
use stepgraph_core::tool::{ToolInfo, ToolRegistry};

fn assert_inside(text: &str, span: Span) {
    assert!(text.get(span.start..span.end).is_some(), "{span:?} is outside the text or inside a character");
}

/// One line, neither empty nor long, lower case, no period.
fn assert_message(message: &str, help: Option<&str>) {
    let fine = |words: &str| !words.is_empty() && words.len() < 1000 && !words.contains(char::is_control);
    assert!(fine(message) && help.is_none_or(fine), "badly told: {message:?} {help:?}");
    assert!(!message.ends_with('.') && !message.starts_with(char::is_uppercase), "badly told: {message:?}");
}

fn assert_diagnostics(problems: &[Diagnostic], text: &str) {
    for problem in problems {
        let labels = problem.labels.iter().map(|label| label.span);
        problem.span.into_iter().chain(labels).for_each(|span| assert_inside(text, span));
        problem.fix.iter().for_each(|edit| assert_inside(text, edit.span));
        assert!(problem.help.is_some(), "{problem} has no help");
        assert_message(&problem.message, problem.help.as_deref());
    }
}

/// A fix removes its diagnostic and does not break the file.
fn assert_fixes(problems: &[Diagnostic], text: &str, format: Format) {
    for problem in problems.iter().filter(|problem| !problem.fix.is_empty()).take(4) {
        let mended = apply(text, &problem.fix);
        let left = PlanGraph::parse(&mended, format).diagnostics;
        let start = problem.span.map(|span| span.start);
        let same = |other: &Diagnostic| {
            (other.code, &other.message, other.span.map(|span| span.start))
                == (problem.code, &problem.message, start)
        };
        assert!(!left.iter().any(same), "{problem}: {:?} does not mend it", problem.fix);
        // The parser stops at a syntax error. After the fix it may find other `source/` errors.
        let kind = if problem.code == Code::SourceSyntax { problem.code.slug() } else { "source/" };
        let broken =
            |all: &[Diagnostic]| all.iter().filter(|other| other.code.slug().starts_with(kind)).count();
        assert!(broken(&left) <= broken(problems), "{problem}: {:?} breaks the file", problem.fix);
    }
}

fn host() -> Capabilities {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let tool =
        |name: &str| ToolInfo::from_json(&json!({"name": name, "server": "s", "input_schema": schema}));
    Capabilities {
        types: Some(std::iter::once("emit".to_owned()).collect()),
        tools: Some(ToolRegistry::new(["weather", "t"].into_iter().filter_map(tool))),
        models: Some(std::iter::once("default".to_owned()).collect()),
        ..Capabilities::default()
    }
}

const LONG: [&str; 9] =
    ["visits", "limits", "retry", "attempts", "graph", "branches", "do", "timeout", "approve"];

pub(super) fn plan(bytes: &[u8]) -> u64 {
    let text = match decode(bytes) {
        Ok(text) => text,
        Err(problem) => {
            let at = problem.span.map_or(0, |span| span.start);
            assert!(std::str::from_utf8(&bytes[..at]).is_ok(), "the place is not the first bad byte");
            return 1;
        }
    };
    let mut seen = Vec::new();
    for format in [Format::Auto, Format::Json] {
        let parsed = PlanGraph::parse(text, format);
        let problems = &parsed.diagnostics;
        assert_diagnostics(problems, text);
        let is_sound = parsed.graph.as_ref().is_some_and(PlanGraph::is_sound);
        let many = problems.iter().filter(|problem| problem.is_error()).count() >= MAX_PROBLEMS;
        assert_eq!(is_sound, !many && !problems.iter().any(Diagnostic::blocks_runs));
        assert_eq!(PlanGraph::parse(text, format).diagnostics, *problems, "read twice");
        assert_fixes(problems, text, format);
        let start = |problem: &Diagnostic| problem.span.map_or(0, |span| span.start);
        assert!(problems.is_sorted_by_key(start), "not in the order of the document");
        seen.extend(problems.iter().take(5).map(|problem| (problem.code, problem.fix.is_empty())));
        if let Some(graph) = parsed.graph.as_ref().filter(|plan| plan.is_sound()) {
            check_sound(graph, text);
            seen.extend(check::check(graph, &host()).iter().take(5).map(|problem| (problem.code, false)));
        }
    }
    seen.sort();
    seen.dedup();
    hash_of(seen)
}

fn check_sound(graph: &PlanGraph, text: &str) {
    assert!(graph.root.start.is_some_and(|start| start < graph.root.nodes.len()), "no start");
    assert_diagnostics(&check::check(graph, &host()), text);
    for edge in &graph.root.edges {
        assert!(
            edge.source < graph.root.nodes.len() && edge.target < graph.root.nodes.len(),
            "an edge to nowhere"
        );
    }
    let written = graph.to_json().to_string();
    let again = PlanGraph::parse(&written, Format::Json);
    let errors: Vec<String> =
        again.diagnostics.iter().filter(|p| p.blocks_runs()).map(ToString::to_string).collect();
    assert!(errors.is_empty(), "as JSON it has errors: {errors:?} {written}");
    let hash = again.graph.map(|graph| graph.hash());
    assert_eq!(hash, Some(graph.hash()), "as JSON it has another hash: {written}");
    if !LONG.iter().any(|word| text.contains(word)) {
        let stubs = json!({"types": {"emit": "echo"}, "tools": {"t": "echo"}, "models": {"default": "echo"}});
        let case = Case { source: Some(text.to_owned()), stubs: Some(stubs), ..Case::default() };
        if let Some(state) = by_machine(&case).state {
            assert!(!state["outcome"].is_null(), "the run does not end");
        }
    }
}

fn check_expr_error(error: &Error, text: &str) -> String {
    assert_inside(text, error.span);
    assert_message(&error.message, error.help.as_deref());
    // Quoted parts come from the input.
    let kind: String = error.message.split('`').step_by(2).collect();
    if let Some(edit) = &error.fix {
        assert_inside(text, edit.span);
        assert_ne!(apply_edit(text, edit), text, "the edit changes nothing");
    }
    kind + error.code.slug()
}

fn apply_edit(text: &str, edit: &TextEdit) -> String {
    apply(text, std::slice::from_ref(edit))
}

pub(super) fn condition(bytes: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(bytes);
    let text = text.as_ref();
    assert_same_reading(text);
    if let Ok(reference) = Reference::parse(text) {
        assert_eq!(Reference::parse(&reference.to_string()), Ok(reference), "printed and read again");
    }
    match Condition::parse(text) {
        Ok(Condition::Fallback) => 1,
        Ok(Condition::Unreadable) => unreachable!("what can't be read is an error"),
        Ok(Condition::Expression(expression)) => {
            for atom in &expression.atoms {
                assert_inside(text, atom.span);
                assert_inside(text, atom.reference_span);
            }
            let doubts: Vec<String> =
                expression.warnings.iter().map(|doubt| check_expr_error(doubt, text)).collect();
            // The fix of a later error may let the parser refuse an earlier one. Fixing a reference in text makes an
            // expression, whose names have stricter rules.
            let first = expression.warnings.first().filter(|doubt| doubt.code != Code::ReferenceAsText);
            if let Some(edit) = first.and_then(|doubt| doubt.fix.as_ref()) {
                // The fix parses former plain text, which may have its own errors. An unclosed parenthesis or ambiguous
                // `!` is reported at that sign. Expressions may nest less deeply than compared paths.
                let again = Condition::parse(&apply_edit(text, edit)).err();
                let open = |error: &Error| {
                    let is_sign = matches!(text.get(error.span.start..error.span.end), Some("(" | "!"));
                    // Only a text with another error has this one: `output.exisd` may be a field.
                    let is_test = error.message.starts_with("there is no test");
                    is_sign || is_test || error.message.ends_with("nested too deeply")
                };
                let behind =
                    again.as_ref().is_none_or(|error| error.span.start >= edit.span.start || open(error));
                assert!(behind, "{edit:?} makes an error of a warning: {again:?}");
            }
            let tests: Vec<_> =
                expression.atoms.iter().map(|atom| std::mem::discriminant(&atom.predicate)).collect();
            hash_of((doubts, tests.into_iter().take(3).collect::<Vec<_>>()))
        }
        Err(error) => {
            if let Some(edit) = &error.fix {
                let again = Condition::parse(&apply_edit(text, edit)).err();
                assert!(!again.is_some_and(|again| is_stuck(&error, &again)), "{edit:?} does not mend it");
            }
            hash_of(check_expr_error(&error, text))
        }
    }
}

/// The parser reports the inner one of several open brackets first.
fn is_stuck(error: &Error, again: &Error) -> bool {
    let is_outer = error.message == "a bracket is not closed" && again.span.start < error.span.start;
    again.message == error.message && again.span.start <= error.span.start && !is_outer
}

fn parts(template: &Template) -> Vec<TemplatePart> {
    let bare = |part: &TemplatePart| match part {
        TemplatePart::Text(text) => TemplatePart::Text(text.clone()),
        TemplatePart::Placeholder { choices, fallback, .. } => TemplatePart::Placeholder {
            choices: choices.clone(),
            spans: Vec::new(),
            fallback: fallback.clone(),
            span: Span::default(),
        },
        TemplatePart::Computed { computed, .. } => TemplatePart::Text(format!("${{{}}}", computed.ast)),
    };
    template.parts.iter().map(bare).collect()
}

pub(super) fn template(bytes: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(bytes);
    let text = text.as_ref();
    match Template::parse(text) {
        Ok(None) => {
            assert!(!text.contains("${"), "no template");
            0
        }
        Ok(Some(template)) => {
            let printed = template.to_string();
            let again = Template::parse(&printed).ok().flatten();
            assert_eq!(again.as_ref().map(parts), Some(parts(&template)), "printed as {printed:?}");
            assert_eq!(again.map(|again| again.to_string()), Some(printed), "printed twice");
            template.references().for_each(|(_, span)| assert_inside(text, span));
            let mut last = 0;
            for part in &template.parts {
                if let TemplatePart::Placeholder { choices, spans: places, fallback, span } = part {
                    assert_inside(text, *span);
                    assert!(
                        text.get(span.start..).is_some_and(|hole| hole.starts_with("${")),
                        "no hole at {span:?}"
                    );
                    assert!(span.start >= last && choices.len() == places.len(), "holes overlap");
                    assert!(!choices.is_empty() || fallback.is_some(), "an empty hole");
                    last = span.end;
                }
            }
            hash_of(template.parts.iter().take(4).map(shape).collect::<Vec<_>>())
        }
        Err(error) => {
            if let Some(edit) = &error.fix {
                let again = Template::parse(&apply_edit(text, edit)).err();
                assert!(!again.is_some_and(|again| is_stuck(&error, &again)), "{edit:?} does not mend it");
            }
            hash_of(check_expr_error(&error, text))
        }
    }
}

fn shape(part: &TemplatePart) -> (usize, bool) {
    match part {
        TemplatePart::Text(text) => (0, text.contains('$')),
        TemplatePart::Placeholder { choices, fallback, .. } => (choices.len().min(3), fallback.is_some()),
        TemplatePart::Computed { computed, .. } => (4 + computed.references.len().min(3), false),
    }
}
