//! The types of nodes: what each does, what it gives, and its settings.

use super::{Field, What, Word};
use serde_json::{Value as Json, json};
use stepgraph_core::node::{gather, plan, react};

/// A type of node.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// What it does, in Markdown.
    pub doc: &'static str,
    /// Its settings.
    pub settings: &'static [Field],
    /// The keys of a node that it needs.
    pub needs: &'static [&'static str],
    /// JSON Schema of its output as text; empty where it is not known.
    gives: &'static str,
    /// Whether it is one of the common ones.
    pub common: bool,
}

impl Kind {
    /// Whether its settings are held to those that are known; other types are not set in any way.
    pub fn is_set(&self) -> bool {
        let pass =
            ["decision", "noop", "log", "init", "format_output", "error_handler", "terminal", "validation"];
        !pass.contains(&self.name)
    }

    /// JSON Schema of its output, where the type alone says that.
    pub fn gives(&self) -> Option<Json> {
        stepgraph_core::json::parse(self.gives)
    }
}

const fn set(key: &'static str, value: What, doc: &'static str) -> Field {
    Field { key, required: false, value, doc }
}

const fn from_to(least: u32, most: u32) -> What {
    What::Number { least, most: Some(most), whole: true }
}

const COUNT: What = What::Number { least: 1, most: None, whole: true };

const MODEL: Field = set(
    "model",
    What::Model,
    "Which of the run's models is asked; `default` unless given. May be a template.",
);
const SYSTEM: Field =
    set("system", What::Template, "The instructions before everything else. May be a template.");
const SCHEMA: Field =
    set("schema", What::Schema, "JSON Schema of the answer; the output is then the JSON, and else the text.");
const MAX_TOKENS: Field = set("max_tokens", COUNT, "The most tokens of one answer.");
const CONVERSATION: Field = set(
    "conversation",
    What::Text,
    "The name under which what was said is kept for later nodes of the same scope.",
);
const TEMPERATURE: Field = set(
    "temperature",
    What::Number { least: 0, most: Some(2), whole: false },
    "How freely the model may choose its words, 0 to 2; not sent unless given.",
);
const TEMPLATES: Field = set("templates", What::Truth, "`false` leaves `${…}` in this node's texts alone.");
const TOOLS: Field = set(
    "tools",
    What::List(&What::Tool),
    "The tools that the model may call; all tools of the run unless given.",
);
const MAX_TURNS: Field = set("max_turns", from_to(1, 1000), "How often the model is asked at most; 8.");
const ATTEMPTS: Field =
    set("attempts", from_to(1, 100), "How often the model is asked in all for an answer that will do; 3.");
const TRUSTED: Field = set(
    "trusted",
    What::List(&What::Text),
    "Parameters that only the run may fill, from its context; `[user_email]`.",
);
const PARSE: Field = set(
    "parse",
    What::Word(&[("json", "A text that a tool gives is read as JSON; one that holds none fails the call.")]),
    "How a text that a tool gives is read; as text unless given.",
);
const DEADLINE: Field = set(
    "deadline_ms",
    What::Number { least: 0, most: None, whole: false },
    "How long the model may take before that is told, in milliseconds.",
);
const JOIN: Field = set("join", What::Word(JOINS), "When the node is done: `all` unless given.");
const CONCURRENCY: Field =
    set("concurrency", COUNT, "How many graphs run at once: 8 of `map`, all of `parallel` unless given.");
const CALL_TIMEOUT: Field = set(
    "call_timeout_ms",
    What::Number { least: 0, most: None, whole: false },
    "How long one call may take, in milliseconds; a call that takes longer has failed, and the others go on.",
);
const GATHER_CONCURRENCY: Field = set("concurrency", from_to(1, 100), "How many calls are made at once; 1.");
const PLAN_SCHEMA: Field = set(
    "plan",
    What::Schema,
    "JSON Schema of the plan that the model submits, a map; `{query, rationale}` unless given.",
);

const JOINS: &[Word] = &[
    ("all", "When all have completed; the first failure fails the node."),
    ("any", "When the first has completed; its output alone counts."),
    ("settled", "When all have ended; each result is `{status, value}` or `{status, error}`."),
];

