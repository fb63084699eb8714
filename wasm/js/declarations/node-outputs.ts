/**
 * Finds types of outputs from the plan and its tools.
 *
 * Invariant: a type covers every output of any run. Values that others decide are `unknown`.
 */
import type { EdgeInfo, NodeInfo } from "../plan-types.js";
import { isRecord } from "../records.js";
import { type Budget, schemaType } from "./schema-type.js";
import { objectType, propertyName, union, UNKNOWN } from "./syntax.js";

export interface GraphParts {
  nodes: NodeInfo[];
  edges: EdgeInfo[];
}

/** The parts that decide outputs. */
export interface PlanParts extends Readonly<GraphParts> {
  start: string | null;
  /** A type. */
  input: string;
  json: unknown;
  /** Empty for the plan itself. */
  scope: string;
  /** Keyed by scope. */
  graphs: ReadonlyMap<string, GraphParts>;
  outputSchema: (tool: string) => unknown;
  budget: Budget;
}

/** They pass the previous output on. */
const PASSING = new Set(["noop", "decision", "wait"]);
/** Beyond these, values are unknown. */
const MAX_STEPS = 40;
const MAX_EDGES = 16;
const MAX_VALUE_DEPTH = 8;
/** Nested graphs could double a type at each step. */
const MAX_LENGTH = 10_000;

export function graphsByScope(nodes: readonly NodeInfo[], edges: readonly EdgeInfo[]): Map<string, GraphParts> {
  const graphs = new Map<string, GraphParts>();
  const of = (scope = "") => {
    const known = graphs.get(scope) ?? { nodes: [], edges: [] };
    graphs.set(scope, known);
    return known;
  };
  for (const node of nodes) of(node.scope).nodes.push(node);
  for (const edge of edges) of(edge.scope).edges.push(edge);
  return graphs;
}

/** Keyed by node id. */
export function outputTypes(plan: PlanParts): Map<string, string> {
  const outputs = new Outputs(plan);
  return new Map(plan.nodes.map((node) => [node.id, outputs.of(node, 0)]));
}

class Outputs {
  readonly #plan: PlanParts;
  readonly #known = new Map<string, string>();
  readonly #nodes: Map<string, NodeInfo>;
  readonly #incoming = new Map<string, EdgeInfo[]>();
  readonly #written: Record<string, unknown>;

  constructor(plan: PlanParts) {
    this.#plan = plan;
    this.#nodes = new Map(plan.nodes.map((node) => [node.key, node]));
    for (const edge of plan.edges) this.#incoming.set(edge.to, [...(this.#incoming.get(edge.to) ?? []), edge]);
    const nodes = isRecord(plan.json) ? plan.json.nodes : {};
    this.#written = isRecord(nodes) ? nodes : {};
  }

  /** A node that depends on itself is unknown. */
  of(node: NodeInfo, steps: number): string {
    const known = this.#known.get(node.key);
    if (known !== undefined) return known;
    if (steps > MAX_STEPS) return UNKNOWN;
    this.#known.set(node.key, UNKNOWN);
    const type = this.#typeOf(node, steps);
    const short = type.length > MAX_LENGTH ? UNKNOWN : type;
    this.#known.set(node.key, short);
    return short;
  }

  /** The graph ends where no edge leads on. */
  last(steps: number): string {
    const left = new Set(this.#plan.edges.filter(({ condition }) => condition === "").map(({ from }) => from));
    const ends = this.#plan.nodes.filter(({ key }) => !left.has(key));
    return ends.length === 0 ? UNKNOWN : union(ends.map((node) => this.of(node, steps + 1)));
  }

  #typeOf(node: NodeInfo, steps: number): string {
    const { type, tool, with: settings } = node;
    if (type === "llm" || type === "agent") return this.#answer(settings);
    if (PASSING.has(type)) return this.#previous(node, steps);
    if (type === "log") return this.#input(node, steps);
    if (type === "set") return valueType(settings.values, settings.templates !== false, 0);
    if (type === "graph") return this.#inner(node, "", this.#writtenOf(node).graph, this.#input(node, steps), steps);
    if (type === "parallel") return this.#branches(node, steps);
    if (type === "map") return this.#elements(node, steps);
    const schema = this.#plan.outputSchema(type === "tool" && tool !== null ? tool : type);
    return schema === undefined || settings.parse === "json" ? UNKNOWN : schemaType(schema, this.#plan.budget);
  }

  #answer({ schema, templates }: NodeInfo["with"]): string {
    if (schema === undefined) return "string";
    if (templates !== false && JSON.stringify(schema).includes("${")) return UNKNOWN;
    return schemaType(schema, this.#plan.budget);
  }

  #writtenOf({ key }: NodeInfo): Record<string, unknown> {
    const written = this.#written[key];
    return isRecord(written) ? written : {};
  }

