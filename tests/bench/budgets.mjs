// Compares measurements to budgets, as a report that never fails the run.
import { ratio } from "./table.mjs";

/** Returns `[{what, figure, budget, state}]` with state `ok`, `over` or `not measured`. */
export function budgets(results) {
  return [
    ...perNode(results),
    ...flatTimeChecks(results),
    ...peers(results),
    ...parsing(results),
    ...service(results),
    ...typing(results),
    ...startup(results),
    ...growth(results),
    ...snapshot(results),
    ...size(results),
  ];
}

const line = (what, value, limit, show, measured = Number.isFinite(value)) => ({
  what,
  figure: measured ? show(value) : "",
  budget: `≤ ${show(limit)}`,
  state: measured ? (value <= limit ? "ok" : "over") : "not measured",
});

const times = (value) => ratio(value, 1);

function cell(results, engine, workload, kind) {
  return results.cells.find((it) => it.engine === engine && it.workload === workload && it.kind === kind);
}

const ratioOf = (results, engine, unit, workload, kind = "object") =>
  cell(results, engine, workload, kind)?.best / cell(results, unit, workload, kind)?.best;

function perNode(results) {
  return ["stepgraph", "stepgraph:no-trace"]
    .flatMap((engine) =>
      [
        ["linear-1000", 1.5],
        ["loop-1000", 1.5],
        ["branch-100", 2],
      ].map(([workload, limit]) =>
        line(`${engine}, ${workload}, objects`, ratioOf(results, engine, "floor:map", workload), limit, times),
      ),
    )
    .concat(
      ["linear-1000", "loop-1000", "branch-100"].map((workload) =>
        line(
          `stepgraph:audit, ${workload}, objects`,
          ratioOf(results, "stepgraph:audit", "floor:map-audit", workload),
          1.5,
          times,
        ),
      ),
    )
    .concat(
      ["linear-1000", "loop-1000"].map((workload) =>
        line(
          `stepgraph:sync, ${workload}, objects`,
          ratioOf(results, "stepgraph:sync", "floor:map", workload),
          1.2,
          times,
        ),
      ),
    );
}

// "Flat" means at most twice the cost, or no steeper than the plain engine, whose nodes get dearer as soon as the
// outputs no longer fit the caches.
function flatTimeChecks(results) {
  const costRatio = (engine) =>
    cell(results, engine, "linear-10000", "object")?.best / cell(results, engine, "linear-10", "object")?.best;
  return ["stepgraph", "stepgraph:no-trace"].map((engine) =>
    steepness(`${engine}, a node of 10 000 against one of 10`, costRatio(engine), costRatio("floor:map")),
  );
}

function steepness(what, value, floor) {
  const plain = Number.isFinite(floor) ? ` (floor:map ${times(floor)})` : "";
  const row = line(what, value, Math.max(2, floor || 0), times);
  return { ...row, figure: row.figure && `${row.figure}${plain}`, budget: "≤ 2× or floor" };
}

// How many times faster than a peer. The smallest ratio over the workloads that both ran counts.
function peers(results) {
  return [
    ["langgraph", 2000],
    ["xstate", 100],
    ["zen", 60],
    ["pocketflow", 2],
  ].map(([peer, limit]) => {
    const found = results.cells
      .filter((it) => it.engine === peer && it.best && it.workload !== "linear-10000")
      .map((it) => it.best / cell(results, "stepgraph:no-trace", it.workload, it.kind)?.best)
      .filter(Number.isFinite);
    const least = Math.min(...found);
    const figures = found.length ? `${times(least)} to ${times(Math.max(...found))}` : "";
    return {
      what: `faster than ${peer}`,
      figure: figures,
      budget: `≥ ${limit}×`,
      state: found.length ? (least >= limit ? "ok" : "over") : "not measured",
    };
  });
}

