//! Resolves names in workflow expressions. An unsupported one becomes literal text, with which a condition
//! compares the previous output.

use super::import::{Import, TaskContext, TranslatedCondition, Variable};
use super::jq::{self, Base};
use super::translate::{self, NameResolver, Translation};
use serde_json::{Map, Value as Json};
use stepgraph_core::diagnostic::{Code, shorten_name};
use stepgraph_core::expression::{Reference, Root};
use stepgraph_core::source::{Spanned, ValueKind};
use stepgraph_core::value::Segment;

/// Their text is an expression, maybe without `${ }`.
const FILTERS: [&str; 4] = ["input.from", "output.as", "task input.from", "task output.as"];

pub(super) fn expression_of(text: &str) -> Option<&str> {
    text.trim().strip_prefix("${")?.strip_suffix('}').map(str::trim)
}

struct TaskNames<'a> {
    context: &'a TaskContext,
    needs_loop_data: bool,
}

impl NameResolver for TaskNames<'_> {
    fn reference(
        &mut self,
        base: &Base,
        path: &[Segment],
    ) -> Result<(Reference, Option<&'static str>), jq::Unsupported> {
        let name = match base {
            Base::Dot => return Ok((self.dot(path), None)),
            Base::Variable(name) => name.as_str(),
        };
        let known = self.context.variables.iter().rev().find(|(known, _)| known == name);
        match (known.map(|(_, variable)| variable), name) {
            (Some(Variable::Reference(reference)), _) => Ok((with_path(reference.clone(), path), None)),
            (Some(Variable::Failure), _) => failure_reference(path),
            (None, "input") => Ok((self.dot(path), None)),
            (None, "workflow") => {
                match path {
                    [Segment::Key(part), rest @ ..] if part == "input" && !self.context.is_nested => {
                        Ok((Reference { root: Root::Input, path: rest.to_vec() }, None))
                    }
                    _ => Err("of `$workflow` only `input` is supported, and only outside of nested tasks"
                        .to_owned()),
                }
            }
            (None, "secrets") if !path.is_empty() => {
                let doubt = "a secret becomes a trusted value, which the run needs in its context";
                Ok((Reference { root: Root::Context, path: path.to_vec() }, Some(doubt)))
            }
            _ => Err(format!("`${}` is not supported", shorten_name(name))),
        }
    }
}

impl TaskNames<'_> {
    fn dot(&mut self, path: &[Segment]) -> Reference {
        match &self.context.data {
            Some(data) if self.context.is_first => {
                self.needs_loop_data = true;
                with_path(data.clone(), path)
            }
            _ => translate::last(path),
        }
    }
}

fn with_path(mut reference: Reference, path: &[Segment]) -> Reference {
    reference.path.extend_from_slice(path);
    reference
}

/// Error parts have other names in a plan.
fn failure_reference(path: &[Segment]) -> Result<(Reference, Option<&'static str>), jq::Unsupported> {
    let part = match path {
        [] => {
            return Ok((
                Reference { root: Root::Error, path: Vec::new() },
                Some("a failure has `code`, `message` and `node`"),
            ));
        }
        [Segment::Key(part)] => part.as_str(),
        _ => "",
    };
    let (part, doubt) = match part {
        "title" | "detail" => ("message", "a failure has one `message`"),
        "type" => ("code", "a failure has a `code` such as `tool/failed`, no URI"),
        "instance" => ("node", "a failure names the `node`, not a pointer"),
        _ => {
            return Err(
                "of an error only `type`, `title`, `detail` and `instance` have something like it".to_owned()
            );
        }
    };
    Ok((Reference { root: Root::Error, path: vec![Segment::Key(part.to_owned())] }, Some(doubt)))
}

