/** `check_plan` and `plan_request` in a worker. */
import {
  type Authored,
  check,
  flows,
  type KnownFiles,
  PlanGraph,
  review,
  sortDiagnostics,
} from "../../package-internals.js";
import type { Diagnostic, ToolClient, ToolInfo } from "../../types.js";
import { tally } from "../../terminal/diagnostics.js";
import { coerceText } from "../coerce-text.js";
import { renderPlan } from "../plan-writer.js";
import { helpFor } from "./explain.js";
import { errorText } from "./caller-error.js";
import { progressText } from "./progress.js";
import { jsonOf, applyFixes, type ToolOutput, renderDiagnostics, diagnosticsText } from "./render.js";
import { type UnavailableServer, unavailableText } from "./unavailable-servers.js";
import type { WorkerContext } from "./worker-run.js";

export interface CheckArgs {
  text: string;
  files: KnownFiles;
  tools: ToolInfo[];
  /** Their tools are unknown. */
  unavailable: UnavailableServer[];
  models: boolean;
  fix: boolean;
}

export interface AuthorArgs {
  request: string;
  partial: boolean;
  tools: ToolInfo[];
  unavailable: UnavailableServer[];
  known: { path: string; text: string }[];
  places: { name: string; place: string }[];
  model: boolean;
}

export async function checkTask(
  context: WorkerContext,
  { text, files, tools, unavailable, models, fix }: CheckArgs,
): Promise<ToolOutput> {
  const { graph, diagnostics: all } = checkPlanText(context, text, files, tools, models);
  // An unknown tool may be an unavailable server's.
  const diagnostics =
    unavailable.length === 0
      ? all
      : all.filter(({ code }) => !["graph/unknown-tool", "graph/unknown-type"].includes(code));
  const summary = graph?.valid ? reviewOf(graph, tools) : null;
  const hash = graph?.valid ? graph.hash : null;
  graph?.free();
  const number = (severity: Diagnostic["severity"]) =>
    diagnostics.filter((found) => found.severity === severity).length;
  const ok = hash !== null && number("error") === 0;
  const data = {
    ok,
    errors: number("error"),
    warnings: number("warning"),
    hints: number("hint"),
    diagnostics: renderDiagnostics(diagnostics, text),
    plan_hash: hash,
    review: summary,
    silent: unavailable,
    mended: fix ? applyFixes(diagnostics, text) : null,
  };
  const head = `${ok ? "ok: the plan can run" : "the plan can't run"}: ${tally(diagnostics)}`;
  return {
    data,
    text: [
      head,
      diagnosticsText(diagnostics, text),
      reviewText(summary),
      unavailableText(unavailable),
      data.mended === null ? "" : `with these edits applied:\n\n${data.mended}`,
    ]
      .filter((part) => part !== "")
      .join("\n\n"),
  };
}

/** Null if the text is invalid, else the caller frees it. */
function checkPlanText(
  { setup: { stubs, types } }: WorkerContext,
  text: string,
  files: KnownFiles,
  tools: ToolInfo[],
  models = true,
): { graph: PlanGraph | null; diagnostics: Diagnostic[] } {
  const { graph, diagnostics } = PlanGraph.parseWith(text, "auto", files);
  if (graph === null) return { graph, diagnostics };
  const known = {
    tools,
    handlers: { ...Object.fromEntries(types.map((type) => [type, null])), ...stubs?.types },
    byId: stubs?.nodes ?? {},
    ...(models ? {} : { models: {} }),
  };
  return { graph, diagnostics: sortDiagnostics([...diagnostics, ...check(graph, known)]) };
}

type ReviewSummary = Record<"reads" | "writes" | "destroys" | "unknown" | "models" | "people", string[]> & {
  bounds: object;
};

