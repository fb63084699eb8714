/** Exports and imports other formats. */
import * as wasm from "../../pkg/stepgraph_editor.js";
import { assertOptions } from "../options.js";
import type { Diagnostic } from "../types.js";
import { assertStarted } from "./engine.js";
import { FORMAT } from "./host.js";

/** `TD` top-down, `LR` left to right, `BT` and `RL` reversed. */
export type Direction = "TD" | "LR" | "BT" | "RL";

/** Options of {@link toMermaid} and {@link toDot}. */
export interface DrawOptions {
  /** Default `TD`. */
  direction?: Direction;
  /** `auto` detects JSON, otherwise YAML. */
  format?: "auto" | "yaml" | "json";
}

/** A diagram as text. */
export interface DiagramText {
  /** Null for a plan with errors. */
  text: string | null;
  diagnostics: Diagnostic[];
}

/** Finding for one construct, with its source range. */
export interface ImportFinding extends Diagnostic {
  /** Name as in the table of `docs/interop.md`. */
  construct: string;
  fidelity: "exact" | "approximated" | "lost";
}

/** An imported plan. */
export interface ImportResult {
  /** YAML, or null for an unreadable source. */
  text: string | null;
  from: "mermaid" | "serverless";
  /** In source order. */
  findings: ImportFinding[];
}

/**
 * Draws a plan or `PlanGraph` as a Mermaid flowchart. Failures are red and dashed, loops blue, and nested graphs
 * framed. {@link fromMermaid} reads it.
 *
 * @example
 * const { text } = toMermaid("nodes: {hello: {type: log, input: hi}}", { direction: "LR" });
 */
export function toMermaid(plan: string | object, options: DrawOptions = {}): DiagramText {
  return renderDiagram("toMermaid", plan, "mermaid", options);
}

/** Draws a plan for Graphviz, styled like {@link toMermaid}. */
export function toDot(plan: string | object, options: DrawOptions = {}): DiagramText {
  return renderDiagram("toDot", plan, "dot", options);
}

/**
 * Imports a Mermaid flowchart as a valid plan to complete. Nodes pass on the previous output, arrow labels become
 * conditions. Findings report guesses and omissions.
 *
 * @example
 * const { text, findings } = fromMermaid("flowchart LR\n  A[Ask] -->|Yes| B\n  A --> C");
 */
export function fromMermaid(text: string): ImportResult {
  return importText(text, "mermaid");
}

/** Imports a Serverless Workflow 1.0 in YAML or JSON. Findings locate unsupported constructs. */
export function fromServerlessWorkflow(text: string): ImportResult {
  return importText(text, "serverless");
}

/** Imports a plan of another format, detected by default. */
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
