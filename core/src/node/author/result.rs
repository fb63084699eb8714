//! What a person is told in the end, whichever way the request went.
//!
//! Decides the status and the sentences. All keys are always there.
//!
//! Source: `docs/authoring.md`, "The result".

use super::planning::speaks_of_approval;
use super::words::{cut, list, map, text, texts};
use crate::diagnostic::Code;
use crate::list::List;
use crate::node::asked::Told;
use serde_json::Value as Json;

/// The names of a list, in back-ticks.
fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).list().join(", ")
}

/// Something that is there, or what stands for nothing.
fn or(input: &Json, key: &str, nothing: Json) -> Json {
    input.get(key).filter(|value| !value.is_null()).cloned().unwrap_or(nothing)
}

fn nothing() -> Json {
    Json::Array(Vec::new())
}

/// What the node gives.
pub(super) fn prepare(input: &Json) -> Told {
    let action = text(input, "action");
    let status = match action.as_str() {
        "valid" => "planned",
        "params_complete" | "params_incomplete" => "found",
        "clarification_needed" | "impossible_requirements" | "partial_solution" => action.as_str(),
        _ => "failed",
    };
    let plan = or(input, "planning_result", map(Vec::new()));
    let missing = texts(&plan, "missing_capabilities");
    let params = texts(input, "missing_params");
    let alternatives = alternatives(status, &plan, &missing);
    let ready = status == "planned";
    let name = input.get("discovery_result").filter(|_| status == "found").map(|found| text(found, "name"));
    let errors = or(input, "validation_errors", nothing());
    let errors = if status == "failed" { errors } else { nothing() };
    let mut warnings = texts(&plan, "warnings");
    let question = input.get("requirements_result").map(|result| text(result, "clarification_needed"));
    if let Some(question) =
        question.filter(|question| status != "clarification_needed" && !question.is_empty())
    {
        warnings.push(format!("the request is clear, and a question is left: {question}"));
    }
    let left = or(input, "unresolved", nothing());
    let mut left = if ready { left } else { nothing() };
    let chain = text(&plan, "node_chain").split(" >> ").map(str::to_owned).list();
    let browsed =
        input.get("browsed_components").map(|browsed| texts(browsed, "node_ids")).unwrap_or_default();
    let lacks_approval = speaks_of_approval(&text(&plan, "plan_markdown"), &chain, &browsed);
    let unread = [
        (
            lacks_approval,
            "the plan in words speaks of an approval, and its node chain has none",
            "look whether the workflow asks before it acts",
        ),
        (
            text(&plan, "node_chain").is_empty(),
            "the plan in words names no node chain, so nobody can tell what the workflow leaves out",
            "compare the workflow with the request",
        ),
    ];
    if let Some(left) = left.as_array_mut().filter(|_| ready) {
        left.extend(unread.iter().filter(|(is_so, ..)| *is_so).map(|(_, message, help)| {
            map(vec![
                ("code", Json::from(Code::AuthorLeftOut.slug())),
                ("message", Json::from(*message)),
                ("help", Json::from(*help)),
                ("place", Json::from("")),
            ])
        }));
    }
    if ready {
        let found = input.get("validation_warnings").and_then(Json::as_array).into_iter().flatten();
        warnings.extend(found.map(|found| text(found, "message")));
    }
    let said = Said {
        input,
        missing: &missing,
        params: &params,
        alternatives: &alternatives,
        name: name.as_deref(),
        errors: &errors,
        left: &left,
    };
    let message = said.message(status);
    let more = or(input, "more_errors", Json::from(0));
    let of_failed = |value: Json| if status == "failed" { value } else { Json::from(0) };
    let workflow = or(input, "generated_workflow", Json::Null);
    let result = map(vec![
        ("status", Json::from(status)),
        ("message", Json::from(message)),
        ("workflow", if ready { workflow } else { Json::Null }),
        ("workflow_name", name.map_or(Json::Null, Json::from)),
        ("params", or(input, "execution_params", map(Vec::new()))),
        ("missing_params", list(params)),
        ("missing_capabilities", list(missing)),
        ("alternatives", list(alternatives)),
        ("errors", errors),
        ("more_errors", of_failed(more)),
        ("unresolved", left),
        ("coverage", or(input, "coverage", nothing())),
        ("warnings", list(warnings)),
        ("missed_deadlines", or(input, "missed_deadlines", nothing())),
        ("generations", or(input, "generations", Json::from(0))),
    ]);
    Told { value: result.clone(), writes: vec![("result", result)] }
}

