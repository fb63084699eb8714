/** Definitions of the MCP tools. */
import type { ToolAnnotations } from "@modelcontextprotocol/server";
import { checkBySchema } from "../../package-internals.js";
import { closestName } from "../suggest.js";
import { CallerError } from "./caller-error.js";

type Schema = Record<string, unknown>;

export interface ToolDefinition {
  title: string;
  description: string;
  input: Schema;
  output: Schema;
  annotations: ToolAnnotations;
}

const text = (description: string): Schema => ({ type: "string", description });
const object = (properties: Record<string, unknown>, required: string[] = []): Schema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
/** Results may grow by further properties. */
const result = (properties: Record<string, unknown>, required = Object.keys(properties)): Schema => ({
  type: "object",
  properties,
  required,
});
const list = (items: Schema): Schema => ({ type: "array", items });
const nullable = (schema: Schema): Schema => ({ ...schema, type: [schema.type, "null"] });
const any: Schema = {};
const strings = list({ type: "string" });

const PLAN = {
  plan: {
    type: ["string", "object"],
    description: "The plan's text, YAML or JSON. `describe_tools` with `format: true` returns the guide to the format.",
  },
  path: text("Instead of `plan`: a file of the server's folder of plans, such as `reports/weekly.yaml`."),
};

const FINDING = {
  code: { type: "string" },
  severity: { enum: ["error", "warning", "hint"] },
  message: { type: "string" },
  at: text("Where in the graph."),
  line: nullable({ type: "integer" }),
  column: nullable({ type: "integer" }),
  help: nullable({ type: "string" }),
  fix: {
    ...list(
      result({
        line: { type: "integer" },
        column: { type: "integer" },
        end_line: { type: "integer" },
        end_column: { type: "integer" },
        old: { type: "string" },
        new: { type: "string" },
      }),
    ),
    description: "Edits of the text that fix it; empty if none is known. Lines and columns count from 1.",
  },
};

const DIAGNOSTIC = result(
  { ...FINDING, file: text("The file that the plan runs, if the problem is in it.") },
  Object.keys(FINDING),
);

const REVIEW = {
  ...result({
    reads: strings,
    writes: strings,
    destroys: strings,
    unknown: { ...strings, description: "Tools with unknown effects: assume the worst." },
    models: strings,
    people: { ...strings, description: "Nodes that need an approval of the user." },
    bounds: { type: "object" },
  }),
  type: ["object", "null"],
  description: "What the plan may do; null if it can't be parsed.",
};

const UNAVAILABLE = {
  ...list(
    result({
      server: { type: "string" },
      place: { type: "string" },
      problem: { type: "string" },
      help: { type: "string" },
    }),
  ),
  description: "Tool servers that did not respond: their tools are unknown.",
};

const OPEN_APPROVALS = {
  ...list(
    result({
      call: text("The name to decide it by."),
      node: { type: "string" },
      tool: nullable({ type: "string" }),
      input: any,
    }),
  ),
  description: "What the user must decide before the run continues.",
};

const RUN = {
  run: text("The run's id, for `explain_run` and `resume_run`."),
  status: { enum: ["running", "paused", "completed", "failed", "cancelled"] },
  plan: nullable({ type: "string" }),
  plan_hash: { type: "string" },
  started_at: { type: "string" },
  duration_ms: { type: "integer" },
  path: { ...strings, description: "The nodes that ran, in order." },
  counts: { type: "object" },
  asks: OPEN_APPROVALS,
};
const MAY_RUN = {
  failure: result({
    code: { type: "string" },
    message: { type: "string" },
    node: nullable({ type: "string" }),
    help: nullable({ type: "string" }),
  }),
  reason: { type: "string" },
};
const VALUES = {
  last: { description: "The last output: the result of the run." },
  outputs: {
    type: "object",
    description:
      "Each node's output by its id. A large one is truncated: `{cut: true, begins, more}` shows how to read the rest.",
  },
};

const EXECUTED_RUN = {
  ...result({ ...RUN, ...VALUES, notes: strings }),
  properties: { ...RUN, ...MAY_RUN, ...VALUES, notes: strings },
};

const DECISIONS = {
  type: "object",
  description:
    "The user's decisions by name of the approval. Leave it out: the client asks the user. It is rejected " +
    "unless the server was started with `--caller-decides`.",
  additionalProperties: {
    anyOf: [
      { enum: ["approved", "rejected"] },
      object({ value: { description: "A value to continue with instead." } }, ["value"]),
    ],
  },
};

