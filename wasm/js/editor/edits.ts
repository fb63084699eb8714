/** Operations on a plan. */

/** Graph such as `fan/a`. Default: the plan's own. */
interface Scoped {
  scope?: string;
}

/** Path into a value: keys and indexes. */
export type EditPath = readonly (string | number)[] | string | number;

/**
 * One operation on a plan. Nodes have keys, edges have indexes.
 *
 * @example
 * const edits: GraphEdit[] = [
 *   { op: "rename_node", node: "a", to: "fetch" },
 *   { op: "set_setting", node: "fetch", path: ["retry", "attempts"], value: 3 },
 * ];
 */
export type GraphEdit =
  /** `value` has at least `type`. Default position: last. */
  | ({ op: "add_node"; node: string; value: object; before?: string } & Scoped)
  /** Also removes its edges and layout. */
  | ({ op: "remove_node"; node: string } & Scoped)
  /** Also renames all references. */
  | ({ op: "rename_node"; node: string; to: string } & Scoped)
  /** Sets its output's name. Default: the key. */
  | ({ op: "set_id"; node: string; id?: string | null } & Scoped)
  | ({ op: "retype_node"; node: string; type: string } & Scoped)
  /** Copies it without edges. */
  | ({ op: "duplicate_node"; node: string; to: string } & Scoped)
  | ({ op: "connect"; from: string; to: string; condition?: string | null; position?: number | null } & Scoped)
  | ({ op: "disconnect"; edge: number } & Scoped)
  | ({ op: "reconnect"; edge: number; from?: string | null; to?: string | null } & Scoped)
  /** A run takes the first that holds. */
  | ({ op: "reorder_edge"; edge: number; position: number } & Scoped)
  | ({ op: "set_condition"; edge: number; condition?: string | null } & Scoped)
  /** Null for the previous output. */
  | ({ op: "set_input"; node: string; input?: unknown } & Scoped)
  /** Sets a value, or removes it if `value` is omitted. */
  | ({ op: "set_setting"; node: string; path: EditPath; value?: unknown } & Scoped)
  | ({ op: "set_setting"; edge: number; path: EditPath; value?: unknown } & Scoped)
  /** Sets a value outside nodes and edges. */
  | ({ op: "set_plan"; path: EditPath; value?: unknown } & Scoped)
  /** Null for automatic placement. */
  | ({ op: "move_nodes"; places: Readonly<Record<string, readonly [number, number] | null>> } & Scoped)
  /** Omit `node` if edges determine the start. */
  | ({ op: "set_start"; node?: string | null } & Scoped)
  /** Moves nodes into a graph inside a new node `to`. `edit/in-the-way` names what would change runs. */
  | ({ op: "group_nodes"; nodes: readonly string[]; to: string } & Scoped)
  /** Replaces a node by its graph's nodes, with the same restriction. */
  | ({ op: "ungroup_node"; node: string } & Scoped);
