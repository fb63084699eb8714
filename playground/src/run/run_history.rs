//! A plan's ended runs, newest last, and their differences.
//!
//! Bounded: the oldest is dropped first. A record has the recording, to show again, and a line per visit, to compare
//! without a replay.
//!
//! Invariants: 1. a number names one run for ever. 2. invalid text is an empty history.

use super::apply_message::{list, number, text, whole};
use super::format_value::one_line;
use super::{Outcome, Run};
use serde_json::{Value as Json, json};
use stepgraph_core::json::parse;
use stepgraph_core::value::json_text;

/// Per plan.
const MAX_RUNS: usize = 20;
/// Per record.
const MAX_STEPS: usize = 500;
/// Limit of a visit.
const MAX_RESULT_CHARS: usize = 120;
/// Sites have about five million characters.
const MAX_BYTES: usize = 400_000;

/// As many digits as Git shows.
const VERSION_CHARS: usize = 7;

/// Ended run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// Counts from 1 in its plan.
    pub number: usize,
    /// The forked run.
    pub parent: Option<usize>,
    /// `completed`, `rejected`, `failed` or `cancelled`.
    pub outcome: String,
    /// Empty without an error.
    pub code: String,
    /// When it ended, in milliseconds since 1970. Runs of earlier pages have 0.
    pub at_ms: f64,
    /// Duration.
    pub ms: f64,
    /// In start order.
    pub steps: Vec<RunStep>,
    /// Empty if too long.
    pub cassette: String,
}

/// A recorded visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunStep {
    /// Node path.
    pub node_path: String,
    /// Output or error code, perhaps shortened.
    pub result: String,
}

/// Ended runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunHistory {
    records: Vec<RunRecord>,
    last_number: usize,
}

impl RunHistory {
    /// Oldest first.
    pub fn records(&self) -> &[RunRecord] {
        &self.records
    }

    /// Finds by number.
    pub fn record(&self, number: usize) -> Option<&RunRecord> {
        self.records.iter().find(|record| record.number == number)
    }

    /// Returns its number, or nothing if it has not ended.
    pub fn add(&mut self, run: &Run, parent: Option<usize>, cassette: String, at_ms: f64) -> Option<usize> {
        let ended = run.outcome()?;
        self.last_number += 1;
        self.records.push(RunRecord {
            number: self.last_number,
            parent,
            outcome: if run.rejected_node().is_some() {
                "rejected".to_owned()
            } else {
                ended.outcome.clone()
            },
            code: ended.code.clone().unwrap_or_default(),
            at_ms,
            ms: ended.ms,
            steps: run.visits().iter().take(MAX_STEPS).map(step).collect(),
            cassette,
        });
        while self.records.len() > 1 && (self.records.len() > MAX_RUNS || self.size() > MAX_BYTES) {
            self.records.remove(0);
        }
        Some(self.last_number)
    }

    fn size(&self) -> usize {
        self.records.iter().map(RunRecord::size).sum()
    }

    /// Text to store.
    pub fn to_text(&self) -> String {
        let runs: Vec<_> = self.records.iter().map(RunRecord::to_json).collect();
        json_text(&json!({"last": self.last_number, "runs": runs}))
    }

    /// Stored text.
    pub fn from_text(stored: &str) -> Self {
        let json = parse(stored).unwrap_or_default();
        let records: Vec<_> = list(&json, "runs").iter().map(RunRecord::from_json).collect();
        let last = records.last().map_or(0, |record| record.number);
        Self { last_number: whole(&json, "last").max(last), records }
    }
}

impl RunRecord {
    /// The start of the plan's hash, which comments and layout leave alone. Empty without a recording.
    pub fn plan_version(&self) -> &str {
        let head = self.cassette.lines().next().unwrap_or_default();
        let hash = head.split_once("\"hash\":\"").and_then(|(_, rest)| rest.split_once('"'));
        hash.and_then(|(hash, _)| hash.get(..VERSION_CHARS)).unwrap_or_default()
    }

    fn size(&self) -> usize {
        let steps = self.steps.iter().map(|step| step.node_path.len() + step.result.len());
        self.cassette.len() + steps.sum::<usize>()
    }

    fn to_json(&self) -> Json {
        let steps: Vec<_> = self.steps.iter().map(|step| json!([step.node_path, step.result])).collect();
        json!({
            "number": self.number, "parent": self.parent, "outcome": self.outcome, "code": self.code,
            "at": self.at_ms, "ms": self.ms, "steps": steps, "cassette": self.cassette,
        })
    }

    fn from_json(json: &Json) -> Self {
        let part =
            |step: &Json, at: usize| step.get(at).and_then(Json::as_str).unwrap_or_default().to_owned();
        let steps = list(json, "steps").iter();
        Self {
            number: whole(json, "number"),
            parent: json.get("parent").filter(|parent| parent.is_u64()).map(|_| whole(json, "parent")),
            outcome: text(json, "outcome").to_owned(),
            code: text(json, "code").to_owned(),
            at_ms: number(json, "at"),
            ms: number(json, "ms"),
            steps: steps.map(|step| RunStep { node_path: part(step, 0), result: part(step, 1) }).collect(),
            cassette: text(json, "cassette").to_owned(),
        }
    }
}

fn step(visit: &super::Visit) -> RunStep {
    let result = match &visit.end {
        Outcome::Done(value) => one_line(&value.text, MAX_RESULT_CHARS),
        Outcome::Failed { code, .. } => code.to_string(),
        Outcome::Abandoned => String::new(),
    };
    RunStep { node_path: visit.node_path.to_string(), result }
}

