/**
 * Compares the canvas's layout with ELK's layered algorithm and dagre.
 *
 * `npm run bench -- layout [--quick]`. The first run installs the peers in the folder `layout`, and builds the
 * example `layout` of the page's crate. All engines get the same sizes of nodes and labels, and the same gaps.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measures, movement } from "./layout/measure.mjs";
import { examples, generated, planText, withNode } from "./layout/plans.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, "tests/bench/layout");
/** Plans of a short measurement. */
export const QUICK_LAYOUTS = 40;
const [GAP, LAYER_GAP] = [36, 64];

function stepgraph(texts) {
  const options = { input: JSON.stringify(texts), maxBuffer: 2 ** 30, encoding: "utf8", cwd: root };
  const command = ["run", "-q", "--release", "--locked", "-p", "stepgraph-playground", "--example", "layout"];
  return JSON.parse(execFileSync("cargo", command, options));
}

/** Every engine's input for a drawing. */
export const task = ({ nodes, edges }) => ({
  sizes: nodes.map(([, , width, height]) => ({ width, height })),
  edges: edges.map(({ from, to, label }) => ({ from, to, size: label && { width: label[2], height: label[3] } })),
});

function dagre(library, { sizes, edges }) {
  const graph = new library.graphlib.Graph({ multigraph: true });
  graph.setGraph({ nodesep: GAP, ranksep: LAYER_GAP });
  for (const [at, size] of sizes.entries()) graph.setNode(`${at}`, { ...size });
  for (const [at, { from, to, size }] of edges.entries())
    graph.setEdge(`${from}`, `${to}`, size ? { ...size, labelpos: "c" } : {}, `${at}`);
  library.layout(graph);
  const box = ({ x, y, width, height }) => [x - width / 2, y - height / 2, width, height];
  return {
    nodes: sizes.map((_, at) => box(graph.node(`${at}`))),
    edges: edges.map(({ from, to, size }, at) => {
      const edge = graph.edge(`${from}`, `${to}`, `${at}`);
      return { from, to, points: edge.points.map(({ x, y }) => [x, y]), label: size && box(edge) };
    }),
  };
}

export async function elk(library, { sizes, edges }) {
  const laid = await library.layout({
    id: "root",
    layoutOptions: {
      "elk.algorithm": "layered",
      "elk.direction": "DOWN",
      "elk.edgeRouting": "ORTHOGONAL",
      "elk.spacing.nodeNode": `${GAP}`,
      "elk.layered.spacing.nodeNodeBetweenLayers": `${LAYER_GAP}`,
    },
    children: sizes.map((size, at) => ({ id: `${at}`, ...size })),
    edges: edges.map(({ from, to, size }, at) => ({
      id: `e${at}`,
      sources: [`${from}`],
      targets: [`${to}`],
      labels: size ? [{ id: `l${at}`, text: "x", ...size }] : [],
    })),
  });
  const box = ({ x, y, width, height }) => [x, y, width, height];
  const found = new Map(laid.edges.map((edge) => [edge.id, edge]));
  return {
    nodes: laid.children.map(box),
    edges: edges.map(({ from, to, size }, at) => {
      const edge = found.get(`e${at}`);
      const { startPoint, bendPoints = [], endPoint } = edge.sections[0];
      const points = [startPoint, ...bendPoints, endPoint].map(({ x, y }) => [x, y]);
      return { from, to, points, label: size && box(edge.labels[0]) };
    }),
  };
}

async function timed(work) {
  let best = Infinity;
  let found;
  for (let turn = 0; turn < 3; turn++) {
    const begin = performance.now();
    found = await work();
    best = Math.min(best, performance.now() - begin);
  }
  return { ...found, micros: best * 1000 };
}

const sum = (list) => list.reduce((all, one) => all + one, 0);
const MEASURES = ["overlaps", "labels", "through", "crossings", "turns", "length", "area", "micros"];

function total(drawings) {
  const all = drawings.map((drawing) => ({ ...measures(drawing), micros: drawing.micros }));
  return { all, sums: Object.fromEntries(MEASURES.map((name) => [name, sum(all.map((one) => one[name]))])) };
}

/** Returns the figures of each engine on each set of plans. */
export async function layouts({ count = 200 } = {}) {
  if (!existsSync(join(folder, "node_modules")))
    execFileSync("npm", ["ci"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  const require = createRequire(join(folder, "package.json"));
  const libraries = { dagre: require("@dagrejs/dagre"), elk: new (require("elkjs"))() };
  const sizes = Array.from({ length: count }, (_, at) => 5 + Math.floor((at / count) ** 3 * 296));
  const graphs = sizes.map((size, at) => generated(at + 1, size));
  const sets = { generated: graphs.map(planText), examples: examples() };
  const edited = graphs.filter(({ edges }) => edges.length > 0).map(withNode);
  const found = {};
  for (const [name, texts] of Object.entries(sets)) {
    const ours = stepgraph(texts).filter((drawing) => drawing !== null);
    const engines = { stepgraph: ours, dagre: [], elk: [] };
    for (const drawing of ours) {
      engines.dagre.push(await timed(() => dagre(libraries.dagre, task(drawing))));
      engines.elk.push(await timed(() => elk(libraries.elk, task(drawing))));
    }
    found[name] = Object.fromEntries(Object.entries(engines).map(([engine, drawings]) => [engine, total(drawings)]));
    if (name === "generated") {
      const after = stepgraph(edited.map(planText));
      for (const [engine, drawings] of Object.entries(engines)) {
        let moved = 0;
        for (const [at, drawing] of after.entries()) {
          const again = {
            stepgraph: () => drawing,
            dagre: () => dagre(libraries.dagre, task(drawing)),
            elk: () => elk(libraries.elk, task(drawing)),
          };
          moved += movement(drawings[at].nodes, (await again[engine]()).nodes);
        }
        found[name][engine].sums.moved = moved / after.length;
      }
    }
  }
  return found;
}

export function layoutTable(found) {
  const lines = [];
  for (const [set, engines] of Object.entries(found)) {
    lines.push("", `${set}: ${engines.stepgraph.all.length} drawings`, "");
    const names = [...MEASURES, ...(set === "generated" ? ["moved"] : [])];
    lines.push(`| | ${names.join(" | ")} |`, `| --- |${names.map(() => " ---: |").join("")}`);
    for (const [engine, { sums }] of Object.entries(engines))
      lines.push(`| ${engine} | ${names.map((name) => text(name, sums[name])).join(" | ")} |`);
    const worse = (more) =>
      engines.stepgraph.all.filter((one, at) => one.crossings > 1.25 * engines.elk.all[at].crossings + more).length;
    lines.push("", `more than 1.25 times the crossings of elk: ${worse(0)} drawings, by more than one: ${worse(1)}`);
  }
  return lines.join("\n");
}

function text(name, value) {
  if (name === "micros") return `${(value / 1000).toFixed(0)} ms`;
  if (name === "moved") return value.toFixed(2);
  if (name === "area") return `${(value / 1e6).toFixed(1)} Mpx`;
  return `${Math.round(value)}`;
}

/** Without the figures of each drawing. */
export function plainTotals(found) {
  const sumsOf = (engines) => Object.fromEntries(Object.entries(engines).map(([name, { sums }]) => [name, sums]));
  return Object.fromEntries(Object.entries(found).map(([set, engines]) => [set, sumsOf(engines)]));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(layoutTable(await layouts(process.argv.includes("--quick") ? { count: QUICK_LAYOUTS } : {})));
