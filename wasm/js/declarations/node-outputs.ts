/**
 * Finds the types of outputs, as far as the plan and its tools tell them.
 *
 * Invariant: a type covers every output that a run can have. What other nodes, handlers or people decide is `unknown`.
 */
import type { EdgeInfo, NodeInfo } from "../plan-types.js";
import { type Budget, isRecord, schemaType } from "./schema-type.js";
import { objectType, propertyName, union, UNKNOWN } from "./syntax.js";

/** The parts of a plan that decide outputs. All nodes are of the top-level graph. */
export interface PlanParts {
  nodes: readonly NodeInfo[];
  edges: readonly EdgeInfo[];
  /** Key of the first node. */
  start: string | null;
  /** The type of the run's input. */
  input: string;
  /** The plan as JSON. */
  json: unknown;
  /** Returns the output schema of a tool, if there is such a tool and it has one. */
  outputSchema: (tool: string) => unknown;
  budget: Budget;
}

/** Types that pass the previous output on. */
const PASSING = new Set(["noop", "decision", "wait"]);
/** Beyond these, values are unknown. */
const MAX_STEPS = 40;
const MAX_EDGES = 16;
const MAX_VALUE_DEPTH = 8;

/** Returns the types of outputs by node id. */
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

  /** A node that depends on itself through a loop is unknown. */
  of(node: NodeInfo, steps: number): string {
    const known = this.#known.get(node.key);
    if (known !== undefined) return known;
    if (steps > MAX_STEPS) return UNKNOWN;
    this.#known.set(node.key, UNKNOWN);
    const type = this.#typeOf(node, steps);
    this.#known.set(node.key, type);
    return type;
  }

  #typeOf(node: NodeInfo, steps: number): string {
    const { type, tool, with: settings } = node;
    if (type === "llm" || type === "agent") return this.#answer(settings);
    if (PASSING.has(type)) return this.#previous(node, steps);
    if (type === "log") return this.#input(node, steps);
    if (type === "set") return valueType(settings.values, settings.templates !== false, 0);
    if (type === "parallel" || type === "map") return this.#joined(node);
    const schema = this.#plan.outputSchema(type === "tool" && tool !== null ? tool : type);
    return schema === undefined || settings.parse === "json" ? UNKNOWN : schemaType(schema, this.#plan.budget);
  }

  #answer({ schema, templates }: NodeInfo["with"]): string {
    if (schema === undefined) return "string";
    if (templates !== false && JSON.stringify(schema).includes("${")) return UNKNOWN;
    return schemaType(schema, this.#plan.budget);
  }

  #input(node: NodeInfo, steps: number): string {
    const written = this.#written[node.key];
    const input = isRecord(written) ? written.input : undefined;
    if (input === undefined || input === null) return this.#previous(node, steps);
    return valueType(input, node.with.templates !== false, 0);
  }

  /** Returns the type of `last` at a node. */
  #previous(node: NodeInfo, steps: number): string {
    const edges = this.#incoming.get(node.key) ?? [];
    // After a failure, `last` is the value before the node that failed.
    if (edges.length > MAX_EDGES || edges.some(({ condition }) => condition.includes("error"))) return UNKNOWN;
    const sources = edges.map(({ from }) => this.#nodes.get(from));
    const types = sources.map((source) => (source === undefined ? UNKNOWN : this.of(source, steps + 1)));
    if (this.#plan.start === node.key) types.push(this.#plan.input);
    return types.length === 0 ? UNKNOWN : union(types);
  }

  /** The results inside are unknown. */
  #joined({ key, type, with: { join = "all" } }: NodeInfo): string {
    if (join !== "all") return UNKNOWN;
    if (type === "map") return "unknown[]";
    const written = this.#written[key];
    const branches = isRecord(written) && isRecord(written.branches) ? Object.keys(written.branches) : null;
    if (branches === null) return UNKNOWN;
    return objectType(branches.map((name) => ({ name: propertyName(name), type: UNKNOWN })));
  }
}

/** Whether a text may be one template. Only a text inside of it can contain the start of another. */
function isTemplate(text: string): boolean {
  return /^\s*\$\{[^]*\}\s*$/.test(text) && (text.split("${").length === 2 || /["'`]/.test(text));
}

/** Returns the type of a value with templates. A lone template may become any value. */
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
