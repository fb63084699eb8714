/** Plans to lay out: generated ones, with loops, branches and labels, and the examples. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

function numbers(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * Returns a graph of `count` nodes: chains that fork into branches and join again, with some loops and early exits, as
 * people draw plans.
 */
export function generated(seed, count) {
  const next = numbers(seed);
  const edges = [];
  let [ends, size] = [[0], 1];
  while (size < count) {
    const kind = next(10);
    if (kind < 4 || size + 3 > count) {
      for (const end of ends) edges.push({ from: end, to: size });
      ends = [size++];
    } else if (kind < 8) {
      const from = ends[0];
      const branches = Math.min(2 + next(3), count - size - 1);
      const last = [];
      for (let branch = 0; branch < branches && size < count; branch++) {
        let at = size++;
        edges.push({ from, to: at, label: branch < branches - 1 ? `last.kind == ${branch}` : "" });
        for (let more = next(3); more > 0 && size < count; more--) {
          edges.push({ from: at, to: size });
          at = size++;
        }
        last.push(at);
      }
      for (const end of ends.slice(1)) edges.push({ from: end, to: last[0] });
      ends = last;
    } else if (kind === 8) {
      const to = next(size);
      edges.push({ from: ends[0], to, label: "last.again == true" });
    } else {
      const from = next(size);
      if (!edges.some((edge) => edge.from === from && edge.to === ends[0]) && from !== ends[0])
        edges.push({ from, to: ends[0], label: "error.exists" });
    }
  }
  return {
    count,
    edges: edges.filter(
      ({ from, to }, at) => from !== to && edges.findIndex((one) => one.from === from && one.to === to) === at,
    ),
  };
}

export function planText({ count, edges }) {
  const nodes = Array.from({ length: count }, (_, node) => `  n${node}: {type: log, input: ${node}}`);
  const lines = edges.map(
    ({ from, to, label }) => `  - {from: n${from}, to: n${to}${label ? `, condition: "${label}"` : ""}}`,
  );
  return `start: n0\nnodes:\n${nodes.join("\n")}\nedges:\n${lines.join("\n")}\n`;
}

/** Inserts a node into an edge in the middle. */
export function withNode({ count, edges }) {
  const at = edges.length >> 1;
  const { from, to, label } = edges[at];
  const inserted = [
    { from, to: count, label },
    { from: count, to },
  ];
  return { count: count + 1, edges: [...edges.slice(0, at), ...inserted, ...edges.slice(at + 1)] };
}

export function examples() {
  const files = (folder) =>
    readdirSync(join(root, folder)).filter((name) => /\.yaml$/.test(name) && !name.includes("stubs"));
  return ["examples", "examples/gallery"].flatMap((folder) =>
    files(folder).map((name) => readFileSync(join(root, folder, name), "utf8")),
  );
}
