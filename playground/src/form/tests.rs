//! Tests of forms, edits, conditions and references.

use super::condition::{Join, OperandKind, Operator, Row, Rows};
use super::evaluate::Samples;
use super::parse_input::{InputError, parse_field};
use super::reference_options::{reference_options, search};
use super::*;
use crate::i18n::Lang;
use serde_json::json;
use stepgraph_authoring::edit::edit;
use stepgraph_authoring::language::Document;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::source::Format;
use stepgraph_core::tool::{ToolInfo, ToolRegistry};

const PLAN: &str = r#"# a shop
id: shop
limits: {visits: 25} # as usual
inputs:
  order: {type: string}
nodes:
  look: # finds it
    type: tool
    tool: find
    input:
      query: "${input.order}" # what they said
      limit: 5
  answer:
    type: llm
    with: {model: default, temperature: 0.5} # calm
    input: Thanks for ${output.look.total}
    retry: {attempts: 3}
    color: red
edges:
  - {from: look, to: answer, condition: last.total>=10 && last.kind==book} # enough
  - {from: look, to: sorry}
"#;

fn document(text: &str) -> Document {
    let mut document = Document::new(text.to_owned(), Format::Auto);
    let tool = json!({"name": "find", "description": "Finds things.", "input_schema": {"type": "object", "required": ["query"],
        "properties": {
            "query": {"type": "string", "description": "What to look for."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 10, "default": 3},
            "sort": {"enum": ["price", "name"]},
            "deep": {"type": "boolean"},
            "where": {"$ref": "#/$defs/place"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "shape": {"oneOf": [{"type": "object", "title": "Circle", "properties": {"r": {"type": "number"}}, "required": ["r"]}, {"type": "string"}]}},
        "additionalProperties": false, "$defs": {"place": {"type": "object", "properties": {"city": {"type": "string"}}}}},
        "output_schema": {"type": "object", "properties": {"total": {"type": "number"}, "kind": {"enum": ["book", "toy"]}, "items": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}}}});
    let tool = ToolInfo::from_json(&tool).unwrap();
    document
        .set_capabilities(Capabilities { tools: Some(ToolRegistry::new([tool])), ..Capabilities::default() });
    document
}

fn node(key: &str) -> Owner {
    Owner::Node(String::new(), key.to_owned())
}

fn of(document: &Document, owner: Owner) -> Form {
    build_form(document, &Subject::One(owner), Lang::En).unwrap()
}

fn shown(form: &Form, id: &str, depth: usize, out: &mut String) {
    let field = &form.fields[id];
    let control = format!("{:?}", field.control);
    let control = control.split([' ', '(', '{']).next().unwrap().to_lowercase();
    out.push_str(&"  ".repeat(depth));
    out.extend([field.label.as_str(), " [", &control, "]"]);
    if let (Some(value), true) = (&field.value, field.children.is_empty()) {
        out.extend([" ", &value.to_string()]);
    }
    for (what, text) in [(" ~", &field.default_text), (" :", &field.hint)] {
        if !text.is_empty() {
            out.extend([what, text.as_str()]);
        }
    }
    for (flag, word) in [
        (field.is_required, "!"),
        (field.is_template, "$"),
        (field.is_removable, "x"),
        (field.addition.is_some(), "+"),
    ] {
        out.push_str(if flag { word } else { "" });
    }
    out.push_str(&field.line.map(|line| format!(" @{line}")).unwrap_or_default());
    for problem in &field.problems {
        out.extend([" <", &problem.message, ">"]);
    }
    out.push('\n');
    for part in &field.children {
        shown(form, part, depth + 1, out);
    }
}

fn sketch(form: &Form) -> String {
    let mut out = String::new();
    for section in &form.sections {
        let folded = if section.is_collapsed { "…" } else { "" };
        out.extend([&format!("{:?}{folded} {}", section.kind, section.set_count), "\n"]);
        for id in &section.fields {
            shown(form, id, 1, &mut out);
        }
    }
    out
}

