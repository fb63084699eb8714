/**
 * The tool calls right after an `approve` node. Its question shows them, so that its approval counts for them, too, and
 * the user is not asked twice about one call.
 *
 * Invariant: an approval counts only for a call with the tool and the arguments that the question has shown.
 */
import type { Approval, Decision, PlanGraph, run, TraceEvent } from "stepgraph/web";
import { approves } from "../../../wasm/js/request-review/plan-structure.js";
import { sortedText } from "../../../wasm/js/value-hash.js";

type Json = Record<string, unknown>;

export interface GuardedCall {
  node: string;
  tool: string;
  /** Templates are filled in as if the question was approved. If one has no value yet, all stay as they are written. */
  arguments: unknown;
}

/** The roots that the page knows before a call. */
export interface KnownValues {
  /** Of the graph that asks. */
  input: unknown;
  context?: Json;
  /** Of the nodes beside the question, by id. */
  outputs: Json;
}

interface Engine {
  PlanGraph: typeof PlanGraph;
  run: typeof run;
}

/** Roots that the page does not know. */
const UNKNOWN_ROOTS = /\b(error|index|item|memory)\b/;

interface Edge {
  from?: unknown;
  to?: unknown;
  condition?: unknown;
}

/** Empty for a node of another type. */
export async function guardedCalls(
  plan: unknown,
  nodePath: string,
  known: KnownValues,
  engine: Engine,
): Promise<GuardedCall[]> {
  const path = nodePath.split("/");
  const key = path.pop()!;
  const { nodes = {}, edges = [] } = graphAt(plan, path) as { nodes?: Record<string, Json>; edges?: Edge[] };
  if (nodes[key]?.type !== "approve") return [];
  // Edges have keys. Outputs and calls have ids.
  const idOf = (one: string) => String(nodes[one]?.id ?? one);
  const own = edges.filter(({ from }) => from === key);
  const refuses = own.some(({ condition }) => /==\s*"?'?rejected/.test(String(condition ?? "")));
  const isApproving = ({ condition }: Edge) => approves(condition, idOf(key)) || (refuses && !condition);
  const targets = [...new Set(own.filter(isApproving).map(({ to }) => String(to)))];
  // Graphs inside have no declared inputs.
  const inputs = path.length === 0 ? (plan as Json).inputs : undefined;
  const calls = targets.map(async (one): Promise<GuardedCall[]> => {
    const { type, tool, input: written, with: settings } = nodes[one] ?? {};
    if (type !== "tool" || typeof tool !== "string" || written === undefined) return [];
    const isText = (settings as Json | undefined)?.templates === false;
    const [question, call] = [idOf(key), idOf(one)];
    const values = isText ? written : await filled(written, { inputs, question, call, known, engine });
    return [{ node: call, tool, arguments: values }];
  });
  return (await Promise.all(calls)).flat();
}

interface FillContext {
  inputs: unknown;
  question: string;
  call: string;
  known: KnownValues;
  engine: Engine;
}

/** Runs a plan that only fills in the templates, so that they have the values that the call's will have. */
async function filled(written: unknown, { inputs, question, call, known, engine }: FillContext): Promise<unknown> {
  const text = JSON.stringify(written);
  if (!text.includes("${") || UNKNOWN_ROOTS.test(text)) return written;
  const nodes = { [question]: { type: "log", input: "approved" }, [call]: { type: "log", input: written } };
  const plan = { inputs, start: question, nodes, edges: [{ from: question, to: call }] };
  const { graph } = engine.PlanGraph.parse(JSON.stringify(plan));
  try {
    const { outcome, last } = await engine.run(graph!, { ...known, trace: false });
    return outcome.type === "completed" ? last : written;
  } catch {
    return written;
  } finally {
    graph?.free();
  }
}

/** What is known of a run when it asks. */
export interface AskingRun {
  /** Large plans are slow to convert, and few questions need it. */
  plan: () => unknown;
  /** `null` in graphs whose calls are not looked for. */
  nodePath: string | null;
  context?: Json;
  trace: readonly TraceEvent[];
  engine: Engine;
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
    const calls = await callsOf(run, scope);
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

async function callsOf({ plan, nodePath, context, trace, engine }: AskingRun, scope: string): Promise<GuardedCall[]> {
  if (nodePath === null) return [];
  const known: KnownValues = { input: null, outputs: {}, ...(context && { context }) };
  for (const event of trace)
    if (event.type === "run-started" ? scope === "" : event.type === "scope-started" && event.scope === scope)
      known.input = (event as { input: unknown }).input;
    else if (event.type === "node-completed" && (event.scope ?? "") === scope) known.outputs[event.node] = event.output;
  return guardedCalls(plan(), nodePath, known, engine);
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
