/**
 * Draws flows as SVG inside a page, with the library's layout and the theme's colours.
 *
 * Only the configuration loads this file, because it needs a bundler for the TypeScript of the layout.
 */
import { BOX_HEIGHT, layeredLayout } from "../../wasm/js/layered-layout.ts";

/** Estimates for text of 13 and 11 pixels. */
const NAME = 7.3;
const LABEL = 6.4;
const LEAST_WIDTH = 84;

/**
 * Returns the SVG of `nodes`, each with an id and perhaps a type, and of `edges` between their ids. `isTaken` marks the
 * path of a run.
 */
export function drawFlow({ nodes, edges, title }) {
  const indexes = new Map(nodes.map(({ id }, at) => [id, at]));
  const widths = nodes.map(({ id }) => Math.max(LEAST_WIDTH, id.length * NAME + 24));
  const layout = layeredLayout(
    widths.map((width) => ({ width })),
    edges.map(({ from, to, label }) => ({
      from: indexes.get(from),
      to: indexes.get(to),
      width: label.length * LABEL,
    })),
  );
  // The way of a run is above the other edges.
  const order = [...edges.keys()].sort(
    (one, other) => Number(edges[one].isTaken ?? 0) - Number(edges[other].isTaken ?? 0),
  );
  const lines = order.map((at) => edgeLines(edges[at], layout.edges[at]));
  const boxes = nodes.map((node, at) => nodeLines(node, layout.nodes[at], widths[at]));
  const [width, height] = [Math.ceil(layout.width) + 4, Math.ceil(layout.height) + 4];
  const size = `viewBox="-2 -2 ${width} ${height}" width="${width}" height="${height}"`;
  return `<svg class="flow" role="img" aria-label="${escapeText(title)}" ${size}>${lines.join("")}${boxes.join("")}</svg>`;
}

function nodeLines({ id, type, isTaken }, { x, y }, width) {
  const box = `x="${round(x - width / 2)}" y="${round(y - BOX_HEIGHT / 2)}" width="${round(width)}" height="${BOX_HEIGHT}"`;
  const name = `<text x="${round(x)}" y="${round(type ? y - 3 : y + 4)}">${escapeText(id)}</text>`;
  const kind = type ? `<text class="type" x="${round(x)}" y="${round(y + 13)}">${escapeText(type)}</text>` : "";
  return `<g${taken(isTaken)}><rect ${box} rx="8"/>${name}${kind}</g>`;
}

function edgeLines({ label, isTaken }, { points, label: at }) {
  const half = points[0].y < points.at(-1).y ? BOX_HEIGHT / 2 : -BOX_HEIGHT / 2;
  const ends = [
    { x: points[0].x, y: points[0].y + half },
    ...points.slice(1, -1),
    { x: points.at(-1).x, y: points.at(-1).y - half },
  ];
  const curves = ends.slice(1).map(({ x, y }, before) => {
    const bend = (y - ends[before].y) / 2;
    return ` C${pair(ends[before].x, ends[before].y + bend)} ${pair(x, y - bend)} ${pair(x, y)}`;
  });
  const tip = `M${pair(ends.at(-1).x, ends.at(-1).y)}l-4 ${half < 0 ? 8 : -8}h8z`;
  const words = label && `<text class="label" x="${round(at.x)}" y="${round(at.y + 4)}">${escapeText(label)}</text>`;
  const line = `<path d="M${pair(ends[0].x, ends[0].y)}${curves.join("")}"/><path class="tip" d="${tip}"/>`;
  return `<g${taken(isTaken)}>${line}${words}</g>`;
}

const taken = (isTaken) => (isTaken ? ' class="taken"' : "");
const pair = (x, y) => `${round(x)} ${round(y)}`;
const round = (number) => Math.round(number * 10) / 10;
const escapeText = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Draws a block of Mermaid: chains of edges, as in `a -- label --> b --> c`. */
export function drawMermaid(code) {
  const ids = new Set();
  const edges = [];
  for (const line of code.split("\n").slice(1)) {
    const parts = line.trim().split(/\s*(?:--\s+([^>]+?)\s+)?-->\s*/);
    for (let at = 0; at + 2 < parts.length; at += 2)
      edges.push({ from: parts[at], to: parts[at + 2], label: parts[at + 1] ?? "" });
    for (const [at, id] of parts.entries()) if (at % 2 === 0 && id !== "") ids.add(id);
  }
  const title = edges.map(({ from, to, label }) => `${from} to ${to}${label && ` if ${label}`}`).join(", ");
  return drawFlow({ nodes: [...ids].map((id) => ({ id })), edges, title });
}

/** A plugin of markdown-it: draws blocks of Mermaid. */
export function drawings(md) {
  const render = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, at, ...rest) => {
    if (tokens[at].info.trim() !== "mermaid") return render(tokens, at, ...rest);
    return `<figure class="drawing" tabindex="0">${drawMermaid(tokens[at].content)}</figure>`;
  };
}
