/** What editors of plans ask, as a module of its own: everything but its start, which each entry does in its own way. */
/// <reference lib="esnext.disposable" preserve="true" />
export { PlanError } from "./errors.js";
export { PlanDocument } from "./editor/document.js";
export type { DocumentOptions, HostOffer, Outline, OutlineEdge, OutlineNode, TextChange } from "./editor/types.js";
export type { Code, Diagnostic, Span, Stubs, Target, ToolInfo } from "./types.js";
export { fromMermaid, fromServerlessWorkflow, importPlan, toDot, toMermaid } from "./editor/exchange.js";
export type { Direction, DrawOptions, Drawn, Finding, Imported } from "./editor/exchange.js";
