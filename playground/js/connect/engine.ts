/** The engine on the page's own thread. It is loaded once, at first use. */

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
  if ("init" in module)
    await module.init(new URL("./stepgraph_wasm_bg.wasm", import.meta.url), {
      wire: new URL("./stepgraph_wire_bg.wasm", import.meta.url),
    });
  return module;
}
