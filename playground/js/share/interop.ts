/**
 * Converts plans to JSON, YAML and Mermaid, and imports Mermaid and Serverless Workflow.
 *
 * Detects the format of a text. The package's editor module does the conversions.
 */
import { comparePlans, importPlan, init as startEditor, readYaml, toMermaid } from "stepgraph/editor/web";
import { ShareError } from "./errors.js";

let started: Promise<void> | null = null;

/** Loads the editor module. */
export function startModule(): Promise<void> {
  return (started ??= startEditor(new URL("./stepgraph_editor_bg.wasm", import.meta.url)));
}

/** An imported text. `from` is empty for a plan, otherwise the format, and `notes` are the findings. */
export interface ImportedText {
  text: string;
  from: "" | "mermaid" | "serverless";
  notes: { severity: string; message: string }[];
}

/** Returns the Mermaid text of `text`, which may be in a Markdown fence, or null. */
export function findMermaid(text: string): string | null {
  const fenced = /^\s*(?:```|~~~)\s*mermaid\s*\n([\s\S]*?)\n\s*(?:```|~~~)/m.exec(text)?.[1];
  const bare = fenced ?? text;
  const first = bare
    .replace(/^\uFEFF?\s*(?:---[\s\S]*?\n---\s*\n)?/, "")
    .replace(/^(?:\s*%%[^\n]*\n)*/, "")
    .trimStart();
  return /^(?:flowchart|graph)(?:-elk)?\b(?!\s*:)/.test(first) ? bare : null;
}

/** Returns the plan in a Markdown fence, as models answer, or null. */
export function findFencedPlan(text: string): string | null {
  const found = /^\s*(?:```|~~~)\s*(?:ya?ml|json)?\s*\n([\s\S]*?)\n\s*(?:```|~~~)\s*$/m.exec(text)?.[1];
  return found !== undefined && /^\s*(?:\{|[\w"'-]+\s*:)/m.test(found) && /\bnodes\b/.test(found) ? `${found}\n` : null;
}

/** Imports a text as a plan. @throws {ShareError} `import/failed` if it can't be parsed. */
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

/** Returns a plan as JSON. @throws {ShareError} `import/failed` if it can't be parsed. */
export async function toJson(text: string): Promise<string> {
  return `${JSON.stringify(await parseValue(text), null, 2)}\n`;
}

/** Returns a plan as YAML. YAML stays unchanged, JSON is converted. */
export async function toYaml(text: string): Promise<string> {
  if (!/^\s*[{[]/.test(text)) return text;
  const { init, PlanGraph } = await import("stepgraph/web");
  await init(new URL("./stepgraph_wasm_bg.wasm", import.meta.url));
  // The graph keeps large integers that plain data would round.
  return PlanGraph.print(PlanGraph.parse(text).graph ?? (await parseValue(text)));
}

async function parseValue(text: string): Promise<unknown> {
  await startModule();
  const { value, diagnostics } = readYaml(text);
  const wrong = diagnostics.find(({ severity }) => severity === "error");
  if (wrong) throw new ShareError("import/failed", wrong.message);
  return value;
}

/** Returns a plan as a Mermaid flowchart. @throws {ShareError} `import/failed` if the plan has errors. */
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

/** Returns the semantic differences between two plans as text, or null if one can't be parsed. */
export async function compare(
  before: string,
  after: string,
): Promise<{ same: boolean; changes: { kind: string; message: string }[] } | null> {
  await startModule();
  const { same, changes } = comparePlans(before, after);
  return same === null ? null : { same, changes: changes.map(({ kind, message }) => ({ kind, message })) };
}
