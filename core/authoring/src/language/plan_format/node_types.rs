//! The built-in node types.

use super::{EnumValue, FieldSpec, KeyNames, ValueSpec};
use serde_json::{Value as Json, json};
use stepgraph_core::kind::settings::MAX_CONCURRENCY;
use stepgraph_core::node::{gather, plan, react};

/// A node type.
#[derive(Debug, Clone, Copy)]
pub struct NodeTypeSpec {
    /// Its name.
    pub name: &'static str,
    /// In Markdown.
    pub doc: &'static str,
    /// Its settings.
    pub settings: &'static [FieldSpec],
    /// Required keys.
    pub required_keys: &'static [&'static str],
    /// Exactly one is required.
    pub exclusive_settings: &'static [&'static str],
    /// JSON Schema, empty if unknown.
    output_schema: &'static str,
    /// Commonly used.
    pub is_common: bool,
}

impl NodeTypeSpec {
    /// Whether settings are checked. Other types accept any.
    pub fn has_known_settings(&self) -> bool {
        let pass =
            ["decision", "noop", "log", "init", "format_output", "error_handler", "terminal", "validation"];
        !pass.contains(&self.name)
    }

    /// Whether `with` is required.
    pub fn requires_settings(&self) -> bool {
        !self.exclusive_settings.is_empty() || self.settings.iter().any(|field| field.required)
    }

    /// The output's schema, if the type determines it.
    pub fn output_schema(&self) -> Option<Json> {
        stepgraph_core::json::parse(self.output_schema)
    }
}

const fn setting(key: &'static str, value: ValueSpec, doc: &'static str) -> FieldSpec {
    FieldSpec { key, required: false, value, doc }
}

const fn integer_range(least: u32, most: u32) -> ValueSpec {
    ValueSpec::Number { min: least, max: Some(most), integer: true }
}

const COUNT: ValueSpec = ValueSpec::Number { min: 1, max: None, integer: true };

const MODEL: FieldSpec = setting(
    "model",
    ValueSpec::Model,
    "The model of the run to call; by default `default`. May be a template.",
);
const SYSTEM: FieldSpec =
    setting("system", ValueSpec::Template, "The system instructions. May be a template.");
const SCHEMA: FieldSpec = setting(
    "schema",
    ValueSpec::Schema,
    "JSON Schema of the answer; the output is then the JSON, and else the text.",
);
const MAX_TOKENS: FieldSpec = setting("max_tokens", COUNT, "The most tokens of one answer.");
const CONVERSATION: FieldSpec = setting(
    "conversation",
    ValueSpec::Text,
    "The name under which the conversation is stored for later nodes of the same scope.",
);
const TEMPERATURE: FieldSpec = setting(
    "temperature",
    ValueSpec::Number { min: 0, max: Some(2), integer: false },
    "The sampling temperature, 0 to 2; by default it is not sent.",
);
const TEMPLATES: FieldSpec =
    setting("templates", ValueSpec::Bool, "`false` leaves `${…}` in this node's texts alone.");
const TOOLS: FieldSpec = setting(
    "tools",
    ValueSpec::List(&ValueSpec::Tool),
    "The tools that the model may call; by default all tools of the run.",
);
const MAX_TURNS: FieldSpec =
    setting("max_turns", integer_range(1, 1000), "How often the model is asked at most; by default 8.");
