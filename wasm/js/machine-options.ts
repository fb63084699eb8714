/** Options of a machine. */
import { type Kinds, RUN } from "./options.js";
import type { RunOptions, ToolInfo } from "./types.js";

/** The options of `run` that need no driver. */
export type MachineOptions = Pick<
  RunOptions,
  "input" | "outputs" | "memory" | "context" | "limits" | "trace" | "snapshot"
> & {
  /** What the host executes. */
  types?: string[];
  ids?: string[];
  tools?: ToolInfo[];
  /** Also those without tools: `shop.pay` is a tool of `shop` alone. */
  servers?: readonly string[];
  models?: string[];
  /** The time at `atMs` 0 since 1970, for `wait` nodes with `until`. */
  epochMs?: number;
  allow?: RunOptions["allow"];
  /**
   * `plan`, the default: the machine sets timers for retries and time limits. `host`: commands carry the policy, except
   * for nodes with several calls, such as agents and approvals.
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

/** @internal A cassette, without the secrets of the host's clients. */
export type Recording = Required<Pick<RunOptions, "record">> & Pick<RunOptions, "tools" | "models">;
