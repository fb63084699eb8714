/** The report of `stepgraph test --coverage`. */
import type { Coverage, CoverageCount, CoverageKind, CoveragePart } from "../node.js";
import type { RenderOptions } from "../terminal/diagnostics.js";
import { pad, pluralize, visible, width } from "../terminal/text.js";
import type { PartPlace, PlaceOf } from "./test-places.js";

export interface FileCoverage {
  file: string;
  coverage: Coverage;
  placeOf: PlaceOf;
  nameOf: (file: string | undefined) => string;
}

const COLUMNS: readonly [CoverageKind, string][] = [
  ["node", "nodes"],
  ["edge", "edges"],
  ["error-edge", "error edges"],
  ["condition", "conditions"],
  ["graph", "graphs"],
  ["retry", "retries"],
  ["limit", "limits"],
];

export function totalPercent(all: readonly FileCoverage[]): number {
  return percentOf(sum(all.map(({ coverage }) => coverage.counts.all)));
}

function sum(counts: readonly CoverageCount[]): CoverageCount {
  const add = (key: keyof CoverageCount) => counts.reduce((total, count) => total + count[key], 0);
  return { covered: add("covered"), total: add("total"), unreachable: add("unreachable") };
}

function percentOf({ covered, total }: CoverageCount): number {
  return total === 0 ? 100 : (100 * covered) / total;
}

/** Rounds down, so only full coverage shows 100. */
export function percentText(percent: number): string {
  return `${Math.floor(percent * 10) / 10} %`;
}

export function coverageText(all: readonly FileCoverage[], options: RenderOptions): string {
  const { style } = options;
  const missed = all.flatMap((one) => missedLines(one, false));
  const unreachable = all.flatMap((one) => missedLines(one, true));
  return [
    ...table(all, options),
    ...section(style.yellow("not covered"), missed, options),
    ...section(style.dim("no input reaches"), unreachable, options),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function table(all: readonly FileCoverage[], { style }: RenderOptions): string[] {
  const cells = (name: string, count: (kind: CoverageKind | "all") => CoverageCount) => [
    name,
    ...COLUMNS.map(([kind]) => fraction(count(kind))),
    percentText(percentOf(count("all"))),
  ];
  const head = ["coverage", ...COLUMNS.map(([, title]) => title), "all"];
  const rows = all.map(({ file, coverage }) =>
    cells(clipStart(visible(file), MAX_FILE), (kind) => coverage.counts[kind]),
  );
  if (all.length > 1) rows.push(cells("all", (kind) => sum(all.map(({ coverage }) => coverage.counts[kind]))));
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => width(line[column]!))));
  const used = head.map((_, column) => column === 0 || rows.some((row) => row[column] !== NONE));
  return lines.map((line, at) => {
    const shown = line.flatMap((cell, column) => {
      if (!used[column]) return [];
      return [column === 0 ? pad(cell, widths[0]!) : " ".repeat(widths[column]! - width(cell)) + cell];
    });
    return at === 0 ? style.bold(shown.join("  ")) : `${shown.join("  ")}`;
  });
}

const MAX_FILE = 40;

/** A path's end tells files apart. */
function clipStart(text: string, columns: number): string {
  return width(text) <= columns
    ? text
    : `…${Array.from(text)
        .slice(1 - columns)
        .join("")}`;
}

const NONE = "–";

function fraction({ covered, total }: CoverageCount): string {
  return total === 0 ? NONE : `${covered}/${total}`;
}

interface MissedLine {
  name: string;
  place: PartPlace;
  text: string;
}

function section(title: string, lines: readonly MissedLine[], { style }: RenderOptions): string[] {
  if (lines.length === 0) return [];
  const places = lines.map(({ name, place }) => `${visible(name)}:${place.line}:${place.column}`);
  const widest = Math.min(48, Math.max(...places.map(width)));
  return [title, ...lines.map(({ text }, at) => `  ${style.bold(pad(places[at]!, widest))}  ${text}`)];
}

/** Leaves out parts that another missed part leads to, as edges of a node that never started. */
function missedLines({ file, coverage, placeOf, nameOf }: FileCoverage, unreachable: boolean): MissedLine[] {
  const isMissed = (part: CoveragePart) => part.count === 0;
  const missed = coverage.parts.filter(isMissed);
  const id = (scope: string, node: string) => JSON.stringify([scope, node]);
  const nodes = new Set(missed.flatMap((part) => (part.kind === "node" ? [id(part.scope, part.node!)] : [])));
  const graphs = new Set(missed.flatMap(({ graph }) => graph ?? []));
  const sides = conditionCounts(coverage.parts);
  return missed.flatMap((part) => {
    const { kind, scope, node } = part;
    if (part.unreachable !== unreachable || graphs.has(scope)) return [];
    if (kind !== "node" && node !== undefined && nodes.has(id(scope, node))) return [];
    const text = describe(part, sides.get(edgeId(part)) ?? [0, 0], unreachable);
    const place = placeOf(part);
    return text === null ? [] : [{ name: place.file === undefined ? file : nameOf(place.file), place, text }];
  });
}

function edgeId({ scope, edge }: CoveragePart): string {
  return JSON.stringify([scope, edge]);
}

/** How often each held and did not. */
function conditionCounts(parts: readonly CoveragePart[]): Map<string, [number, number]> {
  const found = new Map<string, [number, number]>();
  for (const part of parts) {
    if (part.kind !== "condition") continue;
    const counts = found.get(edgeId(part)) ?? [0, 0];
    counts[part.holds ? 0 : 1] = part.count;
    found.set(edgeId(part), counts);
  }
  return found;
}

/** Null if the edge's line implies it. */
function describe(part: CoveragePart, [held, failed]: [number, number], unreachable: boolean): string | null {
  const { kind, scope, node, to, condition, holds, graph, limit } = part;
  const inside = scope === "" ? "" : ` in \`${scope}\``;
  switch (kind) {
    case "node":
      return visible(`node \`${node}\`${inside} ${unreachable ? "can't start" : "never started"}`);
    case "graph":
      return visible(`graph \`${graph}\` ${unreachable ? "can't start" : "never started"}`);
    case "retry":
      return visible(`node \`${node}\`${inside} was never retried`);
    case "limit": {
      const name = node === undefined ? `limit \`${limit}\`` : `\`${limit}\` of node \`${node}\`${inside}`;
      return visible(`${name} was never exceeded`);
    }
    case "edge":
    case "error-edge": {
      const name = `edge \`${node}\` → \`${to}\`${inside}`;
      if (unreachable) return visible(`${name} can't be taken`);
      const seen =
        condition === ""
          ? ""
          : failed > 0
            ? `: \`${condition}\` was never true`
            : ": its condition was never evaluated";
      return visible(`${name} never taken${seen}`);
    }
    case "condition":
      if (holds || (held === 0 && !unreachable)) return null;
      return visible(
        `edge \`${node}\` → \`${to}\`${inside}: \`${condition}\` ${unreachable ? "can't be" : "was never"} false`,
      );
  }
}

export function coverageJson({ coverage, placeOf }: FileCoverage): unknown {
  const { percent, counts, parts } = coverage;
  return { percent, counts, parts: parts.map((part) => ({ ...part, ...placeOf(part) })) };
}

export function lowCoverage(percent: number, least: number, files: number): string {
  const plans = files === 1 ? "the plan" : pluralize(files, "plan");
  return `the tests cover ${percentText(percent)} of ${plans}, less than ${least} %`;
}
