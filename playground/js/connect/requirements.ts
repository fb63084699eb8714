/**
 * The requirements of a plan, met and missing.
 *
 * A tool without annotations is `unknown`. Invariant: an item stubbed at each use is never missing, because stubs take
 * precedence (`docs/stubs.md`).
 */
import type { CostBound, Effect, PlanGraph, Review } from "stepgraph/web";
import type { Connections } from "./connections.js";
import { isKnown } from "./server.js";
import { type Engine, engine } from "./engine.js";
import { joinPath } from "../run/node-paths.js";

/** `server` is null without a connected one. */
export interface RequiredTool {
  name: string;
  server: string | null;
  effect: Effect;
  openWorld: boolean;
  nodes: string[];
  hasStub: boolean;
}

/** `servers` are the plan's. If `hasStub` is set, runs never call it. */
export interface PlanRequirements {
  tools: RequiredTool[];
  /** A model may choose any tool. */
  any: boolean;
  models: { name: string; isConnected: boolean; hasStub: boolean }[];
  people: string[];
  handlers: { type: string; isConnected: boolean; hasStub: boolean }[];
  servers: { name: string; url: string; isConnected: boolean; hasStub: boolean }[];
  bounds: Review["bounds"];
  /** The maximum at example prices. Null for invalid plans. */
  cost: CostBound | null;
  missing: string[];
}

/** Null if the plan can't be parsed. */
export async function requirementsOf(
  text: string,
  connections: Connections,
  stubs = "",
): Promise<PlanRequirements | null> {
  const module = await engine();
  const { graph } = module.PlanGraph.parse(text);
  if (graph === null) return null;
  const tools = connections.tools();
  const names = new Set(connections.modelNames());
  const { servers: rows } = connections.view();
  const coverage = stubCoverage(module, graph, stubs);
  const found = module.review(graph, { tools });
  const open = module.review(graph);
  const of = (name: string) =>
    tools.find((tool) => tool.name === name || `${tool.server}.${tool.name}` === name)?.server ?? null;
  const chosen = open.tools.find(({ name }) => name === "*");
  const any = chosen !== undefined && !coverage.every(chosen.nodes);
  const named = new Set(open.tools.map(({ name }) => name));
  const shown = chosen ? found.tools.filter(({ name }) => named.has(name) || of(name) === null) : found.tools;
  const needed = shown.map(({ name, nodes, effect, openWorld }) => ({
    name,
    server: of(name),
    effect,
    openWorld,
    nodes,
    hasStub: coverage.tool(name, nodes),
  }));
  const models = found.models.map(({ name, nodes }) => ({
    name,
    isConnected: names.has(name) || (names.has("default") && name === "default"),
    hasStub: coverage.model(name, nodes),
  }));
  const handlers = found.handlers.map(({ type, nodes }) => ({
    type,
    isConnected: false,
    hasStub: coverage.every(nodes),
  }));
  const missingTools = needed.filter(({ server, hasStub }) => server === null && !hasStub);
  // Runs skip the plan's servers if everything is covered.
  const unasked = !any && missingTools.length === 0 && needed.some(({ hasStub }) => hasStub);
  const written = (graph.toJSON() as { servers?: Record<string, { url?: unknown }> }).servers ?? {};
  const servers = Object.entries(written).map(([name, one]) => ({
    name,
    url: String(one?.url ?? ""),
    isConnected: rows.some((row) => isKnown(row) && (row.name === name || row.url === one?.url)),
    hasStub: unasked,
  }));
  const missing = [
    ...missingTools.map(({ name }) => name),
    ...models.filter(({ isConnected, hasStub }) => !isConnected && !hasStub).map(({ name }) => name),
    ...handlers.filter(({ hasStub }) => !hasStub).map(({ type }) => type),
  ];
  const cost = graph.valid ? costBound(module, graph, connections) : null;
  graph.free();
  return { tools: needed, any, models, people: found.people, handlers, servers, bounds: found.bounds, cost, missing };
}

function costBound({ estimateCost, examplePrices }: Engine, graph: PlanGraph, connections: Connections): CostBound {
  const rows = connections.view().models.map(({ name, provider, model }) => [name, `${provider}:${model}`]);
  const models = Object.fromEntries(rows) as Record<string, string>;
  return estimateCost(graph, { prices: examplePrices, models }).total.bound;
}

interface StubCoverage {
  /** Takes ids or types. */
  every(nodes: readonly string[]): boolean;
  tool(name: string, nodes: readonly string[]): boolean;
  model(name: string, nodes: readonly string[]): boolean;
}

/** A file with errors covers nothing. */
function stubCoverage({ readYaml }: Engine, graph: PlanGraph, stubs: string): StubCoverage {
  const { value, diagnostics } = readYaml(stubs.trim() === "" ? "{}" : stubs);
  const groups = (diagnostics.some(({ severity }) => severity === "error") ? {} : Object(value)) as Record<
    string,
    unknown
  >;
  const [ids, types, tools, models] = ["nodes", "types", "tools", "models"].map(
    (group) => new Set(Object.keys(Object(groups[group]) as object)),
  );
  const own = new Set(
    graph.nodes
      .filter(({ id, key, type, scope = "" }) => ids!.has(joinPath(scope, key)) || ids!.has(id) || types!.has(type))
      .map(({ id, scope = "" }) => joinPath(scope, id)),
  );
  const haveStubs = (nodes: readonly string[]) => nodes.length > 0 && nodes.every((node) => own.has(node));
  return {
    every: haveStubs,
    tool: (name, nodes) => tools!.has(name) || haveStubs(nodes),
    model: (name, nodes) => models!.has(name) || models!.has("default") || haveStubs(nodes),
  };
}
