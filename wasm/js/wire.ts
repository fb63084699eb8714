/** Loads the module of the wire protocols: MCP, signing in, models. The first client needs it. */
import { assertStarted, type Source } from "./engine.js";
import { PlanError } from "./errors.js";

/** The glue of the module. */
export type Wire = typeof import("../pkg/stepgraph_wire.js");

let source: (() => Source) | undefined;
let loading: Promise<Wire> | undefined;

/** @internal Each platform's entry calls it. */
export function setWireSource(from: () => Source): void {
  source = from;
}

/** @internal Loads the module once. After a failure, the next call tries again. */
export function loadWire(): Promise<Wire> {
  assertStarted();
  return (loading ??= start().catch((error: unknown) => {
    loading = undefined;
    throw error;
  }));
}

async function start(): Promise<Wire> {
  const wire = await import("../pkg/stepgraph_wire.js");
  try {
    if (source === undefined) throw new Error("no source");
    await wire.default({ module_or_path: source() as Parameters<Wire["initSync"]>[0] });
  } catch (error) {
    const reason = source === undefined ? "" : `: ${error instanceof Error ? error.message : String(error)}`;
    throw new PlanError(
      "api/not-loaded",
      `the module of MCP and models was not loaded${reason}; pass \`stepgraph/wire.wasm\` to \`init(engine, { wire })\``,
    );
  }
  return wire;
}
