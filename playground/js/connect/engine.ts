/** The engine on the page's own thread. It is loaded once, at first use. */

import { allFiles, pageFile } from "../page-file.js";

/** The npm package, in its form for browsers. */
export type Engine = typeof import("stepgraph/web");

let started: Promise<Engine> | null = null;

/** Returns the engine. After a failed load the next call tries again. */
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