const ATTEMPTS: FieldSpec = setting(
    "attempts",
    integer_range(1, 100),
    "How often the model is asked in total for a valid answer; by default 3.",
);
const TRUSTED: FieldSpec = setting(
    "trusted",
    ValueSpec::List(&ValueSpec::Text),
    "Parameters that only the run may fill, from its context; by default `[user_email]`.",
);
const PARSE: FieldSpec = setting(
    "parse",
    ValueSpec::Enum(&[(
        "json",
        "A text that a tool returns is parsed as JSON; text that is not JSON fails the call.",
    )]),
    "How a text that a tool returns is parsed; by default as text.",
);
const DEADLINE: FieldSpec = setting(
    "deadline_ms",
    ValueSpec::Number { min: 0, max: None, integer: false },
    "How long the model may take before the node's output reports it, in milliseconds.",
);
const JOIN: FieldSpec = setting("join", ValueSpec::Enum(JOINS), "When the node is done; by default `all`.");
const CONCURRENCY: FieldSpec = setting(
    "concurrency",
    integer_range(1, MAX_CONCURRENCY),
    "How many graphs run at once; by default 8 for `map`, all for `parallel`.",
);
const CALL_TIMEOUT: FieldSpec = setting(
    "call_timeout_ms",
    ValueSpec::Number { min: 0, max: None, integer: false },
    "How long one call may take, in milliseconds; a call that takes longer fails, and the others continue.",
);
const GATHER_CONCURRENCY: FieldSpec =
    setting("concurrency", integer_range(1, 100), "How many calls are made at once; 1.");
const PLAN_SCHEMA: FieldSpec = setting(
    "plan",
    ValueSpec::Schema,
    "JSON Schema of the plan that the model submits, a map; by default `{query, rationale}`.",
);

const VALUES: FieldSpec = FieldSpec {
    required: true,
    ..setting(
        "values",
        ValueSpec::Named(KeyNames::Declared, &ValueSpec::Input),
        "The values by name, in their order. Each may be a template, or contain templates.",
    )
};
const MS: FieldSpec = setting(
    "ms",
    ValueSpec::NumberTemplate,
    "How long the run waits, in milliseconds or as in `2s`. May be a template.",
);
const UNTIL: FieldSpec = setting(
    "until",
    ValueSpec::Template,
    "The time when the wait ends, such as `2026-12-01T08:00:00Z`. May be a template.",
);

const JOINS: &[EnumValue] = &[
    ("all", "When all have completed; the first failure fails the node."),
    ("any", "When the first has completed; its output alone counts."),
    ("settled", "When all have ended; each result is `{status, value}` or `{status, error}`."),
];

const ONLY_TEMPLATES: &[FieldSpec] = &[TEMPLATES];
const SET_SETTINGS: &[FieldSpec] = &[VALUES, TEMPLATES];
const WAIT_SETTINGS: &[FieldSpec] = &[MS, UNTIL, TEMPLATES];
const LLM_SETTINGS: &[FieldSpec] = &[MODEL, SYSTEM, SCHEMA, MAX_TOKENS, TEMPERATURE, CONVERSATION, TEMPLATES];
const AGENT_SETTINGS: &[FieldSpec] =
    &[MODEL, SYSTEM, TOOLS, MAX_TURNS, SCHEMA, TRUSTED, MAX_TOKENS, TEMPERATURE, CONVERSATION, TEMPLATES];
const PLAN_SETTINGS: &[FieldSpec] =
    &[MODEL, SYSTEM, ATTEMPTS, TRUSTED, MAX_TOKENS, TEMPERATURE, CONVERSATION, TEMPLATES];