/// What could be done instead: what the plan says, and else what would have to be there.
fn alternatives(status: &str, plan: &Json, missing: &[String]) -> Vec<String> {
    let said = texts(plan, "alternatives");
    if !said.is_empty() || !matches!(status, "impossible_requirements" | "partial_solution") {
        return said;
    }
    if missing.is_empty() {
        return vec!["connect a server whose tools can do it".to_owned()];
    }
    missing.iter().map(|one| format!("connect a server with a tool for this: {one}")).list()
}

struct Said<'a> {
    input: &'a Json,
    missing: &'a [String],
    params: &'a [String],
    alternatives: &'a [String],
    name: Option<&'a str>,
    errors: &'a Json,
    left: &'a Json,
}

impl Said<'_> {
    fn message(&self, status: &str) -> String {
        let generations = self.input.get("generations").and_then(Json::as_u64).unwrap_or(0);
        let needs = match self.params {
            [] => String::new(),
            names => format!(" It still needs {}.", listed(names)),
        };
        let lacks = match self.missing {
            [] => String::new(),
            missing => format!(" Nothing can do: {}.", listed(missing)),
        };
        let instead = match self.alternatives {
            [] => String::new(),
            all => {
                format!(" Instead: {}.", all.iter().map(|one| cut(one, 200)).list().join("; "))
            }
        };
        match status {
            "planned" => {
                let nodes = self
                    .input
                    .pointer("/generated_workflow/nodes")
                    .and_then(Json::as_object)
                    .map_or(0, serde_json::Map::len);
                let things = if nodes == 1 { "node" } else { "nodes" };
                let partly =
                    if self.missing.is_empty() { "" } else { " It does only a part of the request." };
                let look = match self.first_of(self.left) {
                    Some(first) => format!(" Look at it before you run it: {first}."),
                    None => String::new(),
                };
                format!(
                    "Here is a plan with {nodes} {things}; it was checked and can be run.{look}{partly}{lacks}{needs}"
                )
            }
            "found" => format!("`{}` does this already.{needs}", self.name.unwrap_or_default()),
            "clarification_needed" => {
                let asked =
                    self.input.get("requirements_result").map(|result| text(result, "clarification_needed"));
                asked.unwrap_or_default()
            }
            "impossible_requirements" => {
                format!("This can't be done with the components there are.{lacks}{instead}")
            }
            "partial_solution" => {
                format!(
                    "Only a part of this can be done.{lacks} Run it again with `partial: continue` to go on with that part.{instead}"
                )
            }
            _ => match (self.first_of(self.errors), generations) {
                (Some(first), 0) => format!("No plan was made: {first}."),
                (Some(first), _) => {
                    format!("No sound plan came of {generations} generations. In the last one {first}.")
                }
                (None, _) => format!("No sound plan came of {generations} generations."),
            },
        }
    }

    /// The first of some problems in words, and how many there are beside it.
    fn first_of(&self, problems: &Json) -> Option<String> {
        let first = text(problems.get(0)?, "message");
        let further = self.input.get("more_errors").and_then(Json::as_u64).unwrap_or(0);
        let more = problems.as_array().map_or(0, |all| all.len() as u64) + further - 1;
        if first.is_empty() {
            return None;
        }
        Some(if more == 0 { first } else { format!("{first}, and {more} more") })
    }
}
