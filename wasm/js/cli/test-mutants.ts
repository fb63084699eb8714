/** `stepgraph test --mutate` */
import { type Mutant, mutants, PlanDocument } from "../editor/node.js";
import { type MutantResult, type MutationOptions, type PlanGraph, testMutants, testsOf } from "../node.js";
import type { RenderOptions } from "../terminal/diagnostics.js";
import { clip, pluralize, visible } from "../terminal/text.js";
import { percentText } from "./test-coverage.js";

export interface TestedMutant extends Mutant, MutantResult {
  before: string[];
  after: string[];
}

export interface FileMutants {
  file: string;
  tested: TestedMutant[];
  /** Left out by `--mutate-limit`. */
  leftOut: number;
  hasTests: boolean;
}

/** A `limit` spreads mutants evenly over the plan. */
export async function testFileMutants(
  file: string,
  graph: PlanGraph,
  text: string,
  limit: number,
  options: MutationOptions,
): Promise<FileMutants> {
  const format = file.endsWith(".json") ? "json" : "auto";
  const all = mutants(text, { format });
  const number = Math.min(limit, all.length);
  const chosen = Array.from({ length: number }, (_, at) => all[Math.floor((at * all.length) / number)]!);
  const document = new PlanDocument(text, { format });
  /** The mutant under test. */
  let changed = text;
  const texts = (function* () {
    for (const one of chosen) yield (changed = document.edit(one.edits).text);
  })();
  const tested: TestedMutant[] = [];
  for await (const result of testMutants(graph, texts, options))
    tested.push({ ...chosen[result.index]!, ...result, ...changedLines(text, changed) });
  document.free();
  return { file, tested, leftOut: all.length - number, hasTests: testsOf(graph).length > 0 };
}

function changedLines(text: string, changed: string): { before: string[]; after: string[] } {
  const [before, after] = [text.split(/\r?\n/), changed.split(/\r?\n/)];
  let [start, end] = [0, 0];
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start++;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { before: before.slice(start, before.length - end), after: after.slice(start, after.length - end) };
}

export interface MutationCounts {
  killed: number;
  rejected: number;
  survived: number;
  equivalent: number;
  leftOut: number;
}

export function mutationCounts(all: readonly FileMutants[]): MutationCounts {
  const tested = all.flatMap(({ tested }) => tested);
  const count = (status: MutantResult["status"]) => tested.filter((one) => one.status === status).length;
  return {
    killed: count("killed"),
    rejected: count("rejected"),
    survived: count("survived"),
    equivalent: count("equivalent"),
    leftOut: all.reduce((sum, one) => sum + one.leftOut, 0),
  };
}

/** Percent of noticed mutants that are not equivalent, or 100 if there are none. */
export function mutationScore({ killed, rejected, survived }: MutationCounts): number {
  const noticed = killed + rejected;
  return noticed + survived === 0 ? 100 : (100 * noticed) / (noticed + survived);
}

const MAX_SURVIVORS = 100;
const MAX_LINES = 4;

export function mutantsText(one: FileMutants, { style, columns }: RenderOptions): string {
  const survivors = one.tested.filter(({ status }) => status === "survived");
  // The list would repeat a plan without tests.
  const listed = one.hasTests ? survivors : [];
  const lines = listed
    .slice(0, MAX_SURVIVORS)
    .flatMap(({ message, line, column, before, after }) => [
      `  ${style.bold(visible(`${one.file}:${line}:${column}`))}  ${visible(message)}`,
      ...diffLines("-", before, after, columns).map(style.red),
      ...diffLines("+", after, before, columns).map(style.green),
    ]);
  const more = listed.length - MAX_SURVIVORS;
  const counts = mutationCounts([one]);
  const noticed = survivors.length === 0 ? "all noticed" : style.yellow(`no test notices ${survivors.length}`);
  const number = one.tested.length;
  const title = style.bold(`${visible(one.file)}: ${number === 0 ? "no mutants" : pluralize(number, "mutant")}`);
  return [
    number === 0 ? title : `${title}, ${noticed}`,
    ...lines,
    ...(more > 0 ? [`  and ${more} more: \`--json\` lists all`] : []),
    ...(counts.leftOut > 0
      ? [style.yellow(`  ${pluralize(counts.leftOut, "mutant")} left out: raise \`--mutate-limit\` to test all`)]
      : []),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

/** Long lines begin near the first difference. */
function diffLines(sign: string, lines: readonly string[], other: readonly string[], columns: number): string[] {
  const statements = lines.filter((line) => !/^\s*(#.*)?$/.test(line));
  const shown = statements.slice(0, MAX_LINES).map((line) => {
    const space = columns - 6;
    const start =
      other.length === 1 && lines.length === 1 && line.length > space ? firstDifference(line, other[0]!) : 0;
    const from = Math.max(0, start - Math.floor(space / 3));
    const indent = line.length - line.trimStart().length;
    return `    ${sign} ${clip(visible(from > indent ? `…${line.slice(from)}` : line.trim()), space)}`;
  });
  return statements.length > MAX_LINES ? [...shown, `    ${sign} …`] : shown;
}

function firstDifference(line: string, other: string): number {
  let at = 0;
  while (at < line.length && line[at] === other[at]) at++;
  return at;
}

export function scoreText(counts: MutationCounts): string {
  const { killed, rejected, survived, equivalent, leftOut } = counts;
  const parts = [
    `${killed} killed by tests`,
    `${rejected} by the checker`,
    `${survived} survived`,
    ...(equivalent > 0 ? [`${equivalent} equivalent`] : []),
    ...(leftOut > 0 ? [`${leftOut} left out`] : []),
  ];
  return `mutation score ${percentText(mutationScore(counts))}: ${parts.join(", ")}`;
}

export function mutantsJson(one: FileMutants): unknown {
  const counts = mutationCounts([one]);
  const mutant = ({ edits: _edits, index: _index, diagnostics, ...rest }: TestedMutant) => ({
    ...rest,
    ...(diagnostics && { code: diagnostics[0]?.code }),
  });
  return { score: mutationScore(counts), counts, mutants: one.tested.map(mutant) };
}
