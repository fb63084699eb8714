/** The engine on the page's own thread, loaded when the first thing is connected and started once. */

/** The package, as browsers have it. */
export type Engine = typeof import("stepgraph/web");

let started: Promise<Engine> | null = null;

/** The engine. One that could not be loaded is tried again by who asks next. */
export function engine(): Promise<Engine> {
  started ??= start().catch((error: unknown) => {
    started = null;
    throw error;
  });
  return started;
}

async function start(): Promise<Engine> {
  const module = await import("stepgraph/web");
  if ("init" in module) await module.init(new URL("./stepgraph_wasm_bg.wasm", import.meta.url));
  return module;
}
