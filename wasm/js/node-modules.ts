/** Where the modules are in Node, Deno and Bun. */
import { createRequire } from "node:module";
import { setWireSource } from "./wire.js";

// `import` of `node:fs` would load all streams, which takes longer than all else here. `require` does not.
const { readFileSync } = createRequire(import.meta.url)("node:fs") as typeof import("node:fs");

setWireSource(() => readFileSync(new URL("../pkg/stepgraph_wire_bg.wasm", import.meta.url)));

/** Returns the bytes of the engine's module. */
export function readEngine(): Uint8Array<ArrayBuffer> {
  return readFileSync(new URL("../pkg/stepgraph_wasm_bg.wasm", import.meta.url));
}
