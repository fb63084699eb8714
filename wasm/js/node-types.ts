/** The built-in node types by effect. Generated from `core/plan/src/kind.rs`. */
/** @internal They call nothing. */
export const LOCAL_TYPES: ReadonlySet<string> = new Set([
  "decision",
  "noop",
  "log",
  "set",
  "wait",
  "parallel",
  "map",
  "graph",
  "validator",
  "result_preparation",
  "init",
  "format_output",
  "error_handler",
  "terminal",
  "validation",
]);
/** @internal They call a model. */
export const MODEL_TYPES: ReadonlySet<string> = new Set([
  "llm",
  "agent",
  "plan",
  "react",
  "discovery",
  "parameter_discovery",
  "requirements_analysis",
  "component_browsing",
  "planning",
  "workflow_generator",
  "parameter_mapping",
  "llm_call",
]);
/** @internal They call any planned tool. */
export const EXECUTOR_TYPES: ReadonlySet<string> = new Set(["gather", "execute_tools"]);
/** @internal Older names of built-in types. A tool may override them. */
export const OLDER_TYPES: ReadonlySet<string> = new Set([
  "init",
  "format_output",
  "error_handler",
  "terminal",
  "validation",
  "llm_call",
]);