/// First differing visit. `None` if all agree.
pub fn first_difference(one: &RunRecord, other: &RunRecord) -> Option<usize> {
    let shared = one.steps.iter().zip(&other.steps).position(|(one, other)| one != other);
    let shorter = one.steps.len().min(other.steps.len());
    shared.or_else(|| (one.steps.len() != other.steps.len()).then_some(shorter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(results: &[&str]) -> Run {
        let mut run = Run::default();
        let mut events = vec![json!({"type": "run-started", "at": 0, "value": {"text": "null"}})];
        for (at, result) in results.iter().enumerate() {
            let node = ["n", &at.to_string()].concat();
            events.push(json!({"type": "node-started", "at": at, "nodePath": node, "lane": "", "visit": 1, "value": {"text": "1"}}));
            events.push(json!({"type": "node-completed", "at": at, "nodePath": node, "lane": "", "visit": 1, "value": {"text": result}, "ms": 0}));
        }
        run.apply_message(&json!({"type": "events", "events": events}));
        run.apply_message(&json!({"type": "ended", "outcome": "completed", "last": {"text": "1"}, "ms": 5}));
        run
    }

    #[test]
    fn keeps_a_fork_with_its_parent_and_finds_the_first_difference() {
        let mut history = RunHistory::default();
        let tape = "{\"type\":\"cassette\",\"plan\":{\"hash\":\"a85a0dbfb565\"}}\n{}";
        let parent = history.add(&ended(&["1", "2", "3"]), None, tape.into(), 7.0);
        let fork = history.add(&ended(&["1", "9", "3"]), parent, String::new(), 0.0);
        assert_eq!((parent, fork), (Some(1), Some(2)));
        let (one, other) = (history.record(1).unwrap(), history.record(2).unwrap());
        assert_eq!(other.parent, Some(1));
        assert_eq!(first_difference(one, other), Some(1));
        assert_eq!(first_difference(one, one), None);
        assert_eq!((one.at_ms, one.plan_version(), other.plan_version()), (7.0, "a85a0db", ""));
        let longer = history.add(&ended(&["1", "2", "3", "4"]), None, String::new(), 0.0).unwrap();
        assert_eq!(first_difference(one_of(&history, 1), one_of(&history, longer)), Some(3));
        assert_eq!(RunHistory::from_text(&history.to_text()), history);
    }

    fn one_of(history: &RunHistory, number: usize) -> &RunRecord {
        history.record(number).unwrap()
    }

    #[test]
    fn a_run_whose_last_approval_was_rejected_is_no_success() {
        let run = |answers: &[&str]| {
            let mut run = ended(&[]);
            let events = answers.iter().enumerate().flat_map(|(at, answer)| {
                let (visit, call) = (at + 1, ["ask:", &at.to_string()].concat());
                let node = json!({"at": 1, "nodePath": "ask", "lane": "", "visit": visit, "value": {"text": answer}});
                let event = |kind: &str, more: Json| {
                    let mut event = node.clone();
                    let map = event.as_object_mut().unwrap();
                    map.insert("type".into(), kind.into());
                    map.extend(more.as_object().cloned().unwrap_or_default());
                    event
                };
                [
                    event("node-started", json!({})),
                    event("call-started", json!({"call": call, "kind": "approval"})),
                    event("call-answered", json!({"call": call})),
                    event("node-completed", json!({"ms": 0})),
                ]
            });
            run.apply_message(&json!({"type": "events", "events": events.collect::<Vec<_>>()}));
            run
        };
        let outcome = |answers: &[&str]| {
            let mut history = RunHistory::default();
            history.add(&run(answers), None, String::new(), 0.0);
            history.records()[0].outcome.clone()
        };
        assert_eq!(run(&["\"rejected\""]).rejected_node(), Some("ask"));
        assert_eq!(outcome(&["\"rejected\""]), "rejected");
        assert_eq!(outcome(&["\"approved\"", "\"rejected\""]), "rejected");
        assert_eq!(
            outcome(&["\"rejected\"", "\"approved\""]),
            "completed",
            "a person approved the next draft"
        );
        assert_eq!(outcome(&["{\"total\":90}"]), "completed");
        assert_eq!(outcome(&[]), "completed");
    }

    #[test]
    fn drops_the_oldest_run_and_never_reuses_a_number() {
        let mut history = RunHistory::default();
        for _ in 0..MAX_RUNS + 2 {
            history.add(&ended(&["1"]), None, String::new(), 0.0);
        }
        let numbers: Vec<_> = history.records().iter().map(|record| record.number).collect();
        assert_eq!(numbers, (3..=MAX_RUNS + 2).collect::<Vec<_>>());
        history.add(&ended(&["1"]), None, "x".repeat(MAX_BYTES), 0.0);
        assert_eq!(history.records().len(), 1, "a large recording replaces the older ones");
        let stored = RunHistory::from_text(&history.to_text());
        assert_eq!(stored.last_number, MAX_RUNS + 3);
    }

    #[test]
    fn refuses_a_run_that_goes_on_and_text_that_is_no_history() {
        assert_eq!(RunHistory::default().add(&Run::default(), None, String::new(), 0.0), None);
        for stored in ["", "no json", "[1]", "{\"runs\": 3}"] {
            assert_eq!(RunHistory::from_text(stored), RunHistory::default());
        }
    }
}
