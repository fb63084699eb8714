//! Plans as people write them, edits of them, and what the edits mean for a plan as plain data.
//!
//! Decides nothing that the engine decides: the model of an edit here knows only of JSON, and finds names in conditions and templates by
//! a pattern. Same numbers, same plan.

use crate::fuzz::mutate::Numbers;
use serde_json::{Map, Value as Json, json};

const NAMES: [&str; 12] =
    ["a", "b", "c", "fetch", "check", "step-1", "done", "retry_2", "ñandú", "x y", "ask", "last"];
const CONDITIONS: [&str; 6] =
    ["last==ok", "last==again", "default", "last.n > 1", "error.exists", "!(last==ok)"];

/// A plan: nodes, edges, now and then a graph inside a node, a layout, tests.
pub fn plan(numbers: &mut Numbers) -> Json {
    let mut plan = graph(numbers, 0, &[]);
    let keys: Vec<String> = keys(&plan["nodes"]);
    if numbers.below(3) == 0 {
        let first = &keys[0];
        plan["tests"] = json!([{"name": "one", "stubs": {"nodes": {first: "echo"}}, "expect": {"path": [first], "outputs": {first: 1}, "node": first}}]);
    }
    plan
}

/// The keys of a map.
pub fn keys(map: &Json) -> Vec<String> {
    map.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
}

fn reference(numbers: &mut Numbers, names: &[String]) -> String {
    let name = &names[numbers.below(names.len())];
    let plain = !name.contains(' ');
    match numbers.below(3) {
        0 => format!("output[\"{name}\"]"),
        1 => format!("output['{name}'].x"),
        _ if plain => format!("output.{name}"),
        _ => format!("output[\"{name}\"].y"),
    }
}

fn graph(numbers: &mut Numbers, depth: usize, outer: &[String]) -> Json {
    let mut names: Vec<String> = Vec::new();
    for _ in 0..=1 + numbers.below(5) {
        let name = NAMES[numbers.below(NAMES.len())].to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let seen = [&names[..], outer].concat();
    let mut nodes = Map::new();
    for name in &names {
        let mut node = Map::new();
        node.insert("type".to_owned(), json!(["ask", "log", "noop", "llm"][numbers.below(4)]));
        if numbers.below(8) == 0 {
            node.insert("id".to_owned(), json!(format!("id of {name}")));
        }
        match numbers.below(6) {
            0 => drop(node.insert("input".to_owned(), json!(format!("${{{}}}", reference(numbers, &seen))))),
            1 => {
                let text = format!("Look at ${{{} ?? \"none\"}}:\n  then # go\n", reference(numbers, &seen));
                node.insert("input".to_owned(), json!({"text": text, "n": [1, "it's"]}));
            }
            2 => drop(node.insert("input".to_owned(), json!("plain output.a text"))),
            3 => drop(node.insert(
                "with".to_owned(),
                json!({"system": format!("use ${{{}}}", reference(numbers, &seen))}),
            )),
            _ => {}
        }
        if depth < 2 && numbers.below(7) == 0 {
            let inner = graph(numbers, depth + 1, &seen);
            let (kind, key, inner) = match numbers.below(3) {
                0 => ("map", "do", inner),
                1 => ("parallel", "branches", json!({"left": inner})),
                _ => ("graph", "graph", inner),
            };
            node.insert("type".to_owned(), json!(kind));
            node.insert(key.to_owned(), inner);
        }
        nodes.insert(name.clone(), Json::Object(node));
    }
    let mut edges = Vec::new();
    for at in 0..names.len() {
        for _ in 0..numbers.below(3) {
            let to = &names[numbers.below(names.len())];
            let mut edge = json!({"from": names[at], "to": to});
            match numbers.below(4) {
                0 => edge["condition"] = json!(CONDITIONS[numbers.below(CONDITIONS.len())]),
                1 => edge["condition"] = json!(format!("{}==ok && last.exists", reference(numbers, &seen))),
                _ => {}
            }
            edges.push(edge);
        }
    }
    let mut graph = Map::new();
    if numbers.below(2) == 0 {
        graph.insert("start".to_owned(), json!(names[0]));
    }
    graph.insert("nodes".to_owned(), Json::Object(nodes));
    if !edges.is_empty() || numbers.below(2) == 0 {
        graph.insert("edges".to_owned(), json!(edges));
    }
    if numbers.below(3) == 0 {
        let some = names.iter().filter(|_| numbers.below(2) == 0);
        let layout: Map<String, Json> = some.map(|name| (name.clone(), json!([10, 2.5]))).collect();
        graph.insert("layout".to_owned(), Json::Object(layout));
    }
    Json::Object(graph)
}

/// A plan in some style, with comments: block or flow, any quotes, any indentation; as JSON now and then.
pub fn styled(plan: &Json, numbers: &mut Numbers) -> String {
    if numbers.below(8) == 0 {
        let text = serde_json::to_string_pretty(plan).unwrap_or_default();
        return if numbers.below(2) == 0 { text + "\n" } else { plan.to_string() };
    }
    let mut pen = Pen {
        step: 2 + numbers.below(2) * 2,
        flush: numbers.below(2) == 0,
        pad: numbers.below(2) == 0,
        newline: if numbers.below(6) == 0 { "\r\n" } else { "\n" },
        flat: numbers.below(3),
        comments: 0,
        numbers,
        out: String::new(),
    };
    if pen.numbers.below(8) == 0 {
        pen.out.push('\u{feff}');
    }
    pen.comment(0);
    pen.entries(plan, 0);
    pen.out
}

struct Pen<'n> {
    numbers: &'n mut Numbers,
    out: String,
    step: usize,
    flush: bool,
    pad: bool,
    newline: &'static str,
    /// How readily maps stand between brackets.
    flat: usize,
    comments: usize,
}

