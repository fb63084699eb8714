/** Turns a plan file, with the files that it runs, into a module. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { check, formatDiagnostics, internals, type ParsedPlan, PlanGraph, review } from "stepgraph";
import { folderReader } from "../../../cli/folder-reader.js";
import { isPlan } from "../../../cli/detect-plan.js";
import { DECLARATION_HEAD, declarationFile, planDeclaration } from "../../../declarations/plan-declaration.js";
import type { Diagnostic } from "../../../types.js";
import type { PlanLoaderOptions } from "./options.js";

/** Columns count from 0. */
export interface Finding {
  message: string;
  help: string | null;
  file: string;
  line: number;
  column: number;
  length: number;
  lineText: string;
}

/** A plan as a module. */
export interface PlanModule {
  code: string;
  /** Missing ones too. */
  files: string[];
  errors: Finding[];
  warnings: Finding[];
  /** Errors, or else warnings, as the command prints them. */
  report: string;
}

/** How a module gets the library. */
export interface ModuleTarget {
  /** Its address. */
  library: string;
  /** Starts the engine. */
  start: "none" | "init" | { module: string };
}

export const PLAN_FILE = /\.ya?ml$/;

/** Null for other files. */
export function loadPlan(file: string, target: ModuleTarget, types = false): PlanModule | null {
  const bytes = readFileSync(file);
  const text = bytes.toString("utf8");
  if (!/\.plan\.ya?ml$/i.test(file) && !isPlan("yaml", file, text)) return null;
  let parsed: ParsedPlan = { graph: null, diagnostics: [] };
  const known = internals.readMissingSync(folderReader(dirname(file)), (given) => {
    parsed.graph?.free();
    const { missing, ...rest } = PlanGraph.parseWith(bytes, "yaml", given);
    parsed = rest;
    return missing;
  });
  const { graph } = parsed;
  const texts = internals.fileTexts(known);
  const diagnostics = internals.sortDiagnostics([...parsed.diagnostics, ...(graph === null ? [] : check(graph))]);
  const of = (severity: Diagnostic["severity"]) => diagnostics.filter((one) => one.severity === severity);
  const [errors, warnings] = [of("error"), of("warning")];
  if (types && graph !== null && errors.length === 0) writeDeclaration(file, graph);
  graph?.free();
  const shown = errors.length > 0 ? errors : warnings;
  const name = relative(".", file) || basename(file);
  return {
    code: moduleText({ text, name: basename(file), files: texts }, target),
    files: Object.keys(known).map((path) => join(dirname(file), path)),
    errors: errors.map((one) => finding(one, file, text, texts)),
    warnings: warnings.map((one) => finding(one, file, text, texts)),
    report: formatDiagnostics(shown, { text, name, files: texts }),
  };
}

export function targetOf({ engine }: PlanLoaderOptions, start: "none" | "init"): ModuleTarget {
  const module = engine !== undefined && /^\.{1,2}[/\\]/.test(engine) ? resolve(engine) : engine;
  return { library: "stepgraph", start: module === undefined ? start : { module } };
}

/** `name` is no path, so the module tells nothing about the machine. */
function moduleText(
  { text, name, files }: { text: string; name: string; files: Record<string, string> },
  { library, start }: ModuleTarget,
): string {
  const options = Object.keys(files).length > 0 ? { name, files } : { name };
  return [
    ...(typeof start === "object" ? [`import ${JSON.stringify(start.module)};`] : []),
    `import { PlanGraph${start === "init" ? ", init" : ""} } from ${JSON.stringify(library)};`,
    ...(start === "init" ? ["await init();"] : []),
    `export default PlanGraph.load(${JSON.stringify(text)}, ${JSON.stringify(options)});`,
    "",
  ].join("\n");
}

function finding(diagnostic: Diagnostic, plan: string, text: string, files: Record<string, string>): Finding {
  const { code, message, help, line, column, span, file } = diagnostic;
  const lines = (file === undefined ? text : (files[file] ?? "")).split(/\r\n?|\n/);
  const lineText = lines[(line ?? 1) - 1] ?? "";
  const from = (column ?? 1) - 1;
  return {
    message: `${message} (${code})`,
    help,
    file: file === undefined || isAbsolute(file) ? plan : join(dirname(plan), file),
    line: line ?? 1,
    column: from,
    length: Math.max(0, Math.min((span?.end ?? 0) - (span?.start ?? 0), lineText.length - from)),
    lineText,
  };
}

/** An unchanged text must not start watchers again. */
function writeDeclaration(plan: string, graph: PlanGraph): void {
  const file = declarationFile(plan);
  if (file === null) return;
  const text = planDeclaration({ graph, review: review(graph) });
  const before = existsSync(file) ? readFileSync(file, "utf8").replaceAll("\r\n", "\n") : null;
  if (before === text) return;
  if (before !== null && !before.startsWith(DECLARATION_HEAD))
    throw new Error(`\`${relative(".", file)}\` was not written by Stepgraph: move it away, or leave \`types\` out`);
  writeFileSync(file, text);
}
