/** Converts plans to JSON, YAML and Mermaid. Imports Mermaid and Serverless Workflow. */
import { comparePlans, importPlan, init as startEditor, readYaml, toMermaid } from "stepgraph/editor/web";
import { allFiles, pageFile } from "../page-file.js";
import { ShareError } from "./errors.js";

let started: Promise<void> | null = null;

export function startModule(): Promise<void> {
  return (started ??= allFiles().then(() => startEditor(pageFile("./stepgraph_editor_bg.wasm", import.meta.url))));
}

/** `from` is empty for a plan. `notes` are import findings. */
export interface ImportedText {
  text: string;
  from: "" | "mermaid" | "serverless";
  notes: { severity: string; message: string }[];
}

/** May be in a Markdown fence. */
export function findMermaid(text: string): string | null {
  const fenced = /^\s*(?:```|~~~)\s*mermaid\s*\n([\s\S]*?)\n\s*(?:```|~~~)/m.exec(text)?.[1];
  const bare = fenced ?? text;
  const first = bare
    .replace(/^\uFEFF?\s*(?:---[\s\S]*?\n---\s*\n)?/, "")
    .replace(/^(?:\s*%%[^\n]*\n)*/, "")
    .trimStart();
  return /^(?:flowchart|graph)(?:-elk)?\b(?!\s*:)/.test(first) ? bare : null;
}

/** Models use Markdown fences. */
export function findFencedPlan(text: string): string | null {
  const found = /^\s*(?:```|~~~)\s*(?:ya?ml|json)?\s*\n([\s\S]*?)\n\s*(?:```|~~~)\s*$/m.exec(text)?.[1];
  return found !== undefined && /^\s*(?:\{|[\w"'-]+\s*:)/m.test(found) && /\bnodes\b/.test(found) ? `${found}\n` : null;
}

/** @throws {ShareError} `import/failed` if it can't be parsed. */
export async function importText(text: string): Promise<ImportedText> {
  const mermaid = findMermaid(text);
  const workflow =
    mermaid === null &&
    /^\s*["']?document["']?\s*:/m.test(text) &&
    /["']?\bdsl["']?\s*:/.test(text) &&
    !/^\s*["']?nodes["']?\s*:/m.test(text);
  if (mermaid === null && !workflow) return { text: findFencedPlan(text) ?? text, from: "", notes: [] };
  await startModule();
  const imported = importPlan(mermaid ?? text, { from: mermaid === null ? "serverless" : "mermaid" });
  const notes = imported.findings
    .filter(({ fidelity }) => fidelity !== "exact")
    .map(({ severity, message }) => ({ severity, message }));
  if (imported.text === null) throw new ShareError("import/failed", imported.findings[0]?.message ?? "");
  return { text: imported.text, from: imported.from, notes };
}

/** @throws {ShareError} `import/failed` if it can't be parsed. */
export async function toJson(text: string): Promise<string> {
  return `${JSON.stringify(await parseValue(text), null, 2)}\n`;
}

/** Converts only JSON. */
export async function toYaml(text: string): Promise<string> {
  if (!/^\s*[{[]/.test(text)) return text;
  const { init, PlanGraph } = await import("stepgraph/web");
  await allFiles();
  await init(pageFile("./stepgraph_wasm_bg.wasm", import.meta.url));
  // Plain data would round large integers.
  return PlanGraph.print(PlanGraph.parse(text).graph ?? (await parseValue(text)));
}

async function parseValue(text: string): Promise<unknown> {
  await startModule();
  const { value, diagnostics } = readYaml(text);
  const wrong = diagnostics.find(({ severity }) => severity === "error");
  if (wrong) throw new ShareError("import/failed", wrong.message);
  return value;
}

/** @throws {ShareError} `import/failed` if the plan has errors. */
export async function toMermaidText(text: string): Promise<string> {
  await startModule();
  const drawn = toMermaid(text);
  if (drawn.text === null)
    throw new ShareError(
      "import/failed",
      drawn.diagnostics.find(({ severity }) => severity === "error")?.message ?? "",
    );
  return drawn.text;
}

/** Null if a plan can't be parsed. */
export async function compare(
  before: string,
  after: string,
): Promise<{ same: boolean; changes: { kind: string; message: string }[] } | null> {
  await startModule();
  const { same, changes } = comparePlans(before, after);
  return same === null ? null : { same, changes: changes.map(({ kind, message }) => ({ kind, message })) };
}
