//! The explicit planner once more, as plainly as it can be written: what the engine is compared with.
//!
//! Written from seed 002 and design sections 5 and 6 alone, over plain data, without a thought of speed. It shares no code
//! with the engine, not even its reader: a condition here is a tree, which writes the text that the engine reads.

use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

/// A condition as a tree.
#[derive(Debug, Clone)]
pub enum Term {
    /// What stands at the end of a path, compared with a literal.
    Compare(Look, Operator, Literal),
    /// `.exists`
    Exists(Look),
    /// `!`
    Not(Box<Term>),
    /// `&&`
    And(Box<Term>, Box<Term>),
    /// `||`
    Or(Box<Term>, Box<Term>),
}

/// Where a reference begins, and its path.
#[derive(Debug, Clone)]
pub struct Look {
    /// `last`, `input`, `error`, or the name of an output.
    pub root: String,
    /// Keys and indices, as in JSON.
    pub path: Vec<Json>,
}

/// What a comparison asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the operators' own names")]
pub enum Operator {
    Equals,
    Differs,
    Contains,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// A literal as written.
#[derive(Debug, Clone)]
pub struct Literal {
    /// Its text, without quotes.
    pub text: String,
    /// Whether it stands in quotes.
    pub quoted: bool,
}

/// What a node does.
#[derive(Debug, Clone)]
pub enum Act {
    /// A handler that gives this.
    Give(Json),
    /// A handler that fails.
    Fail,
    /// `noop`
    Pass,
    /// `log` with this input.
    Log(Json),
}

/// An edge: from, to, condition; none is a fallback.
pub type Edge = (usize, usize, Option<Term>);

/// A plan. Node `i` is called `n` and its number.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What the nodes do; the first is the start.
    pub nodes: Vec<Act>,
    /// The edges, in order.
    pub edges: Vec<Edge>,
    /// How often a node may be visited.
    pub visits: usize,
    /// How many nodes may run.
    pub steps: Option<usize>,
    /// How many calls may be made.
    pub calls: Option<usize>,
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// The nodes that ran.
    pub path: Vec<String>,
    /// `terminal`, `no-match`, or the code of the failure.
    pub outcome: String,
    /// The last output.
    pub last: Json,
    /// All outputs.
    pub outputs: BTreeMap<String, Json>,
}

/// What a condition can see.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// The last output.
    pub last: Json,
    /// The run's input.
    pub input: Json,
    /// The failure at hand.
    pub error: Option<Json>,
    /// Outputs by name.
    pub outputs: BTreeMap<String, Json>,
}

impl World {
    fn find(&self, look: &Look) -> Option<Json> {
        let root = match look.root.as_str() {
            "last" => Some(self.last.clone()),
            "input" => Some(self.input.clone()),
            "error" => self.error.clone(),
            name => self.outputs.get(name).cloned(),
        };
        look.path.iter().fold(root, |found, step| match (found?, step) {
            (Json::Object(map), Json::String(key)) => map.get(key).cloned(),
            (Json::Array(list), Json::Number(index)) => {
                list.get(usize::try_from(index.as_u64()?).ok()?).cloned()
            }
            (Json::Array(list), Json::String(digits)) => {
                let index: usize = digits.parse().ok()?;
                if index.to_string() == *digits { list.get(index).cloned() } else { None }
            }
            _ => None,
        })
    }

    /// Whether a condition holds.
    pub fn holds(&self, term: &Term) -> bool {
        match term {
            Term::Not(inner) => !self.holds(inner),
            Term::And(a, b) => self.holds(a) && self.holds(b),
            Term::Or(a, b) => self.holds(a) || self.holds(b),
            Term::Exists(look) => self.find(look).is_some(),
            // Data that is not there satisfies nothing.
            Term::Compare(look, operator, literal) => match self.find(look) {
                None => false,
                Some(value) => compare(&value, *operator, literal),
            },
        }
    }
}

