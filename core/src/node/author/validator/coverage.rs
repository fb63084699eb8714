//! Checks that a generated plan covers the request.
//!
//! Warns of unused chain components, tools without their approval, unserved requirements, and unread values.
//!
//! `metadata.step` assigns nodes to requirements, or else a chain with one component per requirement. A single
//! requirement has all nodes.
//!
//! Source: `docs/authoring.md`, "Request coverage".

mod guard;
mod paths;
mod values;

use super::super::browsing::component;
use super::super::generator::target_path;
use super::super::text::{json_list, json_map, text_field, text_list, truncate};
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic};
use crate::graph::{Node, PlanGraph, TemplateValue};
use crate::kind::resolve_alias;
use crate::tool::ToolRegistry;
use serde_json::Value as Json;

struct NodeComponents<'a> {
    node: &'a Node,
    path: String,
    names: Vec<&'a str>,
}

/// Omissions, and the nodes per requirement.
pub(super) fn check(plan: &PlanGraph, input: &Json, tools: &ToolRegistry) -> (Vec<Diagnostic>, Vec<Json>) {
    let used: Vec<NodeComponents<'_>> = plan
        .graphs()
        .into_iter()
        .flat_map(|graph| graph.nodes.iter().map(move |node| (graph, node)))
        .map(|(graph, node)| NodeComponents {
            node,
            path: target_path(&graph.target(node)),
            names: component_names(node, tools),
        })
        .collect_vec();
    let part = |key: &str| input.get(key).cloned().unwrap_or_default();
    let (steps, planned) = (text_list(&part("requirements_result"), "steps"), part("planning_result"));
    let words = text_field(&planned, "node_chain");
    let chain: Vec<&str> = words.split(">>").filter_map(|name| component(tools, name.trim())).collect_vec();
    let acting = used.iter().filter(|one| resolve_alias(&one.node.kind) != "noop").collect_vec();
    let served = serving_nodes(&steps, &chain, &acting);
    let mut diagnostics = left_out(&chain, &used).collect_vec();
    guard::check(&plan.root, &chain, &steps, tools, &mut diagnostics);
    // For PARTIAL, the user knows of unmet requirements.
    if text_field(&planned, "status") != "PARTIAL" {
        diagnostics.extend(unserved_requirements(&steps, &served));
    }
    diagnostics.extend(values::unread_values(plan, input));
    let row = |(at, (step, nodes)): (usize, (&String, Vec<String>))| {
        json_map(vec![
            ("step", Json::from(at + 1)),
            ("text", Json::from(step.as_str())),
            ("nodes", json_list(nodes)),
        ])
    };
    (diagnostics, steps.iter().zip(served).enumerate().map(row).collect_vec())
}

/// An agent also does an `llm`'s work.
fn component_names<'a>(node: &'a Node, tools: &'a ToolRegistry) -> Vec<&'a str> {
    let kind = resolve_alias(&node.kind);
    let own = node.tool.as_ref().filter(|_| kind == "tool").map_or(kind, |tool| tool.name.as_str());
    let mut names: Vec<&str> = component(tools, own).into_iter().collect_vec();
    if kind == "agent" {
        names.push("llm");
        let with = match &node.with {
            Some(TemplateValue::Constant(Json::Object(map))) => map.get("tools"),
            Some(TemplateValue::Map(entries)) => entries
                .iter()
                .find(|(key, _)| key == "tools")
                .and_then(|(_, template)| template.as_constant()),
            _ => None,
        };
        let offered = with.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
        names.extend(offered.filter_map(|name| component(tools, name)));
    }
    names
}

