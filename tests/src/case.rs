//! The shape of a suite file.

use crate::files::{files, folder};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use std::path::{Path, PathBuf};

/// A file of cases.
#[derive(Debug, Deserialize)]
pub struct Suite {
    /// Conditions judged on their own.
    #[serde(default)]
    pub conditions: Vec<ConditionCase>,
    /// Plans that are run.
    #[serde(default)]
    pub runs: Vec<Case>,
}

/// A condition and what it sees.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConditionCase {
    /// Its name in reports.
    pub id: String,
    /// What it shows.
    pub name: String,
    /// The condition.
    pub condition: String,
    /// The last output.
    #[serde(default)]
    pub last: Json,
    /// Outputs by name.
    #[serde(default)]
    pub outputs: Map<String, Json>,
    /// Rows of `tests/compliance/` that it shows.
    #[serde(default)]
    pub covers: Vec<String>,
    /// `true`, `false`, or the code of a diagnostic.
    pub expect: Json,
}

/// A plan and what its run gives.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name in reports.
    pub id: String,
    /// What it shows.
    pub name: String,
    /// The plan as data.
    #[serde(default)]
    pub plan: Option<Json>,
    /// The plan as text, where the text matters.
    #[serde(default)]
    pub source: Option<String>,
    /// The name of a flow that comes with the engine, instead of a plan.
    #[serde(default)]
    pub flow: Option<String>,
    /// Rows of `tests/compliance/` that it shows, such as `004-test-1`.
    #[serde(default)]
    pub covers: Vec<String>,
    /// `yaml` or `json`.
    #[serde(default)]
    pub format: Option<String>,
    /// The run's input.
    #[serde(default)]
    pub input: Json,
    /// Outputs that are there from the start.
    #[serde(default)]
    pub outputs: Map<String, Json>,
    /// What the host remembers.
    #[serde(default)]
    pub memory: Option<Json>,
    /// The run's trusted values.
    #[serde(default)]
    pub context: Option<Json>,
    /// What stands in for handlers, tools and models.
    #[serde(default)]
    pub stubs: Option<Json>,
    /// What must come of it.
    pub expect: Expect,
}

/// What must come of a run. What is absent is not compared.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Ids of the nodes that ran, in order.
    pub path: Option<Vec<String>>,
    /// The last output.
    #[serde(default, deserialize_with = "present")]
    pub last: Option<Json>,
    /// Entries of the last output, which is a map: a subset.
    pub last_has: Option<Map<String, Json>>,
    /// What models were told, by call: every text of `has` stands in the messages, and none of `lacks`.
    pub asked: Option<Map<String, Json>>,
    /// Outputs: a subset.
    pub outputs: Option<Map<String, Json>>,
    /// `id:status`, in order.
    pub audit: Option<Vec<String>>,
    /// Edge decisions, in order: a subset of their fields.
    pub decisions: Option<Vec<Map<String, Json>>>,
    /// How it ended; `completed` unless said.
    pub outcome: Option<String>,
    /// Where it failed.
    pub node: Option<String>,
    /// Why it failed.
    pub code: Option<String>,
    /// Where that is, when it is inside a node.
    pub scope: Option<String>,
    /// What was said in the conversations of agents, a line each.
    pub said: Option<Vec<String>>,
    /// What was counted: a subset.
    pub counts: Option<Map<String, Json>>,
    /// What graphs inside nodes had that gave up with the run.
    pub partial: Option<Json>,
    /// How often nodes were visited: a subset.
    pub visits: Option<Map<String, Json>>,
    /// Codes of the errors found before the run.
    pub diagnostics: Option<Vec<String>>,
    /// Codes of the warnings found before the run.
    pub warnings: Option<Vec<String>>,
}

/// A field that is there, even when it is null.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(from).map(Some)
}

impl Case {
    /// The text of the plan.
    pub fn text(&self) -> String {
        let flow = self.flow.as_deref().and_then(stepgraph_core::flows::source).map(str::to_owned);
        flow.or_else(|| self.source.clone())
            .unwrap_or_else(|| self.plan.as_ref().unwrap_or(&Json::Null).to_string())
    }
}

impl From<&ConditionCase> for Case {
    /// A plan whose one decision is the condition: it goes to `yes` or to `no`.
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
    /// Every suite file of the workspace, and the cases in it.
    pub fn all() -> Vec<(PathBuf, Vec<Case>)> {
        let files = files(&folder("tests/suite"), &["yaml"]);
        files.into_iter().map(|file| (file.clone(), Self::cases(&file))).collect()
    }

    /// The cases of one file.
    ///
    /// # Panics
    /// When the file is no suite: a test without cases would pass for nothing.
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