const ONLY_TEMPLATES: &[Field] = &[TEMPLATES];
const OF_LLM: &[Field] = &[MODEL, SYSTEM, SCHEMA, MAX_TOKENS, TEMPERATURE, CONVERSATION, TEMPLATES];
const OF_AGENT: &[Field] =
    &[MODEL, SYSTEM, TOOLS, MAX_TURNS, SCHEMA, TRUSTED, MAX_TOKENS, TEMPERATURE, CONVERSATION, TEMPLATES];
const OF_PLAN: &[Field] =
    &[MODEL, SYSTEM, ATTEMPTS, TRUSTED, MAX_TOKENS, TEMPERATURE, CONVERSATION, TEMPLATES];
const OF_TOOL: &[Field] = &[PARSE, TEMPLATES];
const OF_GATHER: &[Field] = &[GATHER_CONCURRENCY, CALL_TIMEOUT, PARSE, TRUSTED, TEMPLATES];
const OF_REACT: &[Field] = &[
    MODEL,
    SYSTEM,
    TOOLS,
    MAX_TURNS,
    PLAN_SCHEMA,
    TRUSTED,
    MAX_TOKENS,
    TEMPERATURE,
    CONVERSATION,
    TEMPLATES,
];
const OF_FAN: &[Field] = &[JOIN, CONCURRENCY, TEMPLATES];
const OF_STAGE: &[Field] = &[MODEL, SYSTEM, ATTEMPTS, DEADLINE, MAX_TOKENS, TEMPERATURE, TEMPLATES];
const OF_PLANNING: &[Field] =
    &[MODEL, SYSTEM, ATTEMPTS, DEADLINE, TRUSTED, CONVERSATION, MAX_TOKENS, TEMPERATURE, TEMPLATES];
const OF_GENERATOR: &[Field] =
    &[MODEL, SYSTEM, DEADLINE, TRUSTED, CONVERSATION, MAX_TOKENS, TEMPERATURE, TEMPLATES];
const OF_VALIDATOR: &[Field] = &[ATTEMPTS, TRUSTED, TEMPLATES];

const fn kind(
    name: &'static str,
    settings: &'static [Field],
    gives: &'static str,
    doc: &'static str,
) -> Kind {
    Kind { name, doc, settings, needs: &[], gives, common: true }
}

const fn needing(kind: Kind, needs: &'static [&'static str]) -> Kind {
    Kind { needs, ..kind }
}

const fn stage(
    name: &'static str,
    settings: &'static [Field],
    gives: &'static str,
    doc: &'static str,
) -> Kind {
    Kind { common: false, ..kind(name, settings, gives, doc) }
}

const fn alias(name: &'static str, doc: &'static str) -> Kind {
    Kind { common: false, ..kind(name, ONLY_TEMPLATES, "", doc) }
}

