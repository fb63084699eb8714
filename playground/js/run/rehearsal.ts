/** Finds out what a run would do after an approved question. */
import type { Decision, PlanGraph, run } from "stepgraph/web";

type Json = Record<string, unknown>;

/** The roots that the page knows before a call. */
export interface KnownValues {
  /** Of the graph that asks. For an element of a `map`, the element. */
  input: unknown;
  /** The position of the element in the list of its `map`. */
  index?: number;
  context?: Json;
  /** Of the nodes beside the question and around its graph, by id. */
  outputs: Json;
  /** The ids of all these nodes. A node without an output has not run. */
  ids?: readonly string[];
}

export interface Engine {
  PlanGraph: typeof PlanGraph;
  run: typeof run;
}

export const APPROVED = "approved" satisfies Decision;
/** Roots that the page does not know, and those of an element. */
const UNKNOWN_ROOTS = "error|memory";
const ELEMENT_ROOTS = "index|item";
/** A node of the rehearsal alone. */
const NEXT = "after-the-question";
/** To get an index, a rehearsal runs as many elements before it. */
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
    // Fields and texts may have the same names.
    this.#unknownRoots = `(?<![.\\w"'])(?:${this.#isOfElement ? "" : `${ELEMENT_ROOTS}|`}${UNKNOWN_ROOTS})\\b`;
  }

  /** The node after the approved question, or the question if none follows. */
  async next(edges: readonly Edge[]): Promise<string | undefined> {
    const conditions = edges.map(({ condition }) => String(condition ?? "")).join("\n");
    if (new RegExp(this.#unknownRoots).test(conditions)) return undefined;
    // The nodes have earlier outputs, so others stand for them. A question that leads to itself ends at the limit of
    // visits.
    const names = edges.map(({ to }, at) => (to === this.#question ? this.#question : `${NEXT}${at}`));
    const ends = names.map((name, at) => [name, verbatim({ to: edges[at]!.to })] as const);
    const found = await this.#run(
      Object.fromEntries(ends),
      edges.map((edge, at) => ({ ...edge, to: names[at] })),
    );
    return found === APPROVED ? this.#question : (found as { to?: string } | undefined)?.to;
  }

  /** A call's arguments. If one is unknown, all stay as they are written. */
  async filled(written: unknown): Promise<unknown> {
    const text = JSON.stringify(written);
    // After an inner brace, the end of the template is unknown.
    const isUnknown = new RegExp(`\\$\\{[^}]*(?:\\{[^]*)?${this.#unknownRoots}`);
    if (!text.includes("${") || isUnknown.test(text)) return written;
    const found = await this.#run({ [NEXT]: { type: "log", input: written } }, [{ from: this.#question, to: NEXT }]);
    return found === undefined ? written : found;
  }

  /** Returns the last output, or undefined if the run fails. */
  async #run(nodes: Json, edges: readonly Edge[]): Promise<unknown> {
    const { input, index = 0, context, outputs, ids = [] } = this.#known;
    const graph = {
      nodes: { ...waiting(ids, outputs, [nodes, edges]), ...nodes, [this.#question]: verbatim(APPROVED) },
      edges,
      start: this.#question,
    };
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

/** Nodes that never run, for those that have not run yet. */
function waiting(ids: readonly string[], outputs: Json, user: unknown): Json {
  const text = JSON.stringify(user);
  const used = ids.filter((id) => !Object.hasOwn(outputs, id) && text.includes(id));
  return Object.fromEntries(used.map((id) => [id, { type: "noop" }]));
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

/** Puts nodes that give these outputs before the graph. Only a whole run can get outputs from its host. */
function after(outputs: Json, { start, nodes, edges }: Chain): Chain {
  const ids = Object.keys(outputs).filter((id) => !Object.hasOwn(nodes, id));
  const given = Object.fromEntries(ids.map((id) => [id, verbatim(outputs[id])]));
  const line = [...ids, start];
  const before = ids.map((from, at) => ({ from, to: line[at + 1] }));
  return { start: line[0]!, nodes: { ...given, ...nodes }, edges: [...before, ...edges] };
}
