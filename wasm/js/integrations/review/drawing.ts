/**
 * Draws a changed plan as a Mermaid flowchart for GitHub and GitLab.
 *
 * Signs and colours: `+` added, `~` changed, `−` removed. A large plan shows changed nodes and their neighbours.
 */
import type { PlanGraph } from "stepgraph";
import type { PlanChange } from "../../editor/compare.js";
import { clip } from "./escape.js";

type Mark = "added" | "changed" | "removed";

interface DrawnNode {
  scope: string;
  key: string;
  label: string;
  mark: Mark | null;
}
interface DrawnEdge {
  scope: string;
  from: string;
  to: string;
  condition: string;
  mark: Mark | null;
}

/** Larger plans show changes alone. */
const MAX_WHOLE = 40;
/** GitHub's limit. */
const MAX_DRAWN = 120;
const MAX_EDGES = 300;
const SIGNS: Record<Mark, string> = { added: "+ ", changed: "~ ", removed: "− " };
const STYLES: Record<Mark, string> = {
  added: "fill:#dafbe1,stroke:#1a7f37,stroke-width:2px,color:#0f2f1a",
  changed: "fill:#fff3c4,stroke:#9a6700,stroke-width:2px,color:#3a2800",
  removed: "fill:#ffe1e0,stroke:#cf222e,stroke-width:2px,stroke-dasharray:5 4,color:#4a0d10",
};
const STROKES: Record<Mark, string> = {
  added: "stroke:#1a7f37,stroke-width:3px",
  changed: "stroke:#9a6700,stroke-width:3px",
  removed: "stroke:#cf222e,stroke-width:2px,stroke-dasharray:5 4",
};

/** Null without a change, or if too large. */
export function drawChanges(
  before: PlanGraph | null,
  after: PlanGraph | null,
  changes: readonly PlanChange[],
): string | null {
  const nodes = nodesOf(before, after, changes);
  const edges = edgesOf(before, after, changes);
  const isMarked = nodes.some(({ mark }) => mark !== null) || edges.some(({ mark }) => mark !== null);
  if (!isMarked) return null;
  const [shownNodes, shownEdges] = nodes.length <= MAX_WHOLE ? [nodes, edges] : neighbourhood(nodes, edges);
  if (shownNodes.length > MAX_DRAWN || shownEdges.length > MAX_EDGES) return null;
  return chart(shownNodes, shownEdges, nodes.length - shownNodes.length);
}

