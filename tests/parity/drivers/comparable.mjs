/** The parts of two runs that must be equal, as texts. */
import { canonical } from "../canonical.mjs";
import { comparableParts } from "../suite.mjs";

const withoutDurations = (text) => text?.replaceAll(/"(duration_ms|total_execution_time_ms)":[\d.]+/g, '"$1":0');

export function comparableResult(report, { trace = report.trace, made } = {}) {
  const { state } = comparableParts({ report });
  return {
    trace: withoutDurations(canonical(trace)),
    state: withoutDurations(state),
    ...(made && { made: sortedCalls(made) }),
  };
}

export function sortedCalls(made) {
  return made
    .map(({ kind, call, what }) => withoutDurations(`${kind} ${call} ${what}\n`))
    .sort()
    .join("");
}

export class Difference extends Error {
  constructor(way, what, wanted, got) {
    super(`${way}: ${what} differs\n${firstDifference(wanted, got)}`);
    this.way = way;
    this.what = what;
  }
}

/** Missing parts are not compared. */
export function assertSameResult(way, got, wanted) {
  for (const [what, text] of Object.entries(wanted))
    if (got[what] !== undefined && got[what] !== text) throw new Difference(way, what, text, got[what]);
}

export function assertInvariant(way, fact, what, detail = "") {
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
