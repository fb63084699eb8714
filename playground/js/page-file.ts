/**
 * Addresses of the page's files: next to its scripts, or in `stepgraphFiles`, which `frame-boot.ts` sets for
 * `stepgraph/embed` and its workers.
 */

export interface MemoryFiles {
  /** Keyed by file name. */
  readonly urls: Record<string, string>;
  /** Resolves when later files are in `urls`. */
  readonly rest: Promise<unknown>;
}

declare global {
  var stepgraphFiles: MemoryFiles | undefined;
}

export function isFromMemory(): boolean {
  return globalThis.stepgraphFiles !== undefined;
}

/** `path` is relative to `base`. File names are unique. */
export function pageFile(path: string, base: string): URL {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return new URL(globalThis.stepgraphFiles?.urls[name] ?? path, base);
}

/** Chromium starts no module worker from memory at an opaque origin. */
export function workerType(): WorkerType {
  return isFromMemory() ? "classic" : "module";
}

export async function allFiles(): Promise<void> {
  await globalThis.stepgraphFiles?.rest;
}
