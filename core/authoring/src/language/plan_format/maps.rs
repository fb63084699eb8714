//! The maps of a plan file.

use super::{EnumValue, FieldSpec, KeyNames, MapSpec, ValueSpec};

const fn key(key: &'static str, value: ValueSpec, doc: &'static str) -> FieldSpec {
    FieldSpec { key, required: false, value, doc }
}

const fn required_key(key: &'static str, value: ValueSpec, doc: &'static str) -> FieldSpec {
    FieldSpec { key, required: true, value, doc }
}

const COUNT: ValueSpec = ValueSpec::Number { min: 1, max: None, integer: true };
const AMOUNT: ValueSpec = ValueSpec::Number { min: 1, max: None, integer: false };
const MONEY: ValueSpec = ValueSpec::Number { min: 0, max: None, integer: false };
const FROM_ZERO: ValueSpec = ValueSpec::Number { min: 0, max: None, integer: false };

const LAYOUT: ValueSpec = ValueSpec::Named(KeyNames::NodeKeys, &ValueSpec::Pair);

const NODES_DOC: &str = "The nodes: a map from name to node. Edges, `start` and `layout` use these names.";
const EDGES_DOC: &str = "The edges between nodes. A run takes the first edge of a node whose condition holds, in the \
order of the text; else the first without a condition; else the run ends there.";
const START_DOC: &str =
    "The node at which a run begins. May be left out where exactly one node has no incoming edge.";
const LAYOUT_DOC: &str = "The positions of nodes on the canvas, as `[x, y]`. Never affects a run.";
const DESCRIPTION_DOC: &str = "What this is for, for people and models.";

/// Whole file.
pub static PLAN: MapSpec = MapSpec {
    title: "a plan",
    fields: &[
        required_key("nodes", ValueSpec::Named(KeyNames::DeclaredNodes, &ValueSpec::Map(&NODE)), NODES_DOC),
        key("edges", ValueSpec::List(&ValueSpec::Map(&EDGE)), EDGES_DOC),
        key("start", ValueSpec::NodeKey, START_DOC),
        key("id", ValueSpec::Text, "What the plan is called."),
        key("description", ValueSpec::Prose, DESCRIPTION_DOC),
        key(
            "inputs",
            ValueSpec::Named(KeyNames::Declared, &ValueSpec::Schema),
            "The inputs that a run requires: a map from name to JSON Schema. `${input.name}` reads one; the command's option `--prompt` sets `prompt`.",
        ),
        key(
            "servers",
            ValueSpec::Named(KeyNames::Declared, &ValueSpec::Map(&SERVER)),
            "The MCP servers whose tools the plan uses: a map from name to `{url}`. A plan never contains credentials.",
        ),
        key(
            "limits",
            ValueSpec::Map(&LIMITS),
            "The bounds of a run. Passing one ends the run as failed, never silently.",
        ),
        key(
            "tests",
            ValueSpec::List(&ValueSpec::Map(&TEST)),
            "Tests of the plan, run by `stepgraph test`. They never affect a run.",
        ),
        key("layout", LAYOUT, LAYOUT_DOC),
        key("format", ValueSpec::Format, "The version of the file format: 1."),
    ],
};

/// A file's path may replace it.
pub static NESTED: MapSpec = MapSpec {
    title: "a graph inside a node",
    fields: &[
        required_key("nodes", ValueSpec::Named(KeyNames::DeclaredNodes, &ValueSpec::Map(&NODE)), NODES_DOC),
        key("edges", ValueSpec::List(&ValueSpec::Map(&EDGE)), EDGES_DOC),
        key("start", ValueSpec::NodeKey, START_DOC),
        key("description", ValueSpec::Prose, DESCRIPTION_DOC),
        key("layout", LAYOUT, LAYOUT_DOC),
    ],
};

