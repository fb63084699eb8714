/**
 * From the names that a run uses to places of the plan: `fan:2/a/fetch:1:1` is a call of the node at `fan/a/fetch`.
 *
 * Decides by the plan what a part of a name means: a branch, a position in a list, or a node. Invariant: never throws;
 * what the plan does not know keeps its own name.
 */
import type { NodeInfo } from "stepgraph/web";

/** A call's name, taken apart. */
export interface CallName {
  lane: string;
  node: string;
  visit: number;
  attempt: number;
  part: string;
}

/** Takes a call's name apart; nothing for what is none. */
export function parseCallName(call: string): CallName | null {
  const found = /^(?:(.*)\/)?([^/]+):(\d+):(\d+)((?:\/.*)?)$/.exec(call);
  if (found === null) return null;
  const [, lane = "", node = "", visit, attempt, part = ""] = found;
  return { lane, node: unescapeId(node), visit: Number(visit), attempt: Number(attempt), part: part.slice(1) };
}

function unescapeId(id: string): string {
  return id.replaceAll("%2F", "/").replaceAll("%25", "%");
}

/** The places of one plan. */
export class NodePaths {
  /** By scope of the plan and id: key and type. */
  readonly #nodes = new Map<string, NodeInfo>();
  /** Scopes of the plan by the names of those that run. */
  readonly #scopes = new Map<string, string>([["", ""]]);

  constructor(nodes: readonly NodeInfo[]) {
    for (const nodePath of nodes) this.#nodes.set(scopedKey(nodePath.scope ?? "", nodePath.id), nodePath);
  }

  /** The place of a node that runs in `lane`. */
  nodePath(lane: string, id: string): string {
    const planScope = this.planScope(lane);
    return joinPath(planScope, this.#nodes.get(scopedKey(planScope, id))?.key ?? id);
  }

  /** The scope of the plan that runs as `lane`. */
  planScope(lane: string): string {
    const known = this.#scopes.get(lane);
    if (known !== undefined) return known;
    const found = this.#resolveScope(lane.split("/"));
    // A list of a million elements has as many lanes; what is known of them can be found again.
    if (this.#scopes.size < 10_000) this.#scopes.set(lane, found);
    return found;
  }

  #resolveScope(parts: readonly string[]): string {
    let planScope = "";
    for (let at = 0; at < parts.length; at++) {
      const id = unescapeId((parts[at] ?? "").replace(/(:\d+){1,2}$/, ""));
      const nodePath = this.#nodes.get(scopedKey(planScope, id));
      planScope = joinPath(planScope, nodePath?.key ?? id);
      if (nodePath?.type === "parallel") planScope = joinPath(planScope, unescapeId(parts[++at] ?? ""));
      else if (nodePath?.type === "map") at++;
    }
    return planScope;
  }
}

/** The place of something in a scope; the plan itself has none. */
export function joinPath(scope: string, key: string): string {
  return scope === "" ? key : `${scope}/${key}`;
}

function scopedKey(scope: string, id: string): string {
  return `${scope}\0${id}`;
}
