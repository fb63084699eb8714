//! Failures of calls, nodes and runs. Tools and hosts add codes.

use crate::tool::ToolErrorKind;

/// A call's failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// A slug such as `tool/failed`.
    pub code: String,
    /// The message.
    pub message: String,
}

impl Failure {
    /// Creates a failure.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into() }
    }
}

const CODES: [&str; 70] = [
    "agent/conversation-limit",
    "agent/cut-off",
    "agent/filtered",
    "agent/turn-limit",
    "approval/failed",
    "author/bad-answer",
    "author/bad-patch",
    "author/no-plan",
    "author/not-browsed",
    "author/server",
    "author/trusted-value",
    "author/undeclared-input",
    "expression/divide-by-zero",
    "expression/invalid-value",
    "expression/out-of-range",
    "expression/overflow",
    "expression/too-costly",
    "expression/too-deep",
    "expression/type",
    "gather/no-calls",
    "handler/failed",
    "handler/not-json",
    "handler/unknown",
    "join/none-completed",
    "map/not-a-list",
    "model/bad-reply",
    "model/context-length",
    "model/failed",
    "model/not-found",
    "model/overloaded",
    "model/quota",
    "model/rate-limited",
    "model/refused",
    "model/timeout",
    "model/too-large",
    "model/unauthorized",
    "model/unknown",
    "model/unreachable",
    "node/timeout",
    "plan/bad-reference",
    "plan/invalid-context",
    "plan/invalid-type",
    "plan/invalid-value",
    "plan/missing-context",
    "plan/missing-parameter",
    "plan/not-json",
    "plan/too-many-calls",
    "plan/unknown-parameter",
    "plan/unknown-tool",
    "react/invalid-plan",
    "react/no-answer",
    "react/no-result",
    "react/stuck",
    "react/too-many-calls",
    "react/turn-limit",
    "run/call-limit",
    "run/output-limit",
    "run/step-limit",
    "run/timeout",
    "run/token-limit",
    "run/usd-limit",
    "run/visit-limit",
    "template/missing",
    "template/too-large",
    "tool/invalid-result",
    "tool/not-json",
    "tool/refused",
    "tool/unknown",
    "wait/invalid-time",
    "wait/no-clock",
];

/// Codes of failed runs, except those of hosts.
pub(crate) fn failure_codes() -> impl Iterator<Item = &'static str> {
    CODES.into_iter().chain(ToolErrorKind::ALL.iter().map(|fault| fault.code()))
}
