//! Random plans as people write them, random edits, and a model of the edits.
//!
//! The same numbers give the same plan.

mod model;

pub use model::{at, edit, model, scopes};

use crate::fuzz::mutate::Numbers;
use serde_json::{Map, Value as Json, json};

const NAMES: [&str; 12] =
    ["a", "b", "c", "fetch", "check", "step-1", "done", "retry_2", "ñandú", "x y", "ask", "last"];
const CONDITIONS: [&str; 6] =
    ["last==ok", "last==again", "default", "last.n > 1", "error.exists", "!(last==ok)"];

/// Generates nodes, edges, and sometimes nested graphs, layout or tests.
pub fn plan(numbers: &mut Numbers) -> Json {
    let mut plan = graph(numbers, 0, &[]);
    let keys: Vec<String> = keys(&plan["nodes"]);
    if numbers.below(3) == 0 {
        let first = &keys[0];
        plan["tests"] = json!([{"name": "one", "stubs": {"nodes": {first: "echo"}}, "expect": {"path": [first], "outputs": {first: 1}, "node": first}}]);
    }
    plan
}

/// Returns a map's keys.
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

/// Writes a plan with comments: block or flow, any quotes and indentation, sometimes JSON.
pub fn write_in_random_style(plan: &Json, numbers: &mut Numbers) -> String {
    if numbers.below(8) == 0 {
        let text = serde_json::to_string_pretty(plan).unwrap_or_default();
        return if numbers.below(2) == 0 { text + "\n" } else { plan.to_string() };
    }
    let mut pen = PlanWriter {
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

struct PlanWriter<'n> {
    numbers: &'n mut Numbers,
    out: String,
    step: usize,
    flush: bool,
    pad: bool,
    newline: &'static str,
    /// Preference for flow style, 0 to 2.
    flat: usize,
    comments: usize,
}

impl PlanWriter<'_> {
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
