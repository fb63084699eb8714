/** Loads the module of MCP, signing in and models for the first client. */
import { assertStarted, wireSource } from "./engine.js";
import { PlanError } from "./errors.js";
import { policyError } from "./page-policy.js";

export type Wire = typeof import("../pkg/stepgraph_wire.js");

let loading: Promise<Wire> | undefined;

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
  const source = wireSource();
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
