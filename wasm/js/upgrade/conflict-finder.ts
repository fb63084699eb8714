/** Collects the conflicts of a changed plan, with their place in it. */
import type { PlanGraph } from "../graph.js";
import type { ConflictCode, RunConflict } from "../run-conflict.js";

/** Collects conflicts. */
export class ConflictFinder {
  readonly conflicts: RunConflict[] = [];
  readonly #graph: PlanGraph;

  constructor(graph: PlanGraph) {
    this.#graph = graph;
  }

  /** Adds a conflict of the whole plan. */
  plan(code: ConflictCode, message: string): void {
    this.conflicts.push({ code, node: null, message, help: KEEP, line: null, column: null });
  }

  /** Adds a conflict of a node. `place` is another node, if this one is gone. */
  node(code: ConflictCode, scope: string, id: string, message: string): void {
    const at = this.#graph.nodes.findIndex((node) => node.id === id && (node.scope ?? "") === scope);
    const { line = null, column = null, file } = (at < 0 ? null : this.#graph.placeOf(at)) ?? {};
    const root = scope === "" ? id : scope.split("/")[0]!;
    const isThere = this.#graph.nodes.some((node) => node.id === root && node.scope === undefined);
    this.conflicts.push({
      code,
      node: scope === "" ? id : `${scope}/${id}`,
      message,
      help: isThere ? `restart the run at \`${root}\`, or finish it with the old plan` : `${KEEP}${MAP}`,
      line,
      column,
      ...(file !== undefined && { file }),
    });
  }
}

const KEEP = "finish the run with the old plan, or restart it at a node";
const MAP = "; if the node has another name now, map it";
