//! Fills placeholders of inputs and settings.
//!
//! One that is the whole string keeps its value's type. Within text, strings appear verbatim, null as nothing, all else
//! as JSON. Before `??` null counts as missing, as in JavaScript. A missing value without `??` fails the node, and the
//! message lists available references.

use super::program::{CompiledComputed, CompiledPart, CompiledReference, CompiledValue};
use crate::collect::CollectVec;
use crate::diagnostic::{Span, shorten_name};
use crate::failure::Failure;
use crate::graph::{Graph, Node, TemplateValue};
use crate::value::{Path, Value, View, json_text, number_text, plain_text};
use serde_json::Value as Json;

/// Bytes of one template, and by default of all in a run.
pub(super) const MAX_TEMPLATE_BYTES: f64 = 8_388_608.0;

pub(super) fn check_template_size(bytes: f64) -> Result<(), Failure> {
    if bytes <= MAX_TEMPLATE_BYTES {
        return Ok(());
    }
    let (made, limit) = (number_text(bytes), number_text(MAX_TEMPLATE_BYTES));
    let message = format!("a template made {made} bytes or more, and {limit} are allowed");
    Err(Failure::new("template/too-large", message))
}

/// Placeholder values.
pub(super) trait ReferenceSource<V: Value> {
    fn space(&self) -> &V::Arena;
    fn root(&self, reference: CompiledReference) -> Option<&V>;
    fn path(&self, reference: CompiledReference) -> &Path;
    /// `None` if missing.
    fn evaluate_to_value(&self, computed: &CompiledComputed) -> Result<Option<V>, Failure>;
    fn evaluate_to_text(&self, computed: &CompiledComputed) -> Result<Option<String>, Failure>;
    /// The path that makes the result missing, for the message.
    fn missing_path(&self, computed: &CompiledComputed) -> Option<String>;
    /// For the message.
    fn available_references(&self) -> String;
}

/// `key` is the node's key with the value: `input` or `with`.
pub(super) fn interpolate<V: Value>(
    key: &str,
    value: &CompiledValue<V>,
    scope: &impl ReferenceSource<V>,
) -> Result<V, Failure> {
    let mut progress = Progress { made: 0.0, at: String::new() };
    interpolate_counted(value, scope, &mut progress).map_err(|mut failure| {
        failure.message = format!("in `{key}{}`: {}", progress.at, failure.message);
        failure
    })
}

/// The span of the value in `node`, or of its edge's condition, that a failure's message names. Otherwise that of the
/// node's key.
pub fn failed_value_span(graph: &Graph, node: &Node, message: &str) -> Span {
    let path = message.strip_prefix("in `").and_then(|rest| rest.split_once("`: "));
    let span = path.and_then(|(path, _)| {
        let in_value =
            |key: &str, value: &Option<TemplateValue>| value.as_ref()?.template_span(path.strip_prefix(key)?);
        let value = in_value("input", &node.input).or_else(|| in_value("with", &node.with));
        value.or_else(|| condition_span(graph, node, path))
    });
    span.unwrap_or(node.key_span)
}

/// The path of an edge's condition in its graph. `index` is the edge's position in the document.
pub(super) fn condition_path(index: u32) -> String {
    format!("edges[{index}].condition")
}

fn condition_span(graph: &Graph, node: &Node, path: &str) -> Option<Span> {
    let index: usize = path.strip_prefix("edges[")?.strip_suffix("].condition")?.parse().ok()?;
    let edge = graph.edges.iter().find(|edge| edge.index == index)?;
    let source = graph.nodes.get(edge.source)?;
    (source.id == node.id).then_some(edge.condition_span)
}

struct Progress {
    /// Bytes of all templates.
    made: f64,
    /// The path of the template that failed. Empty before, and for a value that is itself a template.
    at: String,
}

fn interpolate_counted<V: Value>(
    fill: &CompiledValue<V>,
    scope: &impl ReferenceSource<V>,
    progress: &mut Progress,
) -> Result<V, Failure> {
    match fill {
        CompiledValue::Constant(value) => Ok(value.clone()),
        CompiledValue::Template(parts) => match parts.as_slice() {
            [CompiledPart::Placeholder { choices, fallback }] => {
                single_placeholder(choices, fallback.as_ref(), scope)
            }
            [CompiledPart::Computed(computed)] => {
                scope.evaluate_to_value(computed)?.ok_or_else(|| missing_result(computed, scope))
            }
            parts => interpolate_text(parts, scope, &mut progress.made),
        },
        CompiledValue::List(items) => {
            let mut filled = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                let value = interpolate_counted(item, scope, progress);
                filled.push(value.inspect_err(|_| progress.at.insert_str(0, &format!("[{index}]")))?);
            }
            Ok(V::list(scope.space(), filled))
        }
        CompiledValue::Map(entries) => {
            let mut filled = Vec::with_capacity(entries.len());
            for (key, value) in entries {
                let value = interpolate_counted(value, scope, progress);
                filled.push((
                    key.clone(),
                    value.inspect_err(|_| progress.at.insert_str(0, &TemplateValue::path_step(key)))?,
                ));
            }
            Ok(V::map(scope.space(), filled))
        }
    }
}

type Choices = [(CompiledReference, String)];

/// If there is no fallback, the last choice counts even if missing.
fn first_available<'s, V: Value, S: ReferenceSource<V>>(
    choices: &Choices,
    has_fallback: bool,
    scope: &'s S,
) -> Option<(&'s V, &'s Path)> {
    choices.iter().enumerate().find_map(|(at, (reference, _))| {
        let (root, path) = (scope.root(*reference)?, scope.path(*reference));
        let is_last = at + 1 == choices.len() && !has_fallback;
        (is_last || !matches!(root.view(path), View::Missing | View::Null)).then_some((root, path))
    })
}

