//! The maps of a plan file, from the outermost inward.

use super::{Field, Names, Object, What, Word};

const fn key(key: &'static str, value: What, doc: &'static str) -> Field {
    Field { key, required: false, value, doc }
}

const fn needed(key: &'static str, value: What, doc: &'static str) -> Field {
    Field { key, required: true, value, doc }
}

const COUNT: What = What::Number { least: 1, most: None, whole: true };
const AMOUNT: What = What::Number { least: 1, most: None, whole: false };
const FROM_ZERO: What = What::Number { least: 0, most: None, whole: false };

const LAYOUT: What = What::Named(Names::NodeKeys, &What::Pair);

const NODES_DOC: &str = "The nodes: a map from name to node. Edges, `start` and `layout` use these names.";
const EDGES_DOC: &str = "The ways from node to node. Of the edges that leave a node the first whose condition holds is taken, in the order of the \
    text; else the first without a condition; else the run ends there.";
const START_DOC: &str =
    "The node at which a run begins. May be left out where exactly one node has no incoming edge.";
const LAYOUT_DOC: &str = "Where nodes stand in a drawing, as `[x, y]`. Never affects a run.";
const DESCRIPTION_DOC: &str = "What this is for, for people and models.";

/// The whole file.
pub static PLAN: Object = Object {
    what: "a plan",
    fields: &[
        needed("nodes", What::Named(Names::Nodes, &What::Map(&NODE)), NODES_DOC),
        key("edges", What::List(&What::Map(&EDGE)), EDGES_DOC),
        key("start", What::NodeKey, START_DOC),
        key("id", What::Text, "What the plan is called."),
        key("description", What::Prose, DESCRIPTION_DOC),
        key(
            "inputs",
            What::Named(Names::Own, &What::Schema),
            "What a run must be given: a map from name to JSON Schema. `${input.name}` reads one; `prompt` is what the command takes by `--prompt`.",
        ),
        key(
            "servers",
            What::Named(Names::Own, &What::Map(&SERVER)),
            "The MCP servers whose tools the plan uses: a map from name to `{url}`. Credentials never stand in a plan.",
        ),
        key(
            "limits",
            What::Map(&LIMITS),
            "The bounds of a run. Passing one ends the run as failed, never silently.",
        ),
        key(
            "tests",
            What::List(&What::Map(&TEST)),
            "Tests beside the plan, run by `stepgraph test`. They never affect a run.",
        ),
        key("layout", LAYOUT, LAYOUT_DOC),
        key("format", What::Format, "The version of the file format: 1."),
    ],
};

/// A graph inside a node.
static NESTED: Object = Object {
    what: "a graph inside a node",
    fields: &[
        needed("nodes", What::Named(Names::Nodes, &What::Map(&NODE)), NODES_DOC),
        key("edges", What::List(&What::Map(&EDGE)), EDGES_DOC),
        key("start", What::NodeKey, START_DOC),
        key("description", What::Prose, DESCRIPTION_DOC),
        key("layout", LAYOUT, LAYOUT_DOC),
    ],
};

/// A node.
pub static NODE: Object = Object {
    what: "a node",
    fields: &[
        needed(
            "type",
            What::Kind,
            "What the node does: a built-in type, the name of a tool, or a type that the host handles.",
        ),
        key(
            "tool",
            What::Tool,
            "The tool that a node of type `tool` calls: its name, or `server.name` where several servers have one of that name.",
        ),
        key(
            "input",
            What::Input,
            "What the node is given. Texts may be templates such as `${output.other.field}`. Without it, the node is given `last`.",
        ),
        key("with", What::Settings, "The settings of the node's type."),
        key("description", What::Prose, "What the node is for, in a line."),
        key(
            "retry",
            What::Map(&RETRY),
            "How often the node is tried, and how long it is waited between tries.",
        ),
        key(
            "timeout_ms",
            AMOUNT,
            "How long one try may take, in milliseconds. A longer one has failed as `node/timeout`.",
        ),
        key("visits", COUNT, "How often a run may come to this node; else `limits.visits`."),
        key("graph", What::Map(&NESTED), "The graph that a node of type `graph` runs."),
        key(
            "branches",
            What::Named(Names::Own, &What::Map(&NESTED)),
            "The graphs that a node of type `parallel` runs at once: a map from name to graph.",
        ),
        key(
            "do",
            What::Map(&NESTED),
            "The graph that a node of type `map` runs for each element of its input, with `${item}` and `${index}`.",
        ),
        key("id", What::Text, "The name of the node's output, where that is not its key in `nodes`."),
        key(
            "metadata",
            What::Named(Names::Own, &What::Text),
            "Free text about the node, a map from name to text. `tool` names the tool as the key `tool` does.",
        ),
    ],
};

/// An edge.
static EDGE: Object = Object {
    what: "an edge",
    fields: &[
        needed("from", What::NodeKey, "The node that the edge leaves: its key in `nodes`."),
        needed("to", What::NodeKey, "The node that the edge leads to: its key in `nodes`."),
        key(
            "condition",
            What::Condition,
            "When the edge is taken: a comparison such as `last==yes` or `output.check.score >= 0.5`, joined by `&&`, `||`, `!`. Without one, or with `default`, the edge is a fallback: taken when no condition holds. One that speaks of `error` is looked at after a failure.",
        ),
    ],
};

