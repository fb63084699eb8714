/** JUnit XML. Each file is a suite. An untested file has one error. */
import { clippedJson } from "../package-internals.js";
import type { TestResult } from "../node.js";

/** `problem` says why it was not tested. */
export interface TestedFile {
  file: string;
  results: TestResult[];
  problem: string | null;
}

export function junit(files: TestedFile[]): string {
  const all = files.map(suiteXml);
  const total = (count: (one: TestedFile) => number) => files.reduce((sum, one) => sum + count(one), 0);
  const numbers = formatAttributes({
    tests: total(testsIn),
    failures: total(failuresIn),
    errors: total(errorsIn),
    time: seconds(files.flatMap(({ results }) => results)),
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${numbers}>\n${all.join("")}</testsuites>\n`;
}

function suiteXml(one: TestedFile): string {
  const { file, results, problem } = one;
  const numbers = formatAttributes({
    name: file,
    tests: testsIn(one),
    failures: failuresIn(one),
    errors: errorsIn(one),
    time: seconds(results),
  });
  const error =
    problem === null
      ? ""
      : `    <testcase${formatAttributes({ classname: file, name: "the plan can be tested", time: 0 })}>\n      <error${formatAttributes({ message: firstLine(problem) })}>${escapeXml(problem)}</error>\n    </testcase>\n`;
  return `  <testsuite${numbers}>\n${error}${results.map((result) => testCaseXml(file, result)).join("")}  </testsuite>\n`;
}

function testCaseXml(file: string, result: TestResult): string {
  const head = `    <testcase${formatAttributes({ classname: file, name: result.name, time: seconds([result]) })}`;
  if (result.passed) return `${head}/>\n`;
  const lines = result.differences.map(
    ({ path, expected, got }) => `${path}: expected ${clippedJson(expected, 400)}, got ${clippedJson(got, 400)}`,
  );
  const failure = `<failure${formatAttributes({ message: lines[0] ?? "failed" })}>${escapeXml(lines.join("\n"))}</failure>`;
  return `${head}>\n      ${failure}\n    </testcase>\n`;
}

const testsIn = ({ results, problem }: TestedFile): number => results.length + (problem === null ? 0 : 1);
const failuresIn = ({ results }: TestedFile): number => results.filter(({ passed }) => !passed).length;
const errorsIn = ({ problem }: TestedFile): number => (problem === null ? 0 : 1);

function seconds(results: TestResult[]): string {
  return (results.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000).toFixed(3);
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!;
}

function formatAttributes(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value)).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;")}"`)
    .join("");
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Control characters, U+FFFE, U+FFFF, lone surrogates. */
const INVALID_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\p{Cs}]/gu;

function escapeXml(text: string): string {
  return text
    .replace(INVALID_XML, "\ufffd")
    .replace(/[&<>"]/g, (character) => ENTITIES[character]!)
    .replaceAll("\r", "&#13;");
}
