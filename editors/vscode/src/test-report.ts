/** Reads the JSON of `stepgraph test --json --coverage`. Knows nothing of the editor. */

export interface CaseResult {
  name: string;
  passed: boolean;
  /** Difference from the expectation, or the reason why the test could not run. */
  message: string;
  durationMs: number;
}

export interface Part {
  kind: string;
  scope: string;
  node?: string;
  edge?: number;
  holds?: boolean;
  graph?: string;
  limit?: string;
  to?: string;
  unreachable: boolean;
  count: number;
  line?: number;
  column?: number;
  /** The file, if it is not the plan itself. */
  file?: string;
}

/** Zero-based. */
export interface Place {
  line: number;
  column: number;
}

/** One part of a plan to mark, with the branches of its condition. */
export interface Detail {
  kind: "declaration" | "statement";
  name: string;
  count: number;
  place: Place;
  branches: { label: string; count: number }[];
}

export interface FileResult {
  cases: CaseResult[];
  details: Detail[];
  /** Why the plan could not be tested. */
  problem: string | null;
}

interface RawCase {
  name?: unknown;
  passed?: unknown;
  differences?: unknown;
  error?: unknown;
  durationMs?: unknown;
}

/** Returns the result of the first file in the report. Throws if the output is no report. */
export function readTestReport(output: string): FileResult {
  const report = JSON.parse(output) as { files?: RawFile[] };
  const file = report.files?.[0];
  if (!file) throw new Error("the output names no plan");
  return {
    cases: (file.tests ?? []).map(readCase),
    details: coverageDetails(file.coverage?.parts ?? []),
    problem: file.bad ? "the plan has errors: see the Problems view" : null,
  };
}

interface RawFile {
  bad?: boolean;
  tests?: RawCase[];
  coverage?: { parts?: Part[] };
}

function readCase({ name, passed, differences, error, durationMs }: RawCase): CaseResult {
  return {
    name: String(name),
    passed: passed === true,
    message: passed === true ? "" : describe(differences, error),
    durationMs: typeof durationMs === "number" ? durationMs : 0,
  };
}

/** Each difference has a line. The error of a failed run follows. */
function describe(differences: unknown, error: unknown): string {
  const lines = Array.isArray(differences) ? differences.map(describeOne) : [];
  const { message } = Object(error) as { message?: unknown };
  return [...lines, ...(typeof message === "string" ? [message] : [])].join("\n");
}

/** JSON has no `undefined`: a value that is missing has no key. */
function describeOne(value: unknown): string {
  const { path, expected, got } = Object(value) as Record<string, unknown>;
  const shown = (part: unknown) => (part === undefined ? "nothing" : JSON.stringify(part));
  return `${String(path)}: expected ${shown(expected)}, got ${shown(got)}`;
}

/** Groups the two results of a condition with their edge. Leaves out what no input reaches. */
export function coverageDetails(parts: readonly Part[]): Detail[] {
  const edges = new Map<string, Detail>();
  const details: Detail[] = [];
  for (const part of parts) {
    if (part.unreachable || part.file !== undefined || part.line === undefined) continue;
    const key = `${part.scope}\n${part.node}\n${part.edge}`;
    if (part.kind === "condition") {
      edges.get(key)?.branches.push({ label: String(part.holds), count: part.count });
      continue;
    }
    const detail = toDetail(part, part.line);
    if (part.edge !== undefined) edges.set(key, detail);
    details.push(detail);
  }
  return details;
}

function toDetail(part: Part, line: number): Detail {
  return {
    kind: part.kind === "node" ? "declaration" : "statement",
    name: part.to ? `${part.node} → ${part.to}` : (part.graph ?? part.limit ?? part.node ?? part.kind),
    count: part.count,
    place: { line: line - 1, column: (part.column ?? 1) - 1 },
    branches: [],
  };
}
