/** The modules' files in Node, Deno and Bun. */
import { setWireSource } from "./engine.js";
import { readModule } from "./module-files.js";
import { setPartSource } from "./parts.js";

/** Parts from part 1. Tools that collect files look for addresses of this form. */
const PARTS = [
  () => new URL("../pkg/stepgraph_calls.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_mistakes.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_language.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_planners.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_rest.wasm", import.meta.url),
];

const read = (address: () => URL) => readModule(address, import.meta.url);

setPartSource({ read: (part) => read(PARTS[part - 1]!) });
setWireSource(() => read(() => new URL("../pkg/stepgraph_wire_bg.wasm", import.meta.url)));

export function readEngine(): Uint8Array<ArrayBuffer> {
  return read(() => new URL("../pkg/stepgraph_first.wasm", import.meta.url));
}