/// `UPDATE=1` records forms again for review.
fn check(name: &str, found: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/form/tests").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    assert_eq!(found, std::fs::read_to_string(&path).unwrap(), "{name}");
}

#[test]
fn builds_forms_of_nodes_edges_and_the_plan() {
    let document = document(PLAN);
    for (name, owner) in [
        ("tool.txt", node("look")),
        ("llm.txt", node("answer")),
        ("edge.txt", Owner::Edge(String::new(), 0)),
        ("plan.txt", Owner::Plan),
    ] {
        check(name, &sketch(&of(&document, owner)));
    }
    assert!(build_form(&document, &Subject::One(node("nobody")), Lang::En).is_none());
    let spanish = build_form(&document, &Subject::One(node("answer")), Lang::Es).unwrap();
    assert_eq!(spanish.fields["node:answer.with.temperature"].label, "Temperatura");
}

fn typed(text: &str, owner: Owner, path: &str, typed: &str) -> String {
    let document = document(text);
    let form = of(&document, owner);
    let field = form.fields.get(path).unwrap_or_else(|| panic!("{path} among {:?}", form.fields.keys()));
    let value = parse_field(field, typed).unwrap();
    edit(text, Format::Auto, &change::set(&form, field, value.as_ref())).unwrap().text
}

/// Field, input, text before, text after.
#[test]
fn a_field_edits_only_its_own_value() {
    for (owner, path, new, from, to) in [
        (node("look"), "node:look.input.limit", "7", "limit: 5", "limit: 7"),
        (node("look"), "node:look.input.limit", "", "      limit: 5\n", ""),
        (
            node("look"),
            "node:look.input.query",
            "${input.order}!",
            "\"${input.order}\" #",
            "\"${input.order}!\" #",
        ),
        (node("look"), "node:look.input.sort", "price", "limit: 5\n", "limit: 5\n      sort: price\n"),
        (
            node("look"),
            "node:look.input.where.city",
            "Lima",
            "limit: 5\n",
            "limit: 5\n      where: {city: Lima}\n",
        ),
        (
            node("answer"),
            "node:answer.with.model",
            "",
            "{model: default, temperature: 0.5}",
            "{temperature: 0.5}",
        ),
        (node("answer"), "node:answer.with.temperature", "1", "temperature: 0.5}", "temperature: 1}"),
        (node("answer"), "node:answer.with.max_tokens", "100", "0.5} # calm", "0.5, max_tokens: 100} # calm"),
        (node("answer"), "node:answer.retry.attempts", "", "    retry: {attempts: 3}\n", ""),
        (node("answer"), "node:answer.input", "Bye", "Thanks for ${output.look.total}", "Bye"),
        (node("answer"), "node:answer.color", "{a: [1]}", "color: red", "color: \"{a: [1]}\""),
        (
            Owner::Edge(String::new(), 0),
            "edge:#0.condition",
            "",
            ", condition: last.total>=10 && last.kind==book}",
            "}",
        ),
        (Owner::Edge(String::new(), 0), "edge:#0.to", "look", "to: answer, c", "to: look, c"),
        (Owner::Plan, "plan.limits.calls", "9", "{visits: 25}", "{visits: 25, calls: 9}"),
        (
            Owner::Plan,
            "plan.inputs.order.description",
            "Which",
            "order: {type: string}",
            "order: {type: string, description: Which}",
        ),
    ] {
        assert_eq!(typed(PLAN, owner, path, new), PLAN.replacen(from, to, 1), "{path}: {new}");
    }
    // Written defaults stay. Edits add none.
    assert_eq!(typed(PLAN, node("answer"), "node:answer.with.model", "default"), PLAN);
    assert_eq!(typed(PLAN, Owner::Plan, "plan.limits.visits", "25"), PLAN);
}

