//! Reports integers beyond 2^53, which JavaScript rounds, except in `layout` and `metadata`.

use stepgraph_text::diagnostic::{Code, Diagnostic, DiagnosticCollector, Target, shorten_name};
use stepgraph_text::source::{Spanned, ValueKind};

const SAFE: u64 = (1 << 53) - 1;

pub(super) fn check(document: &Spanned, text: &str, diagnostics: &mut DiagnosticCollector) {
    let mut open = vec![document];
    while let Some(value) = open.pop() {
        match &value.kind {
            ValueKind::List(items) => open.extend(items),
            ValueKind::Map(entries) => {
                let counts =
                    entries.iter().filter(|entry| !matches!(entry.key.as_str(), "layout" | "metadata"));
                open.extend(counts.map(|entry| &entry.value));
            }
            ValueKind::Number(number) => {
                let written = text.get(value.span.start..value.span.end).unwrap_or_default();
                let is_whole = !written.is_empty()
                    && written.trim_start_matches(['+', '-']).bytes().all(|b| b.is_ascii_digit());
                let is_safe = match (number.as_i64(), number.as_u64()) {
                    (Some(number), _) => number.unsigned_abs() <= SAFE,
                    (None, Some(number)) => number <= SAFE,
                    (None, None) => false,
                };
                if is_whole && !is_safe {
                    let message =
                        format!("`{}` is rounded by JavaScript, which counts to 2^53", shorten_name(written));
                    let diagnostic = Diagnostic::new(Code::SourceUnsafeNumber, message).at(value.span);
                    let help = "write a smaller number, or text in quotes where every digit counts";
                    diagnostics.push(diagnostic.on(Target::Document).help(help));
                }
            }
            _ => {}
        }
    }
}
