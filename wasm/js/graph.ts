/** Plans: read, checked, and bound to what a host offers. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { assertStarted, engineError } from "./engine.js";
import { PlanError } from "./errors.js";
import { formatDiagnostics } from "./format-diagnostics.js";
import { assertOptions } from "./options.js";
import { Program } from "./program.js";
import { assertStubs } from "./stubs.js";
import { normalizeTools } from "./normalize-tools.js";
import type {
  Diagnostic,
  EdgeInfo,
  Fingerprint,
  ToolLike,
  LoadOptions,
  NodeInfo,
  ParsedPlan,
  ParseOptions,
  PrintOptions,
  Stubs,
  ToolInfo,
} from "./types.js";

/** @internal What a host offers, as far as it is known; what is absent is not judged. */
export interface HostCapabilities {
  types?: string[] | null;
  ids?: string[];
  tools?: ToolInfo[] | null;
  models?: string[] | null;
  stubs?: unknown;
  outputs?: string[] | null;
  allowed?: string[];
}

/** From this length on it is quicker to encode a text at once than to copy it letter by letter, as the glue does. */
const MIN_ENCODED_LENGTH = 1000;

/** How many bindings a plan keeps. */
const MAX_BINDINGS = 8;

/** A plan: a graph of typed nodes. One with errors has all that was understood of it, and can't be run. */
export class PlanGraph {
  #raw: wasm.Graph | null;
  #nodes: readonly NodeInfo[] | null = null;
  #edges: readonly EdgeInfo[] | null = null;
  #hash: string | null = null;
  #valid: boolean | null = null;
  #fingerprint: Fingerprint | null = null;
  /** The last binding: runs of one plan most often have one host. */
  #program: { offer: string; program: Program } | null = null;
  /** The last few bindings, oldest first: some plans have a handful of hosts that take turns. */
  #programs = new Map<string, Program>();

  private constructor(raw: wasm.Graph) {
    this.#raw = raw;
  }

  /**
   * Reads and checks a plan. Never throws for a mistake in it: `graph` then has all that was understood, and
   * is null only where the text is not YAML or no map.
   *
   * @example
   * const { graph, diagnostics } = PlanGraph.parse("nodes: {hello: {type: log, input: hi}}");
   */
  static parse(text: string | Uint8Array, options: ParseOptions = {}): ParsedPlan {
    assertStarted();
    if (typeof text !== "string" && !(text instanceof Uint8Array))
      throw new PlanError("api/bad-text", "a plan is text, or its bytes");
    assertOptions("PlanGraph.parse", options, { format: "=auto|=yaml|=json" });
    const format = options.format ?? "auto";
    const short = typeof text === "string" && text.length < MIN_ENCODED_LENGTH;
    let parsed: ReturnType<typeof wasm.parse_text>;
    try {
      parsed = short
        ? wasm.parse_text(text, format)
        : wasm.parse_bytes(typeof text === "string" ? new TextEncoder().encode(text) : text, format);
    } catch (error) {
      throw engineError(error);
    }
    const raw = parsed.take();
    const diagnostics = JSON.parse(parsed.diagnostics()) as Diagnostic[];
    parsed.free();
    return { graph: raw ? new PlanGraph(raw) : null, diagnostics };
  }

  /**
   * Reads a plan without mistakes. Warnings and hints are none.
   *
   * @throws PlanError `plan/invalid` for a plan that no host could run. Its message shows every mistake with line,
   * place and help; `diagnostics` holds them all.
   * @example
   * const graph = PlanGraph.load(await readFile("plan.yaml"), { name: "plan.yaml" });
   */
  static load(text: string | Uint8Array, options: LoadOptions = {}): PlanGraph {
    assertOptions("PlanGraph.load", options, { format: "=auto|=yaml|=json", name: "text" });
    const { name = "plan", ...rest } = options;
    const { graph, diagnostics: read } = PlanGraph.parse(text, rest);
    const diagnostics = graph === null ? read : sortDiagnostics([...read, ...checkOn(graph, {})]);
    if (graph !== null && diagnostics.every(({ severity }) => severity !== "error")) return graph;
    graph?.free();
    const written = typeof text === "string" ? text : new TextDecoder("utf-8", { ignoreBOM: true }).decode(text);
    const message = formatDiagnostics(diagnostics, { text: written, name });
    throw new PlanError("plan/invalid", message, diagnostics);
  }

