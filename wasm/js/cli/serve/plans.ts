/**
 * `check_plan`, `describe_tools` and `plan_request`: what there is to know before a plan runs.
 *
 * Decides what is told, and nothing about plans: that is the checker's and the flow's.
 */
import { effectOf } from "../../inside.js";
import { flows, PlanGraph, review, type Authored } from "../../node.js";
import type { Diagnostic, ToolClient, ToolInfo } from "../../types.js";
import { tally } from "../diagnostics.js";
import { near } from "../near.js";
import { parameters, renderTool } from "../signature.js";
import { plain } from "../style.js";
import { fitting, written } from "../written.js";
import { lentModel } from "./caller.js";
import type { Desk, Given, Silent } from "./desk.js";
import type { Asker } from "./job.js";
import { FORMAT } from "./format.js";
import { Problem, problemText } from "./problem.js";
import { jsonOf, mended, told, toldText } from "./render.js";
import { helpFor } from "./explain.js";
import type { With } from "./runs.js";

/** What a tool gives: data, and the same as text. */
export interface Said {
  data: Record<string, unknown>;
  text: string;
  isError?: boolean;
}

/** How much is told of schemas at once. */
const ROOM = 40_000;

/** What is wrong with a plan, and what it may do. */
export async function checkPlan(
  desk: Desk,
  given: Given,
  { samples, fix = false }: { samples: boolean; fix?: boolean },
  signal: AbortSignal,
): Promise<Said> {
  const { tools, silent } = await desk.catalogue(signal);
  const { graph, diagnostics: all } = desk.checked(given.text, tools, hasModel(desk, samples));
  // With a server silent, a tool that is not known may well be its.
  const diagnostics =
    silent.length === 0 ? all : all.filter(({ code }) => !["graph/unknown-tool", "graph/unknown-type"].includes(code));
  const reviewed = graph === null ? null : reviewOf(graph, tools);
  const hash = graph?.hash ?? null;
  graph?.free();
  const number = (severity: Diagnostic["severity"]) =>
    diagnostics.filter((found) => found.severity === severity).length;
  const ok = graph !== null && number("error") === 0;
  const data = {
    ok,
    errors: number("error"),
    warnings: number("warning"),
    hints: number("hint"),
    diagnostics: told(diagnostics, given.text),
    plan_hash: hash,
    review: reviewed,
    silent,
    mended: fix ? mended(diagnostics, given.text) : null,
  };
  const head = `${ok ? "ok: the plan can run" : "the plan can't run"}: ${tally(diagnostics)}`;
  return {
    data,
    text: [
      head,
      toldText(diagnostics, given.text),
      reviewText(reviewed),
      silentText(silent),
      data.mended === null ? "" : `with these edits made:\n\n${data.mended}`,
    ]
      .filter((part) => part !== "")
      .join("\n\n"),
  };
}

/** Whether a run would have a model. */
export function hasModel({ settings: { model, stubs } }: Desk, samples: boolean): boolean {
  return model !== null || samples || stubs?.models !== undefined;
}

type Reviewed = Record<"reads" | "writes" | "destroys" | "unknown" | "models" | "people", string[]> & {
  bounds: object;
};

function reviewOf(graph: PlanGraph, tools: ToolInfo[]): Reviewed {
  const { tools: called, models, people, bounds } = review(graph, { tools });
  const those = (effect: string) => called.filter((tool) => tool.effect === effect).map(({ name }) => name);
  return {
    reads: those("reads"),
    writes: those("writes"),
    destroys: those("destroys"),
    unknown: those("unknown"),
    models: models.map(({ name }) => name),
    people,
    bounds,
  };
}

function reviewText(reviewed: Reviewed | null): string {
  if (reviewed === null) return "";
  const rows = (["reads", "writes", "destroys", "unknown", "models", "people"] as const)
    .filter((word) => reviewed[word].length > 0)
    .map((word) => `${word}: ${[...new Set(reviewed[word])].slice(0, 60).join(", ")}`);
  return rows.length === 0 ? "it calls no tool, asks no model and no person" : rows.join("\n");
}

function silentText(silent: Silent[]): string {
  return silent
    .map(({ server, place, problem, help }) =>
      problemText("serve/no-tools", `the tool server \`${server}\` at ${place} did not answer: ${problem}`, help),
    )
    .join("\n");
}

