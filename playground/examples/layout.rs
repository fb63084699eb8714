//! Lays out a JSON list of plan texts for the benchmark. Prints nodes as `[x, y, width, height]`, edges as points, and
//! microseconds.

use std::io::Read;
use std::time::Instant;
use stepgraph_core::{graph::PlanGraph, source::Format};
use stepgraph_playground::geometry::Rect;
use stepgraph_playground::scene::{Scene, ViewOptions, build_scene};

/// Points per curve segment.
const SAMPLES: u32 = 8;

#[expect(clippy::print_stdout, reason = "the benchmark reads it")]
fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let plans: Vec<String> = serde_json::from_str(&text)?;
    let drawings: Vec<serde_json::Value> = plans.iter().map(|text| measure(text)).collect();
    println!("{}", serde_json::to_string(&drawings)?);
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn measure(text: &str) -> serde_json::Value {
    let Some(plan) = PlanGraph::parse(text, Format::Auto).graph else { return serde_json::Value::Null };
    let choices = ViewOptions::default();
    let best = (0..5).map(|_| {
        let begin = Instant::now();
        let scene = build_scene(&plan, &choices);
        (begin.elapsed().as_micros(), scene)
    });
    best.min_by_key(|(time, _)| *time).map_or(serde_json::Value::Null, |(time, scene)| drawing(&scene, time))
}

fn drawing(scene: &Scene, micros: u128) -> serde_json::Value {
    let area = |area: &Rect| [area.min.x, area.min.y, area.size.width, area.size.height];
    let nodes: Vec<_> = scene.nodes.iter().map(|node| area(&node.area)).collect();
    let edges: Vec<_> = scene
        .edges
        .iter()
        .map(|edge| {
            let points: Vec<[f64; 2]> =
                edge.curve.sample_points(SAMPLES).iter().map(|point| [point.x, point.y]).collect();
            let label = (!edge.label.is_empty()).then(|| area(&edge.label_box));
            serde_json::json!({ "from": edge.from, "to": edge.to, "points": points, "label": label })
        })
        .collect();
    let keys: Vec<&str> = scene.nodes.iter().map(|node| node.key.as_str()).collect();
    serde_json::json!({ "keys": keys, "nodes": nodes, "edges": edges, "micros": micros })
}
