//! Random edits of plans, and a model of their effect.
//!
//! The model shares no logic with the engine. It works on JSON and finds names by a pattern.

use super::keys;
use crate::fuzz::mutate::Numbers;
use serde_json::{Map, Value as Json, json};

/// Collects the scope of every graph.
pub fn scopes(graph: &Json, scope: &str, found: &mut Vec<String>) {
    found.push(scope.to_owned());
    let within = |name: &str| if scope.is_empty() { name.to_owned() } else { format!("{scope}/{name}") };
    for (key, node) in graph["nodes"].as_object().into_iter().flatten() {
        for holder in ["graph", "do"] {
            if node[holder].is_object() {
                scopes(&node[holder], &within(key), found);
            }
        }
        for (branch, inner) in node["branches"].as_object().into_iter().flatten() {
            scopes(inner, &format!("{}/{branch}", within(key)), found);
        }
    }
}

/// Returns a scope's graph.
pub fn at<'j>(plan: &'j mut Json, scope: &str) -> Option<&'j mut Json> {
    let mut graph = plan;
    let mut parts = scope.split('/').filter(|part| !part.is_empty());
    while let Some(key) = parts.next() {
        let node = graph.get_mut("nodes")?.get_mut(key)?;
        graph = match ["graph", "do"].into_iter().find(|holder| !node[*holder].is_null()) {
            Some(holder) => node.get_mut(holder)?,
            None => node.get_mut("branches")?.get_mut(parts.next()?)?,
        };
    }
    Some(graph)
}

/// Generates an edit of an existing entity.
pub fn edit(plan: &Json, numbers: &mut Numbers) -> Option<Json> {
    let mut all = Vec::new();
    scopes(plan, "", &mut all);
    let scope = all[numbers.below(all.len())].clone();
    let mut copy = plan.clone();
    let graph = at(&mut copy, &scope)?;
    let nodes = keys(&graph["nodes"]);
    let node = nodes.get(numbers.below(nodes.len().max(1)))?.clone();
    let other = nodes[numbers.below(nodes.len())].clone();
    let edges = graph["edges"].as_array().map_or(0, Vec::len);
    let edge = numbers.below(edges.max(1));
    let new = format!("new{}", numbers.below(100));
    let mut json = match numbers.below(if edges > 0 { 17 } else { 10 }) {
        0 => json!({"op": "add_node", "node": new, "value": {"type": "log", "input": "hi: #1"}}),
        1 => json!({"op": "remove_node", "node": node}),
        2 | 3 => json!({"op": "rename_node", "node": node, "to": new}),
        4 => json!({"op": "retype_node", "node": node, "type": "noop"}),
        5 => json!({"op": "duplicate_node", "node": node, "to": new}),
        6 => json!({"op": "connect", "from": node, "to": other, "condition": "last==\"x\""}),
        7 => {
            let inputs = [json!(null), json!("text"), json!({"a": "${last}"})];
            json!({"op": "set_input", "node": node, "input": inputs[numbers.below(3)]})
        }
        8 => json!({"op": "move_nodes", "places": {&node: [numbers.below(900), 7.5], &other: null}}),
        9 => json!({"op": "set_setting", "node": node, "path": ["with", "model"], "value": "small"}),
        10 => json!({"op": "disconnect", "edge": edge}),
        11 => json!({"op": "reconnect", "edge": edge, "to": other}),
        12 => json!({"op": "reorder_edge", "edge": edge, "position": numbers.below(edges)}),
        13 => {
            let conditions = [None, Some("last!=done")];
            json!({"op": "set_condition", "edge": edge, "condition": conditions[numbers.below(2)]})
        }
        14 => json!({"op": "set_start", "node": node}),
        15 => json!({"op": "add_node", "node": new, "value": {"type": "noop"}, "before": node}),
        _ => json!({"op": "connect", "from": node, "to": other, "position": edge}),
    };
    json["scope"] = json!(scope);
    Some(json)
}

fn inferred(graph: &Json) -> Option<String> {
    let edges = || graph["edges"].as_array().into_iter().flatten();
    let mut free = keys(&graph["nodes"]).into_iter().filter(|key| edges().all(|edge| edge["to"] != **key));
    let first = free.next()?;
    free.next().is_none().then_some(first)
}

