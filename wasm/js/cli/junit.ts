/**
 * Results of tests as XML in the form of JUnit, which every CI system reads.
 *
 * Pure. A file is a suite; one that could not be tested is a suite with one error.
 */
import { shown } from "../package-internals.js";
import type { TestResult } from "../node.js";

/** What came of one file; `problem` says why it was not tested. */
export interface TestedFile {
  file: string;
  results: TestResult[];
  problem: string | null;
}

/** All files as one document. */
export function junit(files: TestedFile[]): string {
  const all = files.map(suite);
  const total = (count: (one: TestedFile) => number) => files.reduce((sum, one) => sum + count(one), 0);
  const numbers = attributes({
    tests: total(testsIn),
    failures: total(failuresIn),
    errors: total(errorsIn),
    time: seconds(files.flatMap(({ results }) => results)),
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${numbers}>\n${all.join("")}</testsuites>\n`;
}

function suite(one: TestedFile): string {
  const { file, results, problem } = one;
  const numbers = attributes({
    name: file,
    tests: testsIn(one),
    failures: failuresIn(one),
    errors: errorsIn(one),
    time: seconds(results),
  });
  const error =
    problem === null
      ? ""
      : `    <testcase${attributes({ classname: file, name: "the plan can be tested", time: 0 })}>\n      <error${attributes({ message: firstLine(problem) })}>${escaped(problem)}</error>\n    </testcase>\n`;
  return `  <testsuite${numbers}>\n${error}${results.map((result) => testCase(file, result)).join("")}  </testsuite>\n`;
}

function testCase(file: string, result: TestResult): string {
  const head = `    <testcase${attributes({ classname: file, name: result.name, time: seconds([result]) })}`;
  if (result.passed) return `${head}/>\n`;
  const lines = result.differences.map(
    ({ place, expected, got }) => `${place}: expected ${shown(expected, 400)}, got ${shown(got, 400)}`,
  );
  const failure = `<failure${attributes({ message: lines[0] ?? "failed" })}>${escaped(lines.join("\n"))}</failure>`;
  return `${head}>\n      ${failure}\n    </testcase>\n`;
}

const testsIn = ({ results, problem }: TestedFile): number => results.length + (problem === null ? 0 : 1);
const failuresIn = ({ results }: TestedFile): number => results.filter(({ passed }) => !passed).length;
const errorsIn = ({ problem }: TestedFile): number => (problem === null ? 0 : 1);

function seconds(results: TestResult[]): string {
  return (results.reduce((sum, { report }) => sum + report.durationMs, 0) / 1000).toFixed(3);
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!;
}

function attributes(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value)).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;")}"`)
    .join("");
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** What XML 1.0 can't hold: control characters, two others, and halves of pairs. */
const REFUSED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\p{Cs}]/gu;

/** Text as XML; a character that XML can't hold becomes U+FFFD. */
function escaped(text: string): string {
  return text
    .replace(REFUSED, "\ufffd")
    .replace(/[&<>"]/g, (character) => ENTITIES[character]!)
    .replaceAll("\r", "&#13;");
}
