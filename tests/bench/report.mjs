// Formats the results for a terminal, with one function per part.
import { ratio, table, formatMicroseconds } from "./table.mjs";

const section = (title, text) => `\n## ${title}\n\n${text}`;
const ms = (value) => (value === undefined ? "" : value.toFixed(value < 10 ? 2 : 0));
const fixed = (value, digits = 1) => (value === undefined ? "" : value.toFixed(digits));

/** One table per workload and kind: µs per node, and the ratio of bests to the row's unit. */
export function cellTables({ cells, skipped, machine, quick }) {
  const groups = grouped(cells);
  const head = ["engine", "best µs", "median µs", "CPU µs", "ratio", "to"];
  const tables = [...groups].map(([title, rows]) =>
    section(
      title,
      table(
        head,
        rows.map((row) => cellRow(row, rows)),
      ),
    ),
  );
  const missing = Object.entries(skipped).map(([engine, why]) => `${engine}: skipped, ${why}`);
  const note = `${machine.cpu}, ${machine.cpus} CPUs, Node ${machine.node}, load ${machine.loadAverage[0]}${quick ? "; QUICK: figures not to be quoted" : ""}`;
  return [note, ...missing, ...tables].join("\n");
}

function grouped(cells) {
  const groups = new Map();
  for (const cell of cells) {
    const title = `${cell.workload}, ${cell.kind}`;
    if (!groups.has(title)) groups.set(title, []);
    groups.get(title).push(cell);
  }
  return groups;
}

function cellRow(row, rows) {
  if (row.failure) return [row.engine, row.failure, "", "", "", ""];
  const unit = rows.find((it) => it.engine === row.unit);
  return [
    row.engine,
    formatMicroseconds(row.best),
    formatMicroseconds(row.median),
    formatMicroseconds(row.cpu),
    ratio(row.best, unit?.best),
    row.unit,
  ];
}

export function startupTable({ startup }) {
  if (startup.length === 0) return "";
  const withSign = (row, text) => (row.engine === "bare" || text.startsWith("-") ? text : `+${text}`);
  const rows = startup.map((row) =>
    row.failure
      ? [row.engine, row.failure, ""]
      : [row.engine, withSign(row, fixed(row.cpuMs, 0)), withSign(row, fixed(row.rssMb))],
  );
  return section(
    "start-up: import, build, first run of 10 nodes, over bare Node",
    table(["engine", "CPU ms", "memory MB"], rows),
  );
}

export function parsingTable({ parsing }) {
  if (parsing.length === 0) return "";
  const rows = parsing.map((row) =>
    row.failure
      ? [row.format, row.nodes, row.failure, "", "", "", "", ""]
      : [
          row.format,
          row.nodes,
          Math.round(row.bytes / 1000),
          bestAndMedian(row.plain),
          row.careful ? bestAndMedian(row.careful) : "",
          row.stepgraph ? bestAndMedian(row.stepgraph) : "skipped",
          ratio(row.stepgraph?.bestMs, row.plain.bestMs),
          ratio(row.careful?.bestMs, row.stepgraph?.bestMs),
        ],
  );
  const title = "reading and checking a plan, ms (best / median)";
  return section(
    title,
    table(
      ["format", "nodes", "kB", "js-yaml or JSON.parse, + ajv", "yaml + ajv", "stepgraph", "ratio", "faster than yaml"],
      rows,
    ),
  );
}

const bestAndMedian = ({ bestMs, medianMs }) => `${ms(bestMs)} / ${ms(medianMs)}`;

export function serviceTable({ service }) {
  if (!service?.sizes) return "";
  const sizes = Object.keys(service.sizes);
  const cell = (row) => `${ms(row.p50Ms)} / ${ms(row.p95Ms)} / ${ms(row.maxMs)}`;
  const rows = Object.keys(service.sizes[sizes[0]] ?? {}).map((what) => [
    what,
    ...sizes.map((size) => cell(service.sizes[size][what])),
  ]);
  const title = `what an editor waits for, ms (half of all / 95 of 100 / longest); a frame has ${service.frameMs}`;
  return section(title, table(["", ...sizes.map((size) => `${size} lines`)], rows));
}

export function typingTable({ typing }) {
  if (typing.length === 0) return "";
  const rows = typing.flatMap(({ lines, rows, failure, unavailable }) =>
    rows
      ? rows.map((row) => [lines, row.pace, ms(row.medianMs), ms(row.p95Ms), ms(row.maxMs), ms(row.cpuMs)])
      : [[lines, failure ?? unavailable, "", "", "", ""]],
  );
  return section(
    "in the page, from a key to the frame that shows its letter, ms",
    table(["lines", "pace", "half of all", "95 of 100", "longest", "CPU"], rows),
  );
}

export function growthTable({ growth }) {
  if (growth.length === 0) return "";
  const rows = growth.map((row) =>
    row.failure
      ? [row.engine, row.workload, row.failure, "", "", "", ""]
      : [
          row.engine,
          row.workload,
          ms(row.prepareMs),
          formatMicroseconds(row.firstUs),
          formatMicroseconds(row.bestUs),
          fixed(row.heapMb),
          fixed(row.peakMb),
        ],
  );
  const head = ["engine", "workload", "build ms", "first µs/step", "best µs/step", "heap +MB", "peak +MB"];
  return section("growth: objects", table(head, rows));
}

export function snapshotTable({ snapshot }) {
  if (!snapshot) return "";
  const rows = snapshot.failure
    ? [[snapshot.failure, "", ""]]
    : [[ms(snapshot.mapMs), ms(snapshot.runMs), ratio(snapshot.runMs, snapshot.mapMs)]];
  return section(
    "save and resume after 1 000 nodes, objects, ms",
    table(["JSON of a Map", "stepgraph", "ratio"], rows),
  );
}

export function sizeTable({ sizes }) {
  if (sizes.length === 0) return "";
  return section(
    "sizes, kB",
    table(
      ["file", "raw", "gzip"],
      sizes.map(({ file, rawKb, gzipKb }) => [file, fixed(rawKb), fixed(gzipKb)]),
    ),
  );
}

export function budgetTable({ budgets }) {
  const rows = budgets.map(({ what, figure, budget, state }) => [what, figure, budget, state]);
  return section("budgets", table(["what", "figure", "budget", ""], rows));
}
