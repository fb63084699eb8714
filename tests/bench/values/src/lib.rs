//! Five step functions that decide the same edge and differ only in how they read the node's output.
//!
//! After node `n` answers, a step function evaluates its one condition. If it holds, the run goes on to `n +
//! 1`, otherwise it ends. Every form stores all outputs, since a later condition may name any of them.
//!
//! There are no templates, visits or traces, which cost every form the same.

use serde_json::Value;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "../probe.mjs")]
extern "C" {
    /// Returns whether the value at this path of this slot equals this literal. All three are interned numbers.
    fn probe(slot: u32, path: u32, literal: u32) -> bool;

    /// Returns the text at this path of this slot, for a comparison in Rust.
    #[wasm_bindgen(js_name = probeText)]
    fn probe_text(slot: u32, path: u32) -> Option<String>;
}

/// A condition of a node: the value at `path` of its output is the text `literal`. Both are interned numbers.
#[derive(Debug)]
struct Condition {
    path: u32,
    literal: u32,
}

/// The conditions of a chain. Node `n` uses condition `n % conditions`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Plan {
    nodes: u32,
    conditions: Vec<Condition>,
    paths: Vec<Vec<String>>,
    literals: Vec<String>,
    js_paths: Vec<Vec<JsValue>>,
    js_literals: Vec<JsValue>,
    opaque: Vec<JsValue>,
    parsed: Vec<Value>,
}

#[wasm_bindgen]
impl Plan {
    /// Creates a chain of `nodes` nodes whose conditions are `path==literal`, with paths written `a.b.c`.
    #[wasm_bindgen(constructor)]
    pub fn new(nodes: u32, paths: Vec<String>, literals: Vec<String>) -> Plan {
        let pairs = u32::try_from(paths.len()).unwrap_or(0);
        let paths: Vec<Vec<String>> = paths.into_iter().map(|path| segments(&path)).collect();
        Plan {
            nodes,
            conditions: (0..pairs).map(|at| Condition { path: at, literal: at }).collect(),
            js_paths: paths
                .iter()
                .map(|path| path.iter().map(|key| JsValue::from_str(key)).collect())
                .collect(),
            js_literals: literals.iter().map(|text| JsValue::from_str(text)).collect(),
            paths,
            literals,
            opaque: Vec::new(),
            parsed: Vec::new(),
        }
    }

    /// Forgets the outputs of the last run.
    pub fn reset(&mut self) {
        self.opaque.clear();
        self.parsed.clear();
    }

    /// Form `slot`: the value stays in a JavaScript array, and JavaScript compares.
    pub fn step_slot(&self, node: u32) -> i32 {
        let holds = self.condition(node).is_some_and(|it| probe(node, it.path, it.literal));
        self.next(node, holds)
    }

    /// Form `slot, text`: the value stays in JavaScript. Its scalar is copied in, and Rust compares.
    pub fn step_slot_text(&self, node: u32) -> i32 {
        let holds =
            self.condition(node).is_some_and(|it| probe_text(node, it.path).as_ref() == self.literal(it));
        self.next(node, holds)
    }

    /// Form `opaque`: the value comes in as a handle. Rust reads it by reflection, and JavaScript compares.
    pub fn step_opaque(&mut self, node: u32, value: JsValue) -> i32 {
        let holds = self.condition(node).is_some_and(|it| {
            let literal = self.js_literals.get(it.literal as usize);
            literal.is_some() && self.reflect(it, &value).as_ref() == literal
        });
        self.opaque.push(value);
        self.next(node, holds)
    }

    /// Form `opaque, text`: as above, but the scalar is copied in and Rust compares text.
    pub fn step_opaque_text(&mut self, node: u32, value: JsValue) -> i32 {
        let holds = self.condition(node).is_some_and(|it| {
            self.reflect(it, &value).and_then(|it| it.as_string()).as_ref() == self.literal(it)
        });
        self.opaque.push(value);
        self.next(node, holds)
    }

    /// Form `json`: the whole value comes in as text, and Rust parses it.
    pub fn step_json(&mut self, node: u32, text: &str) -> i32 {
        let value: Value = serde_json::from_str(text).unwrap_or(Value::Null);
        let holds = self.condition(node).is_some_and(|it| {
            let path = self.paths.get(it.path as usize).map_or(&[][..], Vec::as_slice);
            let found = path.iter().try_fold(&value, |value, key| member(value, key));
            found.and_then(Value::as_str) == self.literal(it).map(String::as_str)
        });
        self.parsed.push(value);
        self.next(node, holds)
    }
}

impl Plan {
    fn condition(&self, node: u32) -> Option<&Condition> {
        self.conditions.get(node as usize % self.conditions.len().max(1))
    }

    fn literal(&self, condition: &Condition) -> Option<&String> {
        self.literals.get(condition.literal as usize)
    }

    /// Returns the id of the next node, or -1 at the end.
    fn next(&self, node: u32, holds: bool) -> i32 {
        let next = node + 1;
        if holds && next < self.nodes { i32::try_from(next).unwrap_or(-1) } else { -1 }
    }

    fn reflect(&self, condition: &Condition, value: &JsValue) -> Option<JsValue> {
        let path = self.js_paths.get(condition.path as usize)?;
        path.iter().try_fold(value.clone(), |value, key| js_sys::Reflect::get(&value, key).ok())
    }
}

fn segments(path: &str) -> Vec<String> {
    path.split('.').filter(|key| !key.is_empty()).map(str::to_owned).collect()
}

fn member<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    match value {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        _ => value.get(key),
    }
}