fn compare(value: &Json, operator: Operator, literal: &Literal) -> bool {
    let ordered = || Some((value.as_f64()?, literal.number()?));
    match operator {
        Operator::Equals => equal(value, literal),
        Operator::Differs => !equal(value, literal),
        Operator::Contains => match value {
            Json::String(text) => text.contains(&literal.text),
            Json::Array(items) => items.iter().any(|item| equal(item, literal)),
            Json::Object(map) => map.keys().any(|key| *key == literal.text),
            _ => false,
        },
        Operator::Less => ordered().is_some_and(|(a, b)| a < b),
        Operator::AtMost => ordered().is_some_and(|(a, b)| a <= b),
        Operator::Greater => ordered().is_some_and(|(a, b)| a > b),
        Operator::AtLeast => ordered().is_some_and(|(a, b)| a >= b),
    }
}

fn equal(value: &Json, literal: &Literal) -> bool {
    match value {
        Json::Null => !literal.quoted && literal.text == "null",
        Json::Number(number) => match literal.number() {
            Some(other) => number.as_f64() == Some(other),
            None => literal.quoted && number_text(number.as_f64().unwrap_or(0.0)) == literal.text,
        },
        Json::Bool(truth) => literal.text == truth.to_string(),
        Json::String(text) => *text == literal.text,
        Json::Array(_) | Json::Object(_) => {
            serde_json::from_str(&literal.text).is_ok_and(|other: Json| same(value, &other))
        }
    }
}

