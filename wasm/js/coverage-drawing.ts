/** Draws coverage as SVG. */
import type { Coverage, CoveragePart } from "./coverage.js";
import { partKey } from "./dead-parts.js";
import { assertPlan, type PlanGraph } from "./graph.js";
import { BOX_HEIGHT, layeredLayout, type Layout, type Point } from "./layered-layout.js";
import { PlanError } from "./errors.js";
import { type OutlineGraph, outlineOf, type RawGraph } from "./plan-outline.js";

/** Colours are never the only difference. */
interface Look {
  readonly words: string;
  readonly stroke: string;
  readonly fill: string;
  readonly dash: string;
}

type State = "covered" | "partly" | "missed" | "unreachable";

const LOOKS: Readonly<Record<State, Look>> = {
  covered: { words: "covered", stroke: "#1a7f37", fill: "#e6f6ea", dash: "" },
  partly: { words: "taken, but its condition was never false", stroke: "#9a6700", fill: "#fff5d6", dash: "10 3" },
  missed: { words: "not covered", stroke: "#c1121f", fill: "#fdecec", dash: "5 4" },
  unreachable: { words: "no input reaches it", stroke: "#6e7781", fill: "#f3f4f6", dash: "1 4" },
};

const MARGIN = 24;
const LINE = 20;
/** For edges from a node to itself. */
const LOOP_WIDTH = 48;
const LEGEND_WIDTH = 380;
const CHARACTER = 7.3;
/** Labels are smaller than names. */
const SMALL = 11 / 13;
const MAX_NAME = 28;
const MAX_LABEL = 28;

/**
 * Draws coverage as an SVG without script, style sheet or network, nested graphs below.
 *
 * @example
 * await writeFile("coverage.svg", drawCoverage(graph, coverage(graph, reports)));
 */
