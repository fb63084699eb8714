/** Loads the engine on the page's thread, once. */

import { allFiles, pageFile } from "../page-file.js";

/** The browser form of the package. */
export type Engine = typeof import("stepgraph/web");

let started: Promise<Engine> | null = null;

/** Retries after a failed load. */
export function engine(): Promise<Engine> {
  started ??= start().catch((error: unknown) => {
    started = null;
    throw error;
  });
  return started;
}

async function start(): Promise<Engine> {
  const module = await import("stepgraph/web");
  await allFiles();
  if ("init" in module)
    await module.init(pageFile("./stepgraph_wasm_bg.wasm", import.meta.url), {
      wire: pageFile("./stepgraph_wire_bg.wasm", import.meta.url),
    });
  return module;
}