  #input(node: NodeInfo, steps: number): string {
    const { input } = this.#writtenOf(node);
    if (input === undefined || input === null) return this.#previous(node, steps);
    return valueType(input, node.with.templates !== false, 0);
  }

  /** The type of `last`. */
  #previous(node: NodeInfo, steps: number): string {
    const edges = this.#incoming.get(node.key) ?? [];
    // After a failure, `last` is older.
    if (edges.length > MAX_EDGES || edges.some(({ condition }) => condition.includes("error"))) return UNKNOWN;
    const sources = edges.map(({ from }) => this.#nodes.get(from));
    const types = sources.map((source) => (source === undefined ? UNKNOWN : this.of(source, steps + 1)));
    if (this.#plan.start === node.key) types.push(this.#plan.input);
    return types.length === 0 ? UNKNOWN : union(types);
  }

  #branches(node: NodeInfo, steps: number): string {
    const { branches } = this.#writtenOf(node);
    if (!isRecord(branches)) return UNKNOWN;
    const input = this.#input(node, steps);
    const results = Object.entries(branches).map(
      ([name, graph]) => [name, this.#inner(node, `/${name}`, graph, input, steps)] as const,
    );
    const { join = "all" } = node.with;
    if (join === "any") return union(results.map(([, type]) => type));
    return objectType(results.map(([name, type]) => ({ name: propertyName(name), type: joined(type, join) })));
  }

  #elements(node: NodeInfo, steps: number): string {
    const { join = "all" } = node.with;
    const type = this.#inner(node, "", this.#writtenOf(node).do, UNKNOWN, steps);
    return join === "any" ? type : `${joined(type, join)}[]`;
  }

  #inner(node: NodeInfo, branch: string, json: unknown, input: string, steps: number): string {
    const { scope: outer, graphs } = this.#plan;
    const scope = `${outer === "" ? "" : `${outer}/`}${node.key}${branch}`;
    const graph = graphs.get(scope);
    // Slashes would make the scope ambiguous.
    if (graph === undefined || !isRecord(json) || /[/%]/.test(node.key + branch.slice(1))) return UNKNOWN;
    const start = startOf(graph, json.start);
    if (start === null) return UNKNOWN;
    return new Outputs({ ...this.#plan, ...graph, start, input, json, scope }).last(steps);
  }
}

/** Only the first node has no incoming edge. */
function startOf({ nodes, edges }: GraphParts, written: unknown): string | null {
  if (typeof written === "string") return written;
  const targets = new Set(edges.map(({ to }) => to));
  const [first, ...others] = nodes.filter(({ key }) => !targets.has(key));
  return first === undefined || others.length > 0 ? null : first.key;
}

function joined(type: string, join: unknown): string {
  if (join === "all") return type;
  if (join !== "settled") return UNKNOWN;
  const completed = objectType([
    { name: "status", type: '"completed"' },
    { name: "value", type },
  ]);
  const failed = objectType([
    { name: "status", type: '"failed"' },
    { name: "error", type: UNKNOWN },
  ]);
  return union([completed, failed]);
}

/** Only a text inside of a template can contain the start of another. */
function isTemplate(text: string): boolean {
  return /^\s*\$\{[^]*\}\s*$/.test(text) && (text.split("${").length === 2 || /["'`]/.test(text));
}

/** A lone template may become any value. */
function valueType(value: unknown, templates: boolean, depth: number): string {
  if (value === null) return "null";
  if (typeof value === "string") return templates && isTemplate(value) ? UNKNOWN : "string";
  if (typeof value === "number" || typeof value === "boolean") return typeof value;
  if (depth > MAX_VALUE_DEPTH || value === undefined) return UNKNOWN;
  if (Array.isArray(value)) return `${union(value.map((item) => valueType(item, templates, depth + 1)))}[]`;
  return objectType(
    Object.entries(value as object).map(([name, item]) => ({
      name: propertyName(name),
      type: valueType(item, templates, depth + 1),
    })),
  );
}
