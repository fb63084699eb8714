/**
 * Maps run names to node paths: `fan:2/a/fetch:1:1` calls `fan/a/fetch`.
 *
 * The plan tells branches, indexes and nodes apart. Invariant: unknown names stay.
 */
import type { NodeInfo } from "stepgraph/web";

export interface CallName {
  lane: string;
  node: string;
  visit: number;
  attempt: number;
  part: string;
}

/** Null for other ids. */
export function parseCallName(call: string): CallName | null {
  const found = /^(?:(.*)\/)?([^/]+):(\d+):(\d+)((?:\/.*)?)$/.exec(call);
  if (found === null) return null;
  const [, lane = "", node = "", visit, attempt, part = ""] = found;
  return { lane, node: unescapeId(node), visit: Number(visit), attempt: Number(attempt), part: part.slice(1) };
}

function unescapeId(id: string): string {
  return id.replaceAll("%2F", "/").replaceAll("%25", "%");
}

export class NodePaths {
  /** Keyed by scope and id. */
  readonly #nodes = new Map<string, NodeInfo>();
  /** Keyed by lane. */
  readonly #scopes = new Map<string, string>([["", ""]]);

  constructor(nodes: readonly NodeInfo[]) {
    for (const node of nodes) this.#nodes.set(scopedKey(node.scope ?? "", node.id), node);
  }

  nodePath(lane: string, id: string): string {
    const planScope = this.planScope(lane);
    return joinPath(planScope, this.#nodes.get(scopedKey(planScope, id))?.key ?? id);
  }

  planScope(lane: string): string {
    const known = this.#scopes.get(lane);
    if (known !== undefined) return known;
    const found = this.#resolveScope(lane.split("/"));
    // A million elements have a million lanes.
    if (this.#scopes.size < 10_000) this.#scopes.set(lane, found);
    return found;
  }

  #resolveScope(parts: readonly string[]): string {
    let planScope = "";
    for (let at = 0; at < parts.length; at++) {
      const id = unescapeId((parts[at] ?? "").replace(/(:\d+){1,2}$/, ""));
      const node = this.#nodes.get(scopedKey(planScope, id));
      planScope = joinPath(planScope, node?.key ?? id);
      if (node?.type === "parallel") planScope = joinPath(planScope, unescapeId(parts[++at] ?? ""));
      else if (node?.type === "map") at++;
    }
    return planScope;
  }
}

/** The plan's scope is empty. */
export function joinPath(scope: string, key: string): string {
  return scope === "" ? key : `${scope}/${key}`;
}

function scopedKey(scope: string, id: string): string {
  return `${scope}\0${id}`;
}
