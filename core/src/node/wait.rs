//! Computes how long a node waits. The machine sets the timer.

use super::settings::{self, missing_setting};
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Target, shorten_name};
use crate::expression::{duration_ms, timestamp_ms};
use crate::failure::Failure;
use crate::graph::Node;
use crate::kind::settings::{MS, UNTIL, WAIT};
use crate::source::{Entry, Spanned, ValueKind};
use crate::value::canonical_text;
use serde_json::Value as Json;

pub(super) fn check(
    node: &Node,
    target: &Target,
    with: Option<&Spanned>,
    diagnostics: &mut DiagnosticCollector,
) {
    settings::check("wait", &WAIT, with, target, diagnostics);
    let given = |key: &str| with?.get(key).filter(|entry| entry.value.kind != ValueKind::Null);
    let diagnostic = match (given(MS), given(UNTIL)) {
        (Some(ms), Some(until)) => Some(conflict(ms, until)),
        _ => missing_setting(node, with, &[MS, UNTIL], "{ms: 5000}"),
    };
    if let Some(diagnostic) = diagnostic {
        diagnostics.push(diagnostic.on(target.clone()));
    }
}

fn conflict(ms: &Entry, until: &Entry) -> Diagnostic {
    Diagnostic::new(Code::ConflictingSettings, "a node waits for `ms` or `until` a time, not both")
        .at(until.key_span)
        .label(ms.key_span, "`ms` is here")
        .help("remove one of them")
}

/// `now_ms` is the time since 1970, if known.
pub(crate) fn delay_ms(settings: &Json, now_ms: Option<f64>) -> Result<f64, Failure> {
    let given = |key: &str| settings.get(key).filter(|value| !value.is_null());
    match (given(UNTIL), settings.get(MS)) {
        (Some(until), _) => {
            let end = until.as_str().and_then(timestamp_ms);
            let end = end.ok_or_else(|| invalid(UNTIL, "a time such as `2026-12-01T08:00:00Z`", until))?;
            let now = now_ms.ok_or_else(|| {
                Failure::new("wait/no-clock", "the clock of the host does not provide the time of day")
            })?;
            Ok((end - now).max(0.0))
        }
        (None, ms) => {
            let ms = ms.unwrap_or(&Json::Null);
            // The result of `duration("5s")` is the text `5s`.
            let delay = ms.as_f64().or_else(|| duration_ms(ms.as_str()?)).filter(|ms| *ms >= 0.0);
            delay.ok_or_else(|| {
                invalid(MS, "a number of milliseconds from 0 up, or a duration such as `5s`", ms)
            })
        }
    }
}

fn invalid(key: &str, expected: &str, found: &Json) -> Failure {
    let found = shorten_name(&canonical_text(found));
    Failure::new("wait/invalid-time", format!("`{key}` is {expected}, not {found}"))
}
