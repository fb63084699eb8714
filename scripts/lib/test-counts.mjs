/**
 * Counts tests in what test runners print. A runner that ended badly has at least one failure, whatever it counted.
 */

/** No tests. */
export const NO_TESTS = { passed: 0, failed: 0 };

/** The sum of two counts. */
export function add(a, b) {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed };
}

/** A program that counts nothing itself is one test. */
export function countOne(_output, ok) {
  return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** Adds up cargo's `test result:` lines, one for each test program and for the doc tests of each crate. */
export function countCargo(output, ok) {
  const lines = [...output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed;/gm)];
  return withFailure(
    lines.reduce((sum, [, passed, failed]) => add(sum, { passed: +passed, failed: +failed }), NO_TESTS),
    ok,
  );
}

/** Reads the closing lines of Node's runner, in its `spec` or its `tap` form. A cancelled test is a failed one. */
export function countNode(output, ok) {
  const number = (word) => Number(output.match(new RegExp(`^(?:#|ℹ) ${word} (\\d+)$`, "m"))?.[1] ?? 0);
  return withFailure({ passed: number("pass"), failed: number("fail") + number("cancelled") }, ok);
}

function withFailure(counts, ok) {
  const nothing = ok && counts.passed + counts.failed === 0;
  if (nothing || (!ok && counts.failed === 0)) return { ...counts, failed: 1 };
  return counts;
}
