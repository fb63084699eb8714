//! Reads retry policies and nested graphs.

use super::super::map_reader::{KeySpec, MapReader, scalar_text, wrong_type};
use super::super::{BRANCHES, NESTED_KEYS, Nested, NestedStep, Node, Retry, scoped_name};
use super::reader::Reader;
use stepgraph_text::diagnostic::{Code, Diagnostic, shorten_name};
use stepgraph_text::source::{Entry, Spanned, ValueKind};

pub(in super::super) const RETRY: KeySpec =
    KeySpec { known: &["attempts", "backoff_ms", "factor", "max_ms", "on"], required: &["attempts"] };

fn no_failure_code(item: &Spanned) -> Diagnostic {
    let expected = "a code such as `tool/timeout` or `tool/*`";
    let Some(written) = scalar_text(item) else { return wrong_type(item, "an entry of `on`", expected) };
    let message = format!("`{}` is no code of a failure", shorten_name(&written));
    Diagnostic::new(Code::WrongShape, message).at(item.span).help(format!("write {expected}"))
}

impl Reader<'_> {
    pub(super) fn retry(&mut self, node: &Node, map: &MapReader<'_>) -> Option<Retry> {
        let value = map.get("retry")?;
        let target = self.target(&[&node.key]);
        if let ValueKind::Number(attempts) = &value.kind {
            let diagnostic = wrong_type(value, "`retry`", "a map").on(target);
            self.problems.push(
                diagnostic
                    .help(format!("write `retry: {{attempts: {}}}`", shorten_name(&attempts.to_string()))),
            );
            return None;
        }
        let map = MapReader::new(value, "`retry`", target.clone(), self.problems)?;
        map.check_keys(&RETRY, self.problems);
        let mut retry = Retry::default();
        match map.count("attempts", self.problems) {
            Some(attempts) => retry.attempts = attempts,
            None if map.get("attempts").is_some() => {}
            None => {
                let diagnostic = Diagnostic::new(Code::WrongShape, "`retry` has no `attempts`");
                let diagnostic = diagnostic.at(value.span).help("add `attempts`, which counts all tries");
                map.report_missing("attempts", diagnostic, self.problems);
            }
        }
        retry.backoff_ms = map.amount("backoff_ms", 0, self.problems).unwrap_or(retry.backoff_ms);
        retry.factor = map.amount("factor", 1, self.problems).unwrap_or(retry.factor);
        retry.max_ms = map.amount("max_ms", 0, self.problems).unwrap_or(retry.max_ms);
        if let Some(on) = map.get("on") {
            let items = match &on.kind {
                ValueKind::List(items) => items.as_slice(),
                _ => std::slice::from_ref(on),
            };
            for item in items {
                match scalar_text(item).filter(|code| code.contains('/')) {
                    Some(code) => retry.on.push(code),
                    None => self.problems.push(no_failure_code(item).on(target.clone())),
                }
            }
        }
        Some(retry)
    }

    pub(super) fn nested_graphs(&mut self, position: usize, node: &Node, map: &MapReader<'_>) -> Vec<Nested> {
        let mut found = Vec::new();
        for key in NESTED_KEYS {
            let Some(value) = map.get(key) else { continue };
            if key != BRANCHES {
                let span = map.key_span(key).unwrap_or(value.span);
                let turn = NestedStep { node: position, key, branch: 0 };
                let graph = self.nested(value, turn, scoped_name(&self.scope, &node.key));
                found.push(Nested { key, name: String::new(), name_span: span, file: path(value), graph });
                continue;
            }
            let ValueKind::Map(entries) = &value.kind else {
                let diagnostic = wrong_type(value, "`branches`", "a map from name to graph");
                self.problems.push(diagnostic.on(self.target(&[&node.key])));
                continue;
            };
            let branches = entries.iter().enumerate();
            found.extend(branches.map(|(branch, entry)| self.branch(position, node, branch, entry)));
        }
        found
    }

    fn branch(&mut self, position: usize, node: &Node, branch: usize, entry: &Entry) -> Nested {
        let scope = scoped_name(&scoped_name(&self.scope, &node.key), &entry.key);
        let turn = NestedStep { node: position, key: BRANCHES, branch };
        let Entry { key, key_span, value } = entry;
        let graph = self.nested(value, turn, scope);
        Nested { key: BRANCHES, name: key.clone(), name_span: *key_span, file: path(value), graph }
    }
}

/// The path of an unjoined file.
fn path(value: &Spanned) -> Option<String> {
    value.as_text().map(str::to_owned)
}
