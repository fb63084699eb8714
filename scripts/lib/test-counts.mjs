/** Counts tests in the output of runners. A failed runner has at least one failure. */

export const NO_TESTS = { passed: 0, failed: 0 };

export function add(a, b) {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed };
}

export function countOne(_output, ok) {
  return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

export function countCargo(output, ok) {
  const lines = [...output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed;/gm)];
  return withFailure(
    lines.reduce((sum, [, passed, failed]) => add(sum, { passed: +passed, failed: +failed }), NO_TESTS),
    ok,
  );
}

/** Supports `spec` and `tap`. Cancelled tests failed. */
export function countNode(output, ok) {
  const number = (word) => Number(output.match(new RegExp(`^(?:#|ℹ) ${word} (\\d+)$`, "m"))?.[1] ?? 0);
  return withFailure({ passed: number("pass"), failed: number("fail") + number("cancelled") }, ok);
}

function withFailure(counts, ok) {
  const nothing = ok && counts.passed + counts.failed === 0;
  if (nothing || (!ok && counts.failed === 0)) return { ...counts, failed: 1 };
  return counts;
}
