//! The format of a suite file.

use crate::files::{files, folder};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use std::path::{Path, PathBuf};

/// A file of cases.
#[derive(Debug, Deserialize)]
pub struct Suite {
    /// Conditions evaluated on their own.
    #[serde(default)]
    pub conditions: Vec<ConditionCase>,
    /// Plans to run.
    #[serde(default)]
    pub runs: Vec<Case>,
}

/// A condition and its data.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConditionCase {
    /// Id in reports.
    pub id: String,
    /// Purpose of the case.
    pub name: String,
    /// The condition.
    pub condition: String,
    /// Last output.
    #[serde(default)]
    pub last: Json,
    /// Outputs by name.
    #[serde(default)]
    pub outputs: Map<String, Json>,
    /// Covered rows of `tests/compliance/`.
    #[serde(default)]
    pub covers: Vec<String>,
    /// `true`, `false` or a diagnostic's code.
    pub expect: Json,
}

/// A plan and its expected result.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Id in reports.
    pub id: String,
    /// Purpose of the case.
    pub name: String,
    /// Plan as data.
    #[serde(default)]
    pub plan: Option<Json>,
    /// Plan as text, if the exact text matters.
    #[serde(default)]
    pub source: Option<String>,
    /// Built-in flow that replaces the plan.
    #[serde(default)]
    pub flow: Option<String>,
    /// Covered rows of `tests/compliance/`, such as `004-test-1`.
    #[serde(default)]
    pub covers: Vec<String>,
    /// `yaml` or `json`.
    #[serde(default)]
    pub format: Option<String>,
    /// The run's input.
    #[serde(default)]
    pub input: Json,
    /// Outputs before the run.
    #[serde(default)]
    pub outputs: Map<String, Json>,
    /// Host's memory.
    #[serde(default)]
    pub memory: Option<Json>,
    /// Trusted values.
    #[serde(default)]
    pub context: Option<Json>,
    /// Stubs for handlers, tools and models.
    #[serde(default)]
    pub stubs: Option<Json>,
    /// Expected result.
    pub expect: Expect,
}

/// An expected result. Absent fields are not compared.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Nodes that ran, in order.
    pub path: Option<Vec<String>>,
    /// Last output.
    #[serde(default, deserialize_with = "present")]
    pub last: Option<Json>,
    /// Subset of the last output's entries.
    pub last_has: Option<Map<String, Json>>,
    /// Requests to models, by call: they contain all texts of `has` and none of `lacks`.
    pub asked: Option<Map<String, Json>>,
    /// Subset of the outputs.
    pub outputs: Option<Map<String, Json>>,
    /// `id:status`, in order.
    pub audit: Option<Vec<String>>,
    /// Edge decisions, in order, each a subset of its fields.
    pub decisions: Option<Vec<Map<String, Json>>>,
    /// Outcome, by default `completed`.
    pub outcome: Option<String>,
    /// Failed node.
    pub node: Option<String>,
    /// Failure's code.
    pub code: Option<String>,
    /// Failed node's scope, if nested.
    pub scope: Option<String>,
    /// Lines of the agents' conversations.
    pub said: Option<Vec<String>>,
    /// Subset of the counts.
    pub counts: Option<Map<String, Json>>,
    /// Partial results of abandoned nested graphs.
    pub partial: Option<Json>,
    /// Subset of the node visits.
    pub visits: Option<Map<String, Json>>,
    /// Error codes before the run.
    pub diagnostics: Option<Vec<String>>,
    /// Warning codes before the run.
    pub warnings: Option<Vec<String>>,
}

/// Keeps an explicit null apart from an absent field.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(from).map(Some)
}

impl Case {
    /// Returns the plan's text.
    pub fn text(&self) -> String {
        let flow = self.flow.as_deref().and_then(stepgraph_core::flows::source).map(str::to_owned);
        flow.or_else(|| self.source.clone())
            .unwrap_or_else(|| self.plan.as_ref().unwrap_or(&Json::Null).to_string())
    }
}

impl From<&ConditionCase> for Case {
    /// The condition chooses between the nodes `yes` and `no`.
    fn from(case: &ConditionCase) -> Self {
        let (answer, diagnostics) = match &case.expect {
            Json::String(code) => (None, Some(vec![code.clone()])),
            holds => (Some(if *holds == json!(true) { "yes" } else { "no" }), None),
        };
        let mut outputs = case.outputs.clone();
        Self {
            id: case.id.clone(),
            name: case.name.clone(),
            covers: case.covers.clone(),
            plan: Some(json!({
                "start": "probe",
                "nodes": {"probe": {"type": "probe"}, "yes": {"type": "noop"}, "no": {"type": "noop"}},
                "edges": [
                    {"from": "probe", "to": "yes", "condition": case.condition},
                    {"from": "probe", "to": "no"},
                ],
            })),
            input: outputs.remove("input").unwrap_or_default(),
            outputs,
            stubs: Some(json!({"types": {"probe": {"return": case.last}}})),
            expect: Expect {
                path: answer.map(|answer| vec!["probe".to_owned(), answer.to_owned()]),
                diagnostics,
                ..Expect::default()
            },
            ..Self::default()
        }
    }
}

impl Suite {
    /// Returns every suite file with its cases.
    pub fn all() -> Vec<(PathBuf, Vec<Case>)> {
        let files = files(&folder("tests/suite"), &["yaml"]);
        files.into_iter().map(|file| (file.clone(), Self::cases(&file))).collect()
    }

    /// Returns a file's cases.
    ///
    /// # Panics
    /// If the file is no suite. Otherwise a test with no cases would pass.
    pub fn cases(file: &Path) -> Vec<Case> {
        let read = std::fs::read_to_string(file).map_err(|e| e.to_string());
        let suite: Result<Self, String> =
            read.and_then(|text| serde_yaml::from_str(&text).map_err(|e| e.to_string()));
        match suite {
            Ok(suite) => suite.conditions.iter().map(Case::from).chain(suite.runs).collect(),
            #[expect(clippy::panic, reason = "a suite that can't be read is a broken checkout")]
            Err(error) => panic!("{}: {error}", file.display()),
        }
    }
}
