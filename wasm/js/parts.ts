/**
 * Loads parts that the engine's first module leaves out.
 *
 * A missing function loads its part, in pages synchronously, because the module can't wait. So asynchronous functions
 * request parts first.
 */
import { PlanError } from "./errors.js";
import { policyError } from "./page-policy.js";

/** The first one is always loaded. */
const NAMES = ["first", "calls", "mistakes", "language", "planners", "rest"];
/** @internal Tools, models, agents. */
export const CALLS = 1;
/** @internal Stubs, tests, input schemas, rare expressions and YAML. */
export const LANGUAGE = 3;
/** @internal Node types with a planner. */
export const PLANNERS = 4;
/** @internal Snapshots, recordings, rare mistakes. Part 2: common ones. */
export const REST = 5;

/** @internal */
export interface PartSource {
  read(part: number): BufferSource;
  /** Absent if `read` is fast. */
  request?(part: number): Promise<WebAssembly.Module>;
}

let source: PartSource | undefined;
/** Exports of the first module. */
let main: WebAssembly.Exports = {};
const loaded = new Set<number>();
const requests = new Map<number, Promise<void>>();

/** @internal */
export function setPartSource(from: PartSource): void {
  source = from;
}

/** The stack pointer while no call runs. */
let stackTop: unknown;

/** @internal */
export function startParts(exports: WebAssembly.Exports): void {
  main = exports;
  stackTop = stackPointer()?.value;
}

/** The splitter exports the engine's first global. Absent in the whole module. */
function stackPointer(): WebAssembly.Global | undefined {
  return main.$g0 as WebAssembly.Global | undefined;
}

/** An exception leaves the engine's frames without giving their stack back. In a microtask no frame is left. */
function restoreStackLater(): void {
  queueMicrotask(() => {
    const pointer = stackPointer();
    if (pointer !== undefined) pointer.value = stackTop;
  });
}

export function load_part(part: number): void {
  try {
    if (source === undefined) throw new Error("it has no source");
    add(part, new WebAssembly.Module(source.read(part)));
  } catch (error) {
    restoreStackLater();
    throw notLoaded(part, error);
  }
}

/** @internal Returns `undefined` if nothing is missing. */
export function preload(wanted: () => readonly number[]): Promise<unknown> | undefined {
  const request = source?.request;
  // The whole module exports nothing for parts.
  if (request === undefined || main.$t0 === undefined) return undefined;
  const missing = wanted().filter((part) => !loaded.has(part));
  return missing.length === 0 ? undefined : Promise.all(missing.map((part) => loadLater(part, request)));
}

function loadLater(part: number, request: (part: number) => Promise<WebAssembly.Module>): Promise<void> {
  const earlier = requests.get(part);
  if (earlier !== undefined) return earlier;
  const loading = request(part)
    // A call may have loaded it meanwhile.
    .then((module) => void (loaded.has(part) || add(part, module)))
    .catch((error: unknown) => Promise.reject(notLoaded(part, error)))
    .finally(() => requests.delete(part));
  requests.set(part, loading);
  return loading;
}

/** A part imports functions by places in the table. */
function add(part: number, module: WebAssembly.Module): void {
  const table = main.$t0 as WebAssembly.Table;
  const imports: WebAssembly.ModuleImports = { ...main } as WebAssembly.ModuleImports;
  for (const { kind, name } of WebAssembly.Module.imports(module))
    if (kind === "function") imports[name] = table.get(Number.parseInt(name, 36)) as WebAssembly.ImportValue;
  new WebAssembly.Instance(module, { m: imports });
  loaded.add(part);
}

function notLoaded(part: number, failure: unknown): PlanError {
  const error = policyError(failure);
  if (error instanceof PlanError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new PlanError("api/not-loaded", `the engine's part \`${NAMES[part]}\` was not loaded: ${reason}`);
}