#[test]
fn invalid_input_is_not_written() {
    let document = document(PLAN);
    let (look, answer) = (of(&document, node("look")), of(&document, node("answer")));
    let edge = of(&document, Owner::Edge(String::new(), 0));
    for (form, path, typed, error) in [
        (&look, "node:look.input.limit", "1x", Some(InputError::NotANumber)),
        (&look, "node:look.input.limit", "1.5", Some(InputError::NotAnInteger)),
        (&look, "node:look.input.limit", "0", Some(InputError::TooSmall(1.0))),
        (&look, "node:look.input.limit", "11", Some(InputError::TooLarge(10.0))),
        (&look, "node:look.input.limit", "${last.n}", None),
        (&answer, "node:answer.with.temperature", "-", Some(InputError::NotANumber)),
    ] {
        assert_eq!(parse_field(&form.fields[path], typed).err(), error, "{path}: {typed}");
        let texts = error.map(|error| [error.message(Lang::En), error.message(Lang::Es)]);
        assert!(texts.is_none_or(|[en, es]| en != es && en.contains(": ")));
    }
    for (form, path, typed) in
        [(&answer, "node:answer.input", "Hi ${"), (&edge, "edge:#0.condition", "last = ok")]
    {
        let Err(InputError::Invalid(message, help)) = parse_field(&form.fields[path], typed) else {
            panic!("{typed}")
        };
        assert!(!message.is_empty() && help.is_some());
    }
}

#[test]
fn adds_and_removes_entries_and_items() {
    let document = document(PLAN);
    let (look, answer) = (of(&document, node("look")), of(&document, node("answer")));
    let plan = of(&document, Owner::Plan);
    let text = |edits: &[stepgraph_authoring::edit::GraphEdit]| edit(PLAN, Format::Auto, edits).unwrap().text;
    let tags = &look.fields["node:look.input.tags"];
    assert_eq!(tags.addition, Some(Addition::Item { initial_value: json!("") }));
    let one = text(&change::add_item(&look, tags, &json!("new")));
    assert_eq!(one, PLAN.replacen("limit: 5\n", "limit: 5\n      tags: [new]\n", 1));
    let color = &answer.fields["node:answer.color"];
    assert!(color.is_removable);
    assert_eq!(text(&change::remove(&answer, color)), PLAN.replacen("    color: red\n", "", 1));
    let inputs = &plan.fields["plan.inputs"];
    let Some(Addition::Entry { initial_value: initial, accepts_any_name: true, .. }) = &inputs.addition
    else {
        panic!("{:?}", inputs.addition)
    };
    let more = text(&change::add_entry(&plan, inputs, "size", initial));
    assert_eq!(more, PLAN.replacen("{type: string}\n", "{type: string}\n  size: {type: string}\n", 1));
}

#[test]
fn a_multi_selection_edits_all_nodes() {
    let text = "nodes:\n  a: {type: llm, with: {model: small, max_tokens: 5}, timeout_ms: 9}\n  b: {type: llm, with: {model: large, max_tokens: 5}} # b\n";
    let document = document(text);
    let both = Subject::Several(vec![(String::new(), "a".into()), (String::new(), "b".into())]);
    let form = build_form(&document, &both, Lang::En).unwrap();
    let field = |id: &str| &form.fields[&format!("all:node:a.{id}")];
    assert!(field("with.model").is_mixed && field("with.model").value.is_none());
    assert_eq!(field("with.max_tokens").value, Some(json!(5)));
    assert!(field("timeout_ms").is_mixed && !form.fields.contains_key("all:node:a.input"));
    let edits = change::set(&form, field("with.model"), Some(&json!("large")));
    let after = edit(text, Format::Auto, &edits).unwrap().text;
    assert_eq!(after, text.replace("small", "large"));
}