/// Equality of structures, numbers numerically.
fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            let all = a.keys().chain(b.keys());
            all.into_iter().all(|key| a.get(key).zip(b.get(key)).is_some_and(|(a, b)| same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Whole numbers without point or exponent, fractions in the shortest form.
fn number_text(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number:.0}").replace("-0", "0") } else { number.to_string() }
}

impl Literal {
    fn number(&self) -> Option<f64> {
        let json: Json = serde_json::from_str(&self.text).ok().filter(|_| !self.quoted)?;
        json.as_f64()
    }

    fn write(&self) -> String {
        if self.quoted { Json::from(self.text.as_str()).to_string() } else { self.text.clone() }
    }
}

impl Look {
    fn write(&self) -> String {
        let root = match self.root.as_str() {
            root @ ("last" | "input" | "error") => root.to_owned(),
            name => format!("output[{}]", Json::from(name)),
        };
        self.path.iter().fold(root, |text, step| format!("{text}[{step}]"))
    }
}

impl Term {
    /// The text that means it, with parentheses around everything.
    pub fn write(&self) -> String {
        match self {
            Self::Exists(look) => format!("{}.exists", look.write()),
            Self::Not(inner) => format!("!({})", inner.write()),
            Self::And(a, b) => format!("({}) && ({})", a.write(), b.write()),
            Self::Or(a, b) => format!("({}) || ({})", a.write(), b.write()),
            Self::Compare(look, operator, literal) => {
                let sign = match operator {
                    Operator::Equals => "==",
                    Operator::Differs => "!=",
                    Operator::Contains => ".contains:",
                    Operator::Less => "<",
                    Operator::AtMost => "<=",
                    Operator::Greater => ">",
                    Operator::AtLeast => ">=",
                };
                format!("{}{sign}{}", look.write(), literal.write())
            }
        }
    }

    fn mentions_error(&self) -> bool {
        match self {
            Self::Compare(look, ..) | Self::Exists(look) => look.root == "error",
            Self::Not(inner) => inner.mentions_error(),
            Self::And(a, b) | Self::Or(a, b) => a.mentions_error() || b.mentions_error(),
        }
    }
}

impl Plan {
    /// Whether some nodes can be reached that can neither be left nor end the run: tries every set of nodes.
    pub fn is_endless(&self) -> bool {
        let count = self.nodes.len();
        let mut reached = vec![0];
        while let Some((_, new, _)) =
            self.edges.iter().find(|(from, to, _)| reached.contains(from) && !reached.contains(to))
        {
            reached.push(*new);
        }
        (1_usize..1 << count).any(|set| {
            let is_in = |node: usize| set & (1 << node) != 0;
            (0..count).filter(|node| is_in(*node)).all(|node| {
                let leaving = || self.edges.iter().filter(move |(from, ..)| *from == node);
                let stays = leaving().all(|(_, to, _)| is_in(*to));
                // Without a fallback the run may end here because no condition holds.
                stays && leaving().any(|(.., condition)| condition.is_none()) && reached.contains(&node)
            })
        })
    }

    /// The plan as a file, and the stubs that do what its nodes do.
    pub fn write(&self) -> (Json, Json) {
        let (mut nodes, mut stubs) = (Map::new(), Map::new());
        for (i, act) in self.nodes.iter().enumerate() {
            let name = format!("n{i}");
            let node = match act {
                Act::Pass => json!({"type": "noop"}),
                Act::Log(input) => json!({"type": "log", "input": input}),
                Act::Give(value) => {
                    stubs.insert(name.clone(), json!({"return": value}));
                    json!({"type": name})
                }
                Act::Fail => {
                    stubs.insert(name.clone(), json!({"fail": "no"}));
                    json!({"type": name})
                }
            };
            nodes.insert(name, node);
        }
        let edge = |(from, to, condition): &Edge| {
            let text = condition.as_ref().map_or("default".to_owned(), Term::write);
            json!({"from": format!("n{from}"), "to": format!("n{to}"), "condition": text})
        };
        let edges: Vec<Json> = self.edges.iter().map(edge).collect();
        let limits = json!({"visits": self.visits, "steps": self.steps, "calls": self.calls});
        (json!({"start": "n0", "limits": limits, "nodes": nodes, "edges": edges}), json!({"types": stubs}))
    }

    /// Runs it.
    pub fn run(&self, input: Json) -> Ended {
        let mut world = World { last: input.clone(), input, ..World::default() };
        let (mut path, mut calls, mut at) = (Vec::new(), 0, 0);
        let outcome = loop {
            let name = format!("n{at}");
            if path.iter().filter(|visited| **visited == name).count() >= self.visits {
                break "run/visit-limit";
            }
            if self.steps.is_some_and(|steps| path.len() >= steps) {
                break "run/step-limit";
            }
            path.push(name.clone());
            let asks = matches!(self.nodes[at], Act::Give(_) | Act::Fail);
            if asks && self.calls.is_some_and(|limit| calls >= limit) {
                break "run/call-limit";
            }
            calls += usize::from(asks);
            let edges: Vec<&Edge> = self.edges.iter().filter(|(from, ..)| *from == at).collect();
            match &self.nodes[at] {
                Act::Fail => {
                    world.error = Some(json!({"code": "handler/failed", "message": "no", "node": name}));
                    let rescue = edges.iter().find(|(.., condition)| {
                        condition.as_ref().is_some_and(|term| term.mentions_error() && world.holds(term))
                    });
                    match rescue {
                        Some((_, to, _)) => at = *to,
                        None => break "handler/failed",
                    }
                    continue;
                }
                Act::Give(value) | Act::Log(value) => world.last = value.clone(),
                Act::Pass => {}
            }
            world.error = None;
            world.outputs.insert(name, world.last.clone());
            let held = edges.iter().find(|(.., term)| term.as_ref().is_some_and(|term| world.holds(term)));
            let fallback = edges.iter().find(|(.., term)| term.is_none());
            match held.or(fallback) {
                Some((_, to, _)) => at = *to,
                None if edges.is_empty() => break "terminal",
                None => break "no-match",
            }
        };
        Ended { path, outcome: outcome.to_owned(), last: world.last, outputs: world.outputs }
    }
}
