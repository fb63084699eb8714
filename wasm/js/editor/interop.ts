/** Plans as other programs draw and write them. */
import * as wasm from "../../pkg/stepgraph_editor.js";
import { assertOptions } from "../options.js";
import type { Diagnostic } from "../types.js";
import { assertStarted } from "./engine.js";
import { FORMAT } from "./host.js";

/** Which way a drawing goes: from top to bottom, from left to right, or the other way round. */
export type Direction = "TD" | "LR" | "BT" | "RL";

/** How a plan is drawn. */
export interface DrawOptions {
  /** `TD` unless given. */
  direction?: Direction;
  /** How a text is read; `auto` takes JSON for JSON and everything else for YAML. */
  format?: "auto" | "yaml" | "json";
}

/** A drawing as text. */
export interface DiagramText {
  /** Null for a plan with errors. */
  text: string | null;
  diagnostics: Diagnostic[];
}

/** What became of one construct of another program's plan: where it stands there, and what there is to say of it. */
export interface ImportFinding extends Diagnostic {
  /** What it is called: a row of the table in `docs/interop.md`. */
  construct: string;
  /** Whether the plan says the same, something like it, or nothing of it. */
  fidelity: "exact" | "approximated" | "lost";
}

/** A plan that was taken over. */
export interface ImportResult {
  /** The plan as YAML; null when nothing could be read. */
  text: string | null;
  /** What it was read as. */
  from: "mermaid" | "serverless";
  /** What became of it, in the order of the source. */
  findings: ImportFinding[];
}

/**
 * A plan as a Mermaid flowchart: text, or plain data such as a `PlanGraph`.
 *
 * Nodes have shapes and colours that say what they do; failures are red and dashed, loops blue, graphs inside nodes
 * framed. Labels are escaped whatever they hold. {@link fromMermaid} reads it back.
 *
 * @example
 * const { text } = toMermaid("nodes: {hello: {type: log, input: hi}}", { direction: "LR" });
 */
export function toMermaid(plan: string | object, options: DrawOptions = {}): DiagramText {
  return renderDiagram("toMermaid", plan, "mermaid", options);
}

/** A plan as a digraph of Graphviz, drawn like {@link toMermaid}. */
export function toDot(plan: string | object, options: DrawOptions = {}): DiagramText {
  return renderDiagram("toDot", plan, "dot", options);
}

/**
 * A Mermaid flowchart as a plan that checks without errors and can be filled in: nodes pass on what came before, words
 * on arrows are conditions. What had to be guessed, and what was left out, is told.
 *
 * @example
 * const { text, findings } = fromMermaid("flowchart LR\n  A[Ask] -->|Yes| B\n  A --> C");
 */
export function fromMermaid(text: string): ImportResult {
  return importText(text, "mermaid");
}

/** A workflow of Serverless Workflow 1.0, in YAML or JSON, as a plan; what has no equal is told, with its place. */
export function fromServerlessWorkflow(text: string): ImportResult {
  return importText(text, "serverless");
}

/** A plan of another program; of which is told by what the text looks like, unless it is given. */
export function importPlan(text: string, options: { from?: "auto" | "mermaid" | "serverless" } = {}): ImportResult {
  assertOptions("importPlan", options, { from: "=auto|=mermaid|=serverless" });
  return importText(text, options.from ?? "auto");
}

function renderDiagram(of: string, plan: string | object, language: string, options: DrawOptions): DiagramText {
  assertStarted();
  assertOptions(of, options, { ...FORMAT, direction: "=TD|=LR|=BT|=RL" });
  const { direction = "TD", format = "auto" } = options;
  const isText = typeof plan === "string";
  return JSON.parse(
    wasm.draw_plan(isText ? plan : JSON.stringify(plan), isText ? format : "json", language, direction),
  ) as DiagramText;
}

function importText(text: string, from: string): ImportResult {
  assertStarted();
  return JSON.parse(wasm.import_plan(text, from)) as ImportResult;
}