#[test]
fn parses_conditions_as_rows() {
    for (text, rows) in [
        ("", "all:"),
        ("last==ok", "all: last == ok"),
        ("last==a&&output.b.c[0]>=0.50", "all: last == a; output.b.c[0] >= 0.5"),
        ("last==a || last.contains: b c", "any: last == a; last contains b c"),
        ("!(last.x.exists) && !last.tags.contains:new", "all: last.x missing ; last.tags lacks new"),
        (
            "last.total > input.budget && size(last.items) > 0",
            "all: last.total > =input.budget; last.items size > 0",
        ),
        ("last.a==input.b||input.b.size()<=last.n", "any: last.a == =input.b; input.b size <= =last.n"),
        ("has(last.x) && !has(last.y)", "all: last.x exists ; last.y missing"),
        (
            "last.t.contains(\"a\") && !last.t.contains(input.a)",
            "all: last.t contains a; last.t lacks =input.a",
        ),
        (
            "last.k in [\"a\", 'b c', 3] || last.k in input.all",
            "any: last.k in a, b c, 3; last.k in =input.all",
        ),
        ("last.k in [last.a] && last.k in [\"3\"]", "all: last.k in =[last.a]; last.k in =[\"3\"]"),
        (
            "last.t.startsWith('a') && last.t.endsWith(input.b)",
            "all: last.t startsWith a; last.t endsWith =input.b",
        ),
        (
            "last.t.matches(r\"\\d\") && last.ok && !last.ok",
            "all: last.t matches \\d; last.ok true ; last.ok false",
        ),
        (
            "last.total * 2 > input.max || \"x\" in last.tags",
            "any: last.total * 2 > input.max expression ; \"x\" in last.tags expression",
        ),
        (
            "!last.t.startsWith('a') && (last.a ?? true)",
            "all: !last.t.startsWith('a') expression ; last.a ?? true expression",
        ),
        ("last.name < \"m\"", "all: last.name < =\"m\""),
        ("(last.a > 1 // one && two\n || last==b) && (last.c)", "all: (last.a > 1; last == b); last.c true"),
        ("last==\"a && b\"", "all: last == a && b"),
        ("(last==a || last==b) && error.code==x", "all: (last == a; last == b); error.code == x"),
        ("!(last==a)", "all: !(last==a) expression"),
        ("!(last==a && last==b)", "all: !(last==a && last==b) expression"),
        (
            "((last==a || last==b) && last==c) || last==d",
            "any: (last==a || last==b expression ; last == c); last == d",
        ),
        ("default", "text"),
        ("last = a", "text"),
    ] {
        let Some(found) = Rows::parse(text) else {
            assert_eq!(rows, "text", "{text}");
            continue;
        };
        let value = |row: &Row| if row.kind == OperandKind::Value { "=" } else { "" };
        let row = |row: &Row| format!("{} {} {}{}", row.left, row.operator.id(), value(row), row.right);
        let part = |part: &condition::ConditionPart| match part {
            condition::ConditionPart::Row(one) => row(one),
            condition::ConditionPart::Group(rows) => {
                format!("({})", rows.iter().map(row).collect::<Vec<_>>().join("; "))
            }
        };
        let parts = found.parts.iter().map(part).collect::<Vec<_>>().join("; ");
        assert_eq!(format!("{}: {parts}", format!("{:?}", found.join).to_lowercase()).trim(), rows, "{text}");
        assert_eq!(found.rewrite(text, |_| {}), text, "what nobody changes stays");
        assert_eq!(Rows::parse(&found.to_text()).map(|read| read.to_text()), Some(found.to_text()), "{text}");
    }
}