impl Pen<'_> {
    fn comment(&mut self, column: usize) {
        if self.numbers.below(5) == 0 {
            self.comments += 1;
            let text = format!("{}# note {}{}", " ".repeat(column), self.comments, self.newline);
            self.out.push_str(&text);
        }
        if self.numbers.below(9) == 0 {
            self.out.push_str(self.newline);
        }
    }

    fn end(&mut self) {
        if self.numbers.below(5) == 0 {
            self.comments += 1;
            let text = format!(" # beside {}", self.comments);
            self.out.push_str(&text);
        }
        self.out.push_str(self.newline);
    }

    fn scalar(&mut self, value: &Json) -> String {
        match value {
            Json::String(text) if !text.contains('\n') => {
                let plain = text.chars().all(|c| c.is_alphanumeric() || "_-. ".contains(c))
                    && text.starts_with(char::is_alphabetic);
                match self.numbers.below(4) {
                    0 if !text.contains('\'') => format!("'{text}'"),
                    1 | 2 if plain => text.clone(),
                    _ => value.to_string(),
                }
            }
            other => other.to_string(),
        }
    }

    fn flow(&mut self, value: &Json) -> String {
        let pad = if self.pad { " " } else { "" };
        match value {
            Json::Object(map) => {
                let pairs: Vec<String> = map
                    .iter()
                    .map(|(key, value)| format!("{}: {}", self.scalar(&json!(key)), self.flow(value)))
                    .collect();
                if pairs.is_empty() { "{}".to_owned() } else { format!("{{{pad}{}{pad}}}", pairs.join(", ")) }
            }
            Json::Array(items) => {
                let items: Vec<String> = items.iter().map(|item| self.flow(item)).collect();
                format!("[{}]", items.join(", "))
            }
            scalar => self.scalar(scalar),
        }
    }

    fn entries(&mut self, map: &Json, column: usize) {
        for (at, (key, value)) in map.as_object().into_iter().flatten().enumerate() {
            if at > 0 {
                self.comment(column);
            }
            let key = self.scalar(&json!(key));
            let text = format!("{}{key}:", " ".repeat(column));
            self.out.push_str(&text);
            self.value(value, column);
        }
    }

    fn value(&mut self, value: &Json, column: usize) {
        let inner = column + self.step;
        let deep = |json: &Json| {
            json.as_object().is_some_and(|map| map.values().any(|v| v.is_object() || v.is_array()))
        };
        match value {
            Json::Object(map) if !map.is_empty() && (deep(value) || self.numbers.below(3) >= self.flat) => {
                self.end();
                self.entries(value, inner);
            }
            Json::Array(items) if items.iter().any(Json::is_object) && self.numbers.below(6) > 0 => {
                self.end();
                let inner = if self.flush { column } else { inner };
                for item in items {
                    self.comment(inner);
                    let text = format!("{}-", " ".repeat(inner));
                    self.out.push_str(&text);
                    if self.numbers.below(3) >= self.flat && !item["from"].is_null() {
                        let before = self.out.len();
                        self.entries(item, inner + 2);
                        let lines = self.out.split_off(before);
                        self.out.push(' ');
                        self.out.push_str(lines.trim_start());
                    } else {
                        let text = format!(" {}", self.flow(item));
                        self.out.push_str(&text);
                        self.end();
                    }
                }
            }
            Json::String(text) if text.contains('\n') => {
                self.out.push_str(" |");
                for line in text.lines() {
                    let line = format!("{}{}{line}", self.newline, " ".repeat(inner));
                    self.out.push_str(&line);
                }
                self.out.push_str(self.newline);
            }
            other => {
                let text = format!(" {}", self.flow(other));
                self.out.push_str(&text);
                self.end();
            }
        }
    }
}

