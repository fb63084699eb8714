/** The modules' files in Node, Deno and Bun. */
import { setWireSource } from "./engine.js";
import { readModule } from "./module-files.js";
import { engineParts } from "./parts.js";

/** From part 1. Tools that collect files look for addresses of this form. */
const PARTS = [
  () => new URL("../pkg/stepgraph_open_calls.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_calls.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_common.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_plans.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_agents.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_history.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_mistakes.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_hints.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_language.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_planners.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_rest.wasm", import.meta.url),
];

const WIRE_PARTS = [
  () => new URL("../pkg/stepgraph_wire_providers.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_wire_auth.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_wire_rest.wasm", import.meta.url),
];

const read = (address: () => URL) => readModule(address, import.meta.url);

engineParts.setSource({ read: (part) => read(PARTS[part - 1]!) });
setWireSource({
  main: () => read(() => new URL("../pkg/stepgraph_wire_first.wasm", import.meta.url)),
  parts: { read: (part) => read(WIRE_PARTS[part - 1]!) },
});

export function readEngine(): Uint8Array<ArrayBuffer> {
  return read(() => new URL("../pkg/stepgraph_first.wasm", import.meta.url));
}
