/** The files of a history: a folder with the plan, the recorded data, and the expected result. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { comparableParts } from "../parity/suite.mjs";

const folder = new URL("stored/", import.meta.url);
/** Longer traces are stored as a hash. */
const MOST_LINES = 500;

export function names() {
  return readdirSync(folder).sort();
}

export function historyUrl(name, file = "") {
  return new URL(`${name}/${file}`, folder);
}

export function read(name) {
  const text = (file) => readFileSync(historyUrl(name, file), "utf8");
  const lines = (file) => text(file).trimEnd().split("\n");
  return {
    ...JSON.parse(text("plan.json")),
    cassette: lines("cassette.ndjson"),
    journal: lines("journal.ndjson"),
    expected: text("expected.ndjson"),
    // Exists only if the run pauses without a person.
    ...(existsSync(historyUrl(name, "snapshot.json")) && {
      snapshot: JSON.parse(text("snapshot.json")),
      resumed: text("resumed.ndjson"),
    }),
  };
}

/** The canonical trace, one event a line, and the final state. */
export function expectedOf(report) {
  const { trace, state } = comparableParts({ report });
  const count = trace.split("\n").length;
  const hash = createHash("sha256").update(trace).digest("hex");
  const told = count <= MOST_LINES ? trace : `${JSON.stringify({ lines: count, sha256: hash })}\n`;
  return `${told}${state}\n`;
}
