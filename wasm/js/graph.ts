/** Plans: parsed, checked, bound. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { assertStarted, inEngine } from "./engine.js";
import { deepFreeze } from "./deep-freeze.js";
import { PlanError } from "./errors.js";
import { EXECUTOR_TYPES, LOCAL_TYPES, MODEL_TYPES } from "./node-types.js";
import { formatDiagnostics } from "./format-diagnostics.js";
import { assertOptions, type Kinds } from "./options.js";
import { encodeFiles, fileTexts, type KnownFiles, readMissing } from "./plan-files.js";
import { Program } from "./program.js";
import { strictJson } from "./strict-json.js";
import type {
  Diagnostic,
  EdgeInfo,
  Fingerprint,
  NodePlace,
  LoadOptions,
  NodeInfo,
  ParseOptions,
  PlanTypes,
  PrintOptions,
  ReadOptions,
  Stubs,
  ToolInfo,
} from "./types.js";

/** A plan and its diagnostics. */
export interface ParsedPlan {
  graph: PlanGraph | null;
  diagnostics: Diagnostic[];
}

/** @internal Absent keys are not checked. */
export interface HostCapabilities {
  types?: string[] | null;
  ids?: string[];
  tools?: ToolInfo[] | null;
  models?: string[] | null;
  stubs?: unknown;
  outputs?: string[] | null;
  allowed?: string[];
}

/** Longer texts are faster to encode than to copy by character. */
const MIN_ENCODED_LENGTH = 1000;

const MAX_BINDINGS = 8;

/** A plan: a graph of typed nodes. If it has errors, it holds the readable parts, but cannot run. */
export class PlanGraph<T extends PlanTypes = PlanTypes> {
  /** For the compiler only, never present. */
  declare readonly types?: T;
  #raw: wasm.Graph | null;
  #nodes: readonly NodeInfo[] | null = null;
  #edges: readonly EdgeInfo[] | null = null;
  #hash: string | null = null;
  #valid: boolean | null = null;
  #fingerprint: Fingerprint | null = null;
  #program: { offer: string; program: Program } | null = null;
  /** Oldest first. */
  #programs = new Map<string, Program>();

  private constructor(raw: wasm.Graph) {
    this.#raw = raw;
  }

  /**
   * Parses and checks a plan without throwing. `graph` is null if the text is no YAML map.
   *
   * @example
   * const { graph, diagnostics } = PlanGraph.parse("nodes: {hello: {type: log, input: hi}}");
   */
  static parse(text: string | Uint8Array, options: ParseOptions = {}): ParsedPlan {
    assertStarted();
    assertText(text);
    assertOptions("PlanGraph.parse", options, PARSE);
    const { graph, diagnostics } = PlanGraph.parseWith(text, options.format, options.files);
    return { graph, diagnostics };
  }

  /** @internal Adds the paths of missing files. */
  static parseWith(
    text: string | Uint8Array,
    format = "auto",
    known?: KnownFiles,
  ): ParsedPlan & { missing: readonly string[] } {
    const files = encodeFiles(known);
    const short = typeof text === "string" && text.length < MIN_ENCODED_LENGTH;
    const parsed = inEngine(() =>
      short
        ? wasm.parse_text(text, format, files)
        : wasm.parse_bytes(typeof text === "string" ? new TextEncoder().encode(text) : text, format, files),
    );
    const raw = parsed.take();
    const diagnostics = JSON.parse(parsed.diagnostics()) as Diagnostic[];
    const missing = JSON.parse(parsed.missing_files()) as string[];
    parsed.free();
    return { graph: raw ? new PlanGraph(raw) : null, diagnostics, missing };
  }

