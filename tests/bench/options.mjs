// The options of `npm run bench`.
import { parseArgs } from "node:util";
import { ENGINES } from "./engines/index.mjs";
import { NAMES } from "./workloads.mjs";

/** Parts that can be measured alone, as `--NAME` or as the only word. */
export const PARTS = {
  values: "the comparison of ways to show a value to WebAssembly",
  expressions: "the comparison of expressions",
  layout: "the comparison of the canvas's layout with dagre and elk; it needs Rust",
};

const line = (name, text) => `  ${name.padEnd(28)}${text}`;

export const USAGE = `npm run bench -- [PART] [options]

${Object.entries(PARTS)
  .map(([name, text]) => line(`${name}, --${name}`, `only ${text}`))
  .join("\n")}

${[
  ["--only ENGINE,...", "rows to measure, with their variants: stepgraph, pocketflow, ...; units always run along"],
  ["--workload NAME,...", `${NAMES.join(", ")}, or any other size`],
  ["--cells", "only the table of engines, not start-up, parsing, growth and sizes"],
  ["--passes N", "how often every cell is measured (2)"],
  ["--timeout SECONDS", "after which a cell is given up (60)"],
  ["--quick", "short samples: to see that it works, not to quote"],
]
  .map(([name, text]) => line(name, text))
  .join("\n")}`;

export function readOptions(args) {
  const { values: given, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      only: { type: "string" },
      workload: { type: "string" },
      passes: { type: "string" },
      timeout: { type: "string" },
      cells: { type: "boolean" },
      quick: { type: "boolean" },
      help: { type: "boolean", short: "h" },
      ...Object.fromEntries(Object.keys(PARTS).map((name) => [name, { type: "boolean" }])),
    },
  });
  const quick = given.quick ?? false;
  return {
    ...given,
    ...partOf(positionals, given),
    quick,
    flags: quick ? ["--quick"] : [],
    passes: Number(given.passes ?? (quick ? 1 : 2)),
    timeoutMs: Number(given.timeout ?? 60) * 1000,
    engines: engines(given.only?.split(",")),
    workloads: given.workload?.split(",") ?? NAMES,
  };
}

function partOf(words, given) {
  const known = Object.keys(PARTS);
  const unknown = words.find((word) => !known.includes(word));
  if (unknown !== undefined) throw new Error(`there is no part \`${unknown}\`; write ${known.join(", ")}, or nothing`);
  const chosen = known.filter((name) => words.includes(name) || given[name]);
  if (chosen.length > 1) throw new Error(`measure one part at a time, not ${chosen.join(" and ")}`);
  return Object.fromEntries(chosen.map((name) => [name, true]));
}

function engines(only) {
  if (!only) return ENGINES;
  const chosen = ENGINES.filter(({ name }) => only.some((it) => name === it || name.startsWith(`${it}:`)));
  if (chosen.length === 0)
    throw new Error(`no engine is called ${only.join(" or ")}; there are ${ENGINES.map((it) => it.name).join(", ")}`);
  const units = new Set(chosen.map((it) => it.unit));
  return ENGINES.filter((it) => chosen.includes(it) || units.has(it.name));
}
