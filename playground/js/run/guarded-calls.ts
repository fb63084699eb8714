/**
 * The tool calls right after an `approve` node. Its question shows them, so that its approval counts for them, too, and
 * the user is not asked twice about one call.
 *
 * Invariant: an approval counts only for a call with the tool and the arguments that the question has shown.
 */
import type { Approval } from "stepgraph/web";
import { approves } from "../../../wasm/js/request-review/plan-structure.js";
import { sortedText } from "../../../wasm/js/value-hash.js";

type Json = Record<string, unknown>;

export interface GuardedCall {
  node: string;
  tool: string;
  /** Templates that read the run's inputs are filled in. Others stay, so they are equal to no call's. */
  arguments: unknown;
}

interface Edge {
  from?: unknown;
  to?: unknown;
  condition?: unknown;
}

/** `input` is the run's. Empty for a node of another type. */
export function guardedCalls(plan: unknown, nodePath: string, input: unknown): GuardedCall[] {
  const path = nodePath.split("/");
  const id = path.pop()!;
  const { nodes = {}, edges = [] } = graphAt(plan, path) as { nodes?: Record<string, Json>; edges?: Edge[] };
  if (nodes[id]?.type !== "approve") return [];
  const own = edges.filter(({ from }) => from === id);
  const refuses = own.some(({ condition }) => /==\s*"?'?rejected/.test(String(condition ?? "")));
  const isApproving = ({ from, condition }: Edge) => approves(condition, from) || (refuses && !condition);
  const targets = new Set(own.filter(isApproving).map(({ to }) => String(to)));
  const values = path.length === 0 ? inputValues(plan, input) : {};
  return [...targets].flatMap((node) => {
    const { type, tool, input: written } = nodes[node] ?? {};
    if (type !== "tool" || typeof tool !== "string") return [];
    return written === undefined ? [] : [{ node, tool, arguments: fill(written, values) }];
  });
}

/** Approvals of one run that count for later calls. */
export class GivenApprovals {
  readonly #calls = new Set<string>();

  add(scope: string, calls: readonly GuardedCall[]): void {
    for (const call of calls) this.#calls.add(callKey(scope, call));
  }

  /** Each counts once. */
  take({ scope, node, tool, input }: Approval): boolean {
    if (tool === undefined) return false;
    return this.#calls.delete(callKey(scope, { node, tool, arguments: Object(input).arguments }));
  }
}

function callKey(scope: string, { node, tool, arguments: given }: GuardedCall): string {
  return sortedText([scope, node, tool, given]);
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

function fill(value: unknown, values: Json): unknown {
  if (Array.isArray(value)) return value.map((one) => fill(one, values));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, values)]));
  if (typeof value !== "string") return value;
  const whole = /^\$\{input\.(\w+)\}$/.exec(value)?.[1];
  if (whole !== undefined && Object.hasOwn(values, whole)) return values[whole];
  return value.replace(/\$\{input\.(\w+)\}/g, (text, name: string) =>
    ["string", "number"].includes(typeof values[name]) ? String(values[name]) : text,
  );
}
