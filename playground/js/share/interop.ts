/**
 * Plans in other forms: as JSON, YAML, Mermaid, and taken over from Mermaid and Serverless Workflow.
 *
 * Decides which form a text that comes in has. What reads and writes them is the package's own module for editors,
 * which is loaded by whoever asks for this file.
 */
import { comparePlans, importPlan, init as startEditor, readYaml, toMermaid } from "stepgraph/editor/web";
import { ShareError } from "./errors.js";

let started: Promise<void> | null = null;

/** The module of editors. */
export function startModule(): Promise<void> {
  return (started ??= startEditor(new URL("./stepgraph_editor_bg.wasm", import.meta.url)));
}

/** What came in. `from` is empty for a plan; else what it was taken over from, with what there is to say. */
export interface ImportedText {
  text: string;
  from: "" | "mermaid" | "serverless";
  notes: { severity: string; message: string }[];
}

/** Whether a text looks like a Mermaid drawing, also in a fence of Markdown. */
export function findMermaid(text: string): string | null {
  const fenced = /^\s*(?:```|~~~)\s*mermaid\s*\n([\s\S]*?)\n\s*(?:```|~~~)/m.exec(text)?.[1];
  const bare = fenced ?? text;
  const first = bare
    .replace(/^\uFEFF?\s*(?:---[\s\S]*?\n---\s*\n)?/, "")
    .replace(/^(?:\s*%%[^\n]*\n)*/, "")
    .trimStart();
  return /^(?:flowchart|graph)(?:-elk)?\b(?!\s*:)/.test(first) ? bare : null;
}

/** A plan in a fence of Markdown, such as models answer with. */
export function findFencedPlan(text: string): string | null {
  const found = /^\s*(?:```|~~~)\s*(?:ya?ml|json)?\s*\n([\s\S]*?)\n\s*(?:```|~~~)\s*$/m.exec(text)?.[1];
  return found !== undefined && /^\s*(?:\{|[\w"'-]+\s*:)/m.test(found) && /\bnodes\b/.test(found) ? `${found}\n` : null;
}

/** A text as a plan. @throws {ShareError} `import/failed` when nothing of it can be read. */
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

/** A plan as JSON. @throws {ShareError} `import/failed` for a text that can't be read. */
export async function toJson(text: string): Promise<string> {
  return `${JSON.stringify(await parseValue(text), null, 2)}\n`;
}

/** A plan as YAML: as it was written, unless it was written as JSON. */
export async function toYaml(text: string): Promise<string> {
  if (!/^\s*[{[]/.test(text)) return text;
  const { init, PlanGraph } = await import("stepgraph/web");
  await init(new URL("./stepgraph_wasm_bg.wasm", import.meta.url));
  // A graph keeps whole numbers that plain data would round.
  return PlanGraph.print(PlanGraph.parse(text).graph ?? (await parseValue(text)));
}

async function parseValue(text: string): Promise<unknown> {
  await startModule();
  const { value, diagnostics } = readYaml(text);
  const wrong = diagnostics.find(({ severity }) => severity === "error");
  if (wrong) throw new ShareError("import/failed", wrong.message);
  return value;
}

/** A plan as a Mermaid flowchart. @throws {ShareError} `import/failed` for a plan with errors. */
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

/** What differs in meaning between two plans, in words; null when one of them can't be read. */
export async function compare(
  before: string,
  after: string,
): Promise<{ same: boolean; changes: { kind: string; message: string }[] } | null> {
  await startModule();
  const { same, changes } = comparePlans(before, after);
  return same === null ? null : { same, changes: changes.map(({ kind, message }) => ({ kind, message })) };
}
