/**
 * Renders a generated plan with comments on origins, without validating it.
 *
 * Invariants: servers come from the user, never from a model. URLs have only scheme, host and path, so no credentials.
 */
import { effectOf, PlanGraph, review, type Effect } from "../package-internals.js";
import type { ToolInfo } from "../types.js";
import { coerceText } from "./coerce-text.js";
import { wrap } from "../terminal/text.js";

type Json = Record<string, unknown>;

export interface PlanDraft {
  request: string;
  workflow: Json;
  /** Values from the request, and inputs without one. */
  params: Json;
  missing: string[];
  missingCapabilities: string[];
  /** Requirements and nodes that serve them. */
  coverage: { step: number; text: string; nodes: string[] }[];
  outputs: Json;
}

/** `place` is without secrets. */
export interface PlanServer {
  name: string;
  place: string;
}

const WIDTH = 96;

const EFFECTS: Record<Effect, string> = {
  reads: "reads",
  writes: "writes",
  destroys: "may destroy",
  unknown: "may write",
};

/** Also returns the servers that it needs. */
export function renderPlan(
  draft: PlanDraft,
  servers: readonly PlanServer[],
  tools: readonly ToolInfo[],
): { yaml: string; plan: Json; servers: string[] } {
  const { servers: _written, ...workflow } = draft.workflow;
  const inputs = withDefaults(workflow.inputs, draft.params);
  const plan: Json = { ...workflow, ...(inputs && { inputs }) };
  const needed = serversOf(plan, servers, tools);
  // No plan names a command to start.
  const addressed = needed.filter(({ place }) => !place.startsWith("stdio:"));
  if (addressed.length > 0)
    plan.servers = Object.fromEntries(addressed.map(({ name, place }) => [name, { url: place }]));
  const comments: Record<string, string> = {
    "": headComment(draft),
    ...inputComments(inputs ?? {}, draft),
    ...nodeComments(plan, draft, tools),
  };
  if (addressed.length > 0)
    comments["/servers"] =
      "As named by `--server`. A run connects to them only if you name them, and keys stay in the environment.";
  const wrapped = Object.fromEntries(Object.entries(comments).map(([at, text]) => [at, commentLines(text)]));
  return { yaml: PlanGraph.print(plan, { comments: wrapped }), plan, servers: needed.map(({ name }) => name) };
}

/** The request's values become defaults. */
function withDefaults(inputs: unknown, params: Json): Record<string, Json> | null {
  if (!isMap(inputs)) return null;
  const entries = Object.entries(inputs).map(([name, schema]): [string, Json] => {
    const known = isMap(schema) ? schema : {};
    return [name, Object.hasOwn(params, name) ? { ...known, default: coerceText(params[name], known.type) } : known];
  });
  return Object.fromEntries(entries);
}

function serversOf(plan: Json, servers: readonly PlanServer[], tools: readonly ToolInfo[]): PlanServer[] {
  const { graph } = PlanGraph.parse(JSON.stringify(plan), { format: "json" });
  if (graph === null) return [...servers];
  const called = new Set(review(graph, { tools }).tools.map(({ name }) => toolOf(name, tools)?.server));
  graph.free();
  return servers.filter(({ name }) => called.has(name));
}

function toolOf(name: string, tools: readonly ToolInfo[]): ToolInfo | undefined {
  const plain = tools.filter((tool) => tool.name === name);
  return plain.length === 1 ? plain[0] : tools.find((tool) => `${tool.server}.${tool.name}` === name);
}

function headComment({ request, outputs, coverage, missingCapabilities }: PlanDraft): string {
  const isServed = (at: number) => coverage.find(({ step }) => step === at)?.nodes.length !== 0;
  const steps = stepsOf(outputs).map(
    (step, i) => `  ${i + 1}. ${step}${isServed(i + 1) ? "" : " (no node serves this)"}`,
  );
  return [
    "Planned by `stepgraph plan` for the request:",
    ...request
      .trim()
      .split("\n")
      .map((line) => `  ${line}`),
    ...(steps.length > 0 ? ["", "The steps:", ...steps] : []),
    ...(missingCapabilities.length > 0
      ? ["", "Left out, since no tool or node type does it:", ...missingCapabilities.map((what) => `  - ${what}`)]
      : []),
  ].join("\n");
}

