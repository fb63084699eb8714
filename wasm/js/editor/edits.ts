/** The operations on a plan, from which edits of its text are worked out. */

/**
 * The graph that an operation is about: the plan's own unless given, `fan/a` for branch `a` of node `fan`, by the keys
 * of nodes.
 */
interface Scoped {
  scope?: string;
}

/** The steps of a way into a value: keys and positions; a key or a position alone for one step. */
export type EditPath = readonly (string | number)[] | string | number;

/**
 * One operation on a plan. Nodes are named by their keys, edges by their positions in `edges`.
 *
 * @example
 * const edits: GraphEdit[] = [
 *   { op: "rename_node", node: "a", to: "fetch" },
 *   { op: "set_setting", node: "fetch", path: ["retry", "attempts"], value: 3 },
 * ];
 */
export type GraphEdit =
  /** `value` is the node with at least its `type`; it is written before that node, or after the last. */
  | ({ op: "add_node"; node: string; value: object; before?: string } & Scoped)
  /** With its edges and its place in the layout. */
  | ({ op: "remove_node"; node: string } & Scoped)
  /** Wherever it is spoken of: edges, start, layout, conditions, templates, tests. */
  | ({ op: "rename_node"; node: string; to: string } & Scoped)
  /** The name of its output; without one, its key. */
  | ({ op: "set_id"; node: string; id?: string | null } & Scoped)
  | ({ op: "retype_node"; node: string; type: string } & Scoped)
  /** As it is written, without its edges. */
  | ({ op: "duplicate_node"; node: string; to: string } & Scoped)
  | ({ op: "connect"; from: string; to: string; condition?: string | null; position?: number | null } & Scoped)
  | ({ op: "disconnect"; edge: number } & Scoped)
  | ({ op: "reconnect"; edge: number; from?: string | null; to?: string | null } & Scoped)
  /** Of the edges that leave a node the first that holds is taken. */
  | ({ op: "reorder_edge"; edge: number; position: number } & Scoped)
  | ({ op: "set_condition"; edge: number; condition?: string | null } & Scoped)
  /** Null for what came before. */
  | ({ op: "set_input"; node: string; input?: unknown } & Scoped)
  /** Anything within a node or an edge; without a value, what is there is taken away. */
  | ({ op: "set_setting"; node: string; path: EditPath; value?: unknown } & Scoped)
  | ({ op: "set_setting"; edge: number; path: EditPath; value?: unknown } & Scoped)
  /** Anything that the plan says beside its nodes and edges. */
  | ({ op: "set_plan"; path: EditPath; value?: unknown } & Scoped)
  /** Null for a node that is placed by whoever draws it. */
  | ({ op: "move_nodes"; places: Readonly<Record<string, readonly [number, number] | null>> } & Scoped)
  /** None where the edges tell. */
  | ({ op: "set_start"; node?: string | null } & Scoped)
  /**
   * Makes nodes a graph inside a new node `to`, where a run stays the same; else `edit/in-the-way` says what stands in
   * the way.
   */
  | ({ op: "group_nodes"; nodes: readonly string[]; to: string } & Scoped)
  /** Puts the nodes of the graph inside a node in its place, likewise. */
  | ({ op: "ungroup_node"; node: string } & Scoped);
