/** Exports plans as diagrams, and imports plans of other formats. */
import * as wasm from "../../pkg/stepgraph_editor.js";
import { assertOptions } from "../options.js";
import type { Diagnostic } from "../types.js";
import { assertStarted } from "./engine.js";
import { FORMAT } from "./host.js";

/** Direction of a diagram: `TD` top-down, `LR` left to right, `BT` and `RL` reversed. */
export type Direction = "TD" | "LR" | "BT" | "RL";

/** Options of {@link toMermaid} and {@link toDot}. */
export interface DrawOptions {
  /** Default `TD`. */
  direction?: Direction;
  /** Language of the text. `auto` detects JSON, and otherwise assumes YAML. */
  format?: "auto" | "yaml" | "json";
}

/** A diagram as text. */
export interface DiagramText {
  /** Null for a plan with errors. */
  text: string | null;
  diagnostics: Diagnostic[];
}

/** Result for one construct of an imported plan, with its range in the source. */
export interface ImportFinding extends Diagnostic {
  /** Name of the construct, as in the table of `docs/interop.md`. */
  construct: string;
  /** Whether the imported plan has the same meaning, a similar one, or none of it. */
  fidelity: "exact" | "approximated" | "lost";
}

/** An imported plan. */
export interface ImportResult {
  /** The plan as YAML, or null if the source is unreadable. */
  text: string | null;
  /** Format of the source. */
  from: "mermaid" | "serverless";
  /** One finding for each construct, in source order. */
  findings: ImportFinding[];
}

/**
 * Draws a plan, as text or as plain data such as a `PlanGraph`, as a Mermaid flowchart.
 *
 * Shapes and colours show what nodes do. Failures are red and dashed, loops blue, and nested graphs have frames. Labels
 * are escaped. {@link fromMermaid} reads the result.
 *
 * @example
 * const { text } = toMermaid("nodes: {hello: {type: log, input: hi}}", { direction: "LR" });
 */
export function toMermaid(plan: string | object, options: DrawOptions = {}): DiagramText {
  return renderDiagram("toMermaid", plan, "mermaid", options);
}

/** Draws a plan as a digraph of Graphviz, styled like {@link toMermaid}. */
export function toDot(plan: string | object, options: DrawOptions = {}): DiagramText {
  return renderDiagram("toDot", plan, "dot", options);
}

/**
 * Imports a Mermaid flowchart as a plan without errors, for you to complete. Nodes pass on the previous output, and
 * labels of arrows become conditions. Findings report guesses and omissions.
 *
 * @example
 * const { text, findings } = fromMermaid("flowchart LR\n  A[Ask] -->|Yes| B\n  A --> C");
 */
export function fromMermaid(text: string): ImportResult {
  return importText(text, "mermaid");
}

/** Imports a workflow of Serverless Workflow 1.0 in YAML or JSON. Findings locate unsupported constructs. */
export function fromServerlessWorkflow(text: string): ImportResult {
  return importText(text, "serverless");
}

/** Imports a plan of another format. Default: detected from the text. */
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