fn left_out(chain: &[&str], used: &[NodeComponents<'_>]) -> impl Iterator<Item = Diagnostic> {
    let mut seen: Vec<&str> = Vec::new();
    for name in chain {
        if !seen.contains(name) && !used.iter().any(|one| one.names.contains(name)) {
            seen.push(name);
        }
    }
    seen.into_iter().map(|name| {
        let message = format!("the plan in prose uses `{name}`, and no node of the workflow does");
        let help = match name {
            "approve" => "add a node of type `approve` before what it guards".to_owned(),
            _ => format!("add a node that uses `{name}`, where the chain has it"),
        };
        Diagnostic::new(Code::AuthorLeftOut, message).help(help)
    })
}

/// Node paths per requirement. A `noop` serves none.
fn serving_nodes(steps: &[String], chain: &[&str], used: &[&NodeComponents<'_>]) -> Vec<Vec<String>> {
    let said: Vec<Vec<usize>> = used.iter().map(|one| named_requirements(one.node, steps)).collect_vec();
    if said.iter().any(|steps| !steps.is_empty()) {
        let of = |step: usize| used.iter().zip(&said).filter(move |(_, said)| said.contains(&step));
        return (1..=steps.len())
            .map(|step| of(step).map(|(one, _)| one.path.clone()).collect_vec())
            .collect_vec();
    }
    if steps.len() == 1 {
        return vec![used.iter().map(|one| one.path.clone()).collect_vec()];
    }
    if chain.len() != steps.len() {
        return vec![Vec::new(); steps.len()];
    }
    // A repeated component needs a node per occurrence.
    let mut taken = vec![false; used.len()];
    let mut node_of = |name: &&str| {
        let at = used.iter().zip(&taken).position(|(one, taken)| !taken && one.names.contains(name))?;
        *taken.get_mut(at)? = true;
        used.get(at).map(|one| one.path.clone())
    };
    chain.iter().map(|name| node_of(name).into_iter().collect_vec()).collect_vec()
}

fn named_requirements(node: &Node, steps: &[String]) -> Vec<usize> {
    let entries = node.metadata.iter().filter(|(key, _)| matches!(key.as_str(), "step" | "steps"));
    let numbers = entries.flat_map(|(_, value)| {
        let whole = steps.iter().position(|step| step.eq_ignore_ascii_case(value.trim()));
        whole.map_or_else(|| parse_numbers(value), |at| vec![at + 1])
    });
    numbers.filter(|number| (1..=steps.len()).contains(number)).collect_vec()
}

/// Accepts `2`, `1, 3`, `Steps 2-4` or `2. Generate a changelog`. Before other words only a leading number counts.
fn parse_numbers(value: &str) -> Vec<usize> {
    let is_word = |word: &&str| {
        let word = word.to_ascii_lowercase();
        matches!(
            word.as_str(),
            "" | "step" | "steps" | "requirement" | "requirements" | "and" | "to" | "no" | "r" | "s"
        )
    };
    let only_numbers = value.split(|c: char| !c.is_alphabetic()).all(|word| is_word(&word));
    let mut found: Vec<usize> = Vec::new();
    let (mut rest, mut between) = (value, "");
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        let end = from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len());
        let number = from.get(..end).and_then(|digits| digits.parse::<usize>().ok()).unwrap_or(0);
        between = if found.is_empty() { between } else { before.trim() };
        let begins = before.split(|c: char| !c.is_alphabetic()).all(|word| is_word(&word));
        if found.is_empty() && !begins {
            return found;
        }
        match found.last().copied().filter(|_| matches!(between, "-" | "–" | "to" | "bis")) {
            Some(first) if number > first && number - first < 100 => found.extend(first + 1..=number),
            // `2.1` is a part of 2.
            _ if !found.is_empty() && between == "." && before == "." => {}
            _ => found.push(number),
        }
        if !only_numbers {
            break;
        }
        rest = from.get(end..).unwrap_or_default();
    }
    found
}

fn unserved_requirements(steps: &[String], served: &[Vec<String>]) -> Option<Diagnostic> {
    const MAX_LISTED: usize = 5;
    let open: Vec<(usize, &String)> = steps
        .iter()
        .enumerate()
        .filter(|(at, _)| served.get(*at).is_none_or(Vec::is_empty))
        .map(|(at, step)| (at + 1, step))
        .collect_vec();
    if open.is_empty() {
        return None;
    }
    let shown = open
        .iter()
        .take(MAX_LISTED)
        .map(|(number, step)| format!("{number}. {}", truncate(step, 80)))
        .collect_vec();
    let more = match open.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let things = if open.len() == 1 { "a requirement" } else { "requirements" };
    let message = format!("no node serves {things}: {}{more}", shown.join("; "));
    let help = "add a node for each, or name its number in the node that serves it: `\"metadata\": {\"step\": \"2\"}`";
    Some(Diagnostic::new(Code::AuthorStep, message).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_named_in_many_ways() {
        for (value, expect) in [
            ("2", vec![2]),
            ("1, 3", vec![1, 3]),
            ("1 and 3", vec![1, 3]),
            ("1;2;4", vec![1, 2, 4]),
            ("Step 2", vec![2]),
            ("step-2", vec![2]),
            ("Steps 2-4", vec![2, 3, 4]),
            ("2 to 4", vec![2, 3, 4]),
            ("2–3, 5", vec![2, 3, 5]),
            ("#2", vec![2]),
            ("[1, 2]", vec![1, 2]),
            ("2.1", vec![2]),
            ("2. Generate 3 changelogs", vec![2]),
            ("Step 3: post 2 messages", vec![3]),
            ("Fetch the last 2 issues", vec![]),
            ("", vec![]),
            ("all", vec![]),
            ("99999999999999999999999", vec![0]),
        ] {
            assert_eq!(parse_numbers(value), expect, "{value}");
        }
    }
}