/// Applies an edit to plain data.
pub fn model(plan: &mut Json, edit: &Json) -> Option<()> {
    let scope = edit["scope"].as_str()?.to_owned();
    let text = |key: &str| edit[key].as_str().map(str::to_owned);
    let before = at(plan, &scope)?;
    let written = before["start"].is_string();
    let start = if written { before["start"].as_str().map(str::to_owned) } else { inferred(before) };
    let mut kept = start.clone();
    let position = |key: &str| edit[key].as_u64().and_then(|at| usize::try_from(at).ok());
    let graph = at(plan, &scope)?;
    match edit["op"].as_str()? {
        "add_node" => {
            let nodes = graph["nodes"].as_object_mut()?;
            let place = text("before").and_then(|before| nodes.keys().position(|key| *key == before));
            nodes.shift_insert(place.unwrap_or(nodes.len()), text("node")?, edit["value"].clone());
        }
        "remove_node" => {
            let node = text("node")?;
            let only = remove(graph, &node).ok()?;
            if start.as_deref() == Some(&node) {
                kept = only;
                if written {
                    match &kept {
                        Some(next) => graph["start"] = json!(next),
                        None => drop(graph.as_object_mut()?.shift_remove("start")),
                    }
                }
            }
        }
        "rename_node" => {
            let (node, to) = (text("node")?, text("to")?);
            rename(plan, &scope, &node, &to)?;
            if start.as_deref() == Some(&node) {
                kept = Some(to);
            }
        }
        "retype_node" => graph["nodes"][text("node")?]["type"] = edit["type"].clone(),
        "duplicate_node" => {
            let (node, to) = (text("node")?, text("to")?);
            let nodes = graph["nodes"].as_object_mut()?;
            let mut copy = nodes.get(&node)?.clone();
            copy.as_object_mut()?.shift_remove("id");
            let place = nodes.keys().position(|key| *key == node)? + 1;
            nodes.shift_insert(place, to.clone(), copy);
            if let [x, y] = graph["layout"][&node].as_array().map(Vec::as_slice).unwrap_or_default() {
                let moved = |n: &Json| n.as_f64().map(|n| number(n + 40.0));
                graph["layout"][&to] = json!([moved(x)?, moved(y)?]);
            }
        }
        "connect" => {
            let mut edge = json!({"from": edit["from"], "to": edit["to"]});
            if edit["condition"].is_string() {
                edge["condition"] = edit["condition"].clone();
            }
            match graph.get_mut("edges").and_then(Json::as_array_mut) {
                Some(edges) => edges.insert(position("position").unwrap_or(edges.len()), edge),
                None => insert_after(graph, "edges", json!([edge]), &["layout", "limits", "tests"])?,
            }
        }
        "set_input" if edit["input"].is_null() => {
            graph["nodes"][text("node")?].as_object_mut()?.shift_remove("input");
        }
        "set_input" => graph["nodes"][text("node")?]["input"] = edit["input"].clone(),
        "set_setting" => graph["nodes"][text("node")?]["with"]["model"] = edit["value"].clone(),
        "move_nodes" => place_nodes(graph, edit["places"].as_object()?)?,
        "disconnect" => drop(graph.get_mut("edges").and_then(Json::as_array_mut)?.remove(position("edge")?)),
        "reconnect" => graph["edges"][position("edge")?]["to"] = edit["to"].clone(),
        "reorder_edge" => {
            let edges = graph.get_mut("edges").and_then(Json::as_array_mut)?;
            let edge = edges.remove(position("edge")?);
            edges.insert(position("position")?, edge);
        }
        "set_condition" => {
            let edge = &mut graph["edges"][position("edge")?];
            if edit["condition"].is_null() {
                edge.as_object_mut()?.shift_remove("condition");
            } else {
                edge["condition"] = edit["condition"].clone();
            }
        }
        "set_start" if start.as_ref() == text("node").as_ref() && written => {}
        "set_start" => put_start(graph, &text("node")?)?,
        _ => return None,
    }
    let graph = at(plan, &scope)?;
    if let Some(start) = kept.filter(|_| !graph["start"].is_string())
        && graph["nodes"].get(&start).is_some()
        && inferred(graph).as_deref() != Some(&start)
    {
        put_start(graph, &start)?;
    }
    Some(())
}