  /** @internal */
  get raw(): wasm.Graph {
    if (this.#raw === null) throw new PlanError("api/freed", "this plan was freed");
    return this.#raw;
  }

  /**
   * The nodes: those of the plan's own graph in its order, then those of each graph inside a node, which say so in
   * `scope`.
   */
  get nodes(): readonly NodeInfo[] {
    return (this.#nodes ??= JSON.parse(this.raw.nodes()) as NodeInfo[]);
  }

  /** The edges by the keys of their nodes, in the order of the plan; `condition` as written. */
  get edges(): readonly EdgeInfo[] {
    return (this.#edges ??= JSON.parse(this.raw.edges()) as EdgeInfo[]);
  }

  /** Identifies the plan's meaning: layout, comments, key order and format don't count. */
  get hash(): string {
    return (this.#hash ??= this.raw.hash());
  }

  /** The same with a short hash of each part of the plan, so that a changed plan can be told what changed. */
  get fingerprint(): Fingerprint {
    return (this.#fingerprint ??= JSON.parse(this.raw.fingerprint()) as Fingerprint);
  }

  /** What differs from the plan of that fingerprint, in words; empty when both mean the same. */
  differences(from: Fingerprint): string[] {
    return from.hash === this.hash ? [] : (JSON.parse(this.raw.differences(JSON.stringify(from))) as string[]);
  }

  /** Whether it has no errors of its own. A plan with errors can be drawn, edited and checked, and not be run. */
  get valid(): boolean {
    return (this.#valid ??= this.raw.valid());
  }

  /** The key of the node at which a run starts; null where the plan doesn't say. */
  get start(): string | null {
    const start = this.raw.start();
    return start === undefined ? null : this.nodes[start]!.key;
  }

  /** The plan as plain data, as it was written. */
  toJSON(): unknown {
    return JSON.parse(this.raw.json());
  }

  /**
   * A plan that is plain data as the YAML that a person would have written: reading it gives the same plan. Hand the
   * graph itself over, not its `toJSON()`, when a plan may hold whole numbers over 2^53: JavaScript rounds them.
   *
   * @throws PlanError `api/unsafe-number` for a whole number in plain data that may have been rounded.
   * @example
   * PlanGraph.print({ nodes: { hello: { type: "log", input: "hi" } } }, { comments: { "/nodes/hello": "says it" } });
   */
  static print(plan: unknown, options: PrintOptions = {}): string {
    assertStarted();
    assertOptions("PlanGraph.print", options, { comments: "{}text" });
    const json = plan instanceof PlanGraph ? plan.raw.json() : (JSON.stringify(plan, assertExactInteger) ?? "null");
    return wasm.print_plan(json, JSON.stringify(options.comments ?? {}));
  }

  /** @internal What reading finds where stubs write outputs: nobody says of these that they are not there. */
  readFor(stubs: Stubs): Diagnostic[] {
    return JSON.parse(this.raw.read_for(JSON.stringify({ stubs } satisfies HostCapabilities))) as Diagnostic[];
  }

  /** @internal Why no run asks a person under the name of this call; null where one may. */
  decisionError(call: string, visits?: number): { message: string; help: string } | null {
    const refusal = this.raw.check_decision(call, visits);
    return refusal === undefined ? null : (JSON.parse(refusal) as { message: string; help: string });
  }

  /** @internal What only the host can tell. */
  check(capabilities: HostCapabilities): Diagnostic[] {
    return JSON.parse(this.raw.check(JSON.stringify(capabilities))) as Diagnostic[];
  }

  /** @internal */
  bind(offer: string): Program {
    if (this.#program?.offer === offer) return this.#program.program;
    const raw = this.raw;
    const program = this.#programs.get(offer) ?? new Program(raw, this.nodes, offer);
    this.#programs.delete(offer);
    this.#programs.set(offer, program);
    // Runs under way keep the program they began with; the collector frees it after them.
    if (this.#programs.size > MAX_BINDINGS) this.#programs.delete(this.#programs.keys().next().value!);
    this.#program = { offer, program };
    return program;
  }

  /** Gives the memory back at once; the collector would in time. */
  free(): void {
    this.#raw?.free();
    this.#raw = null;
    this.#program = null;
    this.#programs.clear();
  }

  [Symbol.dispose](): void {
    this.free();
  }
}

/**
 * What is wrong with a plan on a host: its own errors, and what only the host can tell of types, tools, models and
 * handlers. What is left out is not judged.
 *
 * @example
 * check(graph, { tools: await client.list(), handlers: { emit: () => 1 } })
 */
export function check(
  graph: PlanGraph,
  host: {
    tools?: readonly ToolLike[];
    handlers?: Record<string, unknown>;
    byId?: Record<string, unknown>;
    models?: Record<string, unknown>;
    /** Stand-ins, as a run takes them: what neither they nor the rest of the host answers for is an error then. */
    stubs?: Stubs;
    /** The outputs that a run is given at its start; none, unless said. */
    outputs?: Record<string, unknown>;
    /** Leave for tools, as a run takes it: what is no tool of the host is a warning then. */
    allow?: boolean | readonly string[];
  } = {},
): Diagnostic[] {
  assertPlan("check", graph);
  const kinds = {
    tools: "[]map",
    handlers: "map",
    byId: "map",
    models: "map",
    stubs: "map",
    outputs: "map",
    allow: "flag|[]text",
  } as const;
  assertOptions("check", host, kinds);
  assertStubs(host.stubs);
  return checkOn(graph, host);
}

/** @internal The same with stubs that have mistakes: they stand for what they name. */
export function checkOn(graph: PlanGraph, host: NonNullable<Parameters<typeof check>[1]>): Diagnostic[] {
  return graph.check({
    types: host.handlers ? Object.keys(host.handlers) : null,
    ids: Object.keys(host.byId ?? {}),
    tools: host.tools ? normalizeTools("check", host.tools) : null,
    models: host.models ? Object.keys(host.models) : null,
    stubs: host.stubs ?? null,
    outputs: Object.keys(host.outputs ?? {}),
    ...(Array.isArray(host.allow) && { allowed: host.allow as string[] }),
  });
}

/** @internal Diagnostics in the order of the text, each problem once. */
export function sortDiagnostics(diagnostics: Diagnostic[]): Diagnostic[] {
  const key = (diagnostic: Diagnostic) => `${diagnostic.code} ${diagnostic.span?.start} ${diagnostic.message}`;
  const unique = new Map(diagnostics.map((diagnostic) => [key(diagnostic), diagnostic]));
  return [...unique.values()].sort((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0));
}

/** @internal Refuses what is no plan: most often the `graph` of one with errors, which is null. */
export function assertPlan(of: string, graph: unknown): void {
  if (graph instanceof PlanGraph) return;
  const help = "give the `graph` of `PlanGraph.parse`; where that is null, its `diagnostics` say why";
  throw new PlanError("api/invalid-plan", `\`${of}\` takes a plan: ${help}`);
}

/** Reads any YAML 1.2 or JSON, with the same strictness as plans. */
export function readYaml(text: string): { value: unknown; diagnostics: Diagnostic[] } {
  assertStarted();
  if (typeof text !== "string") throw new PlanError("api/bad-text", "what is read is text");
  return JSON.parse(wasm.read_document(text, "auto")) as { value: unknown; diagnostics: Diagnostic[] };
}

/** Refuses a whole number that may have been rounded; from 1e21 up JSON writes digits only as far as they are known. */
function assertExactInteger(_key: string, value: unknown): unknown {
  if (typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  if (Math.abs(value) >= 1e21) return value;
  const message = `${value} may have been rounded by JavaScript; hand a \`PlanGraph\` over, or write the number as text`;
  throw new PlanError("api/unsafe-number", message);
}
