//! A run's estimated cost, by the runner.

use super::apply_message::{list, text, whole};
use serde_json::Value as Json;

/// Estimated cost.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CostEstimate {
    /// Recorded runs that count.
    pub runs: usize,
    /// Calls, turns, tokens and US dollars. Empty if nothing is called.
    pub amounts: Vec<CostAmount>,
    /// Why some are missing.
    pub why: Vec<String>,
}

/// An amount.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CostAmount {
    /// `toolCalls`, `modelTurns`, `inputTokens`, `outputTokens` or `usd`.
    pub name: String,
    /// Maximum possible.
    pub most: Option<f64>,
    /// There is no limit. Otherwise a missing amount is unknown.
    pub is_unbounded: bool,
    /// Recorded mean.
    pub mean: Option<f64>,
    /// Recorded maximum.
    pub max: Option<f64>,
}

impl CostEstimate {
    /// Parses a message.
    pub fn from_message(message: &Json) -> Self {
        let amount = |amount: &Json| CostAmount {
            name: text(amount, "name").to_owned(),
            most: amount.get("most").and_then(Json::as_f64),
            is_unbounded: text(amount, "kind") == "unbounded",
            mean: amount.get("mean").and_then(Json::as_f64),
            max: amount.get("max").and_then(Json::as_f64),
        };
        Self {
            runs: whole(message, "runs"),
            amounts: list(message, "amounts").iter().map(amount).collect(),
            why: list(message, "why").iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        }
    }

    /// Finds by name.
    pub fn amount(&self, name: &str) -> Option<&CostAmount> {
        self.amounts.iter().find(|amount| amount.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_amounts_and_survives_others() {
        let message = json!({"type": "cost", "runs": 2, "why": ["no price", 3], "amounts": [
            {"name": "usd", "most": null, "kind": "unknown", "mean": 0.5, "max": 1},
            {"name": "toolCalls", "most": null, "kind": "unbounded"}, 7]});
        let cost = CostEstimate::from_message(&message);
        assert_eq!((cost.runs, cost.why.as_slice()), (2, &["no price".to_owned()][..]));
        let usd = cost.amount("usd").unwrap();
        assert_eq!((usd.most, usd.is_unbounded, usd.mean, usd.max), (None, false, Some(0.5), Some(1.0)));
        assert!(cost.amount("toolCalls").unwrap().is_unbounded);
        assert_eq!(CostEstimate::from_message(&json!({})), CostEstimate::default());
    }
}
