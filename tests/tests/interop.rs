//! Exports diagrams and imports other formats. `UPDATE=1` rewrites the expected imports.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use stepgraph_authoring::interop::{Direction, Fidelity, dot, mermaid, serverless};
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::check;
use stepgraph_core::graph::{Graph, PlanGraph};
use stepgraph_core::source::Format;
use stepgraph_tests::files::{self, files, folder};
use stepgraph_tests::{Suite, by_driver, by_machine, interop};

fn plans() -> Vec<(String, PlanGraph)> {
    let mut texts: Vec<(String, String)> = Suite::all()
        .iter()
        .flat_map(|(_, cases)| cases.iter().map(|case| (case.id.clone(), case.text())).collect::<Vec<_>>())
        .collect();
    for name in ["examples", "core/flows", "tests/suite/diagnostics"] {
        let found = files::texts(files(&folder(name), &["yaml"]));
        assert!(!found.is_empty(), "{name} is gone");
        texts.extend(found);
    }
    let read =
        |(name, text): (String, String)| Some((name, PlanGraph::parse(&text, Format::Auto).into_sound()?));
    texts.into_iter().filter_map(read).collect()
}

/// Returns the parts that a diagram preserves.
fn essence(plan: &PlanGraph) -> String {
    let mut told = format!("{:?}\n", plan.id);
    graph_essence(&plan.root, &mut told);
    told
}

fn graph_essence(graph: &Graph, told: &mut String) {
    let _ = writeln!(
        told,
        "{} begins at {:?}",
        graph.scope,
        graph.start.and_then(|at| graph.nodes.get(at)).map(|node| &node.key)
    );
    for node in &graph.nodes {
        let tool = node.tool.as_ref().map(|tool| &tool.name);
        let _ = writeln!(told, "{:?} {:?} {:?} {tool:?}", node.key, node.id, node.kind);
        for nested in &node.nested {
            let _ = writeln!(told, "{} {:?} {{", nested.key, nested.name);
            graph_essence(&nested.graph, told);
            told.push_str("}\n");
        }
    }
    // Only edges of one node have a defined order.
    for at in 0..graph.nodes.len() {
        for edge in graph.edges_from(at) {
            let _ = writeln!(told, "{:?} to {:?} if {}", edge.from.name, edge.to.name, edge.condition);
        }
    }
}

#[test]
fn a_drawing_of_ours_reads_back_as_what_it_was_drawn_from() {
    let plans = plans();
    assert!(plans.len() > 150, "{} plans", plans.len());
    for (name, plan) in plans {
        let drawn = mermaid::write(&plan, Direction::Down);
        let imported = mermaid::import(&drawn);
        // The only finding is that a diagram has no settings.
        let said: Vec<_> = imported.findings.iter().map(|finding| finding.construct).collect();
        assert_eq!(said, ["drawing"], "{name}: {:?}", imported.findings);
        let text = imported.text.unwrap();
        let parsed = PlanGraph::parse(&text, Format::Yaml);
        // A diagram loses node settings, but the plan stays sound.
        let again = parsed
            .graph
            .filter(PlanGraph::is_sound)
            .unwrap_or_else(|| panic!("{name}: {:?}\n{text}", parsed.diagnostics));
        assert_eq!(essence(&again), essence(&plan), "{name}");
        assert_eq!(mermaid::write(&again, Direction::Down), drawn, "{name}");
    }
}

#[test]
fn what_becomes_of_plans_of_other_programs() {
    #[expect(clippy::disallowed_methods, reason = "a test may be told to rewrite its expectations")]
    let update = std::env::var("UPDATE").is_ok();
    let sources = interop::sources();
    assert!(sources.len() >= 12, "{} sources", sources.len());
    for source in sources {
        let told = interop::describe_import(&source.import(), &source.text);
        if update {
            std::fs::write(source.expectation(), &told).unwrap();
        }
        let expected = std::fs::read_to_string(source.expectation()).unwrap_or_default();
        assert_eq!(told, expected, "{}", source.path.display());
    }
}

#[test]
fn what_is_taken_over_checks_without_errors() {
    for source in interop::sources() {
        let Some(text) = source.import().text else { continue };
        let parsed = PlanGraph::parse(&text, Format::Yaml);
        let plan = parsed
            .graph
            .filter(PlanGraph::is_sound)
            .unwrap_or_else(|| panic!("{}: {:?}", source.path.display(), parsed.diagnostics));
        let found = check::check(&plan, &Capabilities::default());
        assert!(found.iter().all(|problem| !problem.is_error()), "{}: {found:?}", source.path.display());
    }
}

#[test]
fn what_is_taken_over_runs_as_it_was_meant() {
    let runs = interop::runs();
    assert!(runs.len() >= 6);
    for case in runs {
        for (driver, ended) in [("machine", by_machine(&case)), ("driver", by_driver(&case))] {
            assert_eq!(ended.differences(&case.expect), Vec::<String>::new(), "{}, by the {driver}", case.id);
        }
    }
}