impl Import<'_> {
    /// If `tells`, also reports an exact conversion.
    pub(super) fn value(
        &mut self,
        value: &Spanned,
        context: &TaskContext,
        construct: &'static str,
        tells: bool,
    ) -> Json {
        let findings = self.inexact_count;
        let json = match &value.kind {
            // Workflows may omit `${ }` here.
            ValueKind::Text(text) if FILTERS.contains(&construct) && expression_of(text).is_none() => {
                self.template(text.trim(), text, value, context)
            }
            _ => self.parts(value, context),
        };
        if tells && findings == self.inexact_count {
            self.report.add_exact(construct, value.span, format!("`{construct}` is the input of a node"));
        }
        json
    }

    fn parts(&mut self, value: &Spanned, context: &TaskContext) -> Json {
        match &value.kind {
            ValueKind::Text(text) => match expression_of(text) {
                Some(expression) => self.template(expression, text, value, context),
                None => Json::from(translate::escape_template(text)),
            },
            ValueKind::List(items) => items.iter().map(|item| self.parts(item, context)).collect(),
            ValueKind::Map(entries) => {
                let entries = entries.iter().map(|it| (it.key.clone(), self.parts(&it.value, context)));
                Json::Object(entries.collect::<Map<_, _>>())
            }
            _ => value.to_json(),
        }
    }

    fn template(&mut self, expression: &str, text: &str, value: &Spanned, context: &TaskContext) -> Json {
        let mut known = TaskNames { context, needs_loop_data: false };
        let mut translation = Translation::new(&mut known);
        let made = jq::parse(expression).and_then(|jq| translation.value(&jq));
        let Translation { warnings, .. } = translation;
        self.needs_loop_data |= known.needs_loop_data;
        match made {
            Ok(made) => {
                self.report_doubts(&warnings, value);
                made
            }
            Err(why) => {
                self.inexact_count += 1;
                let message = format!("this expression stays as text: {why}");
                self.report.add(
                    "expression",
                    Code::ImportExpression,
                    value.span,
                    message,
                    "write it as an expression of plans, or let a tool or a handler compute it",
                );
                Json::from(translate::escape_template(text))
            }
        }
    }

    fn report_doubts(&mut self, doubts: &[&'static str], value: &Spanned) {
        for doubt in doubts {
            self.inexact_count += 1;
            self.report.add("expression", Code::ImportApproximated, value.span, *doubt, "");
        }
    }

    pub(super) fn name_template(&mut self, name: &str, context: &TaskContext) -> Option<String> {
        let mut known = TaskNames { context, needs_loop_data: false };
        let path = [Segment::Key(name.to_owned())];
        let reference = known.reference(&Base::Dot, &path).ok()?.0;
        self.needs_loop_data |= known.needs_loop_data;
        Some(format!("${{{reference}}}"))
    }

    pub(super) fn condition(
        &mut self,
        value: &Spanned,
        context: &TaskContext,
        construct: &'static str,
        stands_for: &str,
    ) -> TranslatedCondition {
        let text = match &value.kind {
            ValueKind::Text(text) => text.clone(),
            _ => value.to_json().to_string(),
        };
        let expression = expression_of(&text).unwrap_or(text.trim());
        let mut known = TaskNames { context, needs_loop_data: false };
        let mut translation = Translation::new(&mut known);
        let made = jq::parse(expression).and_then(|jq| translation.condition(&jq));
        let Translation { warnings, .. } = translation;
        self.needs_loop_data |= known.needs_loop_data;
        match made {
            Ok(text) => {
                if warnings.is_empty() {
                    self.report.add_exact(
                        construct,
                        value.span,
                        format!("`{}` is a condition", shorten_name(&text)),
                    );
                }
                self.report_doubts(&warnings, value);
                TranslatedCondition { text, comment: None }
            }
            Err(why) => {
                self.inexact_count += 1;
                let message = match construct {
                    "catch when" => format!("this condition is left out: {why}"),
                    _ => format!(
                        "this condition tests for the output `{}` instead: {why}",
                        shorten_name(stands_for)
                    ),
                };
                self.report.add(
                    construct,
                    Code::ImportExpression,
                    value.span,
                    message,
                    "write the intended condition",
                );
                TranslatedCondition {
                    text: format!("last == {}", Json::from(stands_for)),
                    comment: Some(expression.to_owned()),
                }
            }
        }
    }
}
