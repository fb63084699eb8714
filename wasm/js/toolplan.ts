/** Tool plans: what a model has planned to call, judged before anything is called. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { assertStarted } from "./engine.js";
import { assertKind, assertOptions } from "./options.js";
import { normalizeTools } from "./normalize-tools.js";
import type { Diagnostic, ToolLike } from "./types.js";

/** Which parameters a model must not fill, and what stands in for them. */
export interface Trust {
  /** The run's trusted values. */
  context?: Record<string, unknown> | undefined;
  /**
   * The names of the parameters that are filled from them; `["user_email"]` unless given, and none where there is no
   * `context` either.
   */
  trusted?: readonly string[] | undefined;
}

/**
 * What is wrong with a tool plan, `{tool_calls: [{tool_name, parameters, reasoning}], …}` as data or as a model wrote
 * it: tools that are not there, parameters that are missing, unknown or of the wrong kind, references that lead
 * nowhere, trusted values that the run lacks. All at once, each with the call it belongs to in `target`. A plan alone,
 * without the run it is for, has no trusted parameters.
 *
 * @example
 * const problems = checkToolPlan({ tool_calls: [{ tool_name: "weather", parameters: { city: 3 } }] }, await
 * client.list()); console.log(problems.map(({ code, message }) => `${code}: ${message}`));
 */
export function checkToolPlan(toolPlan: unknown, tools: readonly ToolLike[], trust: Trust = {}): Diagnostic[] {
  assertStarted();
  assertKind("checkToolPlan", "tools", tools, "[]map");
  assertOptions("checkToolPlan", trust, { context: "map", trusted: "[]text" });
  const { context, trusted } = trust;
  const settings = { context, trusted: trusted ?? (context ? undefined : []) };
  const [plan, catalogue] = [
    JSON.stringify(toolPlan) ?? "null",
    JSON.stringify(normalizeTools("checkToolPlan", tools)),
  ];
  const text = wasm.check_tool_plan(plan, catalogue, JSON.stringify(settings));
  return JSON.parse(text) as Diagnostic[];
}
