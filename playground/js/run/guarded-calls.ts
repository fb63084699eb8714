/**
 * The tool call right after an `approve` node. Its question shows it, so that its approval counts for it, too, and the
 * user is not asked twice about one call.
 *
 * Invariant: an approval counts only for a call with the tool and the arguments that the question has shown.
 */
import type { Approval, Decision, TraceEvent } from "stepgraph/web";
import { EXECUTOR_TYPES, LOCAL_TYPES, MODEL_TYPES } from "../../../wasm/js/node-types.js";
import { sortedText } from "../../../wasm/js/value-hash.js";
import type { NodePaths } from "./node-paths.js";
import { graphAt, idOf, type Json, nodeAt } from "./plan-nodes.js";
import { APPROVED, type Edge, type Engine, type KnownValues, Rehearsal } from "./rehearsal.js";

export interface GuardedCall {
  node: string;
  tool: string;
  /** Templates are filled in as if the question was approved. If one has no value yet, all stay as they are written. */
  arguments: unknown;
}

const OWN_TYPES: ReadonlySet<string> = new Set([...LOCAL_TYPES, ...MODEL_TYPES, ...EXECUTOR_TYPES, "approve"]);

/** The call that follows if a question is approved, `end` if its graph ends with it, and otherwise undefined. */
export async function callAfter(
  plan: unknown,
  path: readonly string[],
  known: KnownValues,
  engine: Engine,
): Promise<GuardedCall | "end" | undefined> {
  const key = path.at(-1)!;
  const { nodes = {}, edges = [] } = graphAt(plan, path.slice(0, -1)) as {
    nodes?: Record<string, Json>;
    edges?: Edge[];
  };
  const question = idOf(nodes, key);
  const own = edges.filter(({ from }) => from === key);
  // Graphs inside have no declared inputs.
  const inputs = path.length === 1 ? (plan as Json).inputs : undefined;
  const rehearsal = new Rehearsal(question, inputs, known, engine);
  const next = await rehearsal.next(own.map((edge) => ({ ...edge, from: question, to: idOf(nodes, String(edge.to)) })));
  if (next === question) return "end";
  const node = Object.entries(nodes).find(([one]) => next !== undefined && idOf(nodes, one) === next)?.[1];
  const tool = node && toolOf(node);
  if (next === undefined || tool === undefined || node?.input === undefined) return undefined;
  const isText = Object(node.with).templates === false;
  return { node: next, tool, arguments: isText ? node.input : await rehearsal.filled(node.input) };
}

/** A type that is a tool's name does the same as `tool`. */
function toolOf({ type, tool }: Json): string | undefined {
  const name = type === "tool" ? tool : OWN_TYPES.has(String(type)) ? undefined : type;
  return typeof name === "string" ? name : undefined;
}

/** What is known of a run when it asks. */
export interface AskingRun {
  /** Large plans are slow to convert, and few questions need it. */
  plan: () => unknown;
  paths: Pick<NodePaths, "nodePath" | "planScope">;
  context?: Json;
  trace: readonly TraceEvent[];
  engine: Engine;
}

/** Approvals of one run that count for the call right after them. */
export class GivenApprovals {
  /** The call that the last question allows in each scope. `after` must be the last node that ended before it. */
  readonly #last = new Map<string, { after: string; call: string }>();

  /** `ask` shows the call. It is not called for a call that was approved before. */
  async decide(
    approval: Approval,
    run: AskingRun,
    ask: (guarded?: GuardedCall) => Promise<Decision>,
  ): Promise<Decision> {
    const { scope, tool } = approval;
    if (tool !== undefined) return this.#take(approval, run.trace) ? APPROVED : ask();
    for (const one of [...this.#last.keys()].filter((one) => isAround(one, scope))) this.#last.delete(one);
    const found = await nextCall(run, approval);
    const decision = await ask(found?.call);
    if (decision === APPROVED && found !== undefined)
      this.#last.set(found.scope, { after: found.after, call: callKey(found.call) });
    return decision;
  }

  /** Each counts once, and only if the run went from the question to the call. */
  #take({ scope, node, tool, input }: Approval, trace: readonly TraceEvent[]): boolean {
    const last = this.#last.get(scope);
    this.#last.delete(scope);
    const before = trace.findLast((event) => hasEnded(event) && (event.scope ?? "") === scope) as Ended | undefined;
    if (last === undefined || before?.node !== last.after || before.type !== "node-completed") return false;
    return last.call === callKey({ node, tool: tool!, arguments: Object(input).arguments });
  }
}

type Ended = Extract<TraceEvent, { type: "node-completed" | "node-failed" }>;

function hasEnded(event: TraceEvent): event is Ended {
  return event.type === "node-completed" || event.type === "node-failed";
}

interface NextCall {
  call: GuardedCall;
  scope: string;
  /** The question, or the graph that ended with it. */
  after: string;
}

async function nextCall(run: AskingRun, { scope, node }: Approval): Promise<NextCall | undefined> {
  const plan = run.plan();
  const path = run.paths.nodePath(scope, node).split("/");
  if (nodeAt(plan, path).type !== "approve") return undefined;
  let after = node;
  for (let at = scope; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) {
    const found = await callAfter(plan, path, knownIn(at, plan, path, run), run.engine);
    if (found === undefined) return undefined;
    if (found !== "end") return { call: found, scope: at, after };
    // The decision is the output of the graph.
    path.pop();
    if (path.length === 0 || nodeAt(plan, path).type !== "graph") return undefined;
    after = String(nodeAt(plan, path).id ?? path.at(-1));
  }
}

function knownIn(scope: string, plan: unknown, path: readonly string[], run: AskingRun): KnownValues {
  const { context, trace, paths } = run;
  // The graph of the question, and those around it.
  const graphs = path.map((_, length) => idsIn(graphAt(plan, path.slice(0, length))));
  const known: KnownValues = {
    input: null,
    outputs: {},
    ids: graphs.flatMap((ids) => [...ids]),
    ...(context && { context }),
  };
  const isShadowed = ({ node, scope: outer = "" }: { node: string; scope?: string }) => {
    const depth = outer === "" ? 0 : paths.planScope(outer).split("/").length;
    return outer !== scope && graphs.slice(depth + 1).some((ids) => ids.has(node));
  };
  const outputs: Extract<TraceEvent, { type: "node-completed" }>[] = [];
  for (const event of trace)
    if (event.type === "run-started" ? scope === "" : event.type === "scope-started" && event.scope === scope)
      known.input = (event as { input: unknown }).input;
    else if (event.type === "node-completed" && isAround(event.scope ?? "", scope) && !isShadowed(event))
      outputs.push(event);
  outputs.sort((one, other) => (one.scope ?? "").length - (other.scope ?? "").length);
  for (const { node, output } of outputs) known.outputs[node] = output;
  if (path.length > 1 && nodeAt(plan, path.slice(0, -1)).type === "map")
    known.index = Number(scope.slice(scope.lastIndexOf("/") + 1));
  return known;
}

function isAround(outer: string, scope: string): boolean {
  return outer === "" || outer === scope || scope.startsWith(`${outer}/`);
}

function callKey({ node, tool, arguments: given }: GuardedCall): string {
  return sortedText([node, tool, given]);
}

function idsIn({ nodes }: Json): ReadonlySet<string> {
  const all = Object(nodes) as Record<string, Json>;
  return new Set(Object.keys(all).map((key) => idOf(all, key)));
}
