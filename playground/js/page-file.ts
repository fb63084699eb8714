/**
 * Addresses of the page's files.
 *
 * The page usually comes from a server, and its files are next to its scripts. In the frame of `stepgraph/embed` it
 * comes from memory: `frame-boot.ts` sets `stepgraphFiles`, in the frame and in its workers.
 */

export interface MemoryFiles {
  /** Addresses by file name. */
  readonly urls: Record<string, string>;
  /** Resolves when `urls` has the files that a page needs only later. */
  readonly rest: Promise<unknown>;
}

declare global {
  var stepgraphFiles: MemoryFiles | undefined;
}

export function isFromMemory(): boolean {
  return globalThis.stepgraphFiles !== undefined;
}

/** Returns the address of `path`, which is relative to `base`. File names are unique. */
export function pageFile(path: string, base: string): URL {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return new URL(globalThis.stepgraphFiles?.urls[name] ?? path, base);
}

/** Chromium starts no module worker from memory in a frame with an opaque origin. */
export function workerType(): WorkerType {
  return isFromMemory() ? "classic" : "module";
}

/** Resolves when all files have an address. */
export async function allFiles(): Promise<void> {
  await globalThis.stepgraphFiles?.rest;
}
