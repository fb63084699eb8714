/** Operations on a plan. */

/** Graph of the operation: default the plan's own, `fan/a` for branch `a` of node `fan`, by keys of nodes. */
interface Scoped {
  scope?: string;
}

/** Path into a value: keys and indexes, or a single one. */
export type EditPath = readonly (string | number)[] | string | number;

/**
 * One operation on a plan. Nodes have keys, edges have their index in `edges`.
 *
 * @example
 * const edits: GraphEdit[] = [
 *   { op: "rename_node", node: "a", to: "fetch" },
 *   { op: "set_setting", node: "fetch", path: ["retry", "attempts"], value: 3 },
 * ];
 */
export type GraphEdit =
  /** `value` is the node, at least its `type`. It goes before the node `before`, or after the last. */
  | ({ op: "add_node"; node: string; value: object; before?: string } & Scoped)
  /** Also removes its edges and its position in the layout. */
  | ({ op: "remove_node"; node: string } & Scoped)
  /** Also renames all references: edges, start, layout, conditions, templates, tests. */
  | ({ op: "rename_node"; node: string; to: string } & Scoped)
  /** Sets the name of its output. Default: the key. */
  | ({ op: "set_id"; node: string; id?: string | null } & Scoped)
  | ({ op: "retype_node"; node: string; type: string } & Scoped)
  /** Copies the node without its edges. */
  | ({ op: "duplicate_node"; node: string; to: string } & Scoped)
  | ({ op: "connect"; from: string; to: string; condition?: string | null; position?: number | null } & Scoped)
  | ({ op: "disconnect"; edge: number } & Scoped)
  | ({ op: "reconnect"; edge: number; from?: string | null; to?: string | null } & Scoped)
  /** Changes the order of a node's edges: a run takes the first that holds. */
  | ({ op: "reorder_edge"; edge: number; position: number } & Scoped)
  | ({ op: "set_condition"; edge: number; condition?: string | null } & Scoped)
  /** Null for the previous output. */
  | ({ op: "set_input"; node: string; input?: unknown } & Scoped)
  /** Sets a value in a node or an edge, or removes it if `value` is omitted. */
  | ({ op: "set_setting"; node: string; path: EditPath; value?: unknown } & Scoped)
  | ({ op: "set_setting"; edge: number; path: EditPath; value?: unknown } & Scoped)
  /** Sets a value of the plan outside its nodes and edges. */
  | ({ op: "set_plan"; path: EditPath; value?: unknown } & Scoped)
  /** Sets positions in the layout. Null for automatic placement. */
  | ({ op: "move_nodes"; places: Readonly<Record<string, readonly [number, number] | null>> } & Scoped)
  /** Omit `node` if the edges determine the start. */
  | ({ op: "set_start"; node?: string | null } & Scoped)
  /** Moves nodes into a graph inside a new node `to`. If this would change runs, `edit/in-the-way` names the cause. */
  | ({ op: "group_nodes"; nodes: readonly string[]; to: string } & Scoped)
  /** Replaces a node by the nodes of its graph, with the same restriction. */
  | ({ op: "ungroup_node"; node: string } & Scoped);
