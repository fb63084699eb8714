//! Any plan runs as in `stepgraph_tests::flat_oracle`, a printed plan parses to itself, and no input panics.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper of tests stops the test when it is surprised"
)]

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value as Json, json};
use stepgraph_core::diagnostic::{Code, Diagnostic};
use stepgraph_core::expression::{Condition, Reference, Root, Template};
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::source::{Format, decode};
use stepgraph_core::value::Segment;
use stepgraph_tests::flat_oracle::{
    ConditionScope, Edge, Literal, NodeBehaviour, Operator, Plan, RunResult, Term, UNKNOWN, ValuePath,
};
use stepgraph_tests::{Case, by_driver, by_machine, search};

fn engine(plan: &Plan, input: &Json) -> Result<RunResult, String> {
    let (written, stubs) = plan.write();
    let case = Case { plan: Some(written), stubs: Some(stubs), input: input.clone(), ..Case::default() };
    let (ended, again) = (by_machine(&case), by_driver(&case));
    assert_eq!(ended.canonical(), again.canonical());
    let Some(state) = ended.state else {
        let error = ended.diagnostics.iter().find(|problem| problem.is_error());
        return Err(error.map_or("nothing", |problem| problem.code.slug()).to_owned());
    };
    let outcome = &state["outcome"];
    let outcome = outcome["reason"].as_str().or(outcome["code"].as_str()).unwrap_or("none").to_owned();
    let path = state["path"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect();
    let outputs = state["outputs"].as_object().unwrap().iter().filter(|(name, _)| *name != "input");
    let outputs = outputs.map(|(name, value)| (name.clone(), value.clone())).collect();
    Ok(RunResult { path, outcome, last: state["last"].clone(), outputs })
}

/// Replaces `log` by handlers. Handlers count as calls, so the call limit is dropped.
fn with_handlers(plan: &Plan) -> Plan {
    let act = |act: &NodeBehaviour| match act {
        NodeBehaviour::Log(value) => NodeBehaviour::Give(value.clone()),
        other => other.clone(),
    };
    Plan { nodes: plan.nodes.iter().map(act).collect(), calls: None, ..plan.clone() }
}

fn agree(plan: &Plan, input: &Json) {
    let ended = engine(plan, input);
    // The checker knows the output of `log` and rejects unknown paths into it. It can't know a handler's output.
    if ended == Err("reference/unknown-path".to_owned()) {
        return agree(&with_handlers(plan), input);
    }
    let text = plan.write().0;
    if ended == Err("reference/unknown-output".to_owned()) {
        assert!(plan.nodes.len() < 2 || text.to_string().contains("gone"), "{text}");
        return;
    }
    // `all_small_graphs` compares endless loops. The checker finds more, because it knows edges that are never taken.
    if ended != Err("graph/endless-loop".to_owned()) {
        assert!(!plan.is_endless() || ended.is_ok(), "{text}");
        let expect = plan.run(input.clone());
        if expect.outcome != UNKNOWN {
            assert_eq!(ended, Ok(expect), "{text}");
        }
    }
}

fn equals(text: &str) -> Term {
    let look = ValuePath { root: "last".to_owned(), path: Vec::new() };
    Term::Compare(look, Operator::Equals, Literal { text: text.to_owned(), quoted: false })
}

/// Each pair of up to three nodes has no edge, a fallback or a condition, which outputs may meet.
#[test]
fn all_small_graphs() {
    for count in 1..=3_usize {
        let pairs = count * count;
        for number in 0..3_usize.pow(u32::try_from(pairs).unwrap()) {
            let mut rest = number;
            let mut edges: Vec<Edge> = Vec::new();
            for pair in 0..pairs {
                let (from, to) = (pair / count, pair % count);
                match rest % 3 {
                    1 => edges.push((from, to, None)),
                    2 => edges.push((from, to, Some(equals("x")))),
                    _ => {}
                }
                rest /= 3;
            }
            let acts = [NodeBehaviour::Log("x".into()), NodeBehaviour::Pass, NodeBehaviour::Log("y".into())];
            let nodes = acts[..count].to_vec();
            let plan = Plan { nodes, edges, visits: 2, steps: None, calls: None };
            let text = plan.write().0.to_string();
            let parsed = PlanGraph::parse(&text, Format::Json);
            let endless = parsed.diagnostics.iter().any(|problem| problem.code == Code::EndlessLoop);
            let dead = parsed.diagnostics.iter().any(|problem| problem.code == Code::DeadEdge);
            // The plain search trusts edges that the checker knows are never taken.
            assert!(endless == plan.is_endless() || dead, "{text}");
            if !endless {
                agree(&plan, &Json::Null);
            }
        }
    }
}

fn scalar() -> impl Strategy<Value = Json> {
    prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (-3..4_i64).prop_map(Json::from),
        select(vec![0.5, -1.5, 1e21, 1e-7, 1_000_000.0, 2.0]).prop_map(Json::from),
        select(vec!["", "a", "b", "ab", "a b", "1", "1.0", "true", "null", "[1]", " a ", "ñ", "\"", "a)"])
            .prop_map(Json::from),
        ".{0,3}".prop_map(Json::from),
    ]
}

