//! What a node says of its own tries, and the graphs inside it.

use super::super::shape::{Keys, Shape, scalar_text, wrong};
use super::super::{BRANCHES, HOLDERS, Nested, Node, Retry, Turn, within};
use super::reader::Reader;
use stepgraph_text::diagnostic::{Code, Diagnostic, brief};
use stepgraph_text::source::{Entry, Kind};

pub(super) const RETRY: Keys =
    Keys { known: &["attempts", "backoff_ms", "factor", "max_ms", "on"], required: &["attempts"] };

impl Reader<'_> {
    pub(super) fn retry(&mut self, node: &Node, shape: &Shape<'_>) -> Option<Retry> {
        let value = shape.get("retry")?;
        let target = self.on(&[&node.key]);
        if let Kind::Number(attempts) = &value.kind {
            let problem = wrong(value, "`retry`", "a map").on(target);
            self.problems
                .push(problem.help(format!("write `retry: {{attempts: {}}}`", brief(&attempts.to_string()))));
            return None;
        }
        let shape = Shape::of(value, "`retry`", target.clone(), self.problems)?;
        shape.keys(&RETRY, self.problems);
        let mut retry = Retry::default();
        match shape.count("attempts", self.problems) {
            Some(attempts) => retry.attempts = attempts,
            None if shape.get("attempts").is_some() => {}
            None => {
                let problem = Diagnostic::new(Code::WrongShape, "`retry` does not say how often");
                let problem = problem.at(value.span).help("add `attempts`, which counts all tries");
                shape.lacks("attempts", problem, self.problems);
            }
        }
        retry.backoff_ms = shape.amount("backoff_ms", 0, self.problems).unwrap_or(retry.backoff_ms);
        retry.factor = shape.amount("factor", 1, self.problems).unwrap_or(retry.factor);
        retry.max_ms = shape.amount("max_ms", 0, self.problems).unwrap_or(retry.max_ms);
        if let Some(on) = shape.get("on") {
            let items = match &on.kind {
                Kind::List(items) => items.as_slice(),
                _ => std::slice::from_ref(on),
            };
            for item in items {
                match scalar_text(item).filter(|code| code.contains('/')) {
                    Some(code) => retry.on.push(code),
                    None => self.problems.push(
                        wrong(item, "an entry of `on`", "a code such as `tool/failed` or `tool/*`")
                            .on(target.clone()),
                    ),
                }
            }
        }
        Some(retry)
    }

    /// The graphs inside a node.
    pub(super) fn nested_graphs(&mut self, position: usize, node: &Node, shape: &Shape<'_>) -> Vec<Nested> {
        let mut found = Vec::new();
        for key in HOLDERS {
            let Some(value) = shape.get(key) else { continue };
            if key != BRANCHES {
                let span = shape.key_span(key).unwrap_or(value.span);
                let turn = Turn { node: position, key, branch: 0 };
                let graph = self.nested(value, turn, within(&self.scope, &node.key));
                found.push(Nested { key, name: String::new(), name_span: span, graph });
                continue;
            }
            let Kind::Map(entries) = &value.kind else {
                let problem = wrong(value, "`branches`", "a map from name to graph");
                self.problems.push(problem.on(self.on(&[&node.key])));
                continue;
            };
            let branches = entries.iter().enumerate();
            found.extend(branches.map(|(branch, entry)| self.branch(position, node, branch, entry)));
        }
        found
    }

    fn branch(&mut self, position: usize, node: &Node, branch: usize, entry: &Entry) -> Nested {
        let scope = within(&within(&self.scope, &node.key), &entry.key);
        let turn = Turn { node: position, key: BRANCHES, branch };
        let Entry { key, key_span, value } = entry;
        let graph = self.nested(value, turn, scope);
        Nested { key: BRANCHES, name: key.clone(), name_span: *key_span, graph }
    }
}