export function drawCoverage(graph: PlanGraph, coverage: Coverage): string {
  assertPlan("drawCoverage", graph);
  if (!Array.isArray((coverage as Partial<Coverage> | null)?.parts))
    throw new PlanError("api/bad-option", "`drawCoverage` expects the result of `coverage`");
  const plan = graph.toJSON() as RawGraph & { id?: string };
  const states = new CoverageStates(coverage.parts);
  const panels = outlineOf(plan).map((inner) => panelOf(inner, states));
  const width = panels.reduce((widest, panel) => Math.max(widest, panel.width), LEGEND_WIDTH) + 2 * MARGIN;
  const { covered, total, unreachable } = coverage.counts.all;
  const title = `Coverage of ${plan.id ?? "the plan"}: ${Math.floor(coverage.percent * 10) / 10} %`;
  const rest = `${total - covered} are missed, ${unreachable} can't be reached.`;
  const summary = `Tests reach ${covered} of ${total} parts. ${rest}`;
  const body: string[] = [text(MARGIN, MARGIN + 12, title, "18"), text(MARGIN, MARGIN + 34, summary, "13")];
  let y = MARGIN + 60;
  body.push(...legend(y));
  y += Object.keys(LOOKS).length * LINE + MARGIN;
  for (const panel of panels) {
    body.push(`<g transform="translate(${MARGIN} ${y})">`, ...panel.lines, "</g>");
    y += panel.height + 2 * MARGIN;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="coverage-title coverage-desc"` +
      ` width="${round(width)}" height="${round(y)}" viewBox="0 0 ${round(width)} ${round(y)}"` +
      ` font-family="system-ui, sans-serif" fill="#1f2328">`,
    `<title id="coverage-title">${escapeXml(title)}</title>`,
    `<desc id="coverage-desc">${escapeXml(summary)}</desc>`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    ...body,
    "</svg>",
    "",
  ].join("\n");
}

class CoverageStates {
  readonly #parts = new Map<string, CoveragePart>();

  constructor(parts: readonly CoveragePart[]) {
    for (const part of parts) {
      const { kind, scope, node, edge, holds } = part;
      if (kind === "node") this.#parts.set(`node ${partKey(scope, node!)}`, part);
      else if (kind === "edge" || kind === "error-edge") this.#parts.set(`edge ${partKey(scope, edge!)}`, part);
      else if (kind === "condition" && !holds) this.#parts.set(`failed ${partKey(scope, edge!)}`, part);
    }
  }

  node(scope: string, node: string): { state: State; count: number } {
    return this.#at(`node ${partKey(scope, node)}`);
  }

  edge(scope: string, edge: number): { state: State; count: number } {
    const taken = this.#at(`edge ${partKey(scope, edge)}`);
    const failed = this.#parts.get(`failed ${partKey(scope, edge)}`);
    const isPartly = taken.state === "covered" && failed?.count === 0 && !failed.unreachable;
    return isPartly ? { ...taken, state: "partly" } : taken;
  }

  #at(key: string): { state: State; count: number } {
    const part = this.#parts.get(key);
    const count = part?.count ?? 0;
    return { state: count > 0 ? "covered" : part?.unreachable ? "unreachable" : "missed", count };
  }
}

interface Panel {
  width: number;
  height: number;
  lines: string[];
}

function panelOf(graph: OutlineGraph, states: CoverageStates): Panel {
  const nodes = [...graph.nodes.values()];
  const widths = nodes.map(({ key, type }) => Math.max(96, boxWidth(key), boxWidth(type)));
  const indexes = new Map(nodes.map(({ key }, at) => [key, at]));
  const edges = graph.edges.flatMap(({ from, to, condition }, index) => {
    const [source, target] = [indexes.get(from), indexes.get(to)];
    if (source === undefined || target === undefined) return [];
    const { state, count } = states.edge(graph.path, index);
    // A label beside a box has room for the number only.
    const isBare = condition === "" || from === to;
    const label = `${isBare ? "" : `${shorten(condition, MAX_LABEL)} · `}${count}×`;
    const title = `${from} → ${to}${condition === "" ? "" : `, if ${condition}`}: ${LOOKS[state].words}, ${count}×`;
    return [{ from: source, to: target, width: textWidth(label) * SMALL, state, label, title }];
  });
  const loops = new Set(edges.flatMap(({ from, to }) => (from === to ? from : [])));
  const layout = layeredLayout(
    widths.map((width, at) => ({ width: width + (loops.has(at) ? 2 * LOOP_WIDTH : 0) })),
    edges,
  );
  const heading = graph.path === "" ? [] : [text(0, 14, `graph ${graph.path}`, "14")];
  const top = heading.length * 2 * LINE;
  const lines = [
    ...heading,
    `<g transform="translate(0 ${top})">`,
    ...edges.flatMap((edge, at) => edgeLines(edge, layout.edges[at]!, widths[edge.from]! / 2)),
    ...nodes.flatMap(({ key, type }, at) => {
      const { state, count } = states.node(graph.path, key);
      return nodeLines(layout.nodes[at]!, widths[at]!, { key, type, state, count });
    }),
    "</g>",
  ];
  return { width: layout.width, height: layout.height + top, lines };
}

function boxWidth(name: string): number {
  return textWidth(shorten(name, MAX_NAME)) + 24;
}

/** Estimate for 13 pixels. Wide characters count twice. */
function textWidth(words: string): number {
  return Array.from(words).reduce((sum, one) => sum + (one > "\u10ff" ? 2 : 1) * CHARACTER, 0);
}

interface DrawnNode {
  key: string;
  type: string;
  state: State;
  count: number;
}

function nodeLines({ x, y }: Point, width: number, { key, type, state, count }: DrawnNode): string[] {
  const [left, top] = [x - width / 2, y - BOX_HEIGHT / 2];
  return [
    `<g><title>${escapeXml(`${key}: ${LOOKS[state].words}, ${count}×`)}</title>`,
    `<rect x="${round(left)}" y="${round(top)}" width="${round(width)}" height="${BOX_HEIGHT}" rx="6"${paint(state)}/>`,
    text(x, y - 3, shorten(key, MAX_NAME), "13", "middle"),
    text(x, y + 13, shorten(type, MAX_NAME), "11", "middle"),
    "</g>",
  ];
}

interface DrawnEdge {
  state: State;
  label: string;
  title: string;
}

function edgeLines({ state, label, title }: DrawnEdge, { points, label: at }: Layout["edges"][number], half: number) {
  const isLoop = points.length === 2 && points[0]!.y === points[1]!.y;
  const { path, tip } = isLoop ? loopPath(points[0]!, half) : curvePath(points);
  const { x, y } = isLoop ? { x: at.x + half + LOOP_WIDTH / 2, y: at.y } : at;
  const { stroke } = LOOKS[state];
  return [
    `<g><title>${escapeXml(title)}</title>`,
    `<path d="${path}"${paint(state, "none")}/>`,
    `<path d="${tip}" fill="${stroke}"/>`,
    `<text x="${round(x)}" y="${round(y + 4)}" font-size="11" text-anchor="middle" fill="${stroke}"` +
      ` stroke="#ffffff" stroke-width="4" paint-order="stroke">${escapeXml(label)}</text>`,
    "</g>",
  ];
}

interface Curve {
  path: string;
  tip: string;
}

/** Leads down, or up for an edge that closes a loop. */
function curvePath(points: readonly Point[]): Curve {
  const [first, last] = [points[0]!, points[points.length - 1]!];
  const half = first.y < last.y ? BOX_HEIGHT / 2 : -BOX_HEIGHT / 2;
  const ends = [{ x: first.x, y: first.y + half }, ...points.slice(1, -1), { x: last.x, y: last.y - half }];
  let path = `M${at(ends[0]!)}`;
  for (const [index, { x, y }] of ends.entries()) {
    const before = ends[index - 1];
    if (before === undefined) continue;
    const bend = (y - before.y) / 2;
    path += ` C${at({ x: before.x, y: before.y + bend })} ${at({ x, y: y - bend })} ${at({ x, y })}`;
  }
  return { path, tip: `M${at(ends[ends.length - 1]!)} l-4 ${half < 0 ? 8 : -8} h8 z` };
}

function loopPath({ x, y }: Point, half: number): Curve {
  const [start, end] = [
    { x: x + half, y: y + 10 },
    { x: x + half, y: y - 10 },
  ];
  const far = x + half + LOOP_WIDTH / 2;
  return {
    path: `M${at(start)} C${at({ x: far, y: y + 24 })} ${at({ x: far, y: y - 24 })} ${at(end)}`,
    tip: `M${at(end)} l8 -4 v8 z`,
  };
}

function legend(top: number): string[] {
  return Object.entries(LOOKS).flatMap(([state, { words }], line) => {
    const y = top + line * LINE;
    return [`<path d="M${MARGIN} ${y} h48"${paint(state as State, "none")}/>`, text(MARGIN + 60, y + 4, words, "12")];
  });
}

function paint(state: State, fill: string = LOOKS[state].fill): string {
  const { stroke, dash } = LOOKS[state];
  return ` fill="${fill}" stroke="${stroke}" stroke-width="2"${dash === "" ? "" : ` stroke-dasharray="${dash}"`}`;
}

function text(x: number, y: number, words: string, size: string, anchor = "start"): string {
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}" text-anchor="${anchor}">${escapeXml(words)}</text>`;
}

function shorten(words: string, length: number): string {
  const characters = Array.from(words);
  return characters.length <= length ? words : `${characters.slice(0, length - 1).join("")}…`;
}

function at({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`;
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}

/** Also replaces characters that XML forbids or that change text direction. */
function escapeXml(words: string): string {
  return words
    .replace(
      /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Surrogate}/gu,
      "\ufffd",
    )
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