/// A node.
pub static NODE: MapSpec = MapSpec {
    title: "a node",
    fields: &[
        required_key(
            "type",
            ValueSpec::NodeType,
            "What the node does: a built-in type, the name of a tool, or a type that the host handles.",
        ),
        key(
            "tool",
            ValueSpec::Tool,
            "The tool that a node of type `tool` calls: its name, or `server.name` where several servers have one of that name.",
        ),
        key(
            "input",
            ValueSpec::Input,
            "The input of the node. Texts may be templates such as `${output.other.field}`. The default is `last`.",
        ),
        key("with", ValueSpec::Settings, "The settings of the node's type."),
        key("description", ValueSpec::Prose, "What the node is for, in a line."),
        key(
            "retry",
            ValueSpec::Map(&RETRY),
            "How often the node is tried, and how long it is waited between tries.",
        ),
        key(
            "timeout_ms",
            AMOUNT,
            "How long one attempt may take, in milliseconds. A longer one fails with `node/timeout`.",
        ),
        key("visits", COUNT, "How often a run may visit this node; by default `limits.visits`."),
        key(
            "graph",
            ValueSpec::Map(&NESTED),
            "The graph that a node of type `graph` runs, or the path of a file: `./other.yaml`.",
        ),
        key(
            "branches",
            ValueSpec::Named(KeyNames::Declared, &ValueSpec::Map(&NESTED)),
            "The graphs that a node of type `parallel` runs at once: a map from name to graph, or to the path of a file.",
        ),
        key(
            "do",
            ValueSpec::Map(&NESTED),
            "The graph that a node of type `map` runs for each element of its input, with `${item}` and `${index}`, or the path of a file.",
        ),
        key("id", ValueSpec::Text, "The name of the node's output, where that is not its key in `nodes`."),
        key(
            "metadata",
            ValueSpec::Named(KeyNames::Declared, &ValueSpec::Text),
            "Free text about the node, a map from name to text. `tool` names the tool as the key `tool` does.",
        ),
    ],
};

static EDGE: MapSpec = MapSpec {
    title: "an edge",
    fields: &[
        required_key("from", ValueSpec::NodeKey, "The node that the edge leaves: its key in `nodes`."),
        required_key("to", ValueSpec::NodeKey, "The node that the edge leads to: its key in `nodes`."),
        key(
            "condition",
            ValueSpec::Condition,
            "When the edge is taken: a comparison such as `last==yes` or `output.check.score >= 0.5`, joined by `&&`, `||`, `!`. Without one, or with `default`, the edge is a fallback: taken when no condition holds. A condition that refers to `error` is evaluated after a failure.",
        ),
    ],
};

static RETRY: MapSpec = MapSpec {
    title: "a retry",
    fields: &[
        required_key("attempts", COUNT, "All attempts, including the first."),
        key("backoff_ms", FROM_ZERO, "How long it is waited before the second try, in milliseconds; 1000."),
        key("factor", AMOUNT, "How much longer each wait is than the one before; 2."),
        key("max_ms", FROM_ZERO, "The longest wait, in milliseconds; 60000."),
        key(
            "on",
            ValueSpec::OneOrMany(&ValueSpec::FailureCode),
            "The codes to retry, `tool/*` for all of a stage; by default any failure.",
        ),
    ],
};

static LIMITS: MapSpec = MapSpec {
    title: "limits",
    fields: &[
        key("visits", COUNT, "How often a run may visit each node, in one scope; by default 25."),
        key("steps", COUNT, "How many nodes a run may visit in total."),
        key(
            "calls",
            COUNT,
            "How many calls of tools, models and handlers a run may make in total, retries included.",
        ),
        key("timeout_ms", AMOUNT, "How long a run may take, in milliseconds."),
        key("tokens", AMOUNT, "How many tokens models may use in total, in and out."),
        key("usd", MONEY, "How much models may cost in total, in US dollars; the run needs their prices."),
        key("output_bytes", AMOUNT, "How many bytes all calls together may return."),
    ],
};

static SERVER: MapSpec = MapSpec {
    title: "a server",
    fields: &[required_key("url", ValueSpec::Text, "Where the server answers: `http://…` or `https://…`.")],
};

