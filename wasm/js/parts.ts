/**
 * Loads parts that the first parts of the modules leave out.
 *
 * A missing function loads its part, in pages synchronously, because a module can't wait. So asynchronous functions
 * request parts first.
 */
import { PlanError } from "./errors.js";
import { policyError } from "./page-policy.js";

/** @internal */
export interface PartSource {
  read(part: number): BufferSource;
  /** Absent if `read` is fast. */
  request?(part: number): Promise<WebAssembly.Module>;
}

/** @internal The parts of one module. The first one, number 0, is always loaded. */
export class Parts {
  readonly #of: string;
  readonly #names: readonly string[];
  #source: PartSource | undefined;
  /** Exports of the first part. */
  #main: WebAssembly.Exports = {};
  /** The stack pointer while no call runs. */
  #stackTop: unknown;
  readonly #loaded = new Set<number>();
  readonly #requests = new Map<number, Promise<void>>();

  /** `names` begin with part 1. */
  constructor(of: string, names: readonly string[]) {
    this.#of = of;
    this.#names = names;
  }

  setSource(source: PartSource | undefined): void {
    this.#source = source;
  }

  start(exports: object): void {
    this.#main = exports as WebAssembly.Exports;
    this.#stackTop = this.stackPointer?.value;
  }

  load(part: number): void {
    try {
      if (this.#source === undefined) throw new Error("it has no source");
      this.#add(part, new WebAssembly.Module(this.#source.read(part)));
    } catch (error) {
      this.restoreStackLater();
      throw this.#notLoaded(part, error);
    }
  }

  /** Returns `undefined` if nothing is missing. */
  preload(wanted: () => readonly number[]): Promise<unknown> | undefined {
    const source = this.#source;
    // The whole module exports nothing for parts.
    if (source?.request === undefined || this.#main.$t0 === undefined) return undefined;
    const missing = wanted().filter((part) => !this.#loaded.has(part));
    if (missing.length === 0) return undefined;
    const requests = missing.map((part) => this.#request(part));
    // After a failure, the next call must not join a request of this one.
    return Promise.allSettled(requests).then(() => Promise.all(requests));
  }

  #request(part: number): Promise<void> {
    const earlier = this.#requests.get(part);
    if (earlier !== undefined) return earlier;
    const loading = this.#source!.request!(part)
      // A call may have loaded it meanwhile.
      .then((module) => void (this.#loaded.has(part) || this.#add(part, module)))
      .catch((error: unknown) => Promise.reject(this.#notLoaded(part, error)))
      .finally(() => this.#requests.delete(part));
    this.#requests.set(part, loading);
    return loading;
  }

  /** A part imports functions by places in the table. */
  #add(part: number, module: WebAssembly.Module): void {
    const table = this.#main.$t0 as WebAssembly.Table;
    const imports: WebAssembly.ModuleImports = { ...this.#main } as WebAssembly.ModuleImports;
    for (const { kind, name } of WebAssembly.Module.imports(module))
      if (kind === "function") imports[name] = table.get(Number.parseInt(name, 36)) as WebAssembly.ImportValue;
    new WebAssembly.Instance(module, { m: imports });
    this.#loaded.add(part);
  }

  /** The build exports it. */
  get stackPointer(): WebAssembly.Global | undefined {
    return this.#main.__stack_pointer as WebAssembly.Global | undefined;
  }

  /** An exception leaves the module's frames without giving their stack back. In a microtask no frame is left. */
  restoreStackLater(): void {
    queueMicrotask(() => {
      const pointer = this.stackPointer;
      if (pointer !== undefined) pointer.value = this.#stackTop;
    });
  }

  #notLoaded(part: number, failure: unknown): PlanError {
    const error = policyError(failure);
    if (error instanceof PlanError) return error;
    const isForeign = error instanceof WebAssembly.LinkError;
    const reason = isForeign ? "it is of another build" : error instanceof Error ? error.message : String(error);
    return new PlanError("api/not-loaded", `${this.#of} part \`${this.#names[part - 1]}\` was not loaded: ${reason}`);
  }
}

/** @internal What calls of tools and models, approvals and replays need. */
export const OPEN_CALLS = 1;
/** @internal Tools and models. */
export const CALLS = 2;
/** @internal Code that several of the later parts need. */
export const COMMON = 3;
/** @internal What typical plans use beyond the simplest ones. */
export const PLANS = 4;
/** @internal Agents, conversations, answers with a schema. */
export const AGENTS = 5;
/** @internal Snapshots and recordings. */
export const HISTORY = 6;
/** @internal Stubs, tests, input schemas, rare expressions and YAML. */
export const LANGUAGE = 9;
/** @internal Node types with a planner. Part 7: common mistakes. Part 8: hints on expressions. Part 11: all else. */
export const PLANNERS = 10;

/** @internal */
export const engineParts = /* @__PURE__ */ new Parts("the engine's", [
  "open_calls",
  "calls",
  "common",
  "plans",
  "agents",
  "history",
  "mistakes",
  "hints",
  "language",
  "planners",
  "rest",
]);

export function load_part(part: number): void {
  engineParts.load(part);
}

/** @internal */
export function preload(wanted: () => readonly number[]): Promise<unknown> | undefined {
  return engineParts.preload(wanted);
}
