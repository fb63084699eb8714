/** The modules' files in Node, Deno and Bun. */
import { createRequire } from "node:module";
import { PART_FILES, setPartSource } from "./parts.js";
import { setWireSource } from "./wire.js";

// `import` of `node:fs` would load all streams, which takes longer than all else here. `require` does not.
const { readFileSync } = createRequire(import.meta.url)("node:fs") as typeof import("node:fs");

const read = (name: string) => readFileSync(new URL(`../pkg/${name}`, import.meta.url));

setPartSource({ read: (part) => read(PART_FILES[part]!) });
setWireSource(() => read("stepgraph_wire_bg.wasm"));

/** Returns the bytes of the engine's first module. */
export function readEngine(): Uint8Array<ArrayBuffer> {
  return read(PART_FILES[0]);
}