export const TOOL_DEFINITIONS = {
  describe_tools: {
    title: "Describe tools",
    description:
      "Lists the tools that plans may call, with the names that plans use, their inputs, outputs and effects. " +
      "Call it before you write a plan, the first time with `format: true`, which adds the guide to the format. " +
      "With `name` it returns the complete schemas of a tool.",
    input: object({
      server: text("Only the tools of this server."),
      name: text("Only this tool, or those whose names contain this text."),
      format: {
        type: "boolean",
        description: "Also return the guide to the format: node types, templates, conditions, an example.",
      },
    }),
    output: result({
      tools: list(
        result({
          name: text("The name in plans."),
          server: nullable({ type: "string" }),
          description: { type: "string" },
          effect: { enum: ["reads", "writes", "destroys", "unknown"] },
          unavailable: { type: ["string", "null"], description: "Why plans can't call it; null if they can." },
          signature: { type: "string" },
          input_schema: {
            type: ["object", "boolean", "null"],
            description: "Null if there are too many tools for all schemas: pass `name`.",
          },
          output_schema: { type: ["object", "boolean", "null"] },
        }),
      ),
      silent: UNAVAILABLE,
      plans: { ...strings, description: "Files of the folder of plans." },
      format: nullable({ type: "string" }),
    }),
    annotations: { readOnlyHint: true, openWorldHint: true },
  },
  check_plan: {
    title: "Check a plan",
    description:
      "Finds the errors of a plan without running it: each with its code, line and column, help, and " +
      "if possible the edit that fixes it. Also lists what the plan would read, write and destroy, and " +
      "its approvals. Call it after you write or change a plan, fix what it finds, and check again until " +
      "`ok` is true. With `fix` it applies the known edits and returns the text.",
    input: object({
      ...PLAN,
      fix: {
        type: "boolean",
        description:
          "Also return the plan with all known edits applied, as `mended`. Check it again: edits are proposals.",
      },
    }),
    output: result({
      ok: { type: "boolean", description: "Whether it can run." },
      errors: { type: "integer" },
      warnings: { type: "integer" },
      hints: { type: "integer" },
      diagnostics: list(DIAGNOSTIC),
      plan_hash: nullable({ type: "string" }),
      review: REVIEW,
      silent: UNAVAILABLE,
      mended: nullable({ type: "string" }),
    }),
    annotations: { readOnlyHint: true, openWorldHint: true },
  },
  run_plan: {
    title: "Run a plan",
    description:
      "Checks a plan and runs it to its end. Returns its outcome, its last output and the output of every node. A plan " +
      "with errors does not run. If the plan needs an approval, or calls a tool that may destroy " +
      "something, the client asks the user. If it can't, the run is `paused` " +
      "with a run id, and makes no call that requires approval. You can't approve anything yourself.",
    input: object({
      ...PLAN,
      input: {
        description: "The run's input, `input` in the plan. Any JSON; a map if the plan declares `inputs`.",
      },
    }),
    output: EXECUTED_RUN,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
  resume_run: {
    title: "Resume a run",
    description:
      "Resumes a run that is paused or was cancelled. Finished calls are not repeated. The client asks the user for the open approvals.",
    input: object({ run: text("The run's id."), decisions: DECISIONS }, ["run"]),
    output: EXECUTED_RUN,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
  explain_run: {
    title: "Explain a run",
    description:
      "Explains the path of a run: each edge with the condition that held and the compared " +
      "values, each failure with help, attempts, times and tokens. Without `run` it lists the runs. " +
      "With `node` it shows only one node, with its input and output; with `why` also " +
      "every condition that did not hold; with `value` it returns a complete value, in slices.",
    input: object({
      run: text("The run's id."),
      node: text("Only this node; `fan/a/fetch` for a nested one."),
      why: { type: "boolean", description: "Also the conditions that did not hold." },
      value: text("A JSON pointer to a value of the run: `/last`, `/input`, `/outputs/fetch/items/0`."),
      offset: { type: "integer", minimum: 0, description: "With `value`: the first character." },
    }),
    output: {
      type: "object",
      properties: {
        ...RUN,
        ...MAY_RUN,
        nodes: list({ type: "object" }),
        decisions: list({ type: "object" }),
        runs: list({ type: "object" }),
        piece: { type: "object" },
      },
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  plan_request: {
    title: "Plan a request",
    description:
      "Turns a request in plain words into a checked plan with the available tools, or says what " +
      "is missing. It never runs anything: review the plan, then call `run_plan` with it and " +
      "with `params` as its input. The plan may leave out the parts in `unresolved`, and `coverage` says " +
      "which nodes serve which requirement. You can also write plans yourself and check them with `check_plan`.",
    input: object(
      {
        request: {
          type: "string",
          minLength: 1,
          maxLength: 20_000,
          description: "The task, with all values that matter.",
        },
        partial: { type: "boolean", description: "If the tools can do only a part, plan that part." },
      },
      ["request"],
    ),
    output: result({
      status: {
        enum: ["planned", "found", "clarification_needed", "impossible_requirements", "partial_solution", "failed"],
      },
      message: { type: "string" },
      plan: nullable({ type: "string" }),
      path: nullable({ type: "string" }),
      params: { type: "object" },
      missing_params: strings,
      missing_capabilities: strings,
      alternatives: list(any),
      unresolved: list(any),
      coverage: list(any),
      diagnostics: list(DIAGNOSTIC),
      review: REVIEW,
      generations: { type: "integer" },
      tokens: nullable({ type: "integer" }),
    }),
    annotations: { readOnlyHint: true, openWorldHint: true },
  },
} satisfies Record<string, ToolDefinition>;

export type ToolName = keyof typeof TOOL_DEFINITIONS;

/** Throws {@link CallerError} with the violations. */
export function parseArguments(name: ToolName, given: unknown): Record<string, unknown> {
  const args = given === undefined || given === null ? {} : given;
  const { input } = TOOL_DEFINITIONS[name];
  const [report] = checkBySchema(input, [args]).reports;
  const wrong = report?.violations ?? [];
  if (wrong.length === 0) return args as Record<string, unknown>;
  const known = Object.keys(input.properties as object);
  const unknown = Object.keys(args as object).find((key) => !known.includes(key));
  const suggestion = unknown === undefined ? null : closestName(unknown, known);
  const violations = wrong
    .slice(0, 8)
    .map(
      ({ instancePath, message }) =>
        `${instancePath === "" ? "" : `\`${instancePath.slice(1).slice(0, 80)}\`: `}${message}`,
    )
    .join("; ");
  throw new CallerError(
    "serve/bad-arguments",
    `\`${name}\` has invalid arguments: ${violations}`,
    suggestion ? `did you mean \`${suggestion}\`?` : `it takes ${known.map((key) => `\`${key}\``).join(", ")}`,
  );
}
