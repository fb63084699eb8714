//! The plan that ran, compared with the open one.

use super::EdgeTexts;
use std::cell::RefCell;
use stepgraph_core::graph::PlanGraph;

/// Longer plans are compared by their text only, because a hash takes too long while the user types.
const MAX_HASHED_BYTES: usize = 200_000;

/// The plan at a run's start.
#[derive(Debug, Clone, Default)]
pub struct RanPlan {
    text: String,
    hash: Option<String>,
    /// The last compared text and the result, because each event of a run asks.
    compared: RefCell<Option<(String, bool)>>,
    /// Its edges.
    pub edges: EdgeTexts,
}

impl RanPlan {
    /// `plan` is `None` if the text is invalid.
    pub fn new(text: &str, plan: Option<&PlanGraph>) -> Self {
        Self {
            text: text.to_owned(),
            hash: plan.filter(|_| text.len() <= MAX_HASHED_BYTES).map(PlanGraph::hash),
            compared: RefCell::default(),
            edges: plan.map(EdgeTexts::from_plan).unwrap_or_default(),
        }
    }

    /// Comments, format, layout and tests make no difference.
    pub fn differs_from(&self, text: &str, plan: Option<&PlanGraph>) -> bool {
        if self.text == text {
            return false;
        }
        let (Some(hash), Some(plan)) = (&self.hash, plan) else { return true };
        if text.len() > MAX_HASHED_BYTES {
            return true;
        }
        let mut compared = self.compared.borrow_mut();
        if let Some((known, differs)) = &*compared
            && known == text
        {
            return *differs;
        }
        let differs = plan.hash() != *hash;
        *compared = Some((text.to_owned(), differs));
        differs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepgraph_core::source::Format;

    #[test]
    fn only_a_change_of_meaning_makes_a_difference() {
        let text = "start: a\nnodes: {a: {type: log, input: one}}\n";
        let plan = |text: &str| PlanGraph::parse(text, Format::Auto).graph;
        let ran = RanPlan::new(text, plan(text).as_ref());
        for (now, differs) in [
            (text.to_owned(), false),
            (["# A note.\n", text].concat(), false),
            ([text, "tests: {t: {expect: {outcome: completed}}}\n"].concat(), false),
            (text.replace("one", "two"), true),
        ] {
            for time in ["first", "again"] {
                assert_eq!(ran.differs_from(&now, plan(&now).as_ref()), differs, "{time}: {now}");
            }
        }
        assert!(ran.differs_from("nodes: [", None));
        let long = [text, &"# A note.\n".repeat(MAX_HASHED_BYTES / 10)].concat();
        assert!(ran.differs_from(&long, plan(&long).as_ref()));
        assert!(!RanPlan::new(&long, None).differs_from(&long, None));
    }
}