/// Rows change none of the suite's and examples' conditions, nor does printing.
#[test]
fn rows_of_every_known_condition_print_its_text() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files =
        vec![root.join("tests/suite/expressions.yaml"), root.join("tests/suite/explicit-planner.yaml")];
    let mut folders = vec![root.join("examples"), root.join("core/flows")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "json") {
                files.push(path);
            }
        }
    }
    let mut conditions = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let read = stepgraph_core::source::parse(&text, Format::Auto);
        if let Some(tree) = read.root {
            conditions_in(&tree.to_json(), &mut conditions);
        }
    }
    assert!(conditions.len() > 250, "{}", conditions.len());
    let (mut with_rows, mut computed) = (0, 0);
    for text in &conditions {
        let Some(rows) = Rows::parse(text) else { continue };
        with_rows += 1;
        computed += rows.rows().filter(|(_, row)| row.operator == Operator::Expression).count();
        assert_eq!(rows.rewrite(text, |_| {}), *text);
        // Reprinting may add quotes.
        let meaning = |text: &str| {
            stepgraph_core::expression::Condition::parse(text).unwrap().to_string().replace('"', "")
        };
        assert_eq!(meaning(&rows.to_text()), meaning(text), "{text}");
        // Other rows stay verbatim.
        let more = rows.rewrite(text, |rows| rows.add(Row::new("last.new", Operator::Exists, ""), None));
        for (_, row) in rows.rows() {
            assert!(more.contains(&row.to_text()), "{text}: {more}");
        }
        let again = Rows::parse(&more).unwrap();
        assert_eq!(again.rows().count(), rows.rows().count() + 1, "{text}: {more}");
        let back = again.rewrite(&more, |rows| rows.remove((rows.parts.len() - 1, 0)));
        assert_eq!(meaning(&back), meaning(text), "{text}: {back}");
        for (at, _) in rows.rows() {
            // Reprinting keeps the meaning.
            let printed = rows.rewrite(text, |rows| {
                let row = rows.row_mut(at).unwrap();
                let left = row.left.clone();
                row.change(|row| row.left.push(' '));
                row.change(|row| row.left = left);
            });
            assert_eq!(meaning(&printed), meaning(text), "{text}: {printed}");
        }
    }
    assert!(with_rows > 200 && computed < with_rows, "{with_rows} {computed}");
}

fn conditions_in(value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Array(items) => items.iter().for_each(|item| conditions_in(item, found)),
        serde_json::Value::Object(map) => {
            found.extend(map.get("condition").and_then(|text| text.as_str()).map(str::to_owned));
            map.values().for_each(|item| conditions_in(item, found));
        }
        _ => {}
    }
}

