//! What a call of a tool may do, by the annotations of its server.
//!
//! Decides how contradictory and malformed annotations count. Knows nothing of who is asked because of them.
//!
//! Invariants:
//! 1. a hint that is no boolean, whichever of the four it is, makes the tool count as destructive: nobody knows what its
//!    server meant;
//! 2. of two hints that contradict each other the dangerous one is believed;
//! 3. `effectOf` of the JavaScript library says the same: `tests/hostile/approval-policy.test.mjs` holds both to one table.
//!
//! Source: MCP, `ToolAnnotations`; `docs/security.md`.

use super::ToolInfo;
use serde_json::Value;

/// What a call of a tool may do, by the word of its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// It changes nothing.
    Reads,
    /// It changes things and destroys none.
    Writes,
    /// It may destroy something.
    Destroys,
    /// Its server does not say. The default of MCP is that it may destroy something.
    Unknown,
}

/// The four hints of MCP, as far as the server gives them.
#[derive(Debug, Clone, Copy, Default)]
struct Hints {
    read_only: Option<bool>,
    destructive: Option<bool>,
    idempotent: Option<bool>,
}

impl ToolInfo {
    /// What a call of it may do, by its annotations.
    pub fn effect(&self) -> Effect {
        let Some(hints) = self.hints() else { return Effect::Destroys };
        match (hints.destructive, hints.read_only) {
            (Some(true), _) => Effect::Destroys,
            (_, Some(true)) => Effect::Reads,
            (Some(false), _) => Effect::Writes,
            (None, _) => Effect::Unknown,
        }
    }

    /// Whether calling it once more with the same arguments does no more than calling it once, as its server says.
    pub fn is_repeatable(&self) -> bool {
        let is_idempotent = self.hints().is_some_and(|hints| hints.idempotent == Some(true));
        is_idempotent || self.effect() == Effect::Reads
    }

    /// The hints; nothing when the annotations are malformed.
    fn hints(&self) -> Option<Hints> {
        let said = match &self.annotations {
            None => return Some(Hints::default()),
            Some(Value::Object(said)) => said,
            Some(_) => return None,
        };
        let hint = |name: &str| match said.get(name) {
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
