//! Writes unusual names in brackets, and quotes that fit the scalar.

use super::{Candidate, Completer, CompletionKind};
use crate::language::expression_lexer;
use serde_json::Value as Json;
use stepgraph_core::diagnostic::{Span, TextEdit};
use stepgraph_core::expression::is_key_char;

impl Completer<'_, '_> {
    pub(super) fn add_step(&mut self, candidate: Candidate<'_>, segment: &expression_lexer::Segment<'_>) {
        let name = candidate.label;
        let plain = is_plain(name);
        if plain && !segment.in_brackets {
            return self.add_term(candidate, name, segment.span, false);
        }
        let mark = if self.context.quote(self.inference.tree.text) == Some('"') || self.inference.tree.json {
            '\''
        } else {
            '"'
        };
        let text =
            format!("[{mark}{}{mark}]", name.replace('\\', "\\\\").replace(mark, &format!("\\{mark}")));
        let close = self
            .inference
            .tree
            .text
            .get(segment.span.end..)
            .is_some_and(|rest| segment.in_brackets && rest.starts_with(']'));
        let span = Span::new(segment.start, segment.span.end + usize::from(close));
        self.add_term(candidate, &text, span, false);
    }

    pub(super) fn add_operator(&mut self, operator: &str, span: Span, doc: &str, rank: u32) {
        let blank = matches!(operator, "&&" | "||" | "??");
        let text = if blank { format!("{operator} ") } else { operator.to_owned() };
        let doc = Some(doc.to_owned());
        let candidate = Candidate { rank, kind: CompletionKind::Operator, label: operator, detail: "", doc };
        self.add_term(candidate, &text, span, false);
    }

    /// If `dot` is set, its properties follow.
    pub(super) fn add_term(&mut self, candidate: Candidate<'_>, text: &str, span: Span, dot: bool) {
        let label = candidate.label;
        let text = if dot { format!("{text}.") } else { text.to_owned() };
        let old = self.inference.tree.text.get(span.start..self.at).unwrap_or_default();
        // The filter includes brackets and quotes, because users do not type them.
        let lead: String = old.chars().take_while(|c| matches!(c, '.' | '[' | '"' | '\'')).collect();
        let filter = if lead.is_empty() { label.to_owned() } else { lead + label };
        let edit = self.in_scalar(TextEdit { span, text });
        let filter = if edit.span == span {
            filter
        } else {
            self.inference.tree.text.get(edit.span.start..span.start).unwrap_or_default().to_owned() + &filter
        };
        self.add_candidate(candidate, edit, filter, dot);
    }

    fn in_scalar(&self, edit: TextEdit) -> TextEdit {
        let text = self.inference.tree.text;
        let whole = self.context.span;
        let quote = self.context.quote(text);
        let raw = text.get(whole.start..whole.end).unwrap_or_default();
        let block = raw.starts_with(['|', '>']);
        match quote {
            Some('\'') => return TextEdit { text: edit.text.replace('\'', "''"), ..edit },
            Some(_) => return edit,
            None if block => return edit,
            None => {}
        }
        let before = text.get(whole.start..edit.span.start).unwrap_or_default();
        let after = text.get(edit.span.end..whole.end).unwrap_or_default();
        let all = format!("{before}{}{after}", edit.text);
        let lone = raw.is_empty();
        let lead = if lone { self.writer.prefix() } else { String::new() };
        if self.inference.tree.json || !is_plain_scalar(&all, self.context.flow) {
            let quoted = if all.contains('"') && !all.contains('\'') && !self.inference.tree.json {
                format!("'{all}'")
            } else {
                Json::from(all.as_str()).to_string()
            };
            return TextEdit { span: whole, text: lead + &quoted };
        }
        TextEdit { text: lead + &edit.text, ..edit }
    }
}

fn is_plain_scalar(text: &str, flow: bool) -> bool {
    let begins = text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '(' | '$' | '_'));
    let ends = text.contains(": ")
        || text.contains(" #")
        || text.trim_end().ends_with(':') && !text.ends_with(".contains:") && flow;
    begins && !ends && !(flow && text.contains([',', '[', ']', '{', '}']))
}

pub(super) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_key_char) && !matches!(name, "exists" | "contains")
}

pub(super) fn reference_to(root: &str, name: &str) -> String {
    if is_plain(name) {
        format!("{root}.{name}")
    } else {
        format!("{root}['{}']", name.replace('\\', "\\\\").replace('\'', "\\'"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars() {
        for (text, flow, plain) in [
            ("last==a", false, true),
            ("last[0]==a", false, true),
            ("last[0]==a", true, false),
            ("!last==a", false, false),
            ("a: b", false, false),
        ] {
            assert_eq!(is_plain_scalar(text, flow), plain, "{text}");
        }
    }
}