/// The docs list exactly the suite's constructs and fidelities.
#[test]
fn the_table_of_constructs_is_what_happens() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/interop.md");
    let docs = std::fs::read_to_string(path).unwrap();
    let rows: BTreeSet<(String, String)> = docs
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split(" | ");
            let construct = cells.next()?.trim_end_matches('`').to_owned();
            let words = cells.next()?.split(", ").map(str::to_owned).collect::<Vec<_>>();
            Some(words.into_iter().map(move |word| (construct.clone(), word)))
        })
        .flatten()
        .filter(|(_, word)| ["exact", "approximated", "lost"].contains(&word.as_str()))
        .collect();
    let mut met = BTreeSet::new();
    for source in interop::sources() {
        for finding in source.import().findings.iter().filter(|finding| finding.construct != "the text") {
            met.insert((finding.construct.to_owned(), finding.fidelity.as_str().to_owned()));
        }
    }
    let missing: Vec<_> = met.difference(&rows).collect();
    let idle: Vec<_> = rows.difference(&met).collect();
    assert!(
        missing.is_empty() && idle.is_empty(),
        "not in the table: {missing:?}\nnot in the suite: {idle:?}"
    );
}

#[test]
fn long_plans_are_drawn_and_read() {
    let mut text = String::from("start: n0\nnodes:\n");
    for at in 0..10_000 {
        let _ = writeln!(text, "  n{at}: {{type: noop}}");
    }
    text.push_str("edges:\n");
    for at in 0..9_999 {
        let _ = writeln!(text, "  - {{from: n{at}, to: n{}}}", at + 1);
    }
    let plan = PlanGraph::parse(&text, Format::Yaml).into_sound().unwrap();
    let drawn = mermaid::write(&plan, Direction::Right);
    assert_eq!(drawn.matches("-->").count(), 10_001);
    assert_eq!(dot::write(&plan, Direction::Right).matches(" -> ").count(), 10_001);
    let again = PlanGraph::parse(&mermaid::import(&drawn).text.unwrap(), Format::Yaml).into_sound().unwrap();
    assert_eq!(essence(&again), essence(&plan));
}

/// Repeated scans would take too long or overflow the stack.
#[test]
fn hostile_texts_are_read() {
    let many = 20_000;
    for text in [
        format!("graph TD\n{}", "a[\"".repeat(many)),
        format!("graph TD\n{}", "a[\"\n".repeat(many)),
        format!("graph TD\n{}", "a[(".repeat(many)),
        format!("graph TD\n{}", "subgraph x\n".repeat(many)),
        format!("graph TD\n{}", "a-->".repeat(many)),
        format!("graph TD\n{}", "a & ".repeat(many)),
        format!("graph TD\n{}", "a@{".repeat(many)),
        format!("graph TD\na{}", " -- x".repeat(many)),
        format!("graph TD\n{}", "%%{".repeat(many)),
        format!("---\n{}", "---\n".repeat(many)),
        (0..many).fold("graph TD\n".to_owned(), |mut text, at| {
            let _ = writeln!(text, "a{at}-->a{}", at % 7);
            text
        }),
        format!("graph TD\n{}{}", "subgraph x\na-->b\n".repeat(3_000), "end\n".repeat(3_000)),
    ] {
        let imported = mermaid::import(&text);
        if let Some(plan) = imported.text {
            let parsed = PlanGraph::parse(&plan, Format::Yaml);
            assert!(parsed.graph.as_ref().is_some_and(PlanGraph::is_sound), "{:?}", parsed.diagnostics);
        }
    }
    let head = "document: {dsl: 1.0.1, namespace: a, name: b, version: 1.0.0}\n";
    for body in [
        format!("do: [a: {{set: '${{ {} }}'}}]", "(".repeat(many)),
        format!("do: [a: {{set: '${{ {} }}'}}]", ".a".repeat(many)),
        format!("do: [a: {{if: '{}', set: 1}}]", ".a and ".repeat(many)),
        format!("do: {}a{}", "[a: {do: ".repeat(30), "}]".repeat(30)),
        format!("do: [{}]", "a: {set: 1, then: a}, ".repeat(many)),
    ] {
        let imported = serverless::import(&format!("{head}{body}"));
        if let Some(plan) = imported.text {
            let parsed = PlanGraph::parse(&plan, Format::Yaml);
            assert!(
                parsed.graph.as_ref().is_some_and(PlanGraph::is_sound),
                "{body:.60}: {:?}",
                parsed.diagnostics
            );
        }
    }
}

#[test]
fn only_what_is_kept_is_exact() {
    for source in interop::sources() {
        for finding in source.import().findings {
            let exact = finding.fidelity == Fidelity::Exact;
            assert_eq!(exact, finding.diagnostic.code.slug() == "import/exact", "{finding:?}");
        }
    }
}
