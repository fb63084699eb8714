/** Costs as tables. */
import type { CostBound, CostEstimate, CostStatistic, ExpectedCost } from "../node.js";
import type { RenderOptions } from "../terminal/diagnostics.js";
import { clip, formatUsd, pad, pluralize, visible, width, wrap } from "../terminal/text.js";

const COLUMNS: readonly [keyof CostBound, string][] = [
  ["toolCalls", "tool calls"],
  ["modelTurns", "model turns"],
  ["inputTokens", "input tokens"],
  ["outputTokens", "output tokens"],
  ["usd", "USD"],
];
const MAX_NAME = 40;

export function costLines(estimate: CostEstimate, options: RenderOptions): string[] {
  const { nodes, total, runs } = estimate;
  const { style } = options;
  if (nodes.length === 0) return ["calls no tool and no model"];
  const bounds = table("at most", [...nodes.map(boundRow), ["a run", ...boundCells(total.bound)]], options);
  const expected =
    total.expected === null
      ? [style.dim("no recorded runs: name some by --cassette, --audit or --store to see what runs use")]
      : table(
          `mean / most of ${pluralize(runs, "run")}`,
          [
            ...nodes.map(({ path, expected }) => [path, ...statisticCells(expected!)]),
            ["a run", ...statisticCells(total.expected)],
          ],
          options,
        );
  return [...bounds, "", ...expected, ...reasonLines(estimate, options)];
}

function boundRow({ path, bound }: CostEstimate["nodes"][number]): string[] {
  return [path, ...boundCells(bound)];
}

function boundCells(bound: CostBound): string[] {
  return COLUMNS.map(([key]) => {
    const figure = bound[key];
    return figure.most === null ? figure.kind : amount(key, figure.most, Math.ceil);
  });
}

function statisticCells(expected: ExpectedCost): string[] {
  return COLUMNS.map(([key]) => {
    const { mean, max } = expected[key];
    if (mean === null || max === null) return "unknown";
    return `${amount(key, mean, Math.round)} / ${amount(key, max, Math.round)}`;
  });
}

function amount(key: keyof CostBound, number: number, round: (number: number) => number): string {
  if (key === "usd") return formatUsd(number, round);
  return (Number.isInteger(number) ? number : Math.round(number * 10) / 10).toLocaleString("en-US");
}

function table(title: string, rows: readonly string[][], { style }: RenderOptions): string[] {
  const all = [[title, ...COLUMNS.map(([, head]) => head)], ...rows].map(([name = "", ...cells]) => [
    clip(visible(name), MAX_NAME),
    ...cells,
  ]);
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => width(row[column]!))));
  return all.map((row, at) => {
    const [name = "", ...cells] = row;
    const shown = cells.map((cell, column) => cell.padStart(widths[column + 1]!));
    const line = `${pad(name, widths[0]!)}  ${shown.join("  ")}`;
    return at === 0 ? style.dim(line) : at === all.length - 1 ? style.bold(line) : line;
  });
}

/** Each reason once, unbounded figures first. */
function reasonLines({ nodes, total }: CostEstimate, { style, columns }: RenderOptions): string[] {
  const bounds = [total.bound, ...nodes.map(({ bound }) => bound)].flatMap((bound) =>
    COLUMNS.map(([key]) => bound[key]),
  );
  const expected = Object.values<CostStatistic>(total.expected ?? {});
  const why = (kind: string) =>
    bounds.flatMap((figure) => (figure.most === null && figure.kind === kind ? figure.why : []));
  const unknown = [...why("unknown"), ...expected.flatMap((one) => ("why" in one ? one.why : []))];
  const first = new Set(why("unbounded"));
  const reasons: [string, string][] = [
    ...[...first].map((reason): [string, string] => ["unbounded", reason]),
    ...[...new Set(unknown)]
      .filter((reason) => !first.has(reason))
      .map((reason): [string, string] => ["unknown", reason]),
  ];
  if (reasons.length === 0) return [];
  const lines = reasons.flatMap(([kind, reason]) => {
    const [head = "", ...rest] = wrap(visible(reason), Math.max(24, columns - 11));
    return [`${style.yellow(pad(kind, 9))}  ${head}`, ...rest.map((line) => `${" ".repeat(11)}${line}`)];
  });
  return ["", ...lines, ...helpLines([...first, ...unknown], style)];
}

const HELP: readonly [RegExp, string][] = [
  [/price for the model/, "name the model by `--model PROVIDER:NAME`, and its price by `--prices FILE`"],
  [/has no `context`/, "add `context` to the price: the most input tokens of one request"],
  [/number of/, "set `limits: {calls: 50}` in the plan"],
  [/length of/, "declare the `maxItems` of a list in `inputs`, or set `limits: {calls: 50}`"],
  [/max_tokens/, "set `max_tokens`, or add `max_output` to the price"],
];

function helpLines(reasons: readonly string[], style: RenderOptions["style"]): string[] {
  const helps = HELP.filter(([pattern]) => reasons.some((reason) => pattern.test(reason)));
  return helps.map(([, help]) => `${style.blue("=")} ${style.bold("help")}: ${help}`);
}
