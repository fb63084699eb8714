/**
 * What a plan needs, beside what is connected.
 *
 * Decides by what servers say of their tools; where they are silent the worst is taken.
 */
import type { Effect, Review } from "stepgraph/web";
import { type Connections, isKnown } from "./connections.js";
import { engine } from "./engine.js";

/** A tool that a plan calls: whose it is, if anybody's here, and what it may do. */
export interface NeededTool { name: string; server: string | null; effect: Effect; openWorld: boolean; nodes: string[] }

/** What a plan needs. `servers` are those that it names itself, by address. */
export interface Needs {
  tools: NeededTool[];
  /** Any tool there is: the plan lets a model choose. */
  any: boolean;
  models: { name: string; there: boolean }[];
  people: string[];
  handlers: { type: string; there: boolean }[];
  servers: { name: string; url: string; connected: boolean }[];
  bounds: Review["bounds"];
  /** What is not there. */
  missing: string[];
}

/** What the plan of a text needs; null where it can't be read. */
export async function needs(text: string, connections: Connections): Promise<Needs | null> {
  const { PlanGraph, review } = await engine();
  const { graph } = PlanGraph.parse(text);
  if (graph === null) return null;
  const tools = connections.tools();
  const names = new Set(connections.modelNames());
  const { servers: rows } = connections.shown();
  const found = review(graph, { tools });
  const open = review(graph);
  const of = (name: string) => tools.find((tool) => tool.name === name || `${tool.server}.${tool.name}` === name)?.server ?? null;
  const any = open.tools.some(({ name }) => name === "*");
  const named = new Set(open.tools.map(({ name }) => name));
  const shown = any ? found.tools.filter(({ name }) => named.has(name) || of(name) === null) : found.tools;
  const needed = shown.map(({ name, nodes, effect, openWorld }) => ({ name, server: of(name), effect, openWorld, nodes }));
  const written = (graph.toJSON() as { servers?: Record<string, { url?: unknown }> }).servers ?? {};
  const servers = Object.entries(written).map(([name, one]) => ({ name, url: String(one?.url ?? ""), connected: rows.some((row) => isKnown(row) && (row.name === name || row.url === one?.url)) }));
  const models = found.models.map(({ name }) => ({ name, there: names.has(name) || names.has("default") && name === "default" }));
  const handlers = found.handlers.map(({ type }) => ({ type, there: false }));
  const missing = [...needed.filter(({ server }) => server === null).map(({ name }) => name), ...models.filter(({ there }) => !there).map(({ name }) => name), ...handlers.map(({ type }) => type)];
  graph.free();
  return { tools: needed, any, models, people: found.people, handlers, servers, bounds: found.bounds, missing };
}
