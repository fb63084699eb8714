/** The modules' files in Node, Deno and Bun. */
import { createRequire } from "node:module";
import { PlanError } from "./errors.js";
import { setPartSource } from "./parts.js";
import { setWireSource } from "./wire.js";

// `import` of `node:fs` would slowly load all streams.
const { readFileSync } = createRequire(import.meta.url)("node:fs") as typeof import("node:fs");

/** Parts from part 1. Tools that collect files look for addresses of this form. */
const PARTS = [
  () => new URL("../pkg/stepgraph_calls.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_mistakes.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_language.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_planners.wasm", import.meta.url),
  () => new URL("../pkg/stepgraph_rest.wasm", import.meta.url),
];

setPartSource({ read: (part) => readModule(PARTS[part - 1]!()) });
setWireSource(() => readModule(new URL("../pkg/stepgraph_wire_bg.wasm", import.meta.url)));

export function readEngine(): Uint8Array<ArrayBuffer> {
  return readModule(new URL("../pkg/stepgraph_first.wasm", import.meta.url));
}

/** Turbopack replaces the address by one without a protocol. */
function readModule(address: URL): Uint8Array<ArrayBuffer> {
  if (address.protocol !== "") return readFileSync(address);
  throw new PlanError(
    "api/bundled",
    "the bundler moved the files of `stepgraph`: keep the package out of the server's bundle, in Next with " +
      '`serverExternalPackages: ["stepgraph"]`',
  );
}