const TOOL_SETTINGS: &[FieldSpec] = &[PARSE, TEMPLATES];
const GATHER_SETTINGS: &[FieldSpec] = &[GATHER_CONCURRENCY, CALL_TIMEOUT, PARSE, TRUSTED, TEMPLATES];
const REACT_SETTINGS: &[FieldSpec] = &[
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
const COMPOSITE_SETTINGS: &[FieldSpec] = &[JOIN, CONCURRENCY, TEMPLATES];
const STAGE_SETTINGS: &[FieldSpec] = &[MODEL, SYSTEM, ATTEMPTS, DEADLINE, MAX_TOKENS, TEMPERATURE, TEMPLATES];
const PLANNING_SETTINGS: &[FieldSpec] =
    &[MODEL, SYSTEM, ATTEMPTS, DEADLINE, TRUSTED, CONVERSATION, MAX_TOKENS, TEMPERATURE, TEMPLATES];
const GENERATOR_SETTINGS: &[FieldSpec] =
    &[MODEL, SYSTEM, DEADLINE, TRUSTED, CONVERSATION, MAX_TOKENS, TEMPERATURE, TEMPLATES];
const VALIDATOR_SETTINGS: &[FieldSpec] = &[ATTEMPTS, TRUSTED, TEMPLATES];

const fn node_type(
    name: &'static str,
    settings: &'static [FieldSpec],
    output_schema: &'static str,
    doc: &'static str,
) -> NodeTypeSpec {
    NodeTypeSpec {
        name,
        doc,
        settings,
        required_keys: &[],
        exclusive_settings: &[],
        output_schema,
        is_common: true,
    }
}

const fn with_required_keys(spec: NodeTypeSpec, needs: &'static [&'static str]) -> NodeTypeSpec {
    NodeTypeSpec { required_keys: needs, ..spec }
}

const fn author_stage(
    name: &'static str,
    settings: &'static [FieldSpec],
    output_schema: &'static str,
    doc: &'static str,
) -> NodeTypeSpec {
    NodeTypeSpec { is_common: false, ..node_type(name, settings, output_schema, doc) }
}

const fn alias(name: &'static str, doc: &'static str) -> NodeTypeSpec {
    NodeTypeSpec { is_common: false, ..node_type(name, ONLY_TEMPLATES, "", doc) }
}