fn value() -> impl Strategy<Value = Json> {
    scalar().prop_recursive(2, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::Array),
            prop::collection::vec((select(vec!["a", "b", "0", "exists", "x.y", ""]), inner), 0..3).prop_map(
                |entries| Json::Object(
                    entries.into_iter().map(|(k, v)| (k.to_owned(), v)).collect::<Map<_, _>>()
                )
            ),
        ]
    })
}

/// Bare literals are as people write them, quoted ones hold any text.
fn literal() -> impl Strategy<Value = Literal> {
    let bare = select(vec![
        "",
        "a",
        "b",
        "ab",
        "a b",
        "1",
        "1.0",
        "1e0",
        "-1",
        "0",
        "-0",
        "0.5",
        "01",
        "+1",
        "true",
        "false",
        "null",
        "True",
        "[1]",
        "[]",
        "{}",
        "{\"a\":1.0}",
        "[1,\"a\"]",
        "f(x)",
        "1000000",
        "1e21",
        "0.0000001",
        "a.b",
        "é",
    ]);
    let of_value = value().prop_map(|value| match value {
        Json::String(text) => text,
        other => other.to_string(),
    });
    prop_oneof![
        3 => bare.prop_map(|text| Literal { text: text.to_owned(), quoted: false }),
        1 => of_value.prop_map(|text| Literal { text, quoted: true }),
        1 => any::<String>().prop_map(|text| Literal { text, quoted: true }),
    ]
}

fn look(roots: Vec<&'static str>) -> impl Strategy<Value = ValuePath> {
    let step = prop_oneof![
        select(vec!["a", "b", "0", "1", "00", "exists", "x.y", ""]).prop_map(Json::from),
        (0..3_u64).prop_map(Json::from),
    ];
    // The engine rejects unknown paths into a failure before the run.
    let part = select(vec!["code", "message", "node"]).prop_map(Json::from);
    (select(roots), prop::collection::vec(step, 0..3), prop::collection::vec(part, 0..2)).prop_map(
        |(root, path, part)| ValuePath {
            root: root.to_owned(),
            path: if root == "error" { part } else { path },
        },
    )
}

fn term(roots: &[&'static str]) -> impl Strategy<Value = Term> + use<> {
    let operator = select(vec![Operator::Equals, Operator::Differs, Operator::Contains]);
    let ordering = select(vec![Operator::Less, Operator::AtMost, Operator::Greater, Operator::AtLeast]);
    let number = select(vec!["0", "1", "-1.5", "2", "1e3", "0.5"]);
    let number = number.prop_map(|text| Literal { text: text.to_owned(), quoted: false });
    let look = || look(roots.to_vec());
    let atom = prop_oneof![
        4 => (look(), operator, literal()).prop_map(|(look, operator, l)| Term::Compare(look, operator, l)),
        1 => (look(), ordering, number).prop_map(|(look, operator, l)| Term::Compare(look, operator, l)),
        1 => look().prop_map(Term::Exists),
    ];
    atom.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|term| Term::Not(Box::new(term))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Term::And(Box::new(a), Box::new(b))),
            (inner.clone(), inner).prop_map(|(a, b)| Term::Or(Box::new(a), Box::new(b))),
        ]
    })
}

fn plan() -> impl Strategy<Value = Plan> {
    let act = prop_oneof![
        4 => value().prop_map(NodeBehaviour::Give),
        1 => Just(NodeBehaviour::Fail),
        2 => Just(NodeBehaviour::Pass),
        // Null equals no input, and `${` would start a template.
        2 => scalar().prop_filter("an input", |v| !v.is_null() && !v.to_string().contains("${")).prop_map(NodeBehaviour::Log),
    ];
    (
        prop::collection::vec(act, 1..9),
        1..6_usize,
        prop::option::of(1..20_usize),
        prop::option::of(1..12_usize),
    )
        .prop_flat_map(|(nodes, visits, steps, calls)| {
            let count = nodes.len();
            let condition = prop::option::of(term(&["last", "input", "error", "n0", "n1", "gone"]));
            let edges = prop::collection::vec((0..count, 0..count, condition), 0..16);
            (Just(nodes), edges, Just((visits, steps, calls)))
        })
        .prop_map(|(nodes, edges, (visits, steps, calls))| Plan { nodes, edges, visits, steps, calls })
}

fn scraps() -> impl Strategy<Value = String> {
    let scrap = select(vec![
        "nodes:",
        "edges:",
        "start: a",
        "  a:",
        " {type: log}",
        "type: ",
        "noop",
        "emit",
        "tool",
        "llm",
        "input: ",
        "\"${last",
        "}\"",
        " ?? ",
        "- {from: a, to: a",
        ", condition: ",
        "last==x",
        "'!(last.a.exists) && '",
        "}",
        "]",
        "[",
        "{",
        "\n",
        "\n  ",
        "\n    ",
        ": ",
        ", ",
        "&x ",
        "*x",
        "!!str ",
        "|\n",
        ">-\n",
        "\"",
        "'",
        "# c",
        "---\n",
        "limits: {visits: 2}",
        "layout: {a: [1, 2]}",
        "with: {model: x}",
        "\t",
        "é",
        "\u{feff}",
        "null",
        "0x1F",
        ".inf",
        "id: a",
        "metadata: {tool: t}",
        "? ",
        "<<: ",
        "error.code",
        "output.",
        "\\u00",
    ]);
    prop::collection::vec(scrap, 0..24).prop_map(|scraps| scraps.concat())
}

