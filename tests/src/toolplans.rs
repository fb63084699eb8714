//! The cases of `suite/toolplans`.

use serde_json::{Value as Json, json};
use stepgraph_core::diagnostic::{Diagnostic, Target};
use stepgraph_core::tool::{ToolInfo, ToolRegistry};
use stepgraph_core::toolplan::{Trust, check, parse};

/// A tool plan and its expected result.
#[derive(Debug)]
pub struct Case {
    /// The name.
    pub name: String,
    answer: Json,
    trust: Trust,
    tools: ToolRegistry,
    /// `codes`, `parameters` and `needs`.
    pub expect: Json,
}

/// Returns all cases. A missing or invalid file yields none, which their test detects.
pub fn cases() -> Vec<Case> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/toolplans");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|f| f.path()).collect();
    files.sort();
    files.iter().flat_map(|path| in_file(path)).collect()
}

fn in_file(path: &std::path::Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let file: Json = serde_yaml::from_str(&text).unwrap_or_default();
    let list = file["cases"].as_array().cloned().unwrap_or_default();
    list.iter().map(|case| of(case, case.get("tools").unwrap_or(&file["tools"]))).collect()
}

fn of(case: &Json, tools: &Json) -> Case {
    let names = |names: &Vec<Json>| names.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect();
    let trusted = case["trusted"].as_array().map(names);
    Case {
        name: case["name"].as_str().unwrap_or_default().to_owned(),
        answer: case.get("answer").unwrap_or(&case["plan"]).clone(),
        trust: Trust {
            names: trusted.unwrap_or_else(|| Trust::default().names),
            context: case["context"].clone(),
        },
        tools: ToolRegistry::new(tools.as_array().into_iter().flatten().filter_map(ToolInfo::from_json)),
        expect: json!({
            "codes": case.get("codes").unwrap_or(&json!([])), "parameters": case["parameters"], "needs": case["needs"],
        }),
    }
}

/// Returns a case's checked plan and diagnostics.
pub fn judged(case: &Case) -> (Json, Vec<Diagnostic>) {
    let plan = match &case.answer {
        Json::String(text) => match parse(text) {
            Ok(plan) => plan,
            Err(problem) => return (Json::Null, vec![*problem]),
        },
        plan => plan.clone(),
    };
    let judged = check(&plan, &case.tools, &case.trust);
    (judged.plan, judged.diagnostics)
}

/// Formats as `code @ call`.
pub fn brief(problem: &Diagnostic) -> String {
    match problem.target {
        Target::Call(call) => format!("{} @ {call}", problem.code.slug()),
        _ => problem.code.slug().to_owned(),
    }
}
