/** The entry for browsers. Call `await init()` first. */
import { type MoreModules, setWireSource, start, type Source } from "./engine.js";
import { assertOptions } from "./options.js";
import { engineParts } from "./parts.js";
import { packageModule } from "./package-module.js";
import { hasSyncRequests, urlSource } from "./part-requests.js";
import { retriedUrl } from "./retried-url.js";

export type { CompiledModule, ModuleBytes, MoreModules, Source } from "./engine.js";
export * from "./index.js";

let more: MoreModules<Source> = {};
const firstModule = packageModule(
  () => new URL("../pkg/stepgraph_first.wasm", import.meta.url),
  "If your bundler does not copy the file, import `stepgraph/standalone`, or pass `stepgraph/engine.wasm` to `init`.",
);
const firstOfWire = retriedUrl(() => new URL("../pkg/stepgraph_wire_first.wasm", import.meta.url));

/**
 * Starts the engine. Its other parts load when needed.
 *
 * `source` replaces the first module, such as by the whole engine `stepgraph/engine.wasm`. `modules` are addresses
 * outside the package's folder.
 *
 * @example
 * await init();
 * @example
 * await init("/assets/stepgraph_wasm_bg.wasm", { wire: "/assets/stepgraph_wire_bg.wasm" });
 */
export function init(source?: Source, modules: MoreModules<Source> = {}): Promise<void> {
  assertOptions("init", modules, { wire: "any" });
  more = { ...more, ...modules };
  // Bundlers look for addresses of this form.
  setWireSource({
    main: () =>
      more.wire ?? (hasSyncRequests() ? firstOfWire() : new URL("../pkg/stepgraph_wire_bg.wasm", import.meta.url)),
    parts: urlSource([
      () => new URL("../pkg/stepgraph_wire_providers.wasm", import.meta.url),
      () => new URL("../pkg/stepgraph_wire_auth.wasm", import.meta.url),
      () => new URL("../pkg/stepgraph_wire_rest.wasm", import.meta.url),
    ]),
  });
  engineParts.setSource(
    urlSource([
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
    ]),
  );
  return start(source ?? firstModule);
}
