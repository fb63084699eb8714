/**
 * Collects what reaches the arguments of a node: its own input, and what its references lead to.
 *
 * Texts of people's decisions and descriptions never count. What a model writes may repeat its prompt, so it counts
 * only for nodes that hand on a text.
 */
import type { PlanNode } from "./plan-structure.js";

interface Placed {
  node: PlanNode & { input?: unknown };
  /** The path of the graph around it. */
  prefix: string;
  /** Paths of the nodes that lead to it. */
  before: string[];
}

export class ArgumentReach {
  readonly #nodes = new Map<string, Placed>();

  constructor(plan: unknown) {
    this.#collect(plan, "");
  }

  #collect(graph: unknown, prefix: string): void {
    const { nodes = {}, edges = [] } = Object(graph) as {
      nodes?: Record<string, PlanNode>;
      edges?: { from?: unknown; to?: unknown }[];
    };
    for (const [id, node] of Object.entries(nodes)) {
      const path = `${prefix}${id}`;
      const before = edges.filter(({ to }) => to === id).map(({ from }) => `${prefix}${String(from)}`);
      this.#nodes.set(path, { node, prefix, before });
      for (const one of [node.graph, node.do]) if (one !== undefined) this.#collect(one, `${path}/`);
      for (const [name, one] of Object.entries(Object(node.branches) as object)) this.#collect(one, `${path}/${name}/`);
    }
  }

  /** Inputs of the nodes whose values the node at `path` may get. The first is its own. */
  inputs(path: string, throughModels: boolean): unknown[] {
    const seen = new Set([path]);
    const found: unknown[] = [];
    for (const at of seen) {
      const placed = this.#nodes.get(at);
      if (placed === undefined) continue;
      const { node } = placed;
      if (at !== path && isModel(node) && !throughModels) continue;
      const input = node.type === "agent" && at === path ? [node.input, node.with] : node.input;
      const isPerson = node.type === "approve";
      if (!isPerson && input !== undefined) found.push(input);
      for (const next of this.#sources(at, placed, isPerson ? undefined : input)) seen.add(next);
    }
    return found;
  }

  #sources(path: string, { node, prefix, before }: Placed, input: unknown): string[] {
    const text = JSON.stringify(input) ?? "";
    const around = prefix.replace(/\/(?:[^/]+\/)?$/, "");
    const container = this.#nodes.has(prefix.slice(0, -1)) ? prefix.slice(0, -1) : around;
    const isInside = prefix !== "" && this.#nodes.has(container);
    const passes = input === undefined || /\blast\b/.test(text);
    const named = [...text.matchAll(/\boutput\.([\w-]+)/g)].flatMap(([, id]) => this.#named(id!, prefix));
    const inner = [...this.#nodes.keys()].filter((one) => one.startsWith(`${path}/`));
    return [
      ...named,
      ...(passes ? before : []),
      ...(isInside && ((passes && before.length === 0) || /\b(?:item|input)\b/.test(text)) ? [container] : []),
      ...(node.graph !== undefined || node.do !== undefined || node.branches !== undefined ? inner : []),
    ];
  }

  /** The node of that name in the nearest graph. */
  #named(id: string, prefix: string): string[] {
    for (let at = prefix; ; at = at.replace(/[^/]+\/$/, "")) {
      if (this.#nodes.has(`${at}${id}`)) return [`${at}${id}`];
      if (at === "") return [];
    }
  }
}

function isModel({ type }: PlanNode): boolean {
  return type === "llm" || type === "agent";
}
