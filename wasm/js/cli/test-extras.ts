/** Coverage and mutants of `stepgraph test`. */
import type { TestOptions, TestResult } from "../node.js";
import { coverage, drawCoverage, type PlanGraph } from "../node.js";
import type { RenderOptions, Source } from "../terminal/diagnostics.js";
import { visible } from "../terminal/text.js";
import { writeText } from "./io.js";
import type { FileMutants } from "./test-mutants.js";
import { UsageError, type Arguments } from "./options.js";
import { checkOutputs } from "./output-files.js";
import { isStubs } from "./read-plan.js";

export interface TestedPlan {
  file: string;
  graph: PlanGraph;
  source: Source;
  text: string;
  /** Also those that the filter excludes. */
  names: string[];
  results: TestResult[];
  options: TestOptions;
}

export interface Extras {
  coverage: boolean;
  svg: string | undefined;
  minCoverage: number | undefined;
  mutate: boolean;
  mutateLimit: number;
  minScore: number | undefined;
}

const DEFAULT_MUTANTS = 500;

/** Throws {@link UsageError}. */
export function readExtras(args: Arguments): Extras {
  const [minCoverage, minScore] = [readPercent(args, "min-coverage"), readPercent(args, "min-score")];
  const svg = args.single("coverage-svg");
  const limit = args.single("mutate-limit");
  if (!args.has("mutate"))
    for (const name of ["mutate-limit", "min-score"])
      if (args.has(name))
        throw new UsageError("cli/missing-argument", `\`--${name}\` needs \`--mutate\``, "add `--mutate`");
  if (svg !== undefined) {
    const plans = args.operands.filter((name) => !isStubs(name));
    if (plans.length > 1)
      throw new UsageError(
        "cli/extra-argument",
        "`--coverage-svg` draws one plan, but there are several",
        "name one plan",
      );
    checkOutputs(args, {
      writes: ["coverage-svg"],
      reads: ["stubs"],
      also: plans.map((file) => ({ what: "the plan", file })),
    });
  }
  return {
    coverage: args.has("coverage") || svg !== undefined || minCoverage !== undefined,
    svg,
    minCoverage,
    mutate: args.has("mutate"),
    mutateLimit: limit === undefined ? DEFAULT_MUTANTS : readCount(limit),
    minScore,
  };
}

function readPercent(args: Arguments, name: string): number | undefined {
  const text = args.single(name);
  if (text === undefined) return undefined;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (value >= 0 && value <= 100) return value;
  throw new UsageError(
    "cli/bad-value",
    `\`--${name}\` does not accept \`${text}\``,
    "write a number from 0 to 100, such as `80`",
  );
}

function readCount(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value >= 1 && Number.isSafeInteger(value)) return value;
  throw new UsageError(
    "cli/bad-value",
    `\`--mutate-limit\` does not accept \`${text}\``,
    "write a number from 1, such as `200`",
  );
}

export interface ExtraReport {
  text: (options: RenderOptions) => string;
  /** Keys are plan files. */
  files: ReadonlyMap<string, object>;
  totals: object;
  /** Why the command fails although tests pass. */
  failures: string[];
}

export async function extraReport(plans: readonly TestedPlan[], extras: Extras): Promise<ExtraReport> {
  const parts = [
    ...(extras.coverage ? [await coverageReport(plans, extras)] : []),
    ...(extras.mutate ? [await mutantsReport(plans, extras)] : []),
  ];
  const files = plans.map(
    ({ file }) => [file, Object.assign({}, ...parts.map((part) => part.files.get(file)))] as const,
  );
  return {
    text: (options) => parts.map((part) => part.text(options)).join(""),
    files: new Map(files),
    totals: Object.assign({}, ...parts.map(({ totals }) => totals)),
    failures: parts.flatMap(({ failures }) => failures),
  };
}

// Both load the editor's module, which most tests don't need.
async function coverageReport(plans: readonly TestedPlan[], { svg, minCoverage }: Extras): Promise<ExtraReport> {
  const { placesIn } = await import("./test-places.js");
  const { coverageJson, coverageText, lowCoverage, totalPercent } = await import("./test-coverage.js");
  const all = plans.map(({ file, graph, text, source, results }) => ({
    file,
    coverage: coverage(
      graph,
      results.map(({ report }) => report),
    ),
    placeOf: placesIn(graph, text, file.endsWith(".json") ? "json" : "auto"),
    nameOf: (inner: string | undefined) => source.nameOf(inner),
  }));
  const percent = totalPercent(all);
  if (svg !== undefined && all.length === 1) writeText(svg, drawCoverage(plans[0]!.graph, all[0]!.coverage));
  const isLow = minCoverage !== undefined && percent < minCoverage;
  return {
    text: (options) => (all.length === 0 ? "" : coverageText(all, options)),
    files: new Map(all.map((one) => [one.file, { coverage: coverageJson(one) }])),
    totals: { coverage: { percent } },
    failures: isLow ? [lowCoverage(percent, minCoverage, all.length)] : [],
  };
}

async function mutantsReport(plans: readonly TestedPlan[], { mutateLimit, minScore }: Extras): Promise<ExtraReport> {
  const { mutantsJson, mutantsText, mutationCounts, mutationScore, scoreText, testFileMutants } = await import(
    "./test-mutants.js"
  );
  const { percentText } = await import("./test-coverage.js");
  const all: FileMutants[] = [];
  for (const { file, graph, text, source, options } of plans.filter(isReady))
    all.push(await testFileMutants(file, graph, text, mutateLimit, { ...options, files: source.files }));
  const counts = mutationCounts(all);
  const score = mutationScore(counts);
  const isLow = minScore !== undefined && score < minScore;
  return {
    text: (options) =>
      [
        ...all.map((one) => mutantsText(one, options)),
        ...plans.filter((plan) => !isReady(plan)).map((plan) => untestedText(plan, options)),
        ...(all.length > 0 ? [`${scoreText(counts)}\n`] : []),
      ].join(""),
    files: new Map(all.map((one) => [one.file, { mutation: mutantsJson(one) }])),
    totals: { mutation: { score, counts } },
    failures: isLow ? [`the mutation score is ${percentText(score)}, less than ${minScore} %`] : [],
  };
}

/** Whether a failure would show a noticed mutant. A plan that has no tests notices none. */
function isReady({ names, results }: TestedPlan): boolean {
  return results.every(({ passed }) => passed) && (results.length > 0 || names.length === 0);
}

function untestedText({ file, results }: TestedPlan, { style }: RenderOptions): string {
  const why = results.length === 0 ? "the filter matches no test" : "a test fails without a change";
  return `${style.bold(visible(file))}: no mutants, ${why}\n`;
}