function nodesOf(before: PlanGraph | null, after: PlanGraph | null, changes: readonly PlanChange[]): DrawnNode[] {
  const marks = new Map<string, Mark>();
  const removed = new Set<string>();
  for (const { kind, scope, node } of changes) {
    if (node === undefined) continue;
    const place = placeOf(scope, node);
    if (kind === "node/added") marks.set(place, "added");
    else if (kind === "node/removed") removed.add(place);
    else if (/^(node|graph)\//.test(kind) && !marks.has(place)) marks.set(place, "changed");
  }
  const drawn = (graph: PlanGraph, markOf: (place: string) => Mark | null): DrawnNode[] =>
    graph.nodes.map(({ key, type, tool, scope = "" }) => ({
      scope,
      key,
      label: `${clip(key, 40)}\n${clip(type === "tool" && tool !== null ? `tool: ${tool}` : type, 40)}`,
      mark: markOf(placeOf(scope, key)),
    }));
  const now = after === null ? [] : drawn(after, (place) => (before === null ? "added" : (marks.get(place) ?? null)));
  const gone = before === null ? [] : drawn(before, () => "removed");
  return [...now, ...gone.filter(({ scope, key }) => after === null || removed.has(placeOf(scope, key)))];
}

function edgesOf(before: PlanGraph | null, after: PlanGraph | null, changes: readonly PlanChange[]): DrawnEdge[] {
  const marks = new Map<string, Mark>();
  const gone: DrawnEdge[] = [];
  for (const { kind, scope, edge, before: was } of changes) {
    if (edge === undefined || !kind.startsWith("edge/")) continue;
    if (kind !== "edge/removed") marks.set(edgePlace(scope, edge), kind === "edge/added" ? "added" : "changed");
    else gone.push({ ...edge, scope, condition: conditionOf(was), mark: "removed" });
  }
  const drawn = (graph: PlanGraph, markOf: (edge: DrawnEdge) => Mark | null): DrawnEdge[] =>
    graph.edges.map(({ from, to, condition, scope = "" }) => {
      const edge = { scope, from, to, condition, mark: null };
      return { ...edge, mark: markOf(edge) };
    });
  if (after === null) return before === null ? [] : drawn(before, () => "removed");
  if (before === null) return drawn(after, () => "added");
  return [...drawn(after, (edge) => marks.get(edgePlace(edge.scope, edge)) ?? null), ...gone];
}

function conditionOf(edge: unknown): string {
  const { condition } = (edge ?? {}) as { condition?: unknown };
  return typeof condition === "string" ? condition : "";
}

function neighbourhood(nodes: DrawnNode[], edges: DrawnEdge[]): [DrawnNode[], DrawnEdge[]] {
  const near = new Set<string>();
  for (const { scope, key, mark } of nodes) if (mark !== null) near.add(placeOf(scope, key));
  for (const { scope, from, to, mark } of edges)
    if (mark !== null) near.add(placeOf(scope, from)).add(placeOf(scope, to));
  const kept = new Set(near);
  for (const { scope, from, to } of edges) {
    const [start, end] = [placeOf(scope, from), placeOf(scope, to)];
    if (near.has(start) || near.has(end)) kept.add(start).add(end);
  }
  const isKept = (scope: string, key: string) => kept.has(placeOf(scope, key));
  return [
    nodes.filter(({ scope, key }) => isKept(scope, key)),
    edges.filter(({ scope, from, to }) => isKept(scope, from) && isKept(scope, to)),
  ];
}

function chart(nodes: DrawnNode[], edges: DrawnEdge[], hidden: number): string {
  const ids = new Map<string, string>();
  const lines = ["flowchart TD"];
  const scopes = new Set(nodes.map(({ scope }) => scope));
  for (const scope of scopes) {
    if (scope !== "") lines.push(`  subgraph s${ids.size}["in ${escapeLabel(clip(scope, 60))}"]`);
    for (const { key, label, mark } of nodes.filter((node) => node.scope === scope)) {
      const id = `n${ids.size}`;
      ids.set(placeOf(scope, key), id);
      const text = label.split("\n").map(escapeLabel).join("<br/>");
      lines.push(`  ${id}["${mark === null ? "" : SIGNS[mark]}${text}"]${mark === null ? "" : `:::${mark}`}`);
    }
    if (scope !== "") lines.push("  end");
  }
  if (hidden > 0) lines.push(`  rest(["${hidden} more nodes without changes nearby"])`);
  const strokes: Record<Mark, number[]> = { added: [], changed: [], removed: [] };
  let number = 0;
  for (const { scope, from, to, condition, mark } of edges) {
    const [start, end] = [ids.get(placeOf(scope, from)), ids.get(placeOf(scope, to))];
    // A removed edge may end at a renamed node.
    if (start === undefined || end === undefined) continue;
    const sign = mark === null ? "" : SIGNS[mark];
    const label = condition === "" ? sign.trim() : `${sign}${clip(condition, 60)}`;
    lines.push(`  ${start} -->${label === "" ? "" : `|"${escapeLabel(label)}"|`} ${end}`);
    if (mark !== null) strokes[mark].push(number);
    number++;
  }
  for (const mark of Object.keys(STYLES) as Mark[]) {
    if (strokes[mark].length === 0 && !nodes.some((node) => node.mark === mark)) continue;
    lines.push(`  classDef ${mark} ${STYLES[mark]}`);
    if (strokes[mark].length > 0) lines.push(`  linkStyle ${strokes[mark].join(",")} ${STROKES[mark]}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Everything but letters, digits and spaces could be syntax. */
function escapeLabel(text: string): string {
  return text.replace(/[^\p{L}\p{N} ,?!/]|[ﬂ]/gu, (character) => `#${character.codePointAt(0)};`);
}

function placeOf(scope: string, key: string): string {
  return JSON.stringify([scope, key]);
}

function edgePlace(scope: string, { from, to }: { from: string; to: string }): string {
  return JSON.stringify([scope, from, to]);
}