fn single_placeholder<V: Value>(
    choices: &Choices,
    fallback: Option<&Json>,
    scope: &impl ReferenceSource<V>,
) -> Result<V, Failure> {
    let found = first_available(choices, fallback.is_some(), scope)
        .and_then(|(root, path)| root.get(scope.space(), path));
    match (found, fallback) {
        (Some(value), _) => Ok(value),
        (None, Some(json)) => Ok(V::from_json(scope.space(), json)),
        (None, None) => Err(missing_value(choices, scope)),
    }
}

fn interpolate_text<V: Value>(
    parts: &[CompiledPart],
    scope: &impl ReferenceSource<V>,
    made: &mut f64,
) -> Result<V, Failure> {
    let mut out = String::new();
    for part in parts {
        let before = out.len();
        match part {
            CompiledPart::Text(text) => {
                out.push_str(text);
                continue;
            }
            CompiledPart::Placeholder { choices, fallback } => {
                let found = first_available(choices, fallback.is_some(), scope);
                let found = found.and_then(|(root, path)| value_as_text(root, path));
                let found = found.or_else(|| fallback.as_ref().map(plain_text));
                out.push_str(&found.ok_or_else(|| missing_value(choices, scope))?);
            }
            CompiledPart::Computed(computed) => {
                let found = scope.evaluate_to_text(computed)?;
                out.push_str(&found.ok_or_else(|| missing_result(computed, scope))?);
            }
        }
        // The next part could double the text.
        #[expect(clippy::cast_precision_loss, reason = "no text is as long as a float can't count")]
        let more = (out.len() - before) as f64;
        *made += more;
        check_template_size(*made)?;
    }
    Ok(V::from_json(scope.space(), &Json::from(out)))
}

/// For use within text.
fn value_as_text<V: Value>(value: &V, path: &Path) -> Option<String> {
    match value.view(path) {
        View::Missing => None,
        View::Null => Some(String::new()),
        View::Bool(truth) => Some(truth.to_string()),
        View::Number(number) => Some(number_text(number)),
        View::Text(_) => value.text(path),
        View::List | View::Map => value.json(path).map(|json| json_text(&json)),
    }
}

fn missing_result<V: Value>(computed: &CompiledComputed, scope: &impl ReferenceSource<V>) -> Failure {
    let text = shorten_name(&computed.text);
    let path = scope.missing_path(computed).filter(|path| *path != computed.text);
    let reason = path.map(|path| format!(", since `{}` is not there", shorten_name(&path)));
    let (reason, available) = (reason.unwrap_or_default(), scope.available_references());
    let message = format!("`{text}` has no value{reason}; available are {available}");
    Failure::new("template/missing", message)
}

fn missing_value<V: Value>(choices: &Choices, scope: &impl ReferenceSource<V>) -> Failure {
    let names: Vec<String> = choices.iter().map(|(_, name)| format!("`{name}`")).collect_vec();
    let message =
        format!("{} is not there; available are {}", names.join(" and "), scope.available_references());
    Failure::new("template/missing", message)
}

#[cfg(test)]
mod tests {
    use super::failed_value_span;
    use crate::graph::PlanGraph;
    use crate::source::Format;

    #[test]
    fn a_failure_names_a_value() {
        let text = r#"{"nodes": {"a": {"type": "set", "input": ["${last}"], "with": {"values": {"x y": ["${input.a}", "${input.b}"], "x": "${input.c}"}}}}}"#;
        let plan = PlanGraph::parse(text, Format::Json).into_sound();
        let plan = plan.expect("a sound plan");
        for (message, expect) in [
            (r#"in `with.values["x y"][1]`: `input.b` is not there"#, r#""${input.b}""#),
            ("in `with.values.x`: `input.c` is not there", r#""${input.c}""#),
            ("in `input[0]`: a", r#""${last}""#),
            ("in `input`: a", r#""a""#),
            ("in `with.values.lost`: a", r#""a""#),
            ("in `with.values`: a", r#""a""#),
            ("in `with.values.x", r#""a""#),
            ("`input.c` is not there", r#""a""#),
        ] {
            let graphs = plan.graphs();
            let span = graphs
                .first()
                .and_then(|graph| Some(failed_value_span(graph, graph.nodes.first()?, message)));
            assert_eq!(span.and_then(|span| text.get(span.start..span.end)), Some(expect), "{message}");
        }
    }

    #[test]
    fn a_failure_names_an_input_or_the_condition_of_an_edge() {
        let text = r#"{"start": "a", "nodes": {"a": {"type": "log", "input": "${input.a}"}, "b": {"type": "log"}},
            "edges": [{"from": "a", "to": "b"}, {"from": "a", "to": "b", "condition": "last.n < 7"}]}"#;
        let plan = PlanGraph::parse(text, Format::Json).into_sound();
        let plan = plan.expect("a sound plan");
        let graphs = plan.graphs();
        let graph = graphs.first().expect("a graph");
        let [a, b] = graph.nodes.as_slice() else { panic!("two nodes") };
        for (node, message, expect) in [
            (a, "in `input`: `input.a` is not there", "${input.a}"),
            (a, "in `edges[1].condition`: `last.n`: `<` does not accept text and a number", "last.n < 7"),
            (a, "in `edges[2].condition`: a", "a"),
            (b, "in `edges[1].condition`: a", "b"),
        ] {
            let span = failed_value_span(graph, node, message);
            let found = text.get(span.start..span.end).unwrap_or_default();
            assert_eq!(found.trim_matches('"'), expect, "{message}");
        }
    }
}
