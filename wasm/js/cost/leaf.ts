/** Calls of one attempt of a node, and the usage of one call, at most. */
import { costOf, dearestInput, type Prices } from "../prices.js";
import { EXECUTOR_TYPES, LOCAL_TYPES, MODEL_TYPES, OLDER_TYPES } from "../node-types.js";
import { known, unbounded, unknown, ZERO } from "./figure.js";
import type { CostFigure } from "../cost-types.js";
import { type ModelNames, type PlannedModel, plannedModel, type RawNode } from "./plan-tree.js";

/** Defaults of agents and planners. */
const MAX_TURNS = 8;
const ATTEMPTS = 3;
/** Stages of the planner with own limits. */
const STAGE_TOKENS: Readonly<Record<string, number>> = {
  discovery: 512,
  parameter_discovery: 512,
  requirements_analysis: 512,
  component_browsing: 512,
  planning: 2_048,
  workflow_generator: 8_192,
  parameter_mapping: 512,
};

export interface Host {
  prices?: Prices | undefined;
  models?: ModelNames | undefined;
  /** The host's tools, if known. */
  tools: ReadonlySet<string> | null;
}

/** A node that calls a tool or a model. */
export interface Leaf {
  /** Present if the node calls one tool only. */
  tool?: string;
  model?: PlannedModel;
  /** Figures of one attempt. */
  toolCalls: CostFigure;
  modelTurns: CostFigure;
  /** Figures of one model call. */
  input: CostFigure;
  output: CostFigure;
  modelUsd: CostFigure;
  /** Figure of one tool call. */
  toolUsd: CostFigure;
}

const NO_MODEL = { modelTurns: ZERO, input: ZERO, output: ZERO, modelUsd: ZERO };

/** Null for nodes that call nothing. */
export function leafOf(node: RawNode, path: string, host: Host): Leaf | null {
  const { type } = node;
  if (OLDER_TYPES.has(type) && host.tools?.has(type)) return toolLeaf(type, host);
  if (MODEL_TYPES.has(type)) return modelLeaf(node, path, host);
  if (EXECUTOR_TYPES.has(type))
    return { ...NO_MODEL, toolCalls: plannedCalls(node, path), toolUsd: anyToolUsd(undefined, host) };
  if (type === "tool") return toolLeaf(node.tool ?? "", host);
  // The host's own type: a handler or a tool.
  return LOCAL_TYPES.has(type) || type === "approve" ? null : toolLeaf(type, host);
}

function toolLeaf(tool: string, { prices }: Host): Leaf {
  return { ...NO_MODEL, tool, toolCalls: known(1), toolUsd: known(toolPrice(tool, prices)) };
}

function toolPrice(tool: string, prices: Prices | undefined): number {
  const all = prices?.tools ?? {};
  // `shop.search` is `search` of `shop`.
  const plain = tool.slice(tool.indexOf(".") + 1);
  return [tool, plain].map((name) => (Object.hasOwn(all, name) ? all[name] : undefined)).find(isGiven) ?? 0;
}

function isGiven(price: number | undefined): price is number {
  return price !== undefined;
}

function anyToolUsd(named: unknown, { prices }: Host): CostFigure {
  const names = Array.isArray(named) ? named.map(String) : Object.keys(prices?.tools ?? {});
  return known(names.reduce((most, name) => Math.max(most, toolPrice(name, prices)), 0));
}

/** The run makes other lists. */
function plannedCalls({ input }: RawNode, path: string): CostFigure {
  const list = Array.isArray(input) ? input : (input as { tool_calls?: unknown } | null | undefined)?.tool_calls;
  return Array.isArray(list) ? known(list.length) : unbounded(`the number of planned calls of \`${path}\` is unknown`);
}

function modelLeaf(node: RawNode, path: string, host: Host): Leaf {
  const settings = node.with ?? {};
  const turns = turnsOf(node.type, settings);
  const perCall = callOf(node.type, settings, path, host);
  const calls = agentCalls(node.type, settings, turns, path);
  const toolUsd = calls.most === 0 ? ZERO : anyToolUsd(settings.tools, host);
  return { ...perCall, modelTurns: known(turns), toolCalls: calls, toolUsd };
}

function turnsOf(type: string, settings: Record<string, unknown>): number {
  const given = (key: string, own: number) => (typeof settings[key] === "number" ? settings[key] : own);
  if (type === "agent" || type === "react") return given("max_turns", MAX_TURNS);
  if (type === "llm" || type === "llm_call" || type === "workflow_generator") return 1;
  return given("attempts", ATTEMPTS);
}

/** The last turn makes no calls. */
function agentCalls(type: string, { tools }: Record<string, unknown>, turns: number, path: string): CostFigure {
  const hasTools = !(Array.isArray(tools) && tools.length === 0);
  if (type !== "agent" || turns < 2 || !hasTools) return ZERO;
  return unbounded(`a reply to \`${path}\` may ask for any number of calls`);
}

function callOf(
  type: string,
  settings: Record<string, unknown>,
  path: string,
  host: Host,
): Pick<Leaf, "model" | "input" | "output" | "modelUsd"> {
  const { model: named, max_tokens } = settings;
  if (typeof named === "string" && named.includes("${")) {
    const why = unknown(`the model of \`${path}\` is a template`);
    return { input: why, output: outputOf(max_tokens, type, undefined, path), modelUsd: why };
  }
  const model = plannedModel(typeof named === "string" ? named : null, host.models, host.prices);
  const { price, label } = model;
  const output = outputOf(max_tokens, type, price?.max_output, path);
  if (price === null) {
    const why = unknown(`there is no price for the model \`${label}\``);
    return { model, input: why, output, modelUsd: why };
  }
  const { context } = price;
  const input = context === undefined ? unknown(`the price of \`${label}\` has no \`context\``) : known(context);
  return { model, input, output, modelUsd: callUsd(input, output, price) };
}

function outputOf(max: unknown, type: string, most: number | undefined, path: string): CostFigure {
  if (typeof max === "number") return known(max);
  const own = Object.hasOwn(STAGE_TOKENS, type) ? STAGE_TOKENS[type] : most;
  return own === undefined ? unknown(`\`max_tokens\` of \`${path}\` is not set`) : known(own);
}

/** Every input token may be of the dearest kind. */
function callUsd(input: CostFigure, output: CostFigure, price: NonNullable<PlannedModel["price"]>): CostFigure {
  const dearest = dearestInput(price);
  if (dearest > 0 && input.most === null) return input;
  if (price.output > 0 && output.most === null) return output;
  const usage = { input: input.most ?? 0, output: output.most ?? 0, cached_input: 0 };
  return known(costOf(usage, { input: dearest, output: price.output }) / 1e6);
}