function parsing({ parsing: rows }) {
  const careful = rows.find((it) => it.format === "yaml" && it.nodes === 10_000);
  const faster = careful?.careful?.bestMs / careful?.stepgraph?.bestMs;
  const state = faster >= 10 ? "ok" : faster > 0 ? "over" : "not measured";
  const against = {
    what: "yaml, 10 000 nodes, faster than yaml + ajv",
    figure: faster > 0 ? times(faster) : "",
    budget: "≥ 10×",
    state,
  };
  return [
    against,
    ...[
      ["yaml", 1, "js-yaml + ajv"],
      ["json", 2, "JSON.parse + ajv"],
    ].map(([format, limit, plain]) => {
      const row = rows.find((it) => it.format === format && it.nodes === 10_000);
      return line(
        `${format}, 10 000 nodes, against ${plain}`,
        row?.stepgraph?.bestMs / row?.plain?.bestMs,
        limit,
        times,
      );
    }),
  ];
}

// A keystroke in a plan of 10 000 lines, and its diagnostics, fit into one frame for 95 of 100 keystrokes.
function service({ service }) {
  return [
    line(
      "keystroke in 10 000 lines, 95 of 100",
      service?.sizes?.[10_000]?.keystroke?.p95Ms,
      16,
      (ms) => `${ms.toFixed(1)} ms`,
    ),
  ];
}

function typing({ typing: rows }) {
  const row = rows?.find((it) => it.lines === 10_000)?.rows?.find((it) => it.pace === "typing");
  return [
    line(
      "a key in the page, 10 000 lines, until its letter is seen, half of all",
      row?.medianMs,
      16,
      (ms) => `${ms.toFixed(1)} ms`,
    ),
  ];
}

function startup({ startup: rows }) {
  const row = rows.find((it) => it.engine === "stepgraph");
  return [
    line("start-up, CPU over bare Node", row?.cpuMs, 20, (ms) => `${ms.toFixed(0)} ms`),
    line("start-up, memory over bare Node", row?.rssMb, 8, (mb) => `${mb.toFixed(1)} MB`),
  ];
}

// "Linear" uses the same rule. For a loop without a trace, the longest run may use half as much memory again as the
// shortest.
function growth({ growth: rows }) {
  const of = (workload, engine) => rows.find((it) => it.engine === engine && it.workload === workload);
  const sizeCostRatio = (engine, large, small) => of(large, engine)?.bestUs / of(small, engine)?.bestUs;
  const engine = "stepgraph:no-trace";
  return [
    ["a step of a chain of 100 000 against 1 000", "linear-100000", "linear-1000"],
    ["a step of a loop of 1 000 000 against 10 000", "loop-500000", "loop-5000"],
  ]
    .map(([what, large, small]) =>
      steepness(what, sizeCostRatio(engine, large, small), sizeCostRatio("floor:map", large, small)),
    )
    .concat(
      ["stepgraph:no-trace", "native"].flatMap((name) =>
        [
          ["an element of a map of 10 000 against 1 000, 8 at once", "map-10000-8", "map-1000-8"],
          ["the same, 1000 at once", "map-10000-1000", "map-1000-1000"],
          ...(name === "native"
            ? [
                ["a step of a chain of 100 000 against 10 000", "linear-100000", "linear-10000"],
                ["a step of a loop of 1 000 000 against 100 000", "loop-500000", "loop-50000"],
              ]
            : []),
        ].map(([what, large, small]) => {
          const grown = of(large, name)?.bestUs / of(small, name)?.bestUs;
          return steepness(
            `${name}: ${what}`,
            grown,
            name === "native" ? NaN : sizeCostRatio("floor:map", large, small),
          );
        }),
      ),
    )
    .concat(
      line(
        "peak memory of the same loops, no trace",
        of("loop-500000", engine)?.peakMb / of("loop-5000", engine)?.peakMb,
        1.5,
        times,
      ),
    );
}

const snapshot = ({ snapshot: it }) => [
  line("save and resume after 1 000 nodes, against JSON of a Map", it?.runMs / it?.mapMs, 3, times),
];

function size({ sizes: rows }) {
  const wasm = rows.filter((it) => it.file.endsWith("stepgraph_first.wasm"));
  return [
    line(
      "wasm that every page loads, gzipped",
      wasm.length ? Math.max(...wasm.map((it) => it.gzipKb)) : NaN,
      250,
      (kb) => `${kb.toFixed(0)} kB`,
    ),
  ];
}
