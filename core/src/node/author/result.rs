//! The user's result, with all keys for every outcome.
//!
//! Source: `docs/authoring.md`, "The result".

use super::planning::references_approval;
use super::text::{json_list, json_map, text_field, text_list, truncate};
use crate::collect::CollectVec;
use crate::diagnostic::Code;
use crate::node::strategy_input::NodeOutput;
use serde_json::Value as Json;

fn quoted_names(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect_vec().join(", ")
}

fn value_or(input: &Json, key: &str, nothing: Json) -> Json {
    input.get(key).filter(|value| !value.is_null()).cloned().unwrap_or(nothing)
}

fn empty_list() -> Json {
    Json::Array(Vec::new())
}

pub(super) fn prepare(input: &Json) -> NodeOutput {
    let action = text_field(input, "action");
    let status = match action.as_str() {
        "valid" => "planned",
        "params_complete" | "params_incomplete" => "found",
        "clarification_needed" | "impossible_requirements" | "partial_solution" => action.as_str(),
        _ => "failed",
    };
    let plan = value_or(input, "planning_result", json_map(Vec::new()));
    let missing = text_list(&plan, "missing_capabilities");
    let params = text_list(input, "missing_params");
    let alternatives = alternatives(status, &plan, &missing);
    let ready = status == "planned";
    let name =
        input.get("discovery_result").filter(|_| status == "found").map(|found| text_field(found, "name"));
    let errors = value_or(input, "validation_errors", empty_list());
    let errors = if status == "failed" { errors } else { empty_list() };
    let mut warnings = text_list(&plan, "warnings");
    let question = input.get("requirements_result").map(|result| text_field(result, "clarification_needed"));
    if let Some(question) =
        question.filter(|question| status != "clarification_needed" && !question.is_empty())
    {
        warnings.push(format!("the request is clear, but a question is open: {question}"));
    }
    let left = value_or(input, "unresolved", empty_list());
    let mut left = if ready { left } else { empty_list() };
    let chain = text_field(&plan, "node_chain").split(" >> ").map(str::to_owned).collect_vec();
    let browsed =
        input.get("browsed_components").map(|browsed| text_list(browsed, "node_ids")).unwrap_or_default();
    let lacks_approval = references_approval(&text_field(&plan, "plan_markdown"), &chain, &browsed);
    let unread = [
        (
            lacks_approval,
            "the plan in prose refers to an approval, but its node chain has none",
            "check whether the workflow asks for approval before it acts",
        ),
        (
            text_field(&plan, "node_chain").is_empty(),
            "the plan in prose has no node chain, so it is unknown what the workflow leaves out",
            "compare the workflow with the request",
        ),
    ];
    if let Some(left) = left.as_array_mut().filter(|_| ready) {
        left.extend(unread.iter().filter(|(is_so, ..)| *is_so).map(|(_, message, help)| {
            json_map(vec![
                ("code", Json::from(Code::AuthorLeftOut.slug())),
                ("message", Json::from(*message)),
                ("help", Json::from(*help)),
                ("place", Json::from("")),
            ])
        }));
    }
    if ready {
        let found = input.get("validation_warnings").and_then(Json::as_array).into_iter().flatten();
        warnings.extend(found.map(|found| text_field(found, "message")));
    }
    let said = ResultMessage {
        input,
        missing: &missing,
        params: &params,
        alternatives: &alternatives,
        name: name.as_deref(),
        errors: &errors,
        unresolved: &left,
    };
    let message = said.message(status);
    let more = value_or(input, "more_errors", Json::from(0));
    let of_failed = |value: Json| if status == "failed" { value } else { Json::from(0) };
    let workflow = value_or(input, "generated_workflow", Json::Null);
    let result = json_map(vec![
        ("status", Json::from(status)),
        ("message", Json::from(message)),
        ("workflow", if ready { workflow } else { Json::Null }),
        ("workflow_name", name.map_or(Json::Null, Json::from)),
        ("params", value_or(input, "execution_params", json_map(Vec::new()))),
        ("missing_params", json_list(params)),
        ("missing_capabilities", json_list(missing)),
        ("alternatives", json_list(alternatives)),
        ("errors", errors),
        ("more_errors", of_failed(more)),
        ("unresolved", left),
        ("coverage", value_or(input, "coverage", empty_list())),
        ("warnings", json_list(warnings)),
        ("missed_deadlines", value_or(input, "missed_deadlines", empty_list())),
        ("generations", value_or(input, "generations", Json::from(0))),
    ]);
    NodeOutput { value: result.clone(), named_outputs: vec![("result", result)] }
}

fn alternatives(status: &str, plan: &Json, missing: &[String]) -> Vec<String> {
    let said = text_list(plan, "alternatives");
    if !said.is_empty() || !matches!(status, "impossible_requirements" | "partial_solution") {
        return said;
    }
    if missing.is_empty() {
        return vec!["connect a server whose tools can do it".to_owned()];
    }
    missing.iter().map(|one| format!("connect a server with a tool for this: {one}")).collect_vec()
}

struct ResultMessage<'a> {
    input: &'a Json,
    missing: &'a [String],
    params: &'a [String],
    alternatives: &'a [String],
    name: Option<&'a str>,
    errors: &'a Json,
    unresolved: &'a Json,
}

impl ResultMessage<'_> {
    fn message(&self, status: &str) -> String {
        let generations = self.input.get("generations").and_then(Json::as_u64).unwrap_or(0);
        let needs = match self.params {
            [] => String::new(),
            names => format!(" It still needs {}.", quoted_names(names)),
        };
        let lacks = match self.missing {
            [] => String::new(),
            missing => format!(" Not possible: {}.", quoted_names(missing)),
        };
        let instead = match self.alternatives {
            [] => String::new(),
            all => {
                format!(" Instead: {}.", all.iter().map(|one| truncate(one, 200)).collect_vec().join("; "))
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
                let look = match self.first_of(self.unresolved) {
                    Some(first) => format!(" Review it before you run it: {first}."),
                    None => String::new(),
                };
                format!(
                    "Here is a plan with {nodes} {things}; it was checked and can be run.{look}{partly}{lacks}{needs}"
                )
            }
            "found" => format!("`{}` does this already.{needs}", self.name.unwrap_or_default()),
            "clarification_needed" => {
                let asked = self
                    .input
                    .get("requirements_result")
                    .map(|result| text_field(result, "clarification_needed"));
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
                    format!("No valid plan after {generations} generations. In the last one {first}.")
                }
                (None, _) => format!("No valid plan after {generations} generations."),
            },
        }
    }

    fn first_of(&self, problems: &Json) -> Option<String> {
        let first = text_field(problems.get(0)?, "message");
        let further = self.input.get("more_errors").and_then(Json::as_u64).unwrap_or(0);
        let more = problems.as_array().map_or(0, |all| all.len() as u64) + further - 1;
        if first.is_empty() {
            return None;
        }
        Some(if more == 0 { first } else { format!("{first}, and {more} more") })
    }
}
