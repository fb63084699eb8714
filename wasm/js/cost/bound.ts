/**
 * The most that a run may use, from the plan's graph, limits and prices.
 *
 * A run takes one path through each graph, so totals are those of the heaviest path.
 */
import { add, known, larger, multiply, smaller, unbounded, ZERO } from "./figure.js";
import type { CostFigure } from "../cost-types.js";
import { type Host, type Leaf, leafOf } from "./leaf.js";
import { childrenOf, idOf, type RawGraph, type RawNode, type RawPlan } from "./plan-tree.js";
import { type Flow, heaviestPath, visitBounds } from "./visits.js";

/** The most that a run, graph or node may use. */
export interface Use {
  toolCalls: CostFigure;
  modelTurns: CostFigure;
  inputTokens: CostFigure;
  outputTokens: CostFigure;
  modelUsd: CostFigure;
  toolUsd: CostFigure;
}

export interface BoundedNode {
  path: string;
  type: string;
  leaf: Leaf;
  attempts: number;
  use: Use;
}

const KEYS = ["toolCalls", "modelTurns", "inputTokens", "outputTokens", "modelUsd", "toolUsd"] as const;
const NONE: Use = fromKeys(() => ZERO);

function fromKeys(value: (key: keyof Use) => CostFigure): Use {
  return Object.fromEntries(KEYS.map((key) => [key, value(key)])) as unknown as Use;
}

function combine(a: Use, b: Use, how: (a: CostFigure, b: CostFigure) => CostFigure): Use {
  return fromKeys((key) => how(a[key], b[key]));
}

const TOTALS = {
  zero: NONE,
  larger: (a: Use, b: Use) => combine(a, b, larger),
  add: (a: Use, b: Use) => combine(a, b, add),
};

function useOf(leaf: Leaf, attempts: CostFigure, calls: CostFigure | null): Use {
  const capped = (figure: CostFigure) => (calls === null ? figure : smaller(figure, calls));
  const toolCalls = capped(multiply(attempts, leaf.toolCalls));
  const modelTurns = capped(multiply(attempts, leaf.modelTurns));
  return {
    toolCalls,
    modelTurns,
    inputTokens: multiply(modelTurns, leaf.input),
    outputTokens: multiply(modelTurns, leaf.output),
    modelUsd: multiply(modelTurns, leaf.modelUsd),
    toolUsd: multiply(toolCalls, leaf.toolUsd),
  };
}

/** Bounds nodes in document order, and the whole run. */
export class PlanBounds {
  readonly nodes: BoundedNode[] = [];
  readonly total: Use;
  readonly #plan: RawPlan;
  readonly #host: Host;
  readonly #limits: Record<string, number | undefined>;

  constructor(plan: RawPlan, host: Host) {
    this.#plan = plan;
    this.#host = host;
    const given = Object.entries(plan.limits ?? {}).filter(([, limit]) => typeof limit === "number");
    this.#limits = Object.fromEntries(given) as Record<string, number>;
    const whole = this.#graph(plan, "", known(1));
    this.total = this.#withinLimits(whole.use, whole.width);
  }

  /** `times`: how often a run may run this graph. The result is for one time. */
  #graph(graph: RawGraph, scope: string, times: CostFigure): { use: Use; width: CostFigure } {
    const entries = Object.entries(graph.nodes);
    const flow = this.#flowOf(graph, entries);
    const { order, visits } = visitBounds(flow);
    const uses = entries.map(([key, node], at) => this.#node(key, node, scope, { visits: visits[at]!, times }));
    const use = heaviestPath(
      flow,
      order,
      (component) => component.map((at) => uses[at]!.use).reduce(TOTALS.add, NONE),
      TOTALS,
    );
    // One node of a graph runs at a time.
    const width = uses.map((one) => one.width).reduce(larger, ZERO);
    return { use, width };
  }

