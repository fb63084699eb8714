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

/** What a template may read. */
export interface Scope {
  /** Of the run. Unknown in a graph inside another. */
  input: unknown;
  /** Of the nodes beside the question. */
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
export function guardedCalls(plan: unknown, nodePath: string, scope: Scope, evaluate: Evaluate): GuardedCall[] {
  const path = nodePath.split("/");
  const id = path.pop()!;
  const { nodes = {}, edges = [] } = graphAt(plan, path) as { nodes?: Record<string, Json>; edges?: Edge[] };
  if (nodes[id]?.type !== "approve") return [];
  const own = edges.filter(({ from }) => from === id);
  const refuses = own.some(({ condition }) => /==\s*"?'?rejected/.test(String(condition ?? "")));
  const isApproving = ({ from, condition }: Edge) => approves(condition, from) || (refuses && !condition);
  const targets = new Set(own.filter(isApproving).map(({ to }) => String(to)));
  const output = { ...scope.output, [id]: "approved" };
  const values = { last: "approved", output, ...(path.length === 0 && { input: inputValues(plan, scope.input) }) };
  const evaluated = (expression: string) => attempt(() => evaluate(expression, values));
  return [...targets].flatMap((node) => {
    const { type, tool, input: written, with: settings } = nodes[node] ?? {};
    if (type !== "tool" || typeof tool !== "string" || written === undefined) return [];
    const isText = (settings as Json | undefined)?.templates === false;
    return [{ node, tool, arguments: isText ? written : fill(written, evaluated) }];
  });
}

/** What is known of a run when it asks. */
export interface AskingRun {
  plan: unknown;
  nodePath: string;
  input: unknown;
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
    run: () => AskingRun,
    ask: (calls: readonly GuardedCall[]) => Promise<Decision>,
  ): Promise<Decision> {
    const { scope, node, tool } = approval;
    const asking = run();
    if (tool !== undefined) return this.#take(approval, asking.trace) ? "approved" : ask([]);
    this.#last.delete(scope);
    const calls = callsOf(asking, scope);
    const decision = await ask(calls);
    if (decision === "approved") this.#last.set(scope, { node, calls: new Set(calls.map(callKey)) });
    return decision;
  }

  /** Each counts once, and only if the run went from the question to the call. */
  #take({ scope, node, tool, input }: Approval, trace: readonly TraceEvent[]): boolean {
    const last = this.#last.get(scope);
    this.#last.delete(scope);
    const before = endedIn(trace, scope).at(-1);
    if (last === undefined || before?.node !== last.node || before.type !== "node-completed") return false;
    return last.calls.has(callKey({ node, tool: tool!, arguments: Object(input).arguments }));
  }
}

type Ended = Extract<TraceEvent, { type: "node-completed" | "node-failed" }>;

function endedIn(trace: readonly TraceEvent[], scope: string): Ended[] {
  const hasEnded = (event: TraceEvent): event is Ended =>
    event.type === "node-completed" || event.type === "node-failed";
  return trace.filter(hasEnded).filter((event) => (event.scope ?? "") === scope);
}

function callsOf({ plan, nodePath, input, trace, evaluate }: AskingRun, scope: string): GuardedCall[] {
  const ended = endedIn(trace, scope).flatMap((event) => (event.type === "node-completed" ? [event] : []));
  const output = Object.fromEntries(ended.map(({ node, output }) => [node, output]));
  return guardedCalls(plan, nodePath, { input, output }, evaluate);
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

function inputValues(plan: unknown, input: unknown): Json {
  const declared = Object.entries(Object((plan as Json | null)?.inputs) as Record<string, Json>);
  const defaults = declared.flatMap(([name, one]) => (one?.default === undefined ? [] : [[name, one.default]]));
  return { ...Object.fromEntries(defaults), ...(typeof input === "object" && input) };
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
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, evaluated)]));
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
