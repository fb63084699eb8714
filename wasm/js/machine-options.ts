/** The options of a machine. */
import { type Kinds, RUN } from "./options.js";
import type { RunOptions, ToolInfo } from "./types.js";

/** The options of `run` that need no driver. */
export type MachineOptions = Pick<
  RunOptions,
  "input" | "outputs" | "memory" | "context" | "limits" | "trace" | "snapshot"
> & {
  /** The types, ids, tools and models that the host executes. */
  types?: string[];
  ids?: string[];
  tools?: ToolInfo[];
  /** Names of MCP servers, also those without tools: `shop.pay` is a tool of `shop` alone. */
  servers?: readonly string[];
  models?: string[];
  /** The time at `atMs` 0, in milliseconds since 1970. A `wait` node with `until` needs it. */
  epochMs?: number;
  /** Tools that need no approval. */
  allow?: RunOptions["allow"];
  /**
   * `plan`: the machine sets timers for retries and time limits. `host`: commands carry the plan's policy instead,
   * except for agents, approvals and other nodes with several calls. Default: `plan`.
   */
  retries?: "plan" | "host";
};

const { input, outputs, memory, context, limits, trace, snapshot, allow } = RUN;
/** @internal */
export const MACHINE_OPTIONS: Kinds<MachineOptions> = {
  ...{ input, outputs, memory, context, limits, trace, snapshot, allow },
  types: "[]text",
  ids: "[]text",
  tools: "[]map",
  servers: "[]text",
  models: "[]text",
  epochMs: "number",
  retries: "=plan|=host",
};

/** @internal A cassette of the run. The host's clients have secrets that no line may contain. */
export type Recording = Required<Pick<RunOptions, "record">> & Pick<RunOptions, "tools" | "models">;
