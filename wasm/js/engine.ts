/** Loads the WebAssembly module. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { ownModule, starterOf } from "./compile-module.js";
import { PlanError } from "./errors.js";
import { engineParts, type PartSource } from "./parts.js";

/** A `WebAssembly.Module`, or any object without its type library. */
export type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer M } } } ? M : {};

/** Bytes of a WebAssembly module. */
export type ModuleBytes = ArrayBuffer | ArrayBufferView;

/** A source of the WebAssembly module. */
export type Source =
  | string
  | URL
  | Request
  | Response
  | PromiseLike<Response>
  | ModuleBytes
  | (CompiledModule & object);

/** Modules that load when first needed. */
export interface MoreModules<Source> {
  /** MCP, signing in and models: `stepgraph/wire.wasm`. */
  wire?: Source;
}

/** @internal Where the wire's module comes from. */
export interface WireSource {
  /** Its first part, or all of it. */
  main: () => Source;
  /** The other parts. */
  parts?: PartSource;
}

let fromWire: WireSource | undefined;

/** @internal */
export function setWireSource(source: WireSource): void {
  fromWire = source;
}

/** @internal */
export function wireSource(): WireSource | undefined {
  return fromWire;
}

let memory: WebAssembly.Memory | undefined;
let heap = new Int32Array(0);

/** @internal */
export function startSync(module: ModuleBytes | CompiledModule): void {
  if (memory !== undefined) return;
  const exports = wasm.initSync({ module: ownModule(module, "wasm") });
  memory = exports.memory;
  engineParts.start(exports);
}

/** @internal */
export const start = /* @__PURE__ */ starterOf("the module of `stepgraph`", () => memory !== undefined, startSync);

/**
 * @internal A call of the engine. JavaScript's stack may end in it, or a getter of the host may throw. The engine's
 * frames that this leaves must give their stack back, or it would be full after some such calls.
 */
export function inEngine<T>(work: () => T): T {
  const pointer = engineParts.stackPointer;
  const top: unknown = pointer?.value;
  try {
    return work();
  } catch (error) {
    if (pointer !== undefined) pointer.value = top;
    throw engineError(error);
  }
}

/** @internal Gives a trap a code. Later calls do not depend on its state. */
export function engineError(error: unknown): unknown {
  const { name, message } = (error ?? {}) as Partial<Error>;
  // Firefox has an `InternalError` "too much recursion". V8 ends the process if a pattern is compiled on a full stack.
  const isFull = name === "InternalError" || (name === "RangeError" && String(message).includes("call stack"));
  if (name !== "RuntimeError" && !isFull) return error;
  engineParts.restoreStackLater();
  const what = isFull ? "stack" : "memory";
  return new PlanError(
    "api/engine-failed",
    `the engine stopped, most likely because it ran out of ${what}: ${message}`,
  );
}

const UNUSABLE: ReadonlySet<string> = new Set(["api/not-loaded", "api/blocked-by-policy", "api/engine-failed"]);

/** @internal Whether a call ended in the middle of its work, so that its object can't be used again. */
export function isUnusable(error: unknown): error is PlanError {
  return error instanceof PlanError && UNUSABLE.has(error.code);
}

/** @internal Ignores trapped objects, which cannot be freed. */
export function release(part: { free(): void }): void {
  try {
    part.free();
  } catch {
    // Still in use.
  }
}

/** @internal */
export function assertStarted(): void {
  if (memory === undefined) throw new PlanError("api/not-started", "the engine was not started: await `init()` first");
}

/** @internal Growth detaches the view, whose length becomes 0. */
export function words(): Int32Array {
  if (heap.length === 0) heap = new Int32Array(memory!.buffer);
  return heap;
}

/** In words: 16 MB. */
const MAX_GROWTH = 4 * 1024 * 1024;
let grownTo = MAX_GROWTH;

/** @internal Only the event loop frees collected plans, so runs yield to it after much growth. */
export function hasGrown(): boolean {
  const size = words().length;
  if (size < grownTo) return false;
  grownTo = size + MAX_GROWTH;
  return true;
}

/** @internal Words that a run left, from `start` to `end`. */
export interface CopiedWords {
  readonly words: Int32Array;
  readonly start: number;
  readonly end: number;
}

/** In words: 16 kB, which a kept report keeps alive. */
const BLOCK = 4 * 1024;
let block = new Int32Array(0);
let used = 0;

/** @internal An array of its own costs as much as several nodes, most of it for the garbage collector. */
export function copyWords(address: number, length: number): CopiedWords {
  const from = address >>> 2;
  const heap = words();
  if (length > BLOCK / 4) return { words: heap.slice(from, from + length), start: 0, end: length };
  if (used + length > block.length) {
    block = new Int32Array(BLOCK);
    used = 0;
  }
  const start = used;
  used += length;
  block.set(heap.subarray(from, from + length), start);
  return { words: block, start, end: used };
}