  #flowOf({ start, edges = [] }: RawGraph, entries: readonly (readonly [string, RawNode])[]): Flow {
    const places = new Map(entries.map(([key], at): [string, number] => [key, at]));
    for (const [at, [key, node]] of entries.entries())
      if (!places.has(idOf(key, node))) places.set(idOf(key, node), at);
    const next: number[][] = entries.map(() => []);
    const entered = new Set<number>();
    for (const { from, to } of edges) {
      const [source, target] = [places.get(from), places.get(to)];
      if (source === undefined || target === undefined) continue;
      next[source]!.push(target);
      if (source !== target) entered.add(target);
    }
    const own = this.#limits.visits ?? 25;
    const named = start === undefined ? undefined : places.get(start);
    const starts = named === undefined ? entries.map((_, at) => at).filter((at) => !entered.has(at)) : [named];
    return { starts, next, limits: entries.map(([, node]) => node.visits ?? own) };
  }

  /** The result is for one run of the graph. */
  #node(
    key: string,
    node: RawNode,
    scope: string,
    { visits, times }: { visits: number; times: CostFigure },
  ): { use: Use; width: CostFigure } {
    const id = idOf(key, node);
    const path = scope === "" ? id : `${scope}/${id}`;
    const tries = node.retry?.attempts ?? 1;
    const attempts = known(tries);
    const { steps } = this.#limits;
    const all = multiply(known(visits), times);
    // Each visit is a step.
    const visitsOfRun = steps === undefined ? all : smaller(all, known(steps));
    const children = childrenOf(node);
    if (children.length > 0) {
      const once = this.#composite(node, path, scope === "", multiply(visitsOfRun, attempts));
      const runs = multiply(known(visits), attempts);
      return { use: fromKeys((name) => multiply(runs, once.use[name])), width: once.width };
    }
    const leaf = leafOf(node, path, this.#host);
    if (leaf === null) return { use: NONE, width: ZERO };
    const { calls } = this.#limits;
    const use = useOf(leaf, multiply(visitsOfRun, attempts), calls === undefined ? null : known(calls));
    this.nodes.push({ path, type: node.type, leaf, attempts: tries, use });
    const width = leaf.modelTurns.most === 0 ? ZERO : known(1);
    return { use: useOf(leaf, multiply(known(visits), attempts), null), width };
  }

  #composite(node: RawNode, path: string, isTop: boolean, times: CostFigure): { use: Use; width: CostFigure } {
    const concurrency = concurrencyOf(node);
    const children = childrenOf(node);
    if (node.type === "map") {
      const length = this.#lengthOf(node, path, isTop);
      const { use, width } = this.#graph(children[0]!.graph, path, multiply(times, length));
      const open = concurrency === null ? length : smaller(known(concurrency), length);
      return { use: fromKeys((key) => multiply(length, use[key])), width: multiply(open, width) };
    }
    // Whatever the join, all children may start.
    const runs = children.map(({ graph, branch }) =>
      this.#graph(graph, branch === null ? path : `${path}/${branch}`, times),
    );
    const use = runs.map((one) => one.use).reduce(TOTALS.add, NONE);
    return { use, width: runs.map(({ width }) => width).reduce(add, ZERO) };
  }

  /** The length of a list in the plan, or the longest that its inputs allow. */
  #lengthOf({ input }: RawNode, path: string, isTop: boolean): CostFigure {
    if (Array.isArray(input)) return known(input.length);
    const name = typeof input === "string" ? /^\$\{input\.([A-Za-z_]\w*)\}$/.exec(input)?.[1] : undefined;
    const inputs = this.#plan.inputs ?? {};
    if (isTop && name !== undefined && Object.hasOwn(inputs, name)) {
      const { maxItems, type } = (inputs[name] ?? {}) as { maxItems?: unknown; type?: unknown };
      if (typeof maxItems === "number" && type === "array") return known(maxItems);
    }
    const what = typeof input === "string" ? `\`${input}\`` : "its input";
    return unbounded(`the length of ${what} is unknown (\`${path}\`)`);
  }

  /** `width`: how many model calls may be open when a limit is exceeded. */
  #withinLimits(use: Use, width: CostFigure): Use {
    const { calls, steps, tokens, usd } = this.#limits;
    let within = use;
    if (calls !== undefined) within = combine(within, this.#perCall(known(calls)), smaller);
    if (steps !== undefined) within = combine(within, this.#perStep(known(steps)), smaller);
    const most = (pick: (leaf: Leaf) => CostFigure) => this.nodes.map(({ leaf }) => pick(leaf)).reduce(larger, ZERO);
    if (tokens !== undefined) {
      const reply = most(({ input, output }) => add(input, output));
      const all = add(known(tokens), multiply(width, reply));
      within = {
        ...within,
        inputTokens: smaller(within.inputTokens, all),
        outputTokens: smaller(within.outputTokens, all),
      };
    }
    if (usd !== undefined) {
      const all = add(
        known(usd),
        multiply(
          width,
          most(({ modelUsd }) => modelUsd),
        ),
      );
      within = { ...within, modelUsd: smaller(within.modelUsd, all) };
    }
    return within;
  }

  #perCall(calls: CostFigure): Use {
    const one = (leaf: Leaf) => useOf({ ...leaf, ...onceEach(leaf) }, known(1), null);
    const dearest = this.nodes.map(({ leaf }) => one(leaf)).reduce(TOTALS.larger, NONE);
    return fromKeys((key) => multiply(calls, dearest[key]));
  }

  #perStep(steps: CostFigure): Use {
    const one = ({ leaf, attempts }: BoundedNode) => useOf(leaf, known(attempts), null);
    const dearest = this.nodes.map(one).reduce(TOTALS.larger, NONE);
    return fromKeys((key) => multiply(steps, dearest[key]));
  }
}

function onceEach({ toolCalls, modelTurns }: Leaf): Pick<Leaf, "toolCalls" | "modelTurns"> {
  const one = (figure: CostFigure) => (figure.most === 0 ? ZERO : known(1));
  return { toolCalls: one(toolCalls), modelTurns: one(modelTurns) };
}

function concurrencyOf(node: RawNode): number | null {
  const given = node.with?.concurrency;
  if (typeof given === "number") return given;
  return given === undefined && node.type === "map" ? 8 : null;
}
