/** Summarizes planner stages from the inputs of later ones. */

type JsonMap = Record<string, unknown>;

const map = (value: unknown): JsonMap => (typeof value === "object" && value !== null ? (value as JsonMap) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Pairs of an earlier stage and its finding. */
export function stageFindings(node: string, input: unknown): [string, string][] {
  const stageInput = map(input);
  switch (node) {
    case "requirements_analysis": {
      const values = Object.entries(map(stageInput.discovered_params)).map(
        ([name, value]) => `${name} = ${String(value)}`,
      );
      return values.length > 0 ? [["parameter_discovery", values.join(", ")]] : [];
    }
    case "component_browsing":
      return finding("requirements_analysis", list(map(stageInput.requirements_result).steps).join("; "));
    case "planning":
      return finding("component_browsing", list(map(stageInput.browsed_components).node_ids).join(", "));
    case "workflow_generator": {
      const { status, node_chain } = map(stageInput.planning_result);
      const errors = list(stageInput.validation_errors).map((error) => String(map(error).message));
      return [
        ...finding("planning", [status, node_chain].filter(Boolean).join(": ")),
        ...finding("validator", errors.join("; ")),
      ];
    }
    case "validator":
      return finding("workflow_generator", Object.keys(map(map(stageInput.generated_workflow).nodes)).join(", "));
    default:
      return [];
  }
}

/** The tools of planned or made calls. Null if `output` is of another kind. */
export function namedCalls(output: unknown): { name: string; failed: boolean }[] | null {
  const { tool_calls: planned, tool_results: made } = map(output);
  if (!Array.isArray(planned) && !Array.isArray(made)) return null;
  return [...list(planned), ...list(made)].map((call) => ({
    name: String(map(call).tool_name),
    failed: map(call).success === false,
  }));
}

/** The names of context values that calls need, but that the run was not given. Null if `output` is of another kind. */
export function missingContext(output: unknown): string[] | null {
  const { code, missing } = map(output);
  return code === "plan/missing-context" ? list(missing).map(String) : null;
}

function finding(node: string, text: string): [string, string][] {
  return text === "" ? [] : [[node, text]];
}
