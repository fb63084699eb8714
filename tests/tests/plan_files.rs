//! Plans that run other files, and the diagnostics in both.

use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::check::check;
use stepgraph_core::graph::{FileText, MAX_FILES, PlanFiles, PlanGraph};
use stepgraph_core::interner::NameTable;
use stepgraph_core::source::{Format, MAX_BYTES};
use stepgraph_tests::plan_files::{FilesCase, cases};

/// An expected line may state the beginning of the message and part of the help.
fn differences(name: &str, what: &str, expected: &[String], found: &[String]) -> Vec<String> {
    let matches = |expected: &String, found: &String| {
        let (head, help) = expected.split_once(" | ").unwrap_or((expected, ""));
        let (all, advice) = found.split_once(" | ").unwrap_or((found, ""));
        all.starts_with(head) && advice.contains(help)
    };
    let same =
        expected.len() == found.len() && expected.iter().zip(found).all(|(one, other)| matches(one, other));
    if same { Vec::new() } else { vec![format!("{name}, {what}:\n{}", found.join("\n"))] }
}

#[test]
fn mistakes_have_their_place() {
    let of_case = |case: &FilesCase| {
        let mut broken = differences(&case.name, "expect", &case.expect, &case.diagnostics());
        if let Some(expected) = &case.editor {
            broken.extend(differences(&case.name, "editor", expected, &case.editor_diagnostics(true)));
        }
        if let Some(expected) = &case.closed {
            broken.extend(differences(&case.name, "closed", expected, &case.editor_diagnostics(false)));
        }
        broken
    };
    let broken: Vec<String> = cases().iter().flat_map(of_case).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
}

#[test]
fn a_plan_with_files_means_the_same_as_one_text() {
    for case in cases() {
        let Some(inlined) = &case.inlined else { continue };
        let plan = case.parse().into_sound().expect(&case.name);
        let whole = PlanGraph::parse(inlined, Format::Auto).into_sound().expect(&case.name);
        assert_eq!(plan.hash(), whole.hash(), "{}", case.name);
        assert_eq!(plan.fingerprint(), whole.fingerprint(), "{}", case.name);
        // The bundle needs no files.
        let bundle =
            PlanGraph::parse(&plan.to_json().to_string(), Format::Json).into_sound().expect(&case.name);
        assert_eq!(bundle.hash(), whole.hash(), "{}", case.name);
        assert_eq!(plan.own_source(), case.plan, "{}", case.name);
    }
}

#[test]
fn a_plan_with_unknown_files_cannot_run() {
    let text = "nodes: {a: {type: graph, graph: b.yaml}}";
    for files in [PlanFiles::default(), PlanFiles::optional()] {
        let parsed = PlanGraph::parse_with(text, Format::Auto, NameTable::default(), &files);
        let plan = parsed.graph.expect("a plan");
        assert!(!plan.is_sound());
        assert_eq!(plan.missing_files(), ["b.yaml"]);
    }
}

fn code(plan: &str, file: String) -> String {
    let mut files = PlanFiles::default();
    files.insert("b.yaml", FileText::Text(file));
    let parsed = PlanGraph::parse_with(plan, Format::Auto, NameTable::default(), &files);
    parsed.diagnostics.first().map(|found| found.code.slug().to_owned()).unwrap_or_default()
}

#[test]
fn files_are_bounded() {
    let plan = "nodes: {a: {type: graph, graph: b.yaml}}";
    let file = "nodes: {x: {type: log}}\n";
    assert_eq!(code(plan, file.to_owned()), "");
    assert_eq!(code(plan, format!("{file}# {}", "x".repeat(MAX_BYTES))), "file/too-large");
    // Each use counts.
    let third = format!("{file}# {}", "x".repeat(MAX_BYTES / 3));
    let three = "nodes: {a: {type: parallel, branches: {x: b.yaml, y: b.yaml, z: b.yaml}}}";
    assert_eq!(code(plan, third.clone()), "");
    assert_eq!(code(three, third), "file/too-large");
    let many: Vec<String> = (0..=MAX_FILES).map(|at| format!("b{at}: b.yaml")).collect();
    let many = format!("nodes: {{a: {{type: parallel, branches: {{{}}}}}}}", many.join(", "));
    assert_eq!(code(&many, file.to_owned()), "file/too-many");
    let deep = format!("nodes: {{x: {{type: log, input: {}1{}}}}}", "[".repeat(121), "]".repeat(121));
    assert_eq!(PlanGraph::parse(&deep, Format::Auto).diagnostics, []);
    assert_eq!(code(plan, deep), "source/too-deep");
}

/// A mismatch is reported where the node passes the value, with the file's declaration.
#[test]
fn inputs_of_other_types_are_reported_at_the_node() {
    const PLAN: &str = r#"inputs: {n: {type: integer}, city: {type: string}, any: {}}
nodes:
  a: {type: graph, input: {team: "${input.n}", city: "${input.city}", tags: "${input.any}", n: 1}, graph: parts/a.yaml}
  b: {type: parallel, input: {team: 5, city: Oslo, tags: [x], n: 1}, branches: {x: parts/a.yaml}}
  c: {type: graph, input: {team: "${input.city}", city: "in ${input.city}", tags: "${input.city + 'x'}", n: 1}, graph: parts/a.yaml}
  d: {type: map, input: [{team: x, city: Oslo}, {team: 5}, 7], do: parts/a.yaml}
  e: {type: graph, input: {team: x, city: Paris, tags: [], n: 9}, graph: parts/a.yaml}
edges: [{from: a, to: b}, {from: b, to: c}, {from: c, to: d}, {from: d, to: e}]
"#;
    let mut files = PlanFiles::default();
    let file = "inputs: {team: {type: string}, city: {enum: [Oslo, Bergen]}, tags: {type: array}, n: {type: integer, maximum: 5}}\nnodes: {x: {type: log}}\n";
    files.insert("parts/a.yaml", FileText::Text(file.to_owned()));
    let plan = PlanGraph::parse_with(PLAN, Format::Auto, NameTable::default(), &files).graph.unwrap();
    let found: Vec<String> = check(&plan, &Capabilities::default())
        .iter()
        .map(|problem| {
            let at =
                problem.span.and_then(|span| plan.source().get(span.start..span.end)).unwrap_or_default();
            let label =
                problem.labels.first().and_then(|label| plan.source().get(label.span.start..label.span.end));
            format!("{} {at} | {} | {}", problem.code.slug(), problem.message, label.unwrap_or_default())
        })
        .collect();
    assert_eq!(
        found,
        [
            "file/invalid-input \"${input.n}\" | the input `team` of `parts/a.yaml` is text, not a whole number | team",
            "file/invalid-input 5 | the input `team` of `parts/a.yaml` is text, not `5` | team",
            "file/invalid-input \"${input.city + 'x'}\" | the input `tags` of `parts/a.yaml` is a list, not text | tags",
            "file/invalid-input 5 | the input `team` of `parts/a.yaml` is text, not `5` | team",
            "file/invalid-input Paris | the input `city` of `parts/a.yaml` is `Oslo` or `Bergen`, not `\"Paris\"` | city",
            "file/invalid-input 9 | the input `n` of `parts/a.yaml` does not fit: the value is `9`, expected at most `5` | n",
        ]
    );
}