/// A sound plan's run must end.
fn survives(text: &str) {
    for format in ["yaml", "json"] {
        let stubs = json!({
            "types": {"emit": "echo"}, "tools": {"t": "echo"}, "models": {"default": "echo"}, "nodes": {"b": "last"},
        });
        let case = Case {
            source: Some(text.to_owned()),
            format: Some(format.to_owned()),
            stubs: Some(stubs),
            ..Case::default()
        };
        let ended = by_machine(&case);
        match ended.state {
            Some(state) => assert!(!state["outcome"].is_null(), "{text}"),
            None => assert!(ended.diagnostics.iter().any(Diagnostic::is_error), "{text}"),
        }
        for problem in &ended.diagnostics {
            let mut places = problem.span.into_iter().chain(problem.labels.iter().map(|label| label.span));
            assert!(places.all(|span| text.get(span.start..span.end).is_some()), "{problem} in {text:?}");
            assert!(problem.help.is_some() && !problem.message.contains(char::is_control), "{problem}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: search::cases(2000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn engine_and_interpreter_agree(plan in plan(), input in value()) {
        agree(&plan, &input);
    }

    #[test]
    fn conditions_hold_as_the_rules_say(term in term(&["last", "input", "n", "gone"]), last in value(), n in value()) {
        let world = ConditionScope { last: last.clone(), input: Json::from("go"), outputs: [("n".to_owned(), n.clone())].into(), error: None };
        let text = term.write();
        let plan = json!({
            "start": "probe",
            "nodes": {"probe": {"type": "probe"}, "yes": {"type": "noop"}},
            "edges": [{"from": "probe", "to": "yes", "condition": text}],
        });
        let case = Case {
            plan: Some(plan),
            input: Json::from("go"),
            outputs: [("n".to_owned(), n)].into_iter().collect(),
            stubs: Some(json!({"types": {"probe": {"return": last}}})),
            ..Case::default()
        };
        let state = by_machine(&case).state;
        let (path, code) = state.map(|state| (state["path"].clone(), state["outcome"]["code"].clone())).unwrap_or_default();
        let holds = world.holds(&term);
        let expected = if holds == Some(true) { json!(["probe", "yes"]) } else { json!(["probe"]) };
        prop_assert_eq!(path, expected, "{}", text);
        prop_assert_eq!(code == json!("expression/type"), holds.is_none(), "{}", text);
    }

    #[test]
    fn conditions_print_and_read_again(term in term(&["last", "error", "n.1", "ñ"])) {
        let text = term.write();
        let read = Condition::parse(&text).unwrap();
        let printed = read.to_string();
        let again = Condition::parse(&printed).unwrap();
        prop_assert_eq!(&again.to_string(), &printed);
        let tests = |condition: &Condition| -> Vec<_> {
            condition.atoms().iter().map(|atom| (atom.reference.clone(), atom.predicate.clone())).collect()
        };
        prop_assert_eq!(tests(&again), tests(&read), "{} printed as {}", text, printed);
    }

    #[test]
    fn references_print_and_read_again(
        root in prop_oneof![Just(Root::Last), Just(Root::Error), ".{0,4}".prop_map(Root::Output)],
        path in prop::collection::vec(
            prop_oneof![any::<String>().prop_map(Segment::Key), any::<u16>().prop_map(|i| Segment::Index(i.into()))],
            0..4,
        ),
    ) {
        let reference = Reference { root, path };
        prop_assert_eq!(Reference::parse(&reference.to_string()), Ok(reference));
    }

    #[test]
    fn any_text_is_a_condition_or_not(text in any::<String>(), scraps in scraps()) {
        for text in [text, scraps] {
            let inside = |start: usize, end: usize| assert!(text.get(start..end).is_some(), "{text:?}");
            match Condition::parse(&text) {
                Ok(condition) => {
                    let printed = condition.to_string();
                    assert_eq!(Condition::parse(&printed).unwrap().to_string(), printed, "{text:?}");
                    condition.atoms().iter().for_each(|atom| inside(atom.span.start, atom.span.end));
                }
                Err(error) => inside(error.span.start, error.span.end),
            }
            if let Err(error) = Template::parse(&text) {
                inside(error.span.start, error.span.end);
            }
        }
    }

    #[test]
    fn any_bytes_survive(bytes in prop::collection::vec(any::<u8>(), 0..120), text in any::<String>()) {
        survives(&text);
        if let Ok(text) = decode(&bytes) {
            survives(text);
        }
    }

    #[test]
    fn any_scraps_survive(text in scraps()) {
        survives(&text);
    }
}
