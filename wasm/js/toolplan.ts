/** Checks tool plans. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { assertStarted } from "./engine.js";
import { toolList } from "./function-tools.js";
import { assertKind, assertOptions, kindOfToolList } from "./options.js";
import { normalizeTools } from "./normalize-tools.js";
import type { Diagnostic, FunctionTools, ToolLike } from "./types.js";
import { strictJson } from "./strict-json.js";

/** Trusted values by parameter. */
export interface Trust {
  context?: Record<string, unknown> | undefined;
  /** Parameters from the context. Default: `["user_email"]`, or none without `context`. */
  trusted?: readonly string[] | undefined;
}

/**
 * Checks a tool plan, `{tool_calls: [{tool_name, parameters, reasoning}], …}`, as data or text, with each problem's
 * call in `target`.
 *
 * @example
 * const problems = checkToolPlan({ tool_calls: [{ tool_name: "weather", parameters: { city: 3 } }] }, await
 * client.list()); console.log(problems.map(({ code, message }) => `${code}: ${message}`));
 */
export function checkToolPlan(
  toolPlan: unknown,
  tools: readonly ToolLike[] | FunctionTools,
  trust: Trust = {},
): Diagnostic[] {
  assertStarted();
  assertKind("checkToolPlan", "tools", tools, kindOfToolList(tools));
  assertOptions("checkToolPlan", trust, { context: "map", trusted: "[]text" });
  const { context, trusted } = trust;
  const settings = { context, trusted: trusted ?? (context ? undefined : []) };
  const [plan, catalogue] = [
    strictJson("the tool plan", toolPlan),
    JSON.stringify(normalizeTools("checkToolPlan", toolList("checkToolPlan", tools))),
  ];
  const text = wasm.check_tool_plan(plan, catalogue, JSON.stringify(settings));
  return JSON.parse(text) as Diagnostic[];
}
