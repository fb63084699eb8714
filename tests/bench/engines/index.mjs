// The rows of the table. A row is an engine (`engines/<file>.mjs`) and its setup (`variant`). `unit` is the row that
// its ratio is relative to. Each file exports `prepare(workload, variant) -> async () => handler calls`.

const MAP = "floor:map";
const AUDIT = "floor:map-audit";

export const ENGINES = [
  { name: "floor:loop", file: "floor-loop", unit: MAP },
  { name: MAP, file: "floor-map", unit: MAP },
  { name: "floor:map-sync", file: "floor-map", variant: { sync: true }, unit: MAP },
  { name: AUDIT, file: "floor-map", variant: { audit: true }, unit: AUDIT },
  { name: "stepgraph", file: "stepgraph", unit: MAP },
  { name: "stepgraph:no-trace", file: "stepgraph", variant: { trace: false }, unit: MAP },
  { name: "stepgraph:sync", file: "stepgraph", variant: { sync: true }, unit: MAP },
  { name: "stepgraph:no-trace-sync", file: "stepgraph", variant: { trace: false, sync: true }, unit: MAP },
  { name: "stepgraph:audit", file: "stepgraph", variant: { audit: true, trace: false }, unit: AUDIT },
  { name: "stepgraph:audit-trace", file: "stepgraph", variant: { audit: true }, unit: AUDIT },
  { name: "pocketflow", file: "pocketflow", unit: MAP },
  { name: "xstate", file: "xstate", unit: MAP },
  { name: "zen", file: "zen", unit: MAP },
  { name: "workflow-core", file: "workflow-core", unit: MAP },
  { name: "langgraph", file: "langgraph", unit: MAP },
];

/** Loads the engine of a row. Throws `Unavailable` if its package or build is missing. */
export async function load(file) {
  try {
    return await import(`./${file}.mjs`);
  } catch (error) {
    throw new Unavailable(reason(error));
  }
}

/** Returns why an import failed, in one line and without local paths. */
export function reason(error) {
  const [, name] = /^Cannot find (?:module|package) '([^']*)'/.exec(error.message) ?? [];
  if (name === undefined) return error.message.split("\n")[0];
  return name.endsWith("dist/node.js")
    ? "dist/node.js is not there; build the package first"
    : `${name} is not installed`;
}

/** An engine that cannot be imported here: every cell would fail. */
export class Unavailable extends Error {}

/** The error of an engine that cannot express a workload. */
export class Unsupported extends Error {}