const NODE_TYPES: &[NodeTypeSpec] = &[
    with_required_keys(
        node_type(
            "tool",
            TOOL_SETTINGS,
            "",
            "Calls the tool that `tool` names, with `input` as its arguments. The output is the tool's result.",
        ),
        &["tool"],
    ),
    node_type(
        "llm",
        LLM_SETTINGS,
        r#"{"type": "string"}"#,
        "Asks a model once, without tools. `input` is the user's message; the output is the answer, as JSON when there is a `schema`.",
    ),
    node_type(
        "agent",
        AGENT_SETTINGS,
        r#"{"type": "string"}"#,
        "Lets a model call tools until it answers. The output is its last answer.",
    ),
    node_type(
        "decision",
        ONLY_TEMPLATES,
        "",
        "Passes on the previous output, so that its edges can choose by it.",
    ),
    node_type("noop", ONLY_TEMPLATES, "", "Does nothing: passes on the previous output."),
    node_type("log", ONLY_TEMPLATES, "", "Passes its input on and marks it in the trace."),
    node_type(
        "set",
        SET_SETTINGS,
        "",
        "Computes the values under `with.values`. The output is a map of them.",
    ),
    NodeTypeSpec {
        exclusive_settings: &["ms", "until"],
        ..node_type(
            "wait",
            WAIT_SETTINGS,
            "",
            "Waits `ms` milliseconds, or `until` a time, and passes on the previous output. It does not wait for a time in the past.",
        )
    },
    node_type(
        "approve",
        ONLY_TEMPLATES,
        r#"{"anyOf": [{"enum": ["approved", "rejected"]}, {}]}"#,
        "Asks the user for approval. The output is `approved`, `rejected`, or the value that the user entered instead of the input. A run can be paused here and resumed later.",
    ),
    with_required_keys(
        node_type(
            "parallel",
            COMPOSITE_SETTINGS,
            "",
            "Runs its `branches` at once. The output is a map from branch to last output.",
        ),
        &["branches"],
    ),
    with_required_keys(
        node_type(
            "map",
            COMPOSITE_SETTINGS,
            "",
            "Runs `do` for each element of its input. The output is a list in the order of the input.",
        ),
        &["do"],
    ),
    with_required_keys(
        node_type("graph", ONLY_TEMPLATES, "", "Runs the `graph` inside it, in a scope of its own."),
        &["graph"],
    ),
    node_type(
        "plan",
        PLAN_SETTINGS,
        plan::OUTPUT_SCHEMA,
        "Lets a model plan which tools to call for a request, and checks the plan. Calls none.",
    ),
    node_type(
        "gather",
        GATHER_SETTINGS,
        gather::OUTPUT_SCHEMA,
        "Makes the calls of a tool plan. A call that fails stops no other.",
    ),
    node_type(
        "react",
        REACT_SETTINGS,
        react::OUTPUT_SCHEMA,
        "Lets a model reason for one turn. The output names the next step: `finalize_answer`, `web_research` or `execute_tools`; its details are in `output.answer`, `output.plan` or `output.tool_calls`.",
    ),
    node_type(
        "execute_tools",
        GATHER_SETTINGS,
        gather::OUTPUT_SCHEMA,
        "Makes the calls that a `react` node has requested.",
    ),
    author_stage(
        "discovery",
        STAGE_SETTINGS,
        r#"{"enum": ["found", "not_found"]}"#,
        "Searches the existing plans for one that does what the request asks for.",
    ),
    author_stage(
        "parameter_discovery",
        STAGE_SETTINGS,
        r#"{"enum": ["discovered"]}"#,
        "Finds the values in a request, and replaces them with placeholders.",
    ),
    author_stage(
        "requirements_analysis",
        STAGE_SETTINGS,
        r#"{"enum": ["success", "clarification_needed"]}"#,
        "Lists the requirements of a request, without its values, or asks a clarifying question.",
    ),
    author_stage(
        "component_browsing",
        STAGE_SETTINGS,
        r#"{"enum": ["generate"]}"#,
        "Chooses the tools and node types that a plan may use.",
    ),
    author_stage(
        "planning",
        PLANNING_SETTINGS,
        r#"{"enum": ["continue", "partial_solution", "impossible_requirements"]}"#,
        "Writes a plan in prose.",
    ),
    author_stage(
        "workflow_generator",
        GENERATOR_SETTINGS,
        r#"{"enum": ["validate"]}"#,
        "Writes a plan file from the plan in prose.",
    ),
    author_stage(
        "parameter_mapping",
        STAGE_SETTINGS,
        r#"{"enum": ["params_complete", "params_incomplete"]}"#,
        "Fills the inputs of the generated plan from the request.",
    ),
    author_stage(
        "validator",
        VALIDATOR_SETTINGS,
        r#"{"enum": ["valid", "retry", "failed"]}"#,
        "Checks the generated plan, and decides whether to generate another one.",
    ),
    author_stage("result_preparation", ONLY_TEMPLATES, "", "Composes the message for the user."),
    alias("init", "An older name of `noop`."),
    alias("format_output", "An older name of `noop`."),
    alias("error_handler", "An older name of `noop`."),
    alias("terminal", "An older name of `noop`."),
    alias("validation", "An older name of `decision`."),
    NodeTypeSpec {
        is_common: false,
        ..node_type("llm_call", LLM_SETTINGS, r#"{"type": "string"}"#, "An older name of `llm`.")
    },
];

/// Most common first.
pub fn node_types() -> &'static [NodeTypeSpec] {
    NODE_TYPES
}

/// Finds by name.
pub fn built_in(name: &str) -> Option<&'static NodeTypeSpec> {
    NODE_TYPES.iter().find(|spec| spec.name == name)
}

pub(crate) fn failure_schema() -> Json {
    json!({"type": "object", "properties": {
        "code": {"type": "string", "description": "What kind of failure, as in `tool/failed`."},
        "message": {"type": "string", "description": "What happened."},
        "node": {"type": "string", "description": "The id of the node that failed."},
        "scope": {"type": "string", "description": "The path of the composite node that contains that node."},
        "partial": {"description": "What a `gather` node had gathered when its `timeout_ms` was up."}}})
}