/** The tools that plans may call. */
export async function describeTools(
  desk: Desk,
  { server, name, format = false }: { server?: string; name?: string; format?: boolean },
  signal: AbortSignal,
): Promise<Said> {
  const { tools, silent } = await desk.catalogue(signal);
  const known = (tool: ToolInfo) =>
    tools.filter((other) => other.name === tool.name).length === 1 ? tool.name : `${tool.server}.${tool.name}`;
  const servers = [...new Set([...tools.map((tool) => tool.server ?? ""), ...silent.map((one) => one.server)])];
  if (server !== undefined && !servers.includes(server)) {
    const meant = near(server, servers);
    throw new Problem(
      "serve/unknown-tool",
      `there is no server \`${server.slice(0, 80)}\``,
      meant
        ? `did you mean \`${meant}\`?`
        : `the servers are ${servers.map((one) => `\`${one}\``).join(", ") || "none"}`,
    );
  }
  const ofServer = tools.filter((tool) => server === undefined || (tool.server ?? "") === server);
  const exact = ofServer.filter((tool) => name !== undefined && (tool.name === name || known(tool) === name));
  const shown =
    name === undefined ? ofServer : exact.length > 0 ? exact : ofServer.filter((tool) => known(tool).includes(name));
  if (name !== undefined && shown.length === 0) {
    const meant = near(name, ofServer.map(known));
    throw new Problem(
      "serve/unknown-tool",
      `no tool's name holds \`${name.slice(0, 80)}\``,
      meant ? `did you mean \`${meant}\`?` : undefined,
    );
  }
  const whole = name !== undefined || shown.reduce((sum, tool) => sum + jsonOf(tool).length, 0) <= ROOM;
  const look = { style: plain, columns: 160 };
  const entries = shown.slice(0, 500).map((tool) => ({
    name: known(tool),
    server: tool.server ?? null,
    description: (tool.description ?? "").slice(0, 2000),
    effect: effectOf(tool),
    signature: `${known(tool)}(${parameters(tool.input_schema)})`,
    input_schema: whole ? tool.input_schema : null,
    output_schema: whole ? (tool.output_schema ?? null) : null,
  }));
  const lines = shown
    .slice(0, 500)
    .flatMap((tool) => [
      ...renderTool(tool, look, known(tool), name !== undefined),
      ...(effectOf(tool) === "unknown" ? ["    may change anything, since nobody says what it does"] : []),
    ]);
  const plans = desk.files();
  const rest = [
    ...(whole ? [] : ["schemas are left out: ask for a tool by `name` to see its own"]),
    ...(plans.length > 0 ? [`plans: ${plans.slice(0, 50).join(", ")}`] : []),
  ];
  const none = shown.length === 0 ? "no tools: plans can use models, people, templates and conditions alone" : "";
  return {
    data: { tools: entries, silent, plans, format: format ? FORMAT : null },
    text: [none, lines.join("\n"), rest.join("\n"), silentText(silent), format ? FORMAT : ""]
      .filter((part) => part !== "")
      .join("\n\n"),
  };
}

