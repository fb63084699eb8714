//! Measures ten typical expressions, in nanoseconds.
//!
//! `cargo run --release -p stepgraph-expression --example expression_bench`

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "an example that measures and prints"
)]

use serde_json::json;
use std::hint::black_box;
use std::time::Instant;
use stepgraph_expression::JsonSource;
use stepgraph_expression::evaluate::Limits;
use stepgraph_expression::json::{Roots, root_values};
use stepgraph_expression::{ExpressionArena, Program, Syntax, parse};

const EXPRESSIONS: [&str; 10] = [
    "last.score >= 0.5",
    "last.status == 'ok'",
    "last.score > 0.5 && last.status != 'failed' && !last.done",
    "last.address.city.name == 'Paris'",
    "last.price * 1.2 + last.shipping",
    "last.first + ' ' + last.last",
    "last.email.matches('^[a-z]+@[a-z]+\\\\.com$')",
    "size(last.items) > 2 ? 'many' : last.note ?? 'none'",
    "last.items.exists(x, x.price > 90)",
    "last.items.filter(x, x.price > 50).map(x, x.name)",
];

fn main() {
    let items: Vec<_> = (0..10).map(|i| json!({"name": format!("item {i}"), "price": i * 10})).collect();
    let scope = json!({"last": {
        "score": 0.75, "status": "ok", "done": false, "address": {"city": {"name": "Paris"}}, "price": 10, "shipping": 3.5,
        "first": "Ada", "last": "Lovelace", "email": "ada@example.com", "items": items, "note": null,
    }});
    let scope = JsonSource::new(root_values(&scope));
    for text in EXPRESSIONS {
        let parsed = parse(text, Syntax::default());
        let program = Program::compile(&parsed.ast, &mut Roots::new(&["last"])).unwrap();
        let run = || {
            let arena = ExpressionArena::new();
            let outcome = program.evaluate(black_box(&scope), &arena, Limits::default());
            outcome.map(|outcome| outcome.truth())
        };
        let evaluation = best(&mut || drop(black_box(run())));
        let compiling = best(&mut || {
            let parsed = parse(black_box(text), Syntax::default());
            drop(black_box(Program::compile(&parsed.ast, &mut Roots::new(&["last"]))));
        });
        println!("{evaluation:>7.0} ns evaluated {compiling:>7.0} ns compiled  {text}");
    }
}

/// The best of many short rounds.
fn best(call: &mut dyn FnMut()) -> f64 {
    const CALLS: u32 = 500;
    let mut best = f64::MAX;
    for _ in 0..1000 {
        let start = Instant::now();
        for _ in 0..CALLS {
            call();
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS));
    }
    best
}