#[test]
fn a_changed_row_leaves_the_others_verbatim() {
    let changed = |text: &str, change: &dyn Fn(&mut Rows)| {
        Rows::parse(text).unwrap().rewrite(text, |rows| change(rows))
    };
    let set = |text: &str, at: condition::RowIndex, set: &dyn Fn(&mut Row)| {
        changed(text, &|rows| rows.row_mut(at).unwrap().change(|row| set(row)))
    };
    let right = |new: &'static str| move |row: &mut Row| row.right = new.to_owned();
    let value =
        |new: &'static str| move |row: &mut Row| (row.right, row.kind) = (new.to_owned(), OperandKind::Value);
    let expression = |new: &'static str| {
        move |row: &mut Row| (row.left, row.operator) = (new.to_owned(), Operator::Expression)
    };
    for (found, expect) in [
        (set("last==a&&last.b  ==  c", (0, 0), &right("x")), "last == x&&last.b  ==  c"),
        (
            set("(last==a||last==b)&&last!=c", (0, 1), &right("x && y")),
            "(last==a||last == \"x && y\")&&last!=c",
        ),
        (set("last==a", (0, 0), &right("")), "last == \"\""),
        (set("last==a", (0, 0), &right("f(x")), "last == \"f(x\""),
        (set("last=='3'", (0, 0), &right("4")), "last == \"4\""),
        (set("last==a", (0, 0), &|row| row.operator = Operator::Missing), "!(last.exists)"),
        (
            set("!last.a.exists && last==b", (0, 0), &|row| row.operator = Operator::Exists),
            "last.a.exists && last==b",
        ),
        (set("last.n<3", (0, 0), &|row| row.operator = Operator::AtLeast), "last.n >= 3"),
        (set("last==a", (0, 0), &|row| row.left = "output.b.c".into()), "output.b.c == a"),
        (changed("last==a&&last==b", &|rows| rows.join = Join::Any), "last==a||last==b"),
        (
            changed("last==a && (last==b||last.n>input.n)", &|rows| rows.join = Join::Any),
            "last==a || (last==b&&last.n>input.n)",
        ),
        (set("last.n>input.n  && last==b", (1, 0), &right("c")), "last.n>input.n  && last == c"),
        (set("size( last.x )>2 && last==b", (1, 0), &right("c")), "size( last.x )>2 && last == c"),
        (
            set("last.n * 2>input.n // twice\n  && last==b", (1, 0), &right("c")),
            "last.n * 2>input.n // twice\n  && last == c",
        ),
        (
            set("last.total > 5 && last==b", (0, 0), &value("input.budget")),
            "last.total > input.budget && last==b",
        ),
        (set("last.total > input.budget", (0, 0), &value("input.a ?? 0")), "last.total > (input.a ?? 0)"),
        (set("last.total > 5", (0, 0), &value("input.a * 2")), "last.total > input.a * 2"),
        (set("last.kind==a", (0, 0), &right("input.kind")), "last.kind == \"input.kind\""),
        (set("last.kind==a", (0, 0), &right("size(x)")), "last.kind == \"size(x)\""),
        (
            set("last.kind==a", (0, 0), &|row| {
                row.operator = Operator::In;
                row.right = "tea, green cup, 3".into();
            }),
            "last.kind in [\"tea\", \"green cup\", 3]",
        ),
        (
            set("last.kind==a", (0, 0), &|row| row.operator = Operator::StartsWith),
            "last.kind.startsWith(\"a\")",
        ),
        (set("last.n>2", (0, 0), &|row| row.operator = Operator::SizeAtLeast), "size(last.n) >= 2"),
        (set("last.tags.contains(\"a\")", (0, 0), &right("b")), "last.tags.contains(\"b\")"),
        (set("last.tags.contains:a", (0, 0), &value("input.tag")), "last.tags.contains(input.tag)"),
        (
            set("last==a && last==b", (0, 0), &expression("last.a > 1 || last.b")),
            "(last.a > 1 || last.b) && last==b",
        ),
        (set("last==a && last==b", (0, 0), &expression("last.a ?? true")), "(last.a ?? true) && last==b"),
        (set("last==a", (0, 0), &expression("last.n * 2 > 5")), "last.n * 2 > 5"),
        (changed("last.a > 1 && (last.b || last==c)", &|rows| rows.remove((1, 0))), "last.a > 1 && last==c"),
        (
            changed("last==a", &|rows| rows.add(Row::new("last.b", Operator::Equals, "c"), None)),
            "last==a && last.b == c",
        ),
        (
            changed("last==a && last==b", &|rows| rows.add(Row::new("last", Operator::Equals, "c"), Some(1))),
            "last==a && (last==b || last == c)",
        ),
        (changed("(last==a || last==b) && last!=c", &|rows| rows.remove((0, 0))), "last==b && last!=c"),
        (changed("last==a || last!=c", &|rows| rows.remove((1, 0))), "last==a"),
        (
            changed("last==f(x", &|rows| rows.add(Row::new("last", Operator::Exists, ""), Some(0))),
            "(last==f(x || last.exists)",
        ),
    ] {
        assert_eq!(found, expect);
        assert!(stepgraph_core::expression::Condition::parse(&found).is_ok(), "{found}");
    }
}