  /**
   * Reads the files that a plan runs, then parses it.
   *
   * @throws PlanError `plan/invalid` as without `read`, and for a file that can't be read. The promise rejects.
   * @example
   * const graph = await PlanGraph.load(text, { read: async (path) => (await fetch(`/plans/${path}`)).text() });
   */
  static load<T extends PlanTypes = PlanTypes>(text: string | Uint8Array, options: ReadOptions): Promise<PlanGraph<T>>;
  /**
   * Parses a plan without errors. Warnings are allowed.
   *
   * @throws PlanError `plan/invalid` for a plan that no host could run, with all `diagnostics`.
   * @example
   * const graph = PlanGraph.load(await readFile("plan.yaml"), { name: "plan.yaml" });
   */
  static load<T extends PlanTypes = PlanTypes>(text: string | Uint8Array, options?: LoadOptions): PlanGraph<T>;
  static load(text: string | Uint8Array, options: Partial<ReadOptions> = {}): PlanGraph | Promise<PlanGraph> {
    assertStarted();
    assertText(text);
    assertOptions("PlanGraph.load", options, { ...PARSE, name: "text", read: "function" });
    const { format, files, name = "plan", read } = options;
    if (read === undefined) return soundGraph(text, PlanGraph.parseWith(text, format, files), name, files);
    let parsed: ParsedPlan | null = null;
    const parse = (known: KnownFiles) => {
      parsed?.graph?.free();
      const { missing, ...rest } = PlanGraph.parseWith(text, format, known);
      parsed = rest;
      return missing;
    };
    return readMissing(files, read, parse).then((known) => soundGraph(text, parsed!, name, known));
  }

