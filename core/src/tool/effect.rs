//! The effect of a tool call, by the annotations of its server.
//!
//! Decides how contradictory and malformed annotations count. Does not decide which calls need approval.
//!
//! Invariants:
//! 1. A hint that is not a boolean makes the tool count as destructive, because its server's intent is unknown.
//! 2. If two hints contradict each other, the more dangerous one counts.
//! 3. `effectOf` of the JavaScript library agrees: `tests/hostile/approval-policy.test.mjs` compares both with one
//!    table.
//!
//! Source: MCP, `ToolAnnotations`; `docs/security.md`.

use super::ToolInfo;
use serde_json::Value;

/// The effect of a tool call, as its server declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// It changes nothing.
    Reads,
    /// It changes data and destroys none.
    Writes,
    /// It may destroy data.
    Destroys,
    /// The server does not declare it. The default of MCP is that the tool may destroy data.
    Unknown,
}

/// The four hints of MCP. Each is optional.
#[derive(Debug, Clone, Copy, Default)]
struct Hints {
    read_only: Option<bool>,
    destructive: Option<bool>,
    idempotent: Option<bool>,
}

impl ToolInfo {
    /// Returns the effect of a call.
    pub fn effect(&self) -> Effect {
        let Some(hints) = self.hints() else { return Effect::Destroys };
        match (hints.destructive, hints.read_only) {
            (Some(true), _) => Effect::Destroys,
            (_, Some(true)) => Effect::Reads,
            (Some(false), _) => Effect::Writes,
            (None, _) => Effect::Unknown,
        }
    }

    /// Whether the server declares that repeating a call with the same arguments has no further effect.
    pub fn is_repeatable(&self) -> bool {
        let is_idempotent = self.hints().is_some_and(|hints| hints.idempotent == Some(true));
        is_idempotent || self.effect() == Effect::Reads
    }

    fn hints(&self) -> Option<Hints> {
        let hints = match &self.annotations {
            None => return Some(Hints::default()),
            Some(Value::Object(hints)) => hints,
            Some(_) => return None,
        };
        let hint = |name: &str| match hints.get(name) {
            None | Some(Value::Null) => Some(None),
            Some(Value::Bool(said)) => Some(Some(*said)),
            Some(_) => None,
        };
        // No effect depends on `openWorldHint`, but a server that malforms it may have malformed the others.
        hint("openWorldHint")?;
        Some(Hints {
            read_only: hint("readOnlyHint")?,
            destructive: hint("destructiveHint")?,
            idempotent: hint("idempotentHint")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn effects() {
        for (annotations, expect) in [
            (Value::Null, Effect::Unknown),
            (json!({}), Effect::Unknown),
            (json!({"readOnlyHint": false}), Effect::Unknown),
            (json!({"destructiveHint": null}), Effect::Unknown),
            (json!({"readOnlyHint": true}), Effect::Reads),
            (json!({"readOnlyHint": true, "destructiveHint": true}), Effect::Destroys),
            (json!({"destructiveHint": false}), Effect::Writes),
            (json!({"destructiveHint": true}), Effect::Destroys),
            (json!({"destructiveHint": "true"}), Effect::Destroys),
            (json!({"destructiveHint": 1}), Effect::Destroys),
            (json!({"readOnlyHint": "false"}), Effect::Destroys),
            (json!({"readOnlyHint": true, "destructiveHint": "no"}), Effect::Destroys),
            (json!({"readOnlyHint": true, "openWorldHint": 7}), Effect::Destroys),
            (json!({"readOnlyHint": true, "idempotentHint": "x"}), Effect::Destroys),
            (json!({"destructiveHint": false, "idempotentHint": "x"}), Effect::Destroys),
            (json!([]), Effect::Destroys),
            (json!("readOnlyHint"), Effect::Destroys),
        ] {
            let listed = json!({"name": "t", "annotations": annotations});
            assert_eq!(ToolInfo::from_json(&listed).map(|tool| tool.effect()), Some(expect), "{annotations}");
        }
    }

    #[test]
    fn repeatable() {
        for (annotations, expect) in [
            (json!({}), false),
            (json!({"readOnlyHint": true}), true),
            (json!({"readOnlyHint": true, "destructiveHint": true}), false),
            (json!({"destructiveHint": true, "idempotentHint": true}), true),
            (json!({"openWorldHint": 7, "idempotentHint": true}), false),
            (json!({"idempotentHint": "true"}), false),
        ] {
            let listed = json!({"name": "t", "annotations": annotations});
            let repeatable = ToolInfo::from_json(&listed).map(|tool| tool.is_repeatable());
            assert_eq!(repeatable, Some(expect), "{annotations}");
        }
    }
}
