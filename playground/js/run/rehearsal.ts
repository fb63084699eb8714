/** Finds out what a run would do after an approved question. */
import type { Decision, PlanGraph, run } from "stepgraph/web";

type Json = Record<string, unknown>;

/** The roots that the page knows before a call. */
export interface KnownValues {
  /** Of the graph that asks. For an element of a `map`, the element. */
  input: unknown;
  /** Of the element. */
  index?: number;
  context?: Json;
  /** Of the nodes beside the question and around its graph, by id. */
  outputs: Json;
}

export interface Engine {
  PlanGraph: typeof PlanGraph;
  run: typeof run;
}

export const APPROVED = "approved" satisfies Decision;
/** Roots that the page does not know, and those of an element. */
const UNKNOWN_ROOTS = "error|memory";
const ELEMENT_ROOTS = "index|item";
/** An element's index is right only if those before it run, too. */
const MAX_INDEX = 200;

export interface Edge {
  from?: unknown;
  to?: unknown;
  condition?: unknown;
}

/** Runs plans of a few nodes that call nothing, so that edges and templates mean what they mean in the run. */
export class Rehearsal {
  readonly #question: string;
  readonly #inputs: unknown;
  readonly #known: KnownValues;
  readonly #engine: Engine;
  readonly #isOfElement: boolean;
  readonly #unknownRoots: string;

  constructor(question: string, inputs: unknown, known: KnownValues, engine: Engine) {
    this.#question = question;
    this.#inputs = inputs;
    this.#known = known;
    this.#engine = engine;
    this.#isOfElement = known.index !== undefined && known.index <= MAX_INDEX;
    this.#unknownRoots = `\\b(?:${this.#isOfElement ? "" : `${ELEMENT_ROOTS}|`}${UNKNOWN_ROOTS})\\b`;
  }

  /** The node after the approved question, or the question if none follows. */
  async next(edges: readonly Edge[]): Promise<string | undefined> {
    const conditions = edges.map(({ condition }) => String(condition ?? "")).join("\n");
    if (new RegExp(this.#unknownRoots).test(conditions)) return undefined;
    const ends = edges.map(({ to }) => [String(to), verbatim({ to })] as const);
    // A question that leads to itself ends at the limit of visits.
    const others = ends.filter(([to]) => to !== this.#question);
    const found = await this.#run(Object.fromEntries(others), edges);
    return found === APPROVED ? this.#question : (found as { to?: string } | undefined)?.to;
  }

  /** The call's arguments. If one is unknown, all stay as they are written. */
  async filled(call: string, written: unknown): Promise<unknown> {
    const text = JSON.stringify(written);
    if (!text.includes("${") || new RegExp(`\\$\\{[^}]*${this.#unknownRoots}`).test(text)) return written;
    const found = await this.#run({ [call]: { type: "log", input: written } }, [{ from: this.#question, to: call }]);
    return found === undefined ? written : found;
  }

  /** Returns the last output, or undefined if the run fails. */
  async #run(nodes: Json, edges: readonly Edge[]): Promise<unknown> {
    const { input, index = 0, context, outputs } = this.#known;
    const graph = { nodes: { [this.#question]: verbatim(APPROVED), ...nodes }, edges, start: this.#question };
    const plan = this.#isOfElement
      ? { start: "each", nodes: { each: { type: "map", input: "${input}", do: after(outputs, graph) } } }
      : { inputs: this.#inputs, ...graph };
    const values = this.#isOfElement ? { input: Array<unknown>(index + 1).fill(input) } : { input, outputs };
    const parsed = this.#engine.PlanGraph.parse(JSON.stringify(plan)).graph;
    try {
      const { outcome, last } = await this.#engine.run(parsed!, {
        ...values,
        ...(context && { context }),
        trace: false,
      });
      if (outcome.type !== "completed") return undefined;
      return this.#isOfElement ? (last as unknown[]).at(-1) : last;
    } catch {
      return undefined;
    } finally {
      parsed?.free();
    }
  }
}

/** A node that gives a value as it is. */
function verbatim(input: unknown): Json {
  return { type: "log", input, with: { templates: false } };
}

interface Chain {
  start: string;
  nodes: Json;
  edges: readonly Edge[];
}

/** The graph after nodes that give these outputs, which only a whole run takes from its host. */
function after(outputs: Json, { start, nodes, edges }: Chain): Chain {
  const ids = Object.keys(outputs).filter((id) => !Object.hasOwn(nodes, id));
  const given = Object.fromEntries(ids.map((id) => [id, verbatim(outputs[id])]));
  const line = [...ids, start];
  const before = ids.map((from, at) => ({ from, to: line[at + 1] }));
  return { start: line[0]!, nodes: { ...given, ...nodes }, edges: [...before, ...edges] };
}
