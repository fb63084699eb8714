//! A tool's effect by its server's annotations. [`crate::capabilities`] decides approvals.
//!
//! Invariants:
//! 1. A hint that is no boolean makes a tool destructive, since the intent is unknown.
//! 2. If hints contradict each other, the more dangerous counts.
//! 3. `effectOf` in JavaScript agrees: `tests/hostile/approval-policy.test.mjs` compares both.
//!
//! Source: MCP, `ToolAnnotations`; `docs/security.md`.

use super::ToolInfo;
use serde_json::Value;

/// Declared effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Changes nothing.
    Reads,
    /// Changes data, destroys none.
    Writes,
    /// May destroy data.
    Destroys,
    /// Undeclared, which MCP treats as destructive.
    Unknown,
}

/// MCP's optional hints.
#[derive(Debug, Clone, Copy, Default)]
struct Hints {
    read_only: Option<bool>,
    destructive: Option<bool>,
    idempotent: Option<bool>,
}

impl ToolInfo {
    /// Declared effect.
    pub fn effect(&self) -> Effect {
        let Some(hints) = self.hints() else { return Effect::Destroys };
        match (hints.destructive, hints.read_only) {
            (Some(true), _) => Effect::Destroys,
            (_, Some(true)) => Effect::Reads,
            (Some(false), _) => Effect::Writes,
            (None, _) => Effect::Unknown,
        }
    }

    /// Whether the server declares repetitions harmless.
    pub fn is_repeatable(&self) -> bool {
        let is_idempotent = self.hints().is_some_and(|hints| hints.idempotent == Some(true));
        is_idempotent || self.effect() == Effect::Reads
    }

    /// Whether the server declares that a repetition has a further effect.
    pub fn repeats_its_effect(&self) -> bool {
        self.hints().is_some_and(|hints| hints.idempotent == Some(false))
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
        // A malformed `openWorldHint` casts doubt on the others.
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