function reviewOf(graph: PlanGraph, tools: ToolInfo[]): ReviewSummary {
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

function reviewText(summary: ReviewSummary | null): string {
  if (summary === null) return "";
  const rows = (["reads", "writes", "destroys", "unknown", "models", "people"] as const)
    .filter((word) => summary[word].length > 0)
    .map((word) => `${word}: ${[...new Set(summary[word])].slice(0, 60).join(", ")}`);
  return rows.length === 0 ? "it calls no tools or models and needs no approvals" : rows.join("\n");
}

export async function authorTask(context: WorkerContext, args: AuthorArgs): Promise<ToolOutput> {
  const { request, partial, tools, unavailable, places, model } = args;
  const { stubs } = context.setup;
  const known = knownPlans(args.known);
  const answered = await flows.author(
    { user_input: request, partial: partial ? "continue" : "ask", ...(known.length > 0 ? { workflows: known } : {}) },
    {
      tools: planningClients(tools),
      ...(model ? { models: { default: context.calls.model() } } : {}),
      ...(stubs ? { stubs } : {}),
      signal: context.signal,
      onEvent: (event) => {
        const progress = progressText(event);
        if (progress !== null) context.news({ events: "", count: 0, progress: [progress] });
      },
    },
  );
  const tokens = answered.report.counts.tokens ?? null;
  if (answered.status === "unfinished") {
    const { outcome } = answered;
    if (outcome.type !== "failed")
      return failedResult(emptyResult("failed", "the planning was cancelled", tokens), "cancelled");
    return failedResult(
      emptyResult("failed", `${outcome.code}: ${outcome.message}`, tokens),
      errorText(outcome.code, outcome.message, helpFor(outcome.code)),
    );
  }
  const { report, ...result } = answered;
  const data = { ...emptyResult(result.status, result.message, tokens), ...plainly(result) };
  if (result.status === "found")
    return {
      data: { ...data, path: result.workflow_name },
      text: `found: the plan \`${result.workflow_name}\` already does this; run it by its \`path\`\nparams: ${jsonOf(result.params)}`,
    };
  if (result.status !== "planned") return incompleteResult(data, result, unavailable);
  const inputs = (result.workflow.inputs ?? {}) as Record<string, { type?: unknown; default?: unknown } | null>;
  const params = Object.fromEntries(
    Object.entries(result.params).map(([name, value]) => [name, coerceText(value, inputs[name]?.type)]),
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
    coverage: result.coverage,
    outputs: report.outputs,
  };
  const { yaml } = renderPlan(draft, places, tools);
  const { graph, diagnostics } = checkPlanText(context, yaml, {}, tools);
  const summary = graph === null ? null : reviewOf(graph, tools);
  graph?.free();
  const full = {
    ...data,
    plan: yaml,
    params,
    missing_params: missing,
    diagnostics: renderDiagnostics(diagnostics, yaml),
    review: summary,
  };
  const asks = missing.length > 0 ? `missing in the request: ${missing.join(", ")}` : "";
  return {
    data: full,
    text: [
      "planned; nothing has run yet",
      yaml,
      ...result.unresolved.map(({ code, message, help }) => errorText(code, message, help)),
      diagnosticsText(diagnostics, yaml),
      reviewText(summary),
      `params: ${jsonOf(params)}`,
      asks,
    ]
      .filter((part) => part !== "")
      .join("\n\n"),
  };
}

/** Skips plans with errors. */
function knownPlans(given: AuthorArgs["known"]): { name: string; description: string; inputs: unknown }[] {
  return given.flatMap(({ path, text }) => {
    const { graph } = PlanGraph.parse(text);
    if (!graph?.valid) return [];
    const { description = "", inputs = null } = graph.toJSON() as { description?: string; inputs?: unknown };
    graph.free();
    return [{ name: path, description, inputs }];
  });
}

/** The planner lists tools but calls none. */
function planningClients(tools: ToolInfo[]): ToolClient[] {
  const names = [...new Set(tools.map(({ server = "" }) => server))].filter((name) => name !== "");
  return names.map((name) => ({
    name,
    list: async () => tools.filter(({ server }) => server === name),
    call: async () => ({ value: null, isError: true, message: "planning calls no tools" }),
    close: async () => {},
  }));
}

function emptyResult(status: string, message: string, tokens: number | null): Record<string, unknown> {
  return {
    status,
    message,
    plan: null,
    path: null,
    params: {},
    missing_params: [],
    missing_capabilities: [],
    alternatives: [],
    unresolved: [],
    coverage: [],
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
  unresolved,
  coverage,
  generations,
}: Authored): Record<string, unknown> {
  return { params, missing_params, missing_capabilities, alternatives, unresolved, coverage, generations };
}

function failedResult(data: Record<string, unknown>, text: string): ToolOutput {
  return { data, text, isError: true };
}

function incompleteResult(
  data: Record<string, unknown>,
  result: Authored,
  unavailable: UnavailableServer[],
): ToolOutput {
  const { status, message, missing_capabilities: missing, alternatives, errors } = result;
  const lines = [
    `${status}: ${message}`,
    ...missing.map((what) => `missing: ${what}`),
    ...alternatives.map((one) => `instead: ${typeof one === "string" ? one : jsonOf(one)}`),
    ...errors.slice(0, 20).map(({ code, message: detail, help }) => errorText(code, detail, help)),
  ];
  return {
    data,
    text: [lines.join("\n"), unavailableText(unavailable)].filter((part) => part !== "").join("\n\n"),
    ...(status === "failed" ? { isError: true } : {}),
  };
}
