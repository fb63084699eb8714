/** The WebAssembly module: loading it, and reading the numbers it leaves in memory. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { PlanError } from "./errors.js";

/** A compiled `WebAssembly.Module`; where the types at hand know of none, as Node's alone do, anything will do. */
export type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer M } } } ? M : {};

/** The bytes of the module. */
export type ModuleBytes = ArrayBuffer | ArrayBufferView;

/** What the browser entries accept: an address, a response, the bytes, or a module compiled before. */
export type Source =
  | string
  | URL
  | Request
  | Response
  | PromiseLike<Response>
  | ModuleBytes
  | (CompiledModule & object);

let memory: WebAssembly.Memory | undefined;
let heap = new Int32Array(0);

/** @internal Starts the engine at once, from bytes or a compiled module. */
export function startSync(module: ModuleBytes | CompiledModule): void {
  if (memory === undefined) memory = wasm.initSync({ module: module as wasm.SyncInitInput }).memory;
}

/**
 * @internal Starts the engine from wherever the module is. The glue sees to it that several starts at a time are one.
 */
export async function start(source: Source): Promise<void> {
  if (memory === undefined) memory = (await wasm.default({ module_or_path: source as wasm.InitInput })).memory;
}

/**
 * @internal What is thrown when the engine stops in the middle of something, as an error with a code. Anything else is
 * as it was. What the engine does later does not go by what it left.
 */
export function engineError(error: unknown): unknown {
  if ((error as { name?: unknown } | null)?.name !== "RuntimeError") return error;
  const { message } = error as Error;
  return new PlanError("api/engine-failed", `the engine stopped, most likely for want of memory: ${message}`);
}

/** @internal Gives a part of the engine back. One in which the engine stopped stays: why it did tells more. */
export function release(part: { free(): void }): void {
  try {
    part.free();
  } catch {
    // It is still in use.
  }
}

/** @internal Refuses to go on without an engine. */
export function assertStarted(): void {
  if (memory === undefined) throw new PlanError("api/not-started", "the engine was not started: await `init()` first");
}

/**
 * @internal The engine's memory as words. A view that memory has outgrown is empty, which tells that a new one is due.
 */
export function words(): Int32Array {
  if (heap.length === 0) heap = new Int32Array(memory!.buffer);
  return heap;
}

/** @internal A copy of words, by their address. */
export function copyWords(address: number, length: number): Int32Array {
  return words().slice(address >>> 2, (address >>> 2) + length);
}
