/** Loads the module of MCP, signing in and models for the first client. */
import { assertStarted, type Source } from "./engine.js";
import { PlanError } from "./errors.js";
import { policyError } from "./page-policy.js";

export type Wire = typeof import("../pkg/stepgraph_wire.js");

let source: (() => Source) | undefined;
let loading: Promise<Wire> | undefined;

/** @internal */
export function setWireSource(from: () => Source): void {
  source = from;
}

/** @internal Loads once. After a failure, the next call tries again. */
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
  } catch (failure) {
    const error = policyError(failure);
    if (error instanceof PlanError) throw error;
    const reason = source === undefined ? "" : `: ${error instanceof Error ? error.message : String(error)}`;
    throw new PlanError(
      "api/not-loaded",
      `the module of MCP and models was not loaded${reason}; pass \`stepgraph/wire.wasm\` to \`init(engine, { wire })\``,
    );
  }
  return wire;
}
