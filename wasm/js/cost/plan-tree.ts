/** The data of a plan that its cost depends on. */
import { priceNames, findPrice, type ModelPrice, type Prices } from "../prices.js";
import type { Model } from "../model-types.js";

export interface RawNode {
  type: string;
  id?: string;
  tool?: string;
  input?: unknown;
  with?: Record<string, unknown>;
  visits?: number;
  retry?: { attempts?: number } | null;
  graph?: RawGraph;
  do?: RawGraph;
  branches?: Record<string, RawGraph>;
}

export interface RawGraph {
  start?: string;
  nodes: Record<string, RawNode>;
  edges?: { from: string; to: string }[];
}

export interface RawPlan extends RawGraph {
  limits?: Record<string, number | null> | null;
  inputs?: Record<string, unknown> | null;
}

/** A graph inside a node. */
export interface Child {
  graph: RawGraph;
  branch: string | null;
}

export function childrenOf(node: RawNode): Child[] {
  if (node.type === "graph" && node.graph) return [{ graph: node.graph, branch: null }];
  if (node.type === "map" && node.do) return [{ graph: node.do, branch: null }];
  if (node.type !== "parallel") return [];
  return Object.entries(node.branches ?? {}).map(([branch, graph]) => ({ graph, branch }));
}

export function idOf(key: string, node: RawNode): string {
  return node.id ?? key;
}

/** Keyed by the plan's names: clients, or names such as `anthropic:claude-sonnet-4-5`. */
export type ModelNames = Readonly<Record<string, Model | string>>;

export interface PlannedModel {
  label: string;
  price: ModelPrice | null;
}

/** As in a run, unknown names mean the default model. */
export function plannedModel(
  named: string | null,
  models: ModelNames | undefined,
  prices: Prices | undefined,
): PlannedModel {
  const key = named !== null && models !== undefined && Object.hasOwn(models, named) ? named : "default";
  const host = models !== undefined && Object.hasOwn(models, key) ? models[key] : undefined;
  const names = host === undefined ? [named ?? "default"] : namesOf(host, key, named);
  return { label: names[0]!, price: findPrice(prices?.models, names) };
}

function namesOf(host: Model | string, key: string, named: string | null): string[] {
  const { provider, name } = nameOf(host, key);
  const asked = named === null || named === key ? name : named;
  return [...priceNames({ provider, name: asked }), ...(asked === name ? [key] : [])];
}

function nameOf(host: Model | string, key: string): { provider?: string | undefined; name: string } {
  if (typeof host === "function") return { name: key };
  if (typeof host !== "string") return { provider: host.provider, name: host.name };
  const [, provider, name] = /^([a-z-]+):(.+)$/s.exec(host) ?? [];
  return name === undefined
    ? { name: host }
    : { provider: provider === "openai-responses" ? "openai" : provider, name };
}
