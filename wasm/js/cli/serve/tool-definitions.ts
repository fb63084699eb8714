/** Definitions of the MCP tools: names, descriptions, schemas and annotations. */
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
/** Allows further properties, so that results can grow. */
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
    description: "The plan's text, YAML or JSON. `describe_tools` with `format: true` says how plans are written.",
  },
  path: text("Instead of `plan`: a file of the server's folder of plans, as `reports/weekly.yaml`."),
};

const DIAGNOSTIC = result({
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
    description: "Edits of the text that solve it; empty where nobody knows. Lines and columns count from 1.",
  },
});

const REVIEW = {
  ...result({
    reads: strings,
    writes: strings,
    destroys: strings,
    unknown: { ...strings, description: "Tools of which nobody says what they do: take the worst." },
    models: strings,
    people: { ...strings, description: "Nodes at which a person is asked." },
    bounds: { type: "object" },
  }),
  type: ["object", "null"],
  description: "What the plan may do; null when it can't be read.",
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
  description: "Tool servers that did not answer: their tools are unknown.",
};

const ASKS = {
  ...list(
    result({
      call: text("The name under which it is decided."),
      node: { type: "string" },
      tool: nullable({ type: "string" }),
      input: any,
    }),
  ),
  description: "What a person has to decide before the run goes on.",
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
  asks: ASKS,
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
  last: { description: "The last output: what the run came to." },
  outputs: {
    type: "object",
    description:
      "Each node's output by its id. A large one is cut: `{cut: true, begins, more}` says how to see the rest.",
  },
};

const EXECUTED_RUN = {
  ...result({ ...RUN, ...VALUES, notes: strings }),
  properties: { ...RUN, ...MAY_RUN, ...VALUES, notes: strings },
};

const DECISIONS = {
  type: "object",
  description:
    "What the person decided, by the names that the run asks under. Leave it out: the person is asked by their " +
    "client. It is refused unless the server was started with `--caller-decides`.",
  additionalProperties: {
    anyOf: [
      { enum: ["approved", "rejected"] },
      object({ value: { description: "What to go on with instead." } }, ["value"]),
    ],
  },
};

export const TOOL_DEFINITIONS = {
  describe_tools: {
    title: "Describe tools",
    description:
      "Lists the tools that plans may call, by the names that plans use, with what each takes, gives and may " +
      "do. Call it before you write a plan, the first time with `format: true`, which also tells how plans are " +
      "written. With `name` it tells a tool's whole schemas.",
    input: object({
      server: text("Only the tools of this server."),
      name: text("Only this tool, or those whose names hold this text."),
      format: {
        type: "boolean",
        description: "Also tell how plans are written: node types, templates, conditions, an example.",
      },
    }),
    output: result({
      tools: list(
        result({
          name: text("As plans name it."),
          server: nullable({ type: "string" }),
          description: { type: "string" },
          effect: { enum: ["reads", "writes", "destroys", "unknown"] },
          unavailable: { type: ["string", "null"], description: "Why plans can't call it; null where they can." },
          signature: { type: "string" },
          input_schema: {
            type: ["object", "boolean", "null"],
            description: "Null where there are too many tools to tell all schemas: ask by name.",
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
      "Finds every mistake of a plan without running it: each with its code, line and column, what to do, and " +
      "where possible the edit that solves it. Also tells what the plan would read, write and destroy, and " +
      "whom it would ask. Call it after writing or changing a plan, mend what it finds, and check again until " +
      "`ok` is true. With `fix` it makes the edits it knows and gives the text.",
    input: object({
      ...PLAN,
      fix: {
        type: "boolean",
        description:
          "Also give the plan with every edit made that it knows, as `mended`. Check that again: edits are proposals.",
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
      "Checks a plan and runs it to its end, and gives its outcome, its last output and every node's. A plan " +
      "with mistakes does not run. Where the plan asks for approval, or calls a tool that may destroy " +
      "something, the person is asked through their client; if that can't be done, the run rests as `paused` " +
      "with a run id, and nothing that needs leave is done. You can't give leave yourself.",
    input: object({
      ...PLAN,
      input: {
        description:
          "What the run is given: stands under `input` in the plan. Any JSON; a map when the plan declares `inputs`.",
      },
    }),
    output: EXECUTED_RUN,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
  resume_run: {
    title: "Resume a run",
    description:
      "Goes on with a run that is paused or was cancelled; no finished call is made again. The person is asked for what the run waits for.",
    input: object({ run: text("The run's id."), decisions: DECISIONS }, ["run"]),
    output: EXECUTED_RUN,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
  explain_run: {
    title: "Explain a run",
    description:
      "Tells why a run went the way it went: each edge with the condition that held and the values that it " +
      "saw, each failure with what to do about it, tries, times and tokens. Without `run` it lists the runs " +
      "there are. With `node` it tells of one node alone, its input and output included; with `why` also of " +
      "every condition that did not hold; with `value` it gives a value whole, piece by piece.",
    input: object({
      run: text("The run's id."),
      node: text("Only this node; `fan/a/fetch` for one inside another."),
      why: { type: "boolean", description: "Also the conditions that did not hold." },
      value: text("A JSON pointer to a value of the run: `/last`, `/input`, `/outputs/fetch/items/0`."),
      offset: { type: "integer", minimum: 0, description: "With `value`: from which character on." },
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
      "Turns a request in plain words into a plan that is checked, made of the tools there are, or says what " +
      "is missing. It never runs anything: look at the plan and its review, then call `run_plan` with it and " +
      "with `params` as its input. What stands in `unresolved` it may leave out of the request, and `coverage` says " +
      "which nodes serve which requirement. You may as well write plans yourself and have them checked by `check_plan`.",
    input: object(
      {
        request: {
          type: "string",
          minLength: 1,
          maxLength: 20_000,
          description: "What is to be done, with all values that matter.",
        },
        partial: { type: "boolean", description: "Where only a part can be done, plan that part." },
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
    `\`${name}\` can't be called like this: ${violations}`,
    suggestion ? `did you mean \`${suggestion}\`?` : `it takes ${known.map((key) => `\`${key}\``).join(", ")}`,
  );
}
