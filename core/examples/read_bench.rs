//! Measures reading, beside the parser alone, with `--release`. Prints the best of many rounds. An argument filters
//! rows by name.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark measures time and prints it"
)]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};
use stepgraph_core::source::{Format, parse};

fn main() {
    let yaml = plan(10_000);
    let unicode = yaml.replace("Step", "Schritt ä");
    let tree = parse(&yaml, Format::Yaml).root.map(|root| root.to_json()).unwrap_or_default();
    let json = tree.to_string();
    println!("yaml {} bytes, json {} bytes", yaml.len(), json.len());
    show("parser alone, yaml", || events(&yaml));
    show("read yaml", || parse(black_box(&yaml), Format::Auto));
    show("read yaml, not ASCII", || parse(black_box(&unicode), Format::Auto));
    show("read json", || parse(black_box(&json), Format::Auto));
    show("serde_yaml value", || serde_yaml::from_str::<serde_yaml::Value>(black_box(&yaml)).ok());
    show("serde_json value", || serde_json::from_str::<serde_json::Value>(black_box(&json)).ok());
}

fn events(text: &str) -> usize {
    saphyr_parser::Parser::new_from_str(black_box(text)).take_while(Result::is_ok).count()
}

fn show<T>(name: &str, mut work: impl FnMut() -> T) {
    if std::env::args().nth(1).is_some_and(|part| !name.contains(&part)) {
        return;
    }
    let round = |work: &mut dyn FnMut() -> T| {
        let start = Instant::now();
        let result = black_box(work());
        let time = start.elapsed();
        drop(result);
        time
    };
    let best = (0..30).map(|_| round(&mut work)).min().unwrap_or(Duration::ZERO);
    println!("{name:24} {:8.2} ms", best.as_secs_f64() * 1000.0);
}

/// A chain of nodes, about 100 bytes each.
fn plan(nodes: usize) -> String {
    let mut text = String::from("start: n0\nnodes:\n");
    for n in 0..nodes {
        let input = format!("{{query: \"Step {n}\", limit: {n}}}");
        let _ = write!(text, "  n{n}:\n    type: tool\n    tool: search\n    input: {input}\n");
    }
    text += "edges:\n";
    for n in 1..nodes {
        let last = n - 1;
        let _ = write!(text, "  - from: n{last}\n    to: n{n}\n    condition: output.n{last}.ok==true\n");
    }
    text
}
