//! The format of a suite file.

use crate::files::{files, folder};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use std::path::{Path, PathBuf};

/// A file of cases.
#[derive(Debug, Deserialize)]
pub struct Suite {
    /// Conditions that are evaluated on their own.
    #[serde(default)]
    pub conditions: Vec<ConditionCase>,
    /// Plans that are run.
    #[serde(default)]
    pub runs: Vec<Case>,
}

/// A condition and the data it reads.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConditionCase {
    /// The id in reports.
    pub id: String,
    /// The purpose of the case.
    pub name: String,
    /// The condition.
    pub condition: String,
    /// The last output.
    #[serde(default)]
    pub last: Json,
    /// Outputs by name.
    #[serde(default)]
    pub outputs: Map<String, Json>,
    /// The rows of `tests/compliance/` that the case covers.
    #[serde(default)]
    pub covers: Vec<String>,
    /// `true`, `false`, or the code of a diagnostic.
    pub expect: Json,
}

/// A plan and its expected result.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The id in reports.
    pub id: String,
    /// The purpose of the case.
    pub name: String,
    /// The plan as data.
    #[serde(default)]
    pub plan: Option<Json>,
    /// The plan as text, if the exact text matters.
    #[serde(default)]
    pub source: Option<String>,
    /// The name of a built-in flow that replaces the plan.
    #[serde(default)]
    pub flow: Option<String>,
    /// The rows of `tests/compliance/` that the case covers, such as `004-test-1`.
    #[serde(default)]
    pub covers: Vec<String>,
    /// `yaml` or `json`.
    #[serde(default)]
    pub format: Option<String>,
    /// The run's input.
    #[serde(default)]
    pub input: Json,
    /// Outputs that exist before the run.
    #[serde(default)]
    pub outputs: Map<String, Json>,
    /// The host's memory.
    #[serde(default)]
    pub memory: Option<Json>,
    /// The run's trusted values.
    #[serde(default)]
    pub context: Option<Json>,
    /// The stubs for handlers, tools and models.
    #[serde(default)]
    pub stubs: Option<Json>,
    /// The expected result.
    pub expect: Expect,
}

/// The expected result of a run. Absent fields are not compared.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Ids of the nodes that ran, in order.
    pub path: Option<Vec<String>>,
    /// The last output.
    #[serde(default, deserialize_with = "present")]
    pub last: Option<Json>,
    /// A subset of the entries of the last output, which is a map.
    pub last_has: Option<Map<String, Json>>,
    /// The text sent to models, by call. The messages contain every text of `has` and no text of `lacks`.
    pub asked: Option<Map<String, Json>>,
    /// A subset of the outputs.
    pub outputs: Option<Map<String, Json>>,
    /// `id:status`, in order.
    pub audit: Option<Vec<String>>,
    /// Edge decisions, in order, each with a subset of its fields.
    pub decisions: Option<Vec<Map<String, Json>>>,
    /// The outcome. The default is `completed`.
    pub outcome: Option<String>,
    /// The node that failed.
    pub node: Option<String>,
    /// The code of the failure.
    pub code: Option<String>,
    /// The scope of the failed node, if it is nested.
    pub scope: Option<String>,
    /// The lines of the agents' conversations.
    pub said: Option<Vec<String>>,
    /// A subset of the counts.
    pub counts: Option<Map<String, Json>>,
    /// The partial results of the nested graphs that the end of the run abandoned.
    pub partial: Option<Json>,
    /// A subset of the visits of nodes.
    pub visits: Option<Map<String, Json>>,
    /// Codes of the errors found before the run.
    pub diagnostics: Option<Vec<String>>,
    /// Codes of the warnings found before the run.
    pub warnings: Option<Vec<String>>,
}

/// Keeps an explicit null apart from an absent field.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(from).map(Some)
}

impl Case {
    /// Returns the text of the plan.
    pub fn text(&self) -> String {
        let flow = self.flow.as_deref().and_then(stepgraph_core::flows::source).map(str::to_owned);
        flow.or_else(|| self.source.clone())
            .unwrap_or_else(|| self.plan.as_ref().unwrap_or(&Json::Null).to_string())
    }
}

impl From<&ConditionCase> for Case {
    /// Builds a plan in which the condition chooses between the nodes `yes` and `no`.
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
    /// Returns every suite file of the workspace with its cases.
    pub fn all() -> Vec<(PathBuf, Vec<Case>)> {
        let files = files(&folder("tests/suite"), &["yaml"]);
        files.into_iter().map(|file| (file.clone(), Self::cases(&file))).collect()
    }

    /// Returns the cases of one file.
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
