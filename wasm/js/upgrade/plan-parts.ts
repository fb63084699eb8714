/** The parts that a run depends on, as texts that are equal if they mean the same. */
import { isMap } from "../guards.js";
import { sortedText } from "../value-hash.js";

type Json = Record<string, unknown>;

export interface GraphParts {
  node(key: string): string | undefined;
  /** In order. */
  edges(from: string): EdgePart[];
  /** A key besides nodes and edges. */
  header(key: string): string | undefined;
  headers(): string[];
  /** If known. */
  json: Json | null;
}

/** `to` is numbered if several edges lead there. */
export interface EdgePart {
  to: string;
  meaning: string;
}

/** The parts are hashes. */
export function fingerprintParts(parts: string): GraphParts {
  const lines = parts.split("\n").filter((line) => line !== "");
  const named = lines.map((line): [string, string] => {
    const at = line.indexOf(" ");
    return [line.slice(at + 1), line.slice(0, at)];
  });
  const byName = new Map(named);
  const keys = named.flatMap(([name]) => /^`(.*)`$/.exec(name)?.[1] ?? []);
  return {
    node: (key) => byName.get(`node \`${oneLine(key)}\``),
    edges: (from) => {
      const start = `edge \`${oneLine(from)}\` → `;
      const own = named.filter(([name]) => name.startsWith(start));
      return own.map(([name, meaning]) => ({ to: name.slice(start.length), meaning }));
    },
    header: (key) => byName.get(`\`${key}\``),
    headers: () => keys,
    json: null,
  };
}

/** As far as fingerprints tell. */
export function hasSameStart(old: string, now: string): boolean {
  const [then, today] = [fingerprintParts(old), fingerprintParts(now)];
  const start = then.header("start");
  if (start !== today.header("start")) return false;
  // If `start` is missing, it is the only node without an incoming edge.
  const [first, ...more] = unenteredNodes(old);
  const [other] = unenteredNodes(now);
  return start !== undefined || (more.length === 0 && first !== undefined && first === other);
}

function unenteredNodes(parts: string): string[] {
  const names = parts.split("\n").map((line) => line.slice(line.indexOf(" ") + 1));
  const targets = new Set(names.flatMap((name) => /^edge .* → (`.*`)(?: \(\d+\))?$/.exec(name)?.[1] ?? []));
  return names.flatMap((name) => /^node (`.*`)$/.exec(name)?.[1] ?? []).filter((node) => !targets.has(node));
}

/** A fingerprint has one line per part. */
function oneLine(name: string): string {
  return name.replace(/[\n\r]/g, " ");
}

/** Descriptions, layout and tests mean nothing to a run. */
export function graphParts(json: Json): GraphParts {
  const nodes = mapOf(json.nodes);
  const all = Array.isArray(json.edges) ? (json.edges as unknown[]).filter(isMap) : [];
  return {
    node: (key) => (Object.hasOwn(nodes, key) ? sortedText(withoutProse(nodes[key])) : undefined),
    edges: (from) => {
      const own = all.map((edge) => edge as Json).filter((edge) => edge.from === from);
      const seen = new Map<string, number>();
      return own.map((edge) => {
        const name = `\`${String(edge.to)}\``;
        const times = (seen.get(name) ?? 0) + 1;
        seen.set(name, times);
        return { to: times > 1 ? `${name} (${times})` : name, meaning: sortedText(edge) };
      });
    },
    header: (key) => (Object.hasOwn(json, key) ? sortedText(json[key]) : undefined),
    headers: () => Object.keys(json).filter((key) => key !== "nodes" && key !== "edges"),
    json,
  };
}

export const NESTED = ["graph", "do", "branches"] as const;

/** Removes what no run reads. */
export function withoutProse(node: unknown): unknown {
  if (!isMap(node)) return node;
  const { description: _description, ...rest } = node as Json;
  for (const key of ["graph", "do"]) if (isMap(rest[key])) rest[key] = graphWithoutProse(rest[key] as Json);
  // A list, because branches start in order.
  if (isMap(rest.branches))
    rest.branches = Object.entries(rest.branches as Json).map(([name, graph]) => [name, graphWithoutProse(graph)]);
  return rest;
}

function graphWithoutProse(graph: unknown): unknown {
  if (!isMap(graph)) return graph;
  const { description: _description, layout: _layout, ...rest } = graph as Json;
  return isMap(rest.nodes) ? { ...rest, nodes: mapValues(rest.nodes as Json, withoutProse) } : rest;
}

function mapValues(map: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}

export function mapOf(value: unknown): Json {
  return isMap(value) ? (value as Json) : {};
}

/** JavaScript may have rounded integers or sorted keys: different plans look equal. */
export function isInexact(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (typeof value !== "object" || value === null) return false;
  // Numeric keys come first in objects.
  const isSorted = !Array.isArray(value) && Object.keys(value).some((key) => /^\d+$/.test(key));
  return isSorted || Object.values(value).some(isInexact);
}

/** The first difference, if any. */
export function edgeChange(from: string, then: readonly EdgePart[], today: readonly EdgePart[]): string | null {
  const named = ({ to }: EdgePart) => `the edge \`${from}\` → ${to}`;
  const find = (edges: readonly EdgePart[], to: string) => edges.find((edge) => edge.to === to);
  for (const edge of then) {
    const other = find(today, edge.to);
    if (other === undefined) return `${named(edge)} is gone`;
    if (other.meaning !== edge.meaning) return `the condition of ${named(edge)} has changed`;
  }
  const added = today.find((edge) => find(then, edge.to) === undefined);
  if (added !== undefined) return `${named(added)} is new`;
  const isSameOrder = then.every((edge, at) => edge.to === today[at]!.to);
  return isSameOrder ? null : `the order of the edges of \`${from}\` has changed`;
}
