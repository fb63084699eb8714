/** Options of a machine. */
import { type Kinds, RUN } from "./options.js";
import type { RunOptions, ToolInfo } from "./types.js";

/** Options of `run` that need no driver. */
export type MachineOptions = Pick<
  RunOptions,
  "input" | "outputs" | "memory" | "context" | "limits" | "trace" | "snapshot"
> & {
  /** The work of the host. */
  types?: string[];
  ids?: string[];
  tools?: ToolInfo[];
  /** Also without tools: `shop.pay` is a tool of `shop` alone. */
  servers?: readonly string[];
  models?: string[];
  /** Milliseconds since 1970 at `atMs` 0, for `wait` nodes with `until`. */
  epochMs?: number;
  allow?: RunOptions["allow"];
  /**
   * `plan`, the default: the machine sets timers for retries and limits. `host`: commands carry the policy, unless
   * nodes make several calls, as agents and approvals do.
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

/** @internal The clients' secrets must not get into the cassette. */
export type Recording = Required<Pick<RunOptions, "record">> & Pick<RunOptions, "tools" | "models">;