/// Every graph of a plan: its scope.
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

/// The graph at a scope.
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

/// An edit in its JSON form, of something that is there.
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

/// What an edit means for a plan as plain data.
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
            let mut next: Vec<String> = Vec::new();
            if let Some(edges) = graph.get_mut("edges").and_then(Json::as_array_mut) {
                for edge in edges.iter().filter(|edge| edge["from"] == *node && edge["to"] != *node) {
                    let to = edge["to"].as_str()?.to_owned();
                    if !next.contains(&to) {
                        next.push(to);
                    }
                }
                edges.retain(|edge| edge["from"] != *node && edge["to"] != *node);
            }
            graph["nodes"].as_object_mut()?.shift_remove(&node);
            unplace(graph, &node);
            if start.as_deref() == Some(&node) {
                kept = if next.len() == 1 { next.pop() } else { None };
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
        "move_nodes" => {
            let was_empty = !graph["layout"].is_object();
            let mut new = Map::new();
            for (node, place) in edit["places"].as_object()? {
                if place.is_null() {
                    unplace(graph, node);
                } else if was_empty {
                    new.insert(node.clone(), place.clone());
                } else {
                    graph["layout"][node] = place.clone();
                }
            }
            if !new.is_empty() {
                insert_after(graph, "layout", Json::Object(new), &["tests"])?;
            }
        }
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

fn number(n: f64) -> Json {
    #[expect(clippy::cast_possible_truncation, reason = "places are small")]
    if n.fract() == 0.0 { json!(n as i64) } else { json!(n) }
}

fn unplace(graph: &mut Json, node: &str) {
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

/// Renames a node whose key is its id everywhere; any other only where it goes by its key.
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
        mentions(graph, node, to, true);
    }
    if scope.is_empty() && own {
        in_tests(plan, node, to);
    }
    Some(())
}

/// Renames what speaks of a node in a graph and in those inside it that have no node of that name.
fn mentions(graph: &mut Json, name: &str, to: &str, home: bool) {
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
                mentions(inner, name, to, false);
            }
        }
        for (_, inner) in node.get_mut("branches").and_then(Json::as_object_mut).into_iter().flatten() {
            mentions(inner, name, to, false);
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
        done.push_str(&if whole { format!("output.{to}") } else { dotted.clone() });
        out = rest;
    }
    done + &out
}

fn in_tests(plan: &mut Json, node: &str, to: &str) {
    for test in plan.get_mut("tests").and_then(Json::as_array_mut).into_iter().flatten() {
        for path in ["/outputs", "/expect/outputs", "/stubs/nodes", "/decisions"] {
            let Some(map) = test.pointer_mut(path).and_then(Json::as_object_mut) else { continue };
            // A decision may be named after a call: `ask:2:1`.
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
        for item in test.pointer_mut("/expect/path").and_then(Json::as_array_mut).into_iter().flatten() {
            if item == node {
                *item = json!(to);
            }
        }
        if let Some(item) = test.pointer_mut("/expect/node").filter(|item| **item == *node) {
            *item = json!(to);
        }
    }
}
