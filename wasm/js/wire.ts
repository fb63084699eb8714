/** Loads the module of MCP, signing in and models for the first client. */
import { compileModule, ownModule } from "./compile-module.js";
import { assertStarted, wireSource } from "./engine.js";
import { PlanError } from "./errors.js";
import { glueError } from "./glue-error.js";
import { policyError } from "./page-policy.js";
import { Parts } from "./parts.js";
import { retrying } from "./script-loader.js";

export type Wire = typeof import("./wire-module.js");

/** Models of other formats than OpenAI's chat. */
export const PROVIDERS = 1;
/** Access tokens. */
export const AUTH = 2;
/** Anything but tools. */
export const REST = 3;

const parts = /* @__PURE__ */ new Parts("the wire's", ["providers", "auth", "rest"]);

let loading: Promise<Wire> | undefined;

const loadScript = /* @__PURE__ */ retrying<Wire>(
  "McpSession",
  () => import("./wire-module.js"),
  (path) => import(/* webpackIgnore: true */ `${path}`) as Promise<Wire>,
);

/** @internal Loads once, with the wanted parts. After a failure, the next call tries again. */
export async function loadWire(wanted: readonly number[] = []): Promise<Wire> {
  assertStarted();
  const wire = await (loading ??= start().catch((error: unknown) => {
    loading = undefined;
    throw error;
  }));
  await parts.preload(() => wanted);
  return wire;
}

async function start(): Promise<Wire> {
  const source = wireSource();
  let wire: Wire;
  try {
    wire = await loadScript();
    if (source === undefined) throw new Error("no source");
    parts.setSource(source.parts);
    wire.setHost({ load: (part) => parts.load(part), error: glueError });
    parts.start(wire.initSync({ module: ownModule(await compileModule(source.main()), "wire") }));
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