/// The types that this version knows, the most common first.
const KINDS: &[Kind] = &[
    needing(
        kind(
            "tool",
            OF_TOOL,
            "",
            "Calls the tool that `tool` names, with `input` as its arguments. The output is what the tool gives.",
        ),
        &["tool"],
    ),
    kind(
        "llm",
        OF_LLM,
        r#"{"type": "string"}"#,
        "Asks a model once, without tools. `input` is what the user says; the output is the answer, as JSON when there is a `schema`.",
    ),
    kind(
        "agent",
        OF_AGENT,
        r#"{"type": "string"}"#,
        "Lets a model call tools until it answers. The output is its last answer.",
    ),
    kind(
        "decision",
        ONLY_TEMPLATES,
        "",
        "Passes on what came before, for the edges that leave it to choose by.",
    ),
    kind("noop", ONLY_TEMPLATES, "", "Does nothing: passes on what came before."),
    kind("log", ONLY_TEMPLATES, "", "Passes its input on and marks it in the trace."),
    kind(
        "approve",
        ONLY_TEMPLATES,
        r#"{"anyOf": [{"enum": ["approved", "rejected"]}, {}]}"#,
        "Asks a person. The output is `approved`, `rejected`, or the value that the person put in the input's place. A run can be paused here and resumed later.",
    ),
    needing(
        kind(
            "parallel",
            OF_FAN,
            "",
            "Runs its `branches` at once. The output is a map from branch to last output.",
        ),
        &["branches"],
    ),
    needing(
        kind(
            "map",
            OF_FAN,
            "",
            "Runs `do` for each element of its input. The output is a list in the order of the input.",
        ),
        &["do"],
    ),
    needing(
        kind("graph", ONLY_TEMPLATES, "", "Runs the `graph` inside it, in a scope of its own."),
        &["graph"],
    ),
    kind(
        "plan",
        OF_PLAN,
        plan::OUTPUT_SCHEMA,
        "Lets a model plan which tools to call for a request, and checks the plan. Calls none.",
    ),
    kind(
        "gather",
        OF_GATHER,
        gather::OUTPUT_SCHEMA,
        "Makes the calls of a tool plan. A call that fails stops no other.",
    ),
    kind(
        "react",
        OF_REACT,
        react::OUTPUT_SCHEMA,
        "Lets a model reason for one turn. The output says where the run goes: `finalize_answer`, `web_research` or `execute_tools`; what is to be done there stands in `output.answer`, `output.plan` or `output.tool_calls`.",
    ),
    kind(
        "execute_tools",
        OF_GATHER,
        gather::OUTPUT_SCHEMA,
        "Makes the calls that a `react` node has just asked for.",
    ),
    stage(
        "discovery",
        OF_STAGE,
        r#"{"enum": ["found", "not_found"]}"#,
        "Looks for a plan that does already what is asked for.",
    ),
    stage(
        "parameter_discovery",
        OF_STAGE,
        r#"{"enum": ["discovered"]}"#,
        "Finds the values in a request, and puts holes in their place.",
    ),
    stage(
        "requirements_analysis",
        OF_STAGE,
        r#"{"enum": ["success", "clarification_needed"]}"#,
        "Says what a request asks for, without its values, or what has to be asked back.",
    ),
    stage(
        "component_browsing",
        OF_STAGE,
        r#"{"enum": ["generate"]}"#,
        "Chooses the tools and node types that a plan may use.",
    ),
    stage(
        "planning",
        OF_PLANNING,
        r#"{"enum": ["continue", "partial_solution", "impossible_requirements"]}"#,
        "Makes a plan in words.",
    ),
    stage(
        "workflow_generator",
        OF_GENERATOR,
        r#"{"enum": ["validate"]}"#,
        "Makes a plan file of the plan in words.",
    ),
    stage(
        "parameter_mapping",
        OF_STAGE,
        r#"{"enum": ["params_complete", "params_incomplete"]}"#,
        "Fills the inputs of the generated plan from the request.",
    ),
    stage(
        "validator",
        OF_VALIDATOR,
        r#"{"enum": ["valid", "retry", "failed"]}"#,
        "Checks the generated plan, and says whether there is to be another one.",
    ),
    stage("result_preparation", ONLY_TEMPLATES, "", "Puts together what the person is told."),
    alias("init", "An older name of `noop`."),
    alias("format_output", "An older name of `noop`."),
    alias("error_handler", "An older name of `noop`."),
    alias("terminal", "An older name of `noop`."),
    alias("validation", "An older name of `decision`."),
    Kind { common: false, ..kind("llm_call", OF_LLM, r#"{"type": "string"}"#, "An older name of `llm`.") },
];

/// The types that this version knows, the most common first.
pub fn kinds() -> &'static [Kind] {
    KINDS
}

/// The built-in type of that name.
pub fn built_in(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

/// What a failure is.
pub(crate) fn failure() -> Json {
    json!({"type": "object", "properties": {
        "code": {"type": "string", "description": "What kind of failure, as in `tool/failed`."},
        "message": {"type": "string", "description": "What happened."},
        "node": {"type": "string", "description": "The id of the node that failed."},
        "scope": {"type": "string", "description": "Where that node stands, inside another node."},
        "partial": {"description": "What a `gather` node had gathered when its `timeout_ms` was up."}}})
}