#[test]
fn evaluates_conditions_with_samples() {
    let samples = Samples {
        last: Some(json!({"total": 12, "kind": "book", "tags": ["new"]})),
        outputs: [("look".to_owned(), json!({"total": 12}))].into(),
        ..Samples::default()
    };
    for (condition, holds) in [
        ("last.total>=10 && last.kind==book", Some(true)),
        ("last.total < 10", Some(false)),
        ("last.tags.contains:new && output.look.total == 12", Some(true)),
        ("last.nope != x", Some(false)),
        ("!(last.nope.exists)", Some(true)),
        ("input.x == 1", None),
        ("default", None),
        ("last = x", None),
    ] {
        assert_eq!(samples.evaluate(condition), holds, "{condition}");
    }
    let rows = Rows::parse("last.total>=10 && input.x==1 && last.kind==toy").unwrap();
    assert_eq!(samples.evaluate_rows(&rows), [Some(true), None, Some(false)]);
    let pieces =
        template::preview("${last.total} of ${output.look.x ?? \"none\"}, ${input}", &samples).unwrap();
    assert_eq!(
        format!("{pieces:?}"),
        r#"[Filled("12"), Text(" of "), Filled("none"), Text(", "), Unfilled("input")]"#
    );
}

#[test]
fn lists_reference_options() {
    let document = document(PLAN);
    let samples = Samples { input: Some(json!({"order": "a tea pot", "extra": 1})), ..Samples::default() };
    let at = |owner: Owner| {
        let target = FormTarget::new(&document, &owner).unwrap();
        let short = |option: &reference_options::ReferenceOption| {
            let certain = if option.is_certain { "" } else { "?" };
            format!(
                "{}{certain}:{}{}",
                option.text,
                option.kind,
                option.sample.as_deref().map(|s| format!("={s}")).unwrap_or_default()
            )
        };
        reference_options(&target, &owner, &samples, Lang::En).iter().map(short).collect::<Vec<_>>()
    };
    let answer = at(node("answer"));
    for expect in [
        "last.total:number",
        "input.order:text=a tea pot",
        "input.extra:number=1",
        "output.look.items[0].name:text",
    ] {
        assert!(answer.iter().any(|offer| offer == expect), "{expect} among {answer:?}");
    }
    assert!(!answer.iter().any(|offer| offer.starts_with("output.answer") || offer.starts_with("item")));
    let edge = at(Owner::Edge(String::new(), 0));
    assert!(
        edge.contains(&"output.look.kind:text".to_owned()) || edge.contains(&"output.look.kind:".to_owned()),
        "{edge:?}"
    );
    assert!(edge.contains(&"error.code?:text".to_owned()));
    let target = FormTarget::new(&document, &node("answer")).unwrap();
    let all = reference_options(&target, &node("answer"), &samples, Lang::En);
    assert_eq!(
        search(&all, "look.tot").first().map(|option| option.text.as_str()),
        Some("output.look.total")
    );
    assert_eq!(
        all.iter().find(|option| option.text == "last.kind").map(|option| option.values.clone()),
        Some(vec!["book".into(), "toy".into()])
    );
}

#[test]
fn marks_references_that_may_be_missing() {
    let text = "start: a\nnodes:\n  a: {type: log}\n  b: {type: log}\n  each:\n    type: map\n    do: {nodes: {x: {type: log}, y: {type: log}}, edges: [{from: x, to: y}]}\nedges:\n  - {from: a, to: b, condition: last==1}\n  - {from: a, to: each}\n  - {from: b, to: each}\n";
    let document = document(text);
    let owner = Owner::Node("each".into(), "y".into());
    let target = FormTarget::new(&document, &owner).unwrap();
    let all = reference_options(&target, &owner, &Samples::default(), Lang::En);
    let found: Vec<(&str, bool)> =
        all.iter().map(|option| (option.text.as_str(), option.is_certain)).collect();
    for expect in
        [("item", true), ("index", true), ("output.x", true), ("output.a", true), ("output.b", false)]
    {
        assert!(found.contains(&expect), "{expect:?} among {found:?}");
    }
}