  /** @internal */
  get raw(): wasm.Graph {
    if (this.#raw === null) throw new PlanError("api/freed", "this plan was freed");
    return this.#raw;
  }

  /** All nodes in document order, those of nested graphs last. Frozen, because all runs share them. */
  get nodes(): readonly NodeInfo[] {
    return (this.#nodes ??= deepFreeze(JSON.parse(this.raw.nodes()) as NodeInfo[]));
  }

  /** The edges in document order. */
  get edges(): readonly EdgeInfo[] {
    return (this.#edges ??= deepFreeze(JSON.parse(this.raw.edges()) as EdgeInfo[]));
  }

  /** Identifies the meaning. Layout, comments, key order and format do not count. */
  get hash(): string {
    return (this.#hash ??= this.raw.hash());
  }

  /** The hash and those of parts. */
  get fingerprint(): Fingerprint {
    return (this.#fingerprint ??= deepFreeze(JSON.parse(this.raw.fingerprint()) as Fingerprint));
  }

  /** Describes the differences from another plan. */
  differences(from: Fingerprint): string[] {
    if (from?.hash === this.hash) return [];
    return JSON.parse(this.raw.differences(strictJson("the fingerprint", from))) as string[];
  }

  /** Whether the plan itself has no errors. */
  get valid(): boolean {
    return (this.#valid ??= this.raw.valid());
  }

  /** Key of the start node, if any. */
  get start(): string | null {
    const start = this.raw.start();
    return start === undefined ? null : this.nodes[start]!.key;
  }

  /** Returns the plan as a JSON object. */
  toJSON(): unknown {
    // An empty text is a plan without nodes.
    return JSON.parse(this.raw.json()) ?? {};
  }

  /**
   * Prints a plan as YAML. Pass a graph for integers over 2^53, which JavaScript rounds.
   *
   * @throws PlanError `api/unsafe-number` for an integer in plain data that may have been rounded, `api/bad-option` for
   * a value that JSON can't hold.
   * @example
   * PlanGraph.print({ nodes: { hello: { type: "log", input: "hi" } } }, { comments: { "/nodes/hello": "says it" } });
   */
  static print(plan: unknown, options: PrintOptions = {}): string {
    assertStarted();
    assertOptions("PlanGraph.print", options, { comments: "{}text" });
    const json = plan instanceof PlanGraph ? plan.raw.json() : strictJson("the plan", plan, assertExactInteger);
    return wasm.print_plan(json, JSON.stringify(options.comments ?? {}));
  }

  /** @internal Of the value that a failure's message names, or else of the node. Null after `free`. */
  placeOf(node: number, message = ""): NodePlace | null {
    const place = this.#raw?.node_place(node, message);
    return place === undefined ? null : (JSON.parse(place) as NodePlace);
  }

  /** @internal Knows the outputs that stubs write. */
  readFor(stubs: Stubs): Diagnostic[] {
    return JSON.parse(this.raw.read_for(JSON.stringify({ stubs } satisfies HostCapabilities))) as Diagnostic[];
  }

  /** @internal Returns why no approval can have this name. */
  decisionError(call: string, visits?: number): { message: string; help: string } | null {
    const refusal = this.raw.check_decision(call, visits);
    return refusal === undefined ? null : (JSON.parse(refusal) as { message: string; help: string });
  }

  /** @internal Only diagnostics that depend on the host. */
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
    if (this.#programs.size > MAX_BINDINGS) {
      const [oldest] = this.#programs;
      this.#programs.delete(oldest![0]);
      oldest![1].free();
    }
    this.#program = { offer, program };
    return program;
  }

  /** Frees the memory at once. */
  free(): void {
    // Reports read it later.
    if (this.#program !== null && this.#raw !== null) void this.hash;
    this.#raw?.free();
    this.#raw = null;
    this.#program = null;
    for (const program of this.#programs.values()) program.free();
    this.#programs.clear();
  }

  [Symbol.dispose](): void {
    this.free();
  }
}

const PARSE: Kinds<ParseOptions> = { format: "=auto|=yaml|=json", files: "{}text|bytes" };

function assertText(text: unknown): void {
  if (typeof text !== "string" && !(text instanceof Uint8Array))
    throw new PlanError("api/bad-text", "a plan is text, or its bytes");
}

const NO_HOST: HostCapabilities = { types: null, ids: [], tools: null, models: null, stubs: null, outputs: [] };

const BUILT_IN = new Set(["tool", "approve", ...LOCAL_TYPES, ...MODEL_TYPES, ...EXECUTOR_TYPES]);

/** Offers the plan's own types: to search for built-in types that resemble them loads two more parts, for a hint. */
function isSound(graph: PlanGraph): boolean {
  const types = graph.nodes.map(({ type }) => type).filter((type) => !BUILT_IN.has(type));
  const host = { ...NO_HOST, errorsOnly: true, ...(types.length > 0 && { types }) };
  // Warnings would need more of the engine.
  const found = JSON.parse(graph.raw.check(JSON.stringify(host))) as Diagnostic[];
  return found.every(({ severity }) => severity !== "error");
}

function soundGraph(
  text: string | Uint8Array,
  { graph, diagnostics: read }: ParsedPlan,
  name: string,
  files: KnownFiles = {},
): PlanGraph {
  if (graph !== null && read.every(({ severity }) => severity !== "error") && isSound(graph)) return graph;
  const diagnostics = graph === null ? read : sortDiagnostics([...read, ...graph.check(NO_HOST)]);
  if (graph !== null && diagnostics.every(({ severity }) => severity !== "error")) return graph;
  graph?.free();
  const written = typeof text === "string" ? text : new TextDecoder("utf-8", { ignoreBOM: true }).decode(text);
  const message = formatDiagnostics(diagnostics, { text: written, name, files: fileTexts(files) });
  throw new PlanError("plan/invalid", message, diagnostics);
}

/** @internal Sorts by position, without duplicates, files last. */
export function sortDiagnostics(diagnostics: Diagnostic[]): Diagnostic[] {
  const key = ({ code, file = "", span, message }: Diagnostic) => `${code} ${file} ${span?.start} ${message}`;
  const unique = new Map(diagnostics.map((diagnostic) => [key(diagnostic), diagnostic]));
  const files = [undefined, ...new Set(diagnostics.flatMap(({ file }) => file ?? []))];
  const order = (a: Diagnostic, b: Diagnostic) =>
    files.indexOf(a.file) - files.indexOf(b.file) || (a.span?.start ?? 0) - (b.span?.start ?? 0);
  return [...unique.values()].sort(order);
}

/** @internal Often catches the null `graph` of a plan with errors. */
export function assertPlan(of: string, graph: unknown): void {
  if (graph instanceof PlanGraph) return;
  const help = "pass the `graph` of `PlanGraph.parse`; if it is null, see its `diagnostics`";
  throw new PlanError("api/invalid-plan", `\`${of}\` expects a plan: ${help}`);
}

/** Parses YAML 1.2 or JSON, as strictly as plans. */
export function readYaml(text: string): { value: unknown; diagnostics: Diagnostic[] } {
  assertStarted();
  if (typeof text !== "string") throw new PlanError("api/bad-text", "what is read is text");
  return JSON.parse(wasm.read_document(text, "auto")) as { value: unknown; diagnostics: Diagnostic[] };
}

/** JSON writes only the known digits of integers from 1e21 up. */
function assertExactInteger(value: unknown): unknown {
  if (typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  if (Math.abs(value) >= 1e21) return value;
  const message = `${value} may have been rounded by JavaScript; hand a \`PlanGraph\` over, or write the number as text`;
  throw new PlanError("api/unsafe-number", message);
}
