// Compares expressions inside a run with other evaluators: one process per evaluator and case.
import { fileURLToPath } from "node:url";
import { runAlone } from "../process.mjs";
import { formatMicroseconds, table } from "../table.mjs";
import { CASES } from "./cases.mjs";
import { EVALUATORS } from "./evaluators.mjs";

const script = fileURLToPath(new URL("measure.mjs", import.meta.url));
const CHAIN = "chain alone";

/** Resolves to a row per case: µs by evaluator. The chain without conditions is subtracted from ours. */
export async function expressions({ timeoutMs, flags, say }) {
  const measured = async (name, at) => {
    say(`expressions: ${name}, ${CASES[at]?.what ?? ""}`);
    const { us: time, failure } = await runAlone(script, [name, String(at), ...flags], timeoutMs);
    return failure ?? time;
  };
  const rows = [];
  for (const [at, { what }] of CASES.entries()) {
    const row = { what, chain: await measured(CHAIN, at) };
    for (const name of Object.keys(EVALUATORS)) if (name !== CHAIN) row[name] = await measured(name, at);
    row.condition = row.stepgraph - row.chain;
    rows.push(row);
  }
  return rows;
}

/** Formats µs per evaluation. `condition` is our run minus the same run without conditions. */
export function expressionTable(rows) {
  if (!rows?.length) return "";
  const peers = Object.keys(EVALUATORS).filter((name) => name !== CHAIN && name !== "stepgraph");
  const cell = (value) => (typeof value === "number" ? formatMicroseconds(value) : String(value));
  const head = ["expression", "node", "node with it", "condition", ...peers];
  const body = rows.map((row) => [
    row.what,
    cell(row.chain),
    cell(row.stepgraph),
    cell(row.condition),
    ...peers.map((name) => cell(row[name])),
  ]);
  return `\n## expressions inside a run, µs\n\n${table(head, body)}`;
}
