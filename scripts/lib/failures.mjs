/**
 * Parses failures from test runners' output.
 *
 * `brief` leaves out passed tests. A failure is `{ test, again }`: its name and the command that repeats it.
 */

/** Node's `spec` reporter repeats failures below this. */
const FAILING = "✖ failing tests:";
const PASSED =
  /^(test .* \.\.\. (ok|ignored.*)|running \d+ tests?|test result: ok\..*|\s+(Compiling|Checking|Downloading|Downloaded|Blocking|Locking|Finished|Running|Doc-tests) .*)$/;

export function nodeFailures(file, output) {
  const again = `node --test ${file}`;
  const at = output.indexOf(FAILING);
  if (at < 0) return { brief: withoutPassed(output, /^\s*✔ /), failures: [{ test: file, again }] };
  const brief = output.slice(at);
  const names = [...brief.matchAll(/^test at .*\n✖ (.*?)(?: \([\d.]+ms\))?$/gm)].map(([, name]) => name);
  return { brief, failures: (names.length > 0 ? names : [file]).map((test) => ({ test, again })) };
}

/** Expects the output of `--no-fail-fast`. */
export function cargoFailures(command, output) {
  const failures = [];
  let named = [];
  for (const line of output.split("\n")) {
    const test = /^test (.*) \.\.\. FAILED$/.exec(line)?.[1];
    const target = /^error: (?:doc)?test failed, to rerun pass `(.*)`$/.exec(line)?.[1];
    if (test !== undefined) named.push(test);
    if (target === undefined) continue;
    for (const name of named) failures.push({ test: name, again: `cargo test ${target}${filter(name)}` });
    if (named.length === 0) failures.push({ test: target, again: `cargo test ${target}` });
    named = [];
  }
  for (const name of named) failures.push({ test: name, again: `cargo test${filter(name)}` });
  if (failures.length === 0) return programFailure(command, output);
  return { brief: withoutPassed(output, PASSED), failures };
}

export function programFailure(command, output) {
  return { brief: withoutPassed(output, PASSED), failures: [{ test: command, again: command }] };
}

export function summary(failed, left) {
  const lines = failed.map(({ stage, test, again }) =>
    test === again ? `failed: ${stage} > ${again}` : `failed: ${stage} > ${test} > ${again}`,
  );
  return [...lines, ...left.map(({ stage, broken }) => `left out: ${stage}, because ${broken} failed`)];
}

/** Documentation tests have names with spaces, so only the file counts. */
function filter(name) {
  return name.includes(" ") ? "" : ` ${name}`;
}

function withoutPassed(output, passed) {
  const lines = output.split("\n").filter((line) => !passed.test(line));
  return lines.join("\n").replace(/\n{3,}/g, "\n\n");
}
