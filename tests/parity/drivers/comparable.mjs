/** What two runs of one plan must have in common, as texts. */
import { canonical } from "../canonical.mjs";
import { essence } from "../suite.mjs";

/** How long things took is a part of what a `gather` gives. */
const timeless = (text) => text?.replaceAll(/"(duration_ms|total_execution_time_ms)":[\d.]+/g, '"$1":0');

/** What a driver gave: trace, how things stood at the end, and what was really asked. */
export function told(report, { trace = report.trace, made } = {}) {
  const { state } = essence({ report });
  return { trace: timeless(canonical(trace)), state: timeless(state), ...(made && { made: madeOf(made) }) };
}

/** The calls that were made, in no order. */
export function madeOf(made) {
  return made
    .map(({ kind, call, what }) => timeless(`${kind} ${call} ${what}\n`))
    .sort()
    .join("");
}

/** A difference between two drivers. */
export class Difference extends Error {
  constructor(way, what, wanted, got) {
    super(`${way}: ${what} differs\n${firstDifference(wanted, got)}`);
    this.way = way;
    this.what = what;
  }
}

/** Holds what a driver gave to what was wanted; what is not there is not compared. */
export function same(way, got, wanted) {
  for (const [what, text] of Object.entries(wanted))
    if (got[what] !== undefined && got[what] !== text) throw new Difference(way, what, text, got[what]);
}

/** Holds what must be. */
export function holds(way, fact, what, detail = "") {
  if (!fact) throw new Difference(way, what, "", String(detail));
}

function firstDifference(wanted, got) {
  const [left, right] = [wanted, got].map((text) => String(text).split("\n"));
  const at = left.findIndex((line, i) => line !== right[i]);
  const line = at < 0 ? left.length : at;
  const show = (lines) =>
    lines
      .slice(line, line + 3)
      .map((text) => `    ${text.slice(0, 600)}`)
      .join("\n");
  return `  line ${line + 1}, wanted:\n${show(left)}\n  got:\n${show(right)}`;
}
