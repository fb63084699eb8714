//! x
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let t = std::fs::read_to_string(&a[2]).unwrap();
    if a[1] == "in" || a[1] == "sw" {
        let i = if a[1] == "sw" {
            stepgraph_core::exchange::serverless::read(&t)
        } else {
            stepgraph_core::exchange::mermaid::read(&t)
        };
        println!("{}", i.text.clone().unwrap_or_default());
        for f in &i.findings {
            println!("{:?} {} {}", f.fidelity, f.construct, f.problem);
        }
        if let Some(t) = i.text {
            for d in stepgraph_core::graph::PlanGraph::parse(&t, Default::default()).diagnostics {
                println!("{d}");
            }
        }
        return;
    }
    let p = stepgraph_core::graph::PlanGraph::parse(&t, Default::default());
    let Some(g) = p.graph else {
        eprintln!("{:?}", p.diagnostics);
        return;
    };
    let d = stepgraph_core::exchange::Direction::of(a.get(3).map(|s| s.as_str()).unwrap_or("TD")).unwrap();
    print!(
        "{}",
        if a[1] == "dot" {
            stepgraph_core::exchange::dot::write(&g, d)
        } else {
            stepgraph_core::exchange::mermaid::write(&g, d)
        }
    );
}