function stepsOf(outputs: Json): string[] {
  const found = isMap(outputs.requirements_result) ? outputs.requirements_result.steps : null;
  return Array.isArray(found) ? found.filter((step) => typeof step === "string") : [];
}

function inputComments(inputs: Record<string, Json>, draft: PlanDraft): Record<string, string> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, schema]) => [`/inputs/${escapePointer(name)}`, origin(name, schema, draft)]),
  );
}

function origin(name: string, { default: value }: Json, { request, outputs, params, missing }: PlanDraft): string {
  if (!Object.hasOwn(params, name))
    return missing.includes(name) || value === undefined
      ? `Not in the request: pass it by \`--input ${name}=...\`.`
      : "Not in the request: the default of the plan.";
  const words = excerptAround(request, typeof value === "string" ? value : JSON.stringify(value));
  if (words !== null) return `The request contains "${words}".`;
  const template =
    typeof outputs.templatized_input === "string" ? excerptAround(outputs.templatized_input, `\${${name}}`) : null;
  return template === null
    ? "Worked out from the request."
    : `Derived from the request, at this position: "${template}".`;
}

/** Keeps a few words around `part`. Null if it is missing. */
export function excerptAround(whole: string, part: string): string | null {
  const text = whole.replace(/\s+/g, " ").trim();
  const [lower, sought] = [text.toLowerCase(), part.replace(/\s+/g, " ").trim().toLowerCase()];
  if (sought === "") return null;
  const letter = /[\p{L}\p{N}_]/u;
  for (let at = lower.indexOf(sought); at >= 0; at = lower.indexOf(sought, at + 1)) {
    const end = at + sought.length;
    const cut =
      (letter.test(lower[at - 1] ?? "") && letter.test(sought[0]!)) ||
      (letter.test(lower[end] ?? "") && letter.test(sought.at(-1)!));
    if (cut) continue;
    const before = text.slice(0, at).split(" ").slice(-4).join(" ");
    const behind = text.slice(end).split(" ").slice(0, 3).join(" ");
    return `${before.length < at ? "… " : ""}${before}${text.slice(at, end)}${behind}${end + behind.length < text.length ? " …" : ""}`;
  }
  return null;
}

function nodeComments(plan: Json, { coverage }: PlanDraft, tools: readonly ToolInfo[]): Record<string, string> {
  const found: [string, string][] = [];
  // `at` is a JSON pointer, `around` a node path.
  const walk = (graph: unknown, at: string, around: string): void => {
    if (!isMap(graph) || !isMap(graph.nodes)) return;
    for (const [id, node] of Object.entries(graph.nodes)) {
      if (!isMap(node)) continue;
      const [pointer, place] = [`${at}/nodes/${escapePointer(id)}`, `${around}${id}`];
      const tool = toolOf(typeof node.tool === "string" ? node.tool : String(node.type), tools);
      const steps = coverage.filter(({ nodes }) => nodes.includes(place)).map(({ step, text }) => `${step}. ${text}`);
      found.push([pointer, [...steps, ...(tool ? [describeTool(tool)] : [])].join("\n")]);
      for (const key of ["graph", "do"]) walk(node[key], `${pointer}/${key}`, `${place}/`);
      if (isMap(node.branches))
        for (const [branch, inner] of Object.entries(node.branches))
          walk(inner, `${pointer}/branches/${escapePointer(branch)}`, `${place}/${branch}/`);
    }
  };
  walk(plan, "", "");
  return Object.fromEntries(found.filter(([, text]) => text !== ""));
}

function describeTool(tool: ToolInfo): string {
  const [comment = ""] = (tool.description ?? "")
    .replace(/\s+/g, " ")
    .trim()
    .split(/(?<=\.) /);
  const whose = tool.server === undefined ? "" : ` of server \`${tool.server}\``;
  return `Tool \`${tool.name}\`${whose}, ${EFFECTS[effectOf(tool)]}${comment === "" ? "." : `: ${comment.length > 120 ? `${comment.slice(0, 119)}…` : comment}`}`;
}

function commentLines(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      const indent = /^ *(\d+\. |- )?/.exec(line)![0];
      const [first = "", ...rest] = wrap(line.slice(indent.length), WIDTH - indent.length);
      return [indent + first, ...rest.map((more) => " ".repeat(indent.length) + more)].join("\n").trimEnd();
    })
    .join("\n");
}

function isMap(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