static TEST: MapSpec = MapSpec {
    title: "a test",
    fields: &[
        required_key("name", ValueSpec::Prose, "A name in plain words; each test has its own."),
        key("input", ValueSpec::Any, "The input of the run."),
        key(
            "stubs",
            ValueSpec::Map(&STUBS),
            "Stubs for handlers, tools and models, so that the test makes no real calls.",
        ),
        required_key(
            "expect",
            ValueSpec::Map(&EXPECT),
            "The expected result: the run completes, unless `outcome` or `code` is set. Only the keys that are present are compared.",
        ),
        key(
            "decisions",
            ValueSpec::Named(KeyNames::NodeIds, &ValueSpec::Decision),
            "What a person answers to approvals: a map from node to `approved`, `rejected` or `{value: …}`.",
        ),
        key(
            "context",
            ValueSpec::Named(KeyNames::Declared, &ValueSpec::Any),
            "The trusted values of the run.",
        ),
        key(
            "outputs",
            ValueSpec::Named(KeyNames::NodeIds, &ValueSpec::Any),
            "Outputs that are there when the run begins.",
        ),
        key("memory", ValueSpec::Any, "What the host remembers."),
    ],
};

static STUBS: MapSpec = MapSpec {
    title: "stubs",
    fields: &[
        key("tools", ValueSpec::Named(KeyNames::Tools, &ValueSpec::Behaviour), "Stubs for tools, by name."),
        key(
            "types",
            ValueSpec::Named(KeyNames::NodeTypes, &ValueSpec::Behaviour),
            "Stubs for handlers, by type.",
        ),
        key(
            "nodes",
            ValueSpec::Named(KeyNames::NodeIds, &ValueSpec::Behaviour),
            "Stubs for single nodes, by id.",
        ),
        key(
            "models",
            ValueSpec::Named(KeyNames::Models, &ValueSpec::Behaviour),
            "Stubs for models, by name; `default` answers for all.",
        ),
    ],
};

static EXPECT: MapSpec = MapSpec {
    title: "an expectation",
    fields: &[
        key("outcome", ValueSpec::Enum(OUTCOMES), "How the run ends."),
        key("path", ValueSpec::List(&ValueSpec::NodeId), "The ids of the nodes that ran, in order."),
        key("last", ValueSpec::Any, "The last output."),
        key("outputs", ValueSpec::Named(KeyNames::NodeIds, &ValueSpec::Any), "Outputs of nodes, by id."),
        key("code", ValueSpec::FailureCode, "The code with which the run failed."),
        key("node", ValueSpec::NodeId, "The node that failed."),
        key("calls", FROM_ZERO, "How many calls were made."),
    ],
};

const OUTCOMES: &[EnumValue] = &[
    ("completed", "The run completed."),
    ("failed", "A node failed and no edge handles the failure, or a limit was exceeded."),
    ("paused", "The run waits for an approval."),
    ("cancelled", "The run was cancelled."),
];

/// Long form.
pub static BEHAVIOUR: MapSpec = MapSpec {
    title: "a stub",
    fields: &[
        key("return", ValueSpec::Any, "What is answered."),
        key(
            "writes",
            ValueSpec::Named(KeyNames::Declared, &ValueSpec::Any),
            "Further named outputs, in addition to `return`.",
        ),
        key(
            "sequence",
            ValueSpec::List(&ValueSpec::Behaviour),
            "One behaviour for each call; the last one repeats.",
        ),
        key("by", ValueSpec::Text, "The key of the arguments by whose value `cases` chooses."),
        key(
            "cases",
            ValueSpec::Named(KeyNames::Declared, &ValueSpec::Behaviour),
            "Behaviours by the value of `by`.",
        ),
        key("else", ValueSpec::Behaviour, "For all other values of `by`."),
        key("fail", ValueSpec::Prose, "The message with which it fails."),
        key("code", ValueSpec::FailureCode, "The code with which it fails."),
        key("delay_ms", FROM_ZERO, "How long it takes, in milliseconds."),
        key("description", ValueSpec::Prose, "The description of the tool."),
        key("input_schema", ValueSpec::Schema, "JSON Schema of the tool's arguments."),
        key("output_schema", ValueSpec::Schema, "JSON Schema of the tool's results."),
        key("annotations", ValueSpec::Any, "Hints about the tool, such as `destructiveHint`."),
    ],
};

/// Short stubs.
pub const BEHAVIOURS: &[EnumValue] = &[
    ("echo", "Answers with its arguments."),
    ("input", "Answers with the node's own input."),
    ("last", "Answers with the output before."),
];

/// Short decisions.
pub const DECISIONS: &[EnumValue] =
    &[("approved", "The person agrees."), ("rejected", "The person refuses.")];