fn place_nodes(graph: &mut Json, places: &Map<String, Json>) -> Option<()> {
    let was_empty = !graph["layout"].is_object();
    let mut new = Map::new();
    for (node, place) in places {
        if place.is_null() {
            remove_position(graph, node);
        } else if was_empty {
            new.insert(node.clone(), place.clone());
        } else {
            graph["layout"][node] = place.clone();
        }
    }
    if new.is_empty() { Some(()) } else { insert_after(graph, "layout", Json::Object(new), &["tests"]) }
}

/// Returns the only target, if there is exactly one.
fn remove(graph: &mut Json, node: &str) -> Result<Option<String>, ()> {
    let mut next: Vec<String> = Vec::new();
    if let Some(edges) = graph.get_mut("edges").and_then(Json::as_array_mut) {
        for edge in edges.iter().filter(|edge| edge["from"] == *node && edge["to"] != *node) {
            let to = edge["to"].as_str().ok_or(())?.to_owned();
            if !next.contains(&to) {
                next.push(to);
            }
        }
        edges.retain(|edge| edge["from"] != *node && edge["to"] != *node);
    }
    graph["nodes"].as_object_mut().ok_or(())?.shift_remove(node);
    remove_position(graph, node);
    Ok(if next.len() == 1 { next.pop() } else { None })
}

fn number(n: f64) -> Json {
    #[expect(clippy::cast_possible_truncation, reason = "places beyond stay floats")]
    if n.fract() == 0.0 && n.abs() < 1e15 { json!(n as i64) } else { json!(n) }
}

fn remove_position(graph: &mut Json, node: &str) {
    let Some(layout) = graph.get_mut("layout").and_then(Json::as_object_mut) else { return };
    if layout.shift_remove(node).is_some() && layout.is_empty() {
        graph.as_object_mut().map(|graph| graph.shift_remove("layout"));
    }
}

fn insert_after(graph: &mut Json, key: &str, value: Json, followers: &[&str]) -> Option<()> {
    let map = graph.as_object_mut()?;
    let place = map.keys().position(|key| followers.contains(&key.as_str())).unwrap_or(map.len());
    map.shift_insert(place, key.to_owned(), value);
    Some(())
}

fn put_start(graph: &mut Json, start: &str) -> Option<()> {
    if graph["start"].is_string() {
        graph["start"] = json!(start);
        return Some(());
    }
    insert_after(graph, "start", json!(start), &["nodes", "edges"])
}

fn id_of(key: &str, node: &Json) -> String {
    node["id"].as_str().map_or_else(|| key.to_owned(), str::to_owned)
}

/// References to its id follow only if the id equals the key.
fn rename(plan: &mut Json, scope: &str, node: &str, to: &str) -> Option<()> {
    let graph = at(plan, scope)?;
    let own = id_of(node, &graph["nodes"][node]) == node;
    for edge in graph.get_mut("edges").and_then(Json::as_array_mut).into_iter().flatten() {
        for end in ["from", "to"] {
            if edge[end] == *node {
                edge[end] = json!(to);
            }
        }
    }
    if graph["start"] == *node {
        graph["start"] = json!(to);
    }
    for map in ["layout", "nodes"] {
        if let Some(map) = graph.get_mut(map).and_then(Json::as_object_mut)
            && let Some(place) = map.keys().position(|key| key == node)
        {
            let value = map.shift_remove(node)?;
            map.shift_insert(place, to.to_owned(), value);
        }
    }
    if own {
        if graph["nodes"][to]["id"].is_string() {
            graph["nodes"][to]["id"] = json!(to);
        }
        rename_references(graph, node, to, true);
    }
    if own {
        rename_in_tests(plan, node, to, scope.is_empty());
    }
    Some(())
}

