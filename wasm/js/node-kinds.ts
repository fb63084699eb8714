/** Node types by what they call. */

/** @internal They call nothing. */
export const OWN_TYPES = new Set([
  "decision",
  "noop",
  "log",
  "set",
  "wait",
  "parallel",
  "map",
  "graph",
  "init",
  "format_output",
  "error_handler",
  "terminal",
  "validation",
  "validator",
  "result_preparation",
]);
/** @internal They call a model. */
export const MODEL_TYPES = new Set([
  "llm",
  "llm_call",
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
]);
/** @internal Older names of built-in types. A tool may override them. */
export const OLDER_TYPES = new Set(["init", "format_output", "error_handler", "terminal", "validation", "llm_call"]);
/** @internal They call any planned tool. */
export const EXECUTOR_TYPES = new Set(["gather", "execute_tools"]);
