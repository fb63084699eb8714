/** Turns a planner's output into a plan. Invariant: it contains no server that a model named. */
import type { Authored, ToolPlan } from "stepgraph/web";
import { idFromRequest } from "../dialogs/request-name.js";
import { isRecord } from "../../../wasm/js/records.js";
import type { Engine } from "./engine.js";

type Json = Record<string, unknown>;

/** Comment columns, about a text pane's width. */
const WIDTH = 96;

export function printPlan(
  { PlanGraph }: Engine,
  request: string,
  authored: Authored,
  steps: readonly string[],
  headings: { head: string; steps: string },
): string {
  const { servers: _, ...workflow } = authored.workflow ?? {};
  const inputs = isRecord(workflow.inputs) ? withDefaults(workflow.inputs, authored.params) : undefined;
  const plan = { id: idFromRequest(request), ...workflow, ...(inputs && { inputs }) };
  const head = [
    headings.head,
    ...wrapText(request).map((line) => `  ${line}`),
    ...(steps.length > 0
      ? ["", headings.steps, ...steps.flatMap((step, at) => wrapText(`${at + 1}. ${step}`).map((line) => `  ${line}`))]
      : []),
  ];
  return PlanGraph.print(plan, { comments: { "": head.join("\n") } });
}

function withDefaults(inputs: Json, params: Json): Json {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, schema]) => {
      const known = isRecord(schema) ? schema : {};
      return [
        name,
        Object.hasOwn(params, name) ? { ...known, default: convertToType(params[name], known.type) } : known,
      ];
    }),
  );
}

function convertToType(value: unknown, type: unknown): unknown {
  if (typeof value !== "string" || value.trim() === "") return value;
  const number = Number(value);
  if ((type === "integer" && Number.isSafeInteger(number)) || (type === "number" && Number.isFinite(number)))
    return number;
  return type === "boolean" && (value === "true" || value === "false") ? value === "true" : value;
}

/** Turns a tool plan into a sequence, and call references into node references. */
export function callsAsPlan(
  { PlanGraph }: Engine,
  request: string,
  { tool_calls }: ToolPlan,
  trusted: readonly string[],
  headings: { head: string },
): string {
  const ids: string[] = [];
  for (const { tool_name } of tool_calls)
    ids.push(
      uniqueId(
        tool_name
          .split(".")
          .at(-1)!
          .replace(/[^\w-]/g, "_"),
        ids,
      ),
    );
  const withNodeReferences = (value: unknown): unknown => {
    if (typeof value === "string")
      return value.replace(/\$\{call\[(\d+)\]/g, (_, at: string) => `\${output.${ids[Number(at)] ?? at}`);
    if (Array.isArray(value)) return value.map(withNodeReferences);
    return isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withNodeReferences(inner)]))
      : value;
  };
  const inputOf = (parameters: Json) =>
    Object.fromEntries(
      Object.entries(parameters).map(([key, value]) => [
        key,
        trusted.includes(key) ? `\${context.${key}}` : withNodeReferences(value),
      ]),
    );
  const nodes = Object.fromEntries(
    tool_calls.map(({ tool_name, parameters, reasoning }, at) => [
      ids[at],
      {
        type: "tool",
        tool: tool_name,
        ...(typeof reasoning === "string" && reasoning !== "" && { description: reasoning }),
        input: inputOf(parameters),
      },
    ]),
  );
  const edges = ids.slice(1).map((to, at) => ({ from: ids[at], to }));
  return PlanGraph.print(
    { id: idFromRequest(request), description: wrapText(request).join(" "), start: ids[0], nodes, edges },
    { comments: { "": [headings.head, ...wrapText(request).map((line) => `  ${line}`)].join("\n") } },
  );
}

function uniqueId(name: string, taken: readonly string[]): string {
  for (let at = 1; ; at++) {
    const id = at === 1 ? name : `${name}_${at}`;
    if (!taken.includes(id)) return id;
  }
}

function wrapText(text: string): string[] {
  const lines: string[] = [""];
  for (const word of text.trim().split(/\s+/)) {
    if (lines.at(-1) !== "" && `${lines.at(-1)} ${word}`.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
  }
  return lines;
}

/** The gather flow with an `approve` node before the calls. */
export function reviewFlow({ flows, PlanGraph }: Engine): { source: string } {
  const plan = flows.planGather.graph().toJSON() as { nodes: Json; edges: Json[] };
  plan.nodes.review = { type: "approve", input: "${output.plan}" };
  plan.edges = [
    { from: "plan", to: "no_plan", condition: "error.exists" },
    { from: "plan", to: "needs_context", condition: "last.missing_context.exists" },
    { from: "plan", to: "review" },
    { from: "review", to: "gather", condition: "last==approved" },
    { from: "gather", to: "answer" },
  ];
  (plan.nodes.gather as Json).input = "${output.plan}";
  return { source: PlanGraph.print(plan as Json) };
}