/// Skips nested graphs with a node of the same id.
fn rename_references(graph: &mut Json, name: &str, to: &str, home: bool) {
    let hides =
        |graph: &Json| graph["nodes"].as_object().into_iter().flatten().any(|(k, n)| id_of(k, n) == name);
    if !home && hides(graph) {
        return;
    }
    for edge in graph.get_mut("edges").and_then(Json::as_array_mut).into_iter().flatten() {
        if let Some(text) = edge["condition"].as_str() {
            edge["condition"] = json!(replaced(text, name, to));
        }
    }
    for (_, node) in graph["nodes"].as_object_mut().into_iter().flatten() {
        for key in ["input", "with"] {
            if let Some(value) = node.get_mut(key) {
                texts(value, name, to);
            }
        }
        for key in ["graph", "do"] {
            if let Some(inner) = node.get_mut(key) {
                rename_references(inner, name, to, false);
            }
        }
        for (_, inner) in node.get_mut("branches").and_then(Json::as_object_mut).into_iter().flatten() {
            rename_references(inner, name, to, false);
        }
    }
}

fn texts(value: &mut Json, name: &str, to: &str) {
    match value {
        Json::String(text) if text.contains("${") => *text = replaced(text, name, to),
        Json::Array(items) => items.iter_mut().for_each(|item| texts(item, name, to)),
        Json::Object(map) => map.values_mut().for_each(|item| texts(item, name, to)),
        _ => {}
    }
}

fn replaced(text: &str, name: &str, to: &str) -> String {
    let mut out = text.replace(&format!("output[\"{name}\"]"), &format!("output[\"{to}\"]"));
    out = out.replace(&format!("output['{name}']"), &format!("output['{to}']"));
    let mut done = String::new();
    let dotted = format!("output.{name}");
    while let Some(place) = out.find(&dotted) {
        let rest = out.split_off(place + dotted.len());
        let whole = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
        out.truncate(place);
        done.push_str(&out);
        let new = if whole { format!("output.{to}") } else { dotted.clone() };
        done.push_str(&new);
        out = rest;
    }
    done + &out
}

/// Outputs belong to the plan's own graph. Stubs and failures may name any node with that id.
fn rename_in_tests(plan: &mut Json, node: &str, to: &str, own: bool) {
    for test in plan.get_mut("tests").and_then(Json::as_array_mut).into_iter().flatten() {
        for path in ["/outputs", "/expect/outputs", "/stubs/nodes", "/decisions"] {
            if !own && path.ends_with("outputs") {
                continue;
            }
            let Some(map) = test.pointer_mut(path).and_then(Json::as_object_mut) else { continue };
            // A key of `decisions` may name a call: `ask:2:1`.
            let rest = |key: &str| {
                key.strip_prefix(node)
                    .filter(|rest| rest.is_empty() || rest.starts_with(':'))
                    .map(str::to_owned)
            };
            let old: Vec<String> = map.keys().filter(|key| rest(key).is_some()).cloned().collect();
            for key in old {
                let place = map.keys().position(|known| *known == key).unwrap_or_default();
                let value = map.shift_remove(&key).unwrap_or_default();
                map.shift_insert(place, format!("{to}{}", rest(&key).unwrap_or_default()), value);
            }
        }
        for group in ["types", "nodes", "tools"] {
            let stubs = test.pointer_mut(&format!("/stubs/{group}")).and_then(Json::as_object_mut);
            for stub in stubs.into_iter().flat_map(|stubs| stubs.values_mut()).filter(|_| own) {
                rename_written(stub, node, to);
            }
        }
        for item in test.pointer_mut("/expect/path").and_then(Json::as_array_mut).into_iter().flatten() {
            if own && item == node {
                *item = json!(to);
            }
        }
        if let Some(item) = test.pointer_mut("/expect/node").filter(|item| **item == *node) {
            *item = json!(to);
        }
    }
}

fn rename_written(stub: &mut Json, node: &str, to: &str) {
    if let Some(list) = stub.get_mut("sequence").and_then(Json::as_array_mut) {
        return list.iter_mut().for_each(|stub| rename_written(stub, node, to));
    }
    if let Some(cases) = stub.get_mut("cases").and_then(Json::as_object_mut) {
        cases.values_mut().for_each(|stub| rename_written(stub, node, to));
    }
    if let Some(other) = stub.get_mut("else") {
        rename_written(other, node, to);
    }
    let Some(writes) = stub.get_mut("writes").and_then(Json::as_object_mut) else { return };
    let Some(place) = writes.keys().position(|key| key == node) else { return };
    let value = writes.shift_remove(node).unwrap_or_default();
    writes.shift_insert(place, to.to_owned(), value);
}