/** A plan from a request. Runs nothing of it. */
export async function planRequest(
  desk: Desk,
  { request, partial }: { request: string; partial?: boolean },
  caller: With,
  asker: Asker,
): Promise<Said> {
  const { model, stubs, servers } = desk.settings;
  if (!hasModel(desk, caller.samples)) throw new Problem("serve/no-model", "there is no model to plan with");
  const { tools, silent } = await desk.catalogue(asker.signal);
  const known = knownPlans(desk);
  const lent = model ?? (stubs?.models ? null : lentModel(asker));
  const answered = await flows.author(
    { user_input: request, partial: partial ? "continue" : "ask", ...(known.length > 0 ? { workflows: known } : {}) },
    {
      tools: clients(tools),
      ...(lent ? { models: { default: lent } } : {}),
      ...(stubs ? { stubs } : {}),
      signal: asker.signal,
      onEvent: caller.onEvent,
    },
  );
  const tokens = answered.report.counts.tokens ?? null;
  if (answered.status === "unfinished") {
    const { outcome } = answered;
    if (outcome.type !== "failed") return failed(blank("failed", "the planning was cancelled", tokens), "cancelled");
    return failed(
      blank("failed", `${outcome.code}: ${outcome.message}`, tokens),
      problemText(outcome.code, outcome.message, helpFor(outcome.code)),
    );
  }
  const { report, ...result } = answered;
  const data = { ...blank(result.status, result.message, tokens), ...plainly(result) };
  if (result.status === "found")
    return {
      data: { ...data, path: result.workflow_name },
      text: `found: the plan \`${result.workflow_name}\` does it already; run it by its \`path\`\nparams: ${jsonOf(result.params)}`,
    };
  if (result.status !== "planned") return lacking(data, result, silent);
  const inputs = (result.workflow.inputs ?? {}) as Record<string, { type?: unknown; default?: unknown } | null>;
  const params = Object.fromEntries(
    Object.entries(result.params).map(([name, value]) => [name, fitting(value, inputs[name]?.type)]),
  );
  const missing = Object.keys(inputs).filter(
    (name) => !Object.hasOwn(params, name) && inputs[name]?.default === undefined,
  );
  const draft = {
    request,
    workflow: result.workflow,
    params: result.params,
    missing,
    missingCapabilities: result.missing_capabilities,
    outputs: report.outputs,
  };
  const { yaml } = written(draft, servers, tools);
  const { graph, diagnostics } = desk.checked(yaml, tools);
  const reviewed = graph === null ? null : reviewOf(graph, tools);
  graph?.free();
  const full = {
    ...data,
    plan: yaml,
    params,
    missing_params: missing,
    diagnostics: told(diagnostics, yaml),
    review: reviewed,
  };
  const asks = missing.length > 0 ? `the request does not say: ${missing.join(", ")}` : "";
  return {
    data: full,
    text: [
      "planned; nothing has run yet",
      yaml,
      toldText(diagnostics, yaml),
      reviewText(reviewed),
      `params: ${jsonOf(params)}`,
      asks,
    ]
      .filter((part) => part !== "")
      .join("\n\n"),
  };
}

/** The plans of the folder that could be used as they are. */
function knownPlans(desk: Desk): { name: string; description: string; inputs: unknown }[] {
  return desk
    .files()
    .slice(0, 100)
    .flatMap((path) => {
      const { graph } = PlanGraph.parse(desk.plan({ path }).text);
      if (graph === null) return [];
      const { description = "", inputs = null } = graph.toJSON() as { description?: string; inputs?: unknown };
      graph.free();
      return [{ name: path, description, inputs }];
    });
}

/** Tools to plan with. Planning calls none of them. */
function clients(tools: ToolInfo[]): ToolClient[] {
  const names = [...new Set(tools.map(({ server = "" }) => server))].filter((name) => name !== "");
  return names.map((name) => ({
    name,
    list: async () => tools.filter(({ server }) => server === name),
    call: async () => ({ value: null, isError: true, message: "planning calls no tools" }),
    close: async () => {},
  }));
}

function blank(status: string, message: string, tokens: number | null): Record<string, unknown> {
  return {
    status,
    message,
    plan: null,
    path: null,
    params: {},
    missing_params: [],
    missing_capabilities: [],
    alternatives: [],
    diagnostics: [],
    review: null,
    generations: 0,
    tokens,
  };
}

function plainly({
  params,
  missing_params,
  missing_capabilities,
  alternatives,
  generations,
}: Authored): Record<string, unknown> {
  return { params, missing_params, missing_capabilities, alternatives, generations };
}

function failed(data: Record<string, unknown>, text: string): Said {
  return { data, text, isError: true };
}

function lacking(data: Record<string, unknown>, result: Authored, silent: Silent[]): Said {
  const { status, message, missing_capabilities: missing, alternatives, errors } = result;
  const lines = [
    `${status}: ${message}`,
    ...missing.map((what) => `missing: ${what}`),
    ...alternatives.map((one) => `instead: ${typeof one === "string" ? one : jsonOf(one)}`),
    ...errors.slice(0, 20).map(({ code, message: said, help }) => problemText(code, said, help)),
  ];
  return {
    data,
    text: [lines.join("\n"), silentText(silent)].filter((part) => part !== "").join("\n\n"),
    ...(status === "failed" ? { isError: true } : {}),
  };
}
