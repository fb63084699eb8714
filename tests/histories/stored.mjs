/** How a history is kept: a folder with the plan, what was recorded, and what must come of it. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { essence } from "../parity/suite.mjs";

const folder = new URL("stored/", import.meta.url);
/** Traces of more lines are kept as a hash. */
const MOST_LINES = 500;

/** The names of all stored histories. */
export function names() {
  return readdirSync(folder).sort();
}

/** The place of a history's file. */
export function place(name, file = "") {
  return new URL(`${name}/${file}`, folder);
}

/** A stored history. */
export function read(name) {
  const text = (file) => readFileSync(place(name, file), "utf8");
  const lines = (file) => text(file).trimEnd().split("\n");
  return {
    ...JSON.parse(text("plan.json")),
    cassette: lines("cassette.ndjson"),
    journal: lines("journal.ndjson"),
    expected: text("expected.ndjson"),
    // Only where the run pauses when nobody can be asked.
    ...(existsSync(place(name, "snapshot.json")) && {
      snapshot: JSON.parse(text("snapshot.json")),
      resumed: text("resumed.ndjson"),
    }),
  };
}

/** What a history must give: the canonical trace, a line an event, and how things stood at the end. */
export function expectedOf(report) {
  const { trace, state } = essence({ report });
  const count = trace.split("\n").length;
  const hash = createHash("sha256").update(trace).digest("hex");
  const told = count <= MOST_LINES ? trace : `${JSON.stringify({ lines: count, sha256: hash })}\n`;
  return `${told}${state}\n`;
}