#[test]
fn samples_depend_on_the_target() {
    let text = "nodes:\n  a: {type: log, id: first}\n  each:\n    type: map\n    do: {nodes: {x: {type: log}, y: {type: log}}, edges: [{from: x, to: y}]}\nedges:\n  - {from: a, to: each}\n";
    let document = document(text);
    let output_of = |node_path: &str| (node_path != "each").then(|| json!(node_path));
    let at = |owner: Owner| {
        let target = FormTarget::new(&document, &owner).unwrap();
        let samples = evaluate::samples_at(&target, &owner, Some(json!("in")), output_of);
        let mut outputs: Vec<String> =
            samples.outputs.iter().map(|(name, value)| format!("{name}={value}")).collect();
        outputs.sort();
        format!("{} {} {}", json!(samples.last), json!(samples.input), outputs.join(" "))
    };
    assert_eq!(at(node("a")), r#""in" "in" first="a""#);
    assert_eq!(at(Owner::Edge(String::new(), 0)), r#""a" "in" first="a""#);
    assert_eq!(
        at(Owner::Node("each".into(), "y".into())),
        r#""each/x" null first="a" x="each/x" y="each/y""#
    );
}

#[test]
fn previews_a_change_of_type() {
    let document = document(PLAN);
    let preview = |key: &str, kind: &str| retype_preview::retype_effects(&document, "", key, kind);
    assert_eq!(preview("answer", "agent"), retype_preview::RetypePreview::default());
    assert_eq!(preview("answer", "log").unused_keys, ["with.model", "with.temperature"]);
    assert_eq!(preview("look", "llm").unused_keys, ["tool"]);
    assert_eq!(preview("answer", "map").missing_keys, ["do"]);
}

#[test]
fn lists_each_type_once_despite_tools_of_the_same_name() {
    let mut document = document(PLAN);
    let tools = ["log", "find"].map(|name| ToolInfo::from_json(&json!({ "name": name })).unwrap());
    document
        .set_capabilities(Capabilities { tools: Some(ToolRegistry::new(tools)), ..Capabilities::default() });
    let all = retype_preview::type_choices(&document, "", "look", Lang::En);
    let named = |name: &str| all.iter().filter(|choice| choice.label == name).count();
    assert_eq!((named("log"), named("find"), named("llm")), (1, 1, 1));
}

#[test]
fn limits_forms_of_hostile_plans() {
    let many: String =
        (0..5_000).map(|at| format!("      k{at}: {{a: [1, {{b: 2}}]}}\n")).collect::<Vec<_>>().concat();
    let wide = format!("nodes:\n  a:\n    type: llm\n    input:\n{many}");
    let deep = format!("nodes: {{a: {{type: llm, input: {}1{}}}}}\n", "[".repeat(100), "]".repeat(100));
    let loops =
        "nodes: {a: {type: find, input: {__proto__: 1, constructor: {toString: \"<b>\"}}}}\n".to_owned();
    let broken = "nodes: {a: {type: llm, with: 3, retry: [x], input: {x: 1}}, 7: no}\nedges: 5\n".to_owned();
    for text in [wide, deep, loops, broken] {
        let document = document(&text);
        let form = of(&document, node("a"));
        assert!(form.fields.len() <= MAX_FIELDS + MAX_DEPTH * 8, "{}", form.fields.len());
        assert!(form.sections.iter().any(|section| !section.fields.is_empty()));
        of(&document, Owner::Plan);
    }
    let tool = json!({"name": "loop", "input_schema": {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}, "required": ["a"]}}}});
    let mut document = Document::new("nodes: {a: {type: loop, input: {a: {a: {}}}}}\n".into(), Format::Auto);
    document.set_capabilities(Capabilities {
        tools: Some(ToolRegistry::new(ToolInfo::from_json(&tool))),
        ..Capabilities::default()
    });
    assert!(of(&document, node("a")).fields.len() <= MAX_FIELDS + MAX_DEPTH * 8);
}
