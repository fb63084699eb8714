/** Measures of a drawing, the same for every engine. */

const SHARED = 3;

/** `nodes` and labels are `[x, y, width, height]`, edges have `points`. */
export function measures({ nodes, edges }) {
  const labels = edges.flatMap(({ label }) => (label ? [label] : []));
  return {
    overlaps: pairs(nodes, intersect),
    labels:
      pairs(labels, intersect) +
      labels.reduce((sum, one) => sum + nodes.filter((node) => intersect(one, node)).length, 0),
    through: edges.reduce((sum, edge) => sum + throughs(edge, nodes), 0),
    crossings: crossings(edges),
    turns: edges.reduce((sum, { points }) => sum + turns(points), 0),
    length: edges.reduce((sum, { points }) => sum + lengthOf(points), 0),
    area: area(nodes, edges, labels),
  };
}

/** How far nodes moved, as the mean distance after the best common shift, in node heights. */
export function movement(before, after) {
  const moved = before.flatMap(([x, y], at) => (after[at] ? [[after[at][0] - x, after[at][1] - y]] : []));
  const middle = (axis) => moved.map((one) => one[axis]).sort((a, b) => a - b)[moved.length >> 1] ?? 0;
  const [x, y] = [middle(0), middle(1)];
  return moved.reduce((sum, [dx, dy]) => sum + Math.hypot(dx - x, dy - y), 0) / Math.max(1, moved.length) / 52;
}

function intersect([ax, ay, aw, ah], [bx, by, bw, bh]) {
  return ax + 0.5 < bx + bw && bx + 0.5 < ax + aw && ay + 0.5 < by + bh && by + 0.5 < ay + ah;
}

function pairs(list, holds) {
  let found = 0;
  for (let a = 0; a < list.length; a++) for (let b = a + 1; b < list.length; b++) if (holds(list[a], list[b])) found++;
  return found;
}

function throughs({ from, to, points }, nodes) {
  let found = 0;
  for (const [at, [x, y, width, height]] of nodes.entries()) {
    if (at === from || at === to) continue;
    const inner = [x + 2, y + 2, x + width - 2, y + height - 2];
    if (segments(points).some((one) => enters(one, inner))) found++;
  }
  return found;
}

/** Clips a segment to a box, as Liang and Barsky do. */
function enters([[ax, ay], [bx, by]], [left, top, right, bottom]) {
  let [low, high] = [0, 1];
  for (const [by_, from, min, max] of [
    [bx - ax, ax, left, right],
    [by - ay, ay, top, bottom],
  ]) {
    if (by_ === 0) {
      if (from < min || from > max) return false;
      continue;
    }
    const [a, b] = [(min - from) / by_, (max - from) / by_].sort((one, other) => one - other);
    [low, high] = [Math.max(low, a), Math.min(high, b)];
  }
  return low < high;
}

const segments = (points) => points.slice(1).map((point, at) => [points[at], point]);

function crossings(edges) {
  let found = 0;
  const all = edges.map(({ points }) => ({ list: segments(points), box: boxOf(points) }));
  for (let a = 0; a < edges.length; a++)
    for (let b = a + 1; b < edges.length; b++) {
      if (!touches(all[a].box, all[b].box)) continue;
      for (const one of all[a].list)
        for (const other of all[b].list) if (cross(one, other, edges[a], edges[b])) found++;
    }
  return found;
}

const boxOf = (points) => {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
};
const touches = (a, b) => a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];

/** Edges that meet at a node may touch there. */
function cross([a, b], [c, d], one, other) {
  const side = (p, q, r) => (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
  const [s1, s2, s3, s4] = [side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)];
  if (!(s1 * s2 < 0 && s3 * s4 < 0)) return false;
  const t = s1 / (s1 - s2);
  const at = [c[0] + (d[0] - c[0]) * t, c[1] + (d[1] - c[1]) * t];
  const ends = (edge) => [edge.points[0], edge.points.at(-1)];
  const near = (p) => Math.hypot(p[0] - at[0], p[1] - at[1]) < SHARED;
  return !(ends(one).some(near) && ends(other).some(near));
}

/** Returns how far an edge turns in all, in right angles. */
function turns(points) {
  let sum = 0;
  let last;
  for (const [[ax, ay], [bx, by]] of segments(points)) {
    if (Math.hypot(bx - ax, by - ay) < 0.01) continue;
    const angle = Math.atan2(by - ay, bx - ax);
    if (last !== undefined) {
      const by_ = Math.abs(angle - last);
      sum += Math.min(by_, 2 * Math.PI - by_);
    }
    last = angle;
  }
  return sum / (Math.PI / 2);
}

const lengthOf = (points) => segments(points).reduce((sum, [a, b]) => sum + Math.hypot(b[0] - a[0], b[1] - a[1]), 0);

function area(nodes, edges, labels) {
  const corners = [...nodes, ...labels].flatMap(([x, y, width, height]) => [
    [x, y],
    [x + width, y + height],
  ]);
  const [left, top, right, bottom] = boxOf([...corners, ...edges.flatMap(({ points }) => points)]);
  return (right - left) * (bottom - top);
}