static RETRY: Object = Object {
    what: "a retry",
    fields: &[
        needed("attempts", COUNT, "All tries, the first included."),
        key("backoff_ms", FROM_ZERO, "How long it is waited before the second try, in milliseconds; 1000."),
        key("factor", AMOUNT, "How much longer each wait is than the one before; 2."),
        key("max_ms", FROM_ZERO, "The longest wait, in milliseconds; 60000."),
        key(
            "on",
            What::Several(&What::FailureCode),
            "The codes that are tried again, `tool/*` for all of a stage; any failure unless given.",
        ),
    ],
};

static LIMITS: Object = Object {
    what: "limits",
    fields: &[
        key("visits", COUNT, "How often a run may come to each node, in one scope; 25."),
        key("steps", COUNT, "How many nodes a run may pass in all."),
        key(
            "calls",
            COUNT,
            "How many calls of tools, models and handlers a run may make in all, retries included.",
        ),
        key("timeout_ms", AMOUNT, "How long a run may take, in milliseconds."),
        key("tokens", AMOUNT, "How many tokens models may use in all, in and out."),
        key("output_bytes", AMOUNT, "How many bytes all calls together may give."),
    ],
};

static SERVER: Object = Object {
    what: "a server",
    fields: &[needed("url", What::Text, "Where the server answers: `http://…` or `https://…`.")],
};

static TEST: Object = Object {
    what: "a test",
    fields: &[
        needed("name", What::Prose, "What is tested, in words; each test has its own."),
        key("input", What::Any, "What the run is given."),
        key(
            "stubs",
            What::Map(&STUBS),
            "What stands in for handlers, tools and models, so that nothing real is called.",
        ),
        needed(
            "expect",
            What::Map(&EXPECT),
            "What the run must come to: it completes, unless `outcome` or `code` says otherwise. What else is not named is not compared.",
        ),
        key(
            "decisions",
            What::Named(Names::NodeIds, &What::Decision),
            "What a person answers to approvals: a map from node to `approved`, `rejected` or `{value: …}`.",
        ),
        key("context", What::Named(Names::Own, &What::Any), "The trusted values of the run."),
        key(
            "outputs",
            What::Named(Names::NodeIds, &What::Any),
            "Outputs that are there when the run begins.",
        ),
        key("memory", What::Any, "What the host remembers."),
    ],
};

static STUBS: Object = Object {
    what: "stubs",
    fields: &[
        key("tools", What::Named(Names::Tools, &What::Behaviour), "Stand-ins for tools, by name."),
        key("types", What::Named(Names::Kinds, &What::Behaviour), "Stand-ins for handlers, by type."),
        key("nodes", What::Named(Names::NodeIds, &What::Behaviour), "Stand-ins for single nodes, by id."),
        key(
            "models",
            What::Named(Names::Models, &What::Behaviour),
            "Stand-ins for models, by name; `default` answers for all.",
        ),
    ],
};

static EXPECT: Object = Object {
    what: "an expectation",
    fields: &[
        key("outcome", What::Word(OUTCOMES), "How the run ends."),
        key("path", What::List(&What::NodeId), "The ids of the nodes that ran, in order."),
        key("last", What::Any, "The last output."),
        key("outputs", What::Named(Names::NodeIds, &What::Any), "Outputs of nodes, by id."),
        key("code", What::FailureCode, "The code with which the run failed."),
        key("node", What::NodeId, "The node that failed."),
        key("calls", FROM_ZERO, "How many calls were made."),
    ],
};

const OUTCOMES: &[Word] = &[
    ("completed", "The run came to an end."),
    ("failed", "A node failed, and no edge speaks of that, or a limit was passed."),
    ("paused", "A person has to be asked."),
    ("cancelled", "The run was cancelled."),
];

/// What a map that is a stand-in may hold.
pub static BEHAVIOUR: Object = Object {
    what: "a stub",
    fields: &[
        key("return", What::Any, "What is answered."),
        key("writes", What::Named(Names::Own, &What::Any), "Outputs under further names, beside `return`."),
        key("sequence", What::List(&What::Behaviour), "One behaviour for each call; the last one repeats."),
        key("by", What::Text, "The key of the arguments by whose value `cases` chooses."),
        key("cases", What::Named(Names::Own, &What::Behaviour), "Behaviours by the value of `by`."),
        key("else", What::Behaviour, "For all other values of `by`."),
        key("fail", What::Prose, "The message with which it fails."),
        key("code", What::FailureCode, "The code with which it fails."),
        key("delay_ms", FROM_ZERO, "How long it takes, in milliseconds."),
        key("description", What::Prose, "What the tool says of itself."),
        key("input_schema", What::Schema, "JSON Schema of the tool's arguments."),
        key("output_schema", What::Schema, "JSON Schema of what the tool gives."),
        key("annotations", What::Any, "Hints about the tool, such as `destructiveHint`."),
    ],
};

/// What a behaviour may be in a word.
pub const BEHAVIOURS: &[Word] = &[
    ("echo", "Answers with what it was given."),
    ("input", "Answers with the node's own input."),
    ("last", "Answers with the output before."),
];

/// What a person may decide in a word.
pub const DECISIONS: &[Word] = &[("approved", "The person agrees."), ("rejected", "The person refuses.")];
