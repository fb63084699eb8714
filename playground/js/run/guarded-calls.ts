/**
 * The tool calls right after an `approve` node. Its question shows them, so that its approval counts for them, too, and
 * the user is not asked twice about one call.
 *
 * Invariant: an approval counts only for a call with the tool and the arguments that the question has shown.
 */
import type { Approval, Decision, TraceEvent } from "stepgraph/web";
import { approves } from "../../../wasm/js/request-review/plan-structure.js";
import { sortedText } from "../../../wasm/js/value-hash.js";

type Json = Record<string, unknown>;

export interface GuardedCall {
  node: string;
  tool: string;
  /** Templates are filled in as if the question was approved. Those without a value stay, so they equal no call's. */
  arguments: unknown;
}

/** The roots that the page knows before a call. Templates with others stay. */
export interface KnownValues {
  /** Of the run. Unknown in a graph inside another. */
  input: unknown;
  context?: unknown;
  /** Of the nodes beside the question, by id. */
  output: Record<string, unknown>;
}

type Evaluate = (expression: string, scope: Record<string, unknown>) => unknown;
type Evaluated = (expression: string) => unknown;

interface Edge {
  from?: unknown;
  to?: unknown;
  condition?: unknown;
}

/** Empty for a node of another type. */
export function guardedCalls(plan: unknown, nodePath: string, known: KnownValues, evaluate: Evaluate): GuardedCall[] {
  const path = nodePath.split("/");
  const key = path.pop()!;
  const { nodes = {}, edges = [] } = graphAt(plan, path) as { nodes?: Record<string, Json>; edges?: Edge[] };
  if (nodes[key]?.type !== "approve") return [];
  // Edges have keys. Outputs and calls have ids.
  const idOf = (one: string) => String(nodes[one]?.id ?? one);
  const own = edges.filter(({ from }) => from === key);
  const refuses = own.some(({ condition }) => /==\s*"?'?rejected/.test(String(condition ?? "")));
  const isApproving = ({ condition }: Edge) => approves(condition, idOf(key)) || (refuses && !condition);
  const targets = new Set(own.filter(isApproving).map(({ to }) => String(to)));
  const values = {
    last: "approved",
    output: { ...known.output, [idOf(key)]: "approved" },
    ...(path.length === 0 && { input: inputValues(plan, known.input) }),
    ...(known.context !== undefined && { context: known.context }),
  };
  const evaluated = (expression: string) => attempt(() => evaluate(expression, values));
  return [...targets].flatMap((one) => {
    const { type, tool, input: written, with: settings } = nodes[one] ?? {};
    if (type !== "tool" || typeof tool !== "string" || written === undefined) return [];
    const isText = (settings as Json | undefined)?.templates === false;
    return [{ node: idOf(one), tool, arguments: isText ? written : fill(written, evaluated) }];
  });
}

/** What is known of a run when it asks. */
export interface AskingRun {
  /** Large plans are slow to convert, and few questions need it. */
  plan: () => unknown;
  /** `null` in graphs whose calls are not looked for. */
  nodePath: string | null;
  input: unknown;
  context?: unknown;
  trace: readonly TraceEvent[];
  evaluate: Evaluate;
}

/** Approvals of one run that count for the calls right after them. */
export class GivenApprovals {
  /** The last question of each scope, if it was approved. */
  readonly #last = new Map<string, { node: string; calls: Set<string> }>();

  /** `ask` shows the calls. It is not called for a call that was approved before. */
  async decide(
    approval: Approval,
    run: AskingRun,
    ask: (calls: readonly GuardedCall[]) => Promise<Decision>,
  ): Promise<Decision> {
    const { scope, node, tool } = approval;
    if (tool !== undefined) return this.#take(approval, run.trace) ? "approved" : ask([]);
    this.#last.delete(scope);
    const calls = callsOf(run, scope);
    const decision = await ask(calls);
    if (decision === "approved") this.#last.set(scope, { node, calls: new Set(calls.map(callKey)) });
    return decision;
  }

  /** Each counts once, and only if the run went from the question to the call. */
  #take({ scope, node, tool, input }: Approval, trace: readonly TraceEvent[]): boolean {
    const last = this.#last.get(scope);
    this.#last.delete(scope);
    const before = trace.findLast((event) => hasEnded(event) && (event.scope ?? "") === scope) as Ended | undefined;
    if (last === undefined || before?.node !== last.node || before.type !== "node-completed") return false;
    return last.calls.has(callKey({ node, tool: tool!, arguments: Object(input).arguments }));
  }
}

type Ended = Extract<TraceEvent, { type: "node-completed" | "node-failed" }>;

function hasEnded(event: TraceEvent): event is Ended {
  return event.type === "node-completed" || event.type === "node-failed";
}

function callsOf({ plan, nodePath, input, context, trace, evaluate }: AskingRun, scope: string): GuardedCall[] {
  if (nodePath === null) return [];
  const output: Record<string, unknown> = {};
  for (const event of trace)
    if (event.type === "node-completed" && (event.scope ?? "") === scope) output[event.node] = event.output;
  return guardedCalls(plan(), nodePath, { input, context, output }, evaluate);
}

function callKey({ node, tool, arguments: given }: GuardedCall): string {
  return sortedText([node, tool, given]);
}

function graphAt(plan: unknown, path: readonly string[]): Json {
  let at = Object(plan) as Json;
  for (const key of path) {
    const next = Object(Object(at.nodes ?? at)[key]) as Json;
    at = Object(next.graph ?? next.do ?? next.branches ?? next) as Json;
  }
  return at;
}

/** Defaults fill in a map. */
function inputValues(plan: unknown, input: unknown): unknown {
  const declared = Object.entries(Object((plan as Json | null)?.inputs) as Record<string, Json>);
  if (declared.length === 0 || (input !== null && input !== undefined && !isMap(input))) return input;
  const defaults = declared.flatMap(([name, one]) => (one?.default === undefined ? [] : [[name, one.default]]));
  return { ...Object.fromEntries(defaults), ...(input as Json | null) };
}

function isMap(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function attempt(evaluate: () => unknown): unknown {
  try {
    return evaluate();
  } catch {
    return undefined;
  }
}

function fill(value: unknown, evaluated: Evaluated): unknown {
  if (Array.isArray(value)) return value.map((one) => fill(one, evaluated));
  if (isMap(value))
    return Object.fromEntries(Object.entries(value as Json).map(([key, one]) => [key, fill(one, evaluated)]));
  return typeof value === "string" ? fillText(value, evaluated) : value;
}

/** A template is the whole text, or gives a text or a number. */
function fillText(text: string, evaluated: Evaluated): unknown {
  let filled = "";
  let from = 0;
  for (let at = text.indexOf("${"); at !== -1; at = text.indexOf("${", from)) {
    const end = templateEnd(text, at + 2);
    if (end === -1 || text[at - 1] === "$") return text;
    const value = evaluated(text.slice(at + 2, end));
    if (at === 0 && end === text.length - 1) return value === undefined ? text : value;
    if (typeof value !== "string" && typeof value !== "number") return text;
    filled += text.slice(from, at) + String(value);
    from = end + 1;
  }
  return filled + text.slice(from);
}

/** The closing brace, outside texts and inner braces. */
function templateEnd(text: string, from: number): number {
  let depth = 0;
  for (const { 0: sign, index } of text.slice(from).matchAll(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[{}]/g)) {
    if (sign === "}" && depth-- === 0) return from + index;
    if (sign === "{") depth++;
  }
  return -1;
}
