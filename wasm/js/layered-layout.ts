/**
 * Places nodes and labels in layers, so that most edges lead down.
 *
 * Deterministic, and nearly linear: large graphs omit bends of long edges.
 */

export interface LayoutNode {
  readonly width: number;
}

/** An edge between indexes of nodes. */
export interface LayoutEdge {
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

/** Both lists keep the order of nodes and edges. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** Centres of the boxes. */
  readonly nodes: readonly Point[];
  /** Points from the source's centre to the target's. */
  readonly edges: readonly { readonly points: readonly Point[]; readonly label: Point }[];
}

/** In pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export const BOX_HEIGHT = 40;
/** Boxes are in even rows, labels in odd ones. */
const ROW_STEP = 58;
const COLUMN_GAP = 24;
const LANE = 12;
const MAX_LANES = 5000;
const SWEEPS = 8;

/** A box, a label, or a bend of a long edge. */
interface Item {
  readonly width: number;
  readonly row: number;
  readonly up: Item[];
  readonly down: Item[];
  x: number;
}

/** An edge to its own source has two equal points. */
export function layeredLayout(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): Layout {
  const back = backEdges(nodes.length, edges);
  /** All edges lead down here. */
  const down = edges.map((edge, at) => (back.has(at) ? { ...edge, from: edge.to, to: edge.from } : edge));
  const layers = layersOf(nodes.length, down);
  const items = nodes.map(({ width }, at) => newItem(width, 2 * layers[at]!));
  const bends = down.reduce((sum, { from, to }) => sum + 2 * Math.abs(layers[to]! - layers[from]!), 0);
  const lanes = down.map((edge) => connect(items[edge.from]!, items[edge.to]!, edge.width, bends <= MAX_LANES));
  const rows: Item[][] = [];
  for (const item of [...items, ...lanes.flat()]) (rows[item.row] ??= []).push(item);
  for (let row = 0; row < rows.length; row++) rows[row] ??= [];
  placeRows(rows);
  const paths = down.map(({ from, to }, at) => {
    const points = [items[from]!, ...lanes[at]!, items[to]!].map(pointOf);
    return { points: back.has(at) ? points.reverse() : points, label: pointOf(lanes[at]![0] ?? items[from]!) };
  });
  const height = Math.max(0, rows.length - 1) * ROW_STEP + BOX_HEIGHT;
  return { width: highest(rows.map(rowWidth)), height, nodes: items.map(pointOf), edges: paths };
}

function newItem(width: number, row: number): Item {
  return { width, row, up: [], down: [], x: 0 };
}

function pointOf({ x, row }: Item): Point {
  return { x, y: BOX_HEIGHT / 2 + row * ROW_STEP };
}

function backEdges(number: number, edges: readonly LayoutEdge[]): Set<number> {
  const outgoing: number[][] = Array.from({ length: number }, () => []);
  for (const [at, { from }] of edges.entries()) outgoing[from]!.push(at);
  const state = new Uint8Array(number);
  const back = new Set<number>();
  for (let root = 0; root < number; root++) {
    if (state[root] !== 0) continue;
    const open = [{ node: root, next: 0 }];
    state[root] = 1;
    while (open.length > 0) {
      const top = open[open.length - 1]!;
      const edge = outgoing[top.node]![top.next++];
      if (edge === undefined) {
        state[top.node] = 2;
        open.pop();
        continue;
      }
      const { to } = edges[edge]!;
      if (state[to] === 1) back.add(edge);
      else if (state[to] === 0) {
        state[to] = 1;
        open.push({ node: to, next: 0 });
      }
    }
  }
  return back;
}

/** Each node is below all that lead to it. */
function layersOf(number: number, edges: readonly LayoutEdge[]): number[] {
  const outgoing: number[][] = Array.from({ length: number }, () => []);
  const waiting = new Array<number>(number).fill(0);
  for (const { from, to } of edges) {
    if (from === to) continue;
    outgoing[from]!.push(to);
    waiting[to]!++;
  }
  const layers = new Array<number>(number).fill(0);
  const ready = Array.from({ length: number }, (_, node) => node).filter((node) => waiting[node] === 0);
  for (let at = 0; at < ready.length; at++) {
    const node = ready[at]!;
    for (const to of outgoing[node]!) {
      layers[to] = Math.max(layers[to]!, layers[node]! + 1);
      if (--waiting[to]! === 0) ready.push(to);
    }
  }
  return layers;
}

/** Adds a label, and a bend in each further row. */
function connect(from: Item, to: Item, width: number, bends: boolean): Item[] {
  if (from === to) return [];
  const lanes = [newItem(width, from.row + 1)];
  for (let row = from.row + 2; bends && row < to.row; row++) lanes.push(newItem(LANE, row));
  const chain = [from, ...lanes, to];
  for (const [at, item] of chain.entries()) {
    const next = chain[at + 1];
    if (next === undefined) continue;
    item.down.push(next);
    next.up.push(item);
  }
  return lanes;
}

function rowWidth(row: readonly Item[]): number {
  return row.reduce((sum, { width }) => sum + width + COLUMN_GAP, -COLUMN_GAP);
}

/** Ordering by neighbours leaves few crossings. */
function placeRows(rows: Item[][]): void {
  const widest = highest(rows.map(rowWidth));
  const place = (row: Item[]) => {
    let x = (widest - rowWidth(row)) / 2;
    for (const item of row) {
      item.x = x + item.width / 2;
      x += item.width + COLUMN_GAP;
    }
  };
  rows.forEach(place);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isDown = sweep % 2 === 0;
    for (const row of isDown ? rows : [...rows].reverse()) {
      const keys = new Map(row.map((item) => [item, mean(isDown ? item.up : item.down, item.x)]));
      row.sort((a, b) => keys.get(a)! - keys.get(b)!);
      place(row);
    }
  }
}

function mean(items: readonly Item[], otherwise: number): number {
  return items.length === 0 ? otherwise : items.reduce((sum, { x }) => sum + x, 0) / items.length;
}

/** `Math.max` limits the number of values. */
function highest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), 0);
}
