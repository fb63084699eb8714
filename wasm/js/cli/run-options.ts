/** Options of a run. */
import { type PlanGraph, priceModels } from "../node.js";
import type { Limits, RunOptions } from "../types.js";
import { parseDecisions, readSnapshot } from "./approvals.js";
import { parseServerArgument } from "./connections.js";
import { decode, type Io, readBytes } from "./io.js";
import { requiredLock } from "./lock-file.js";
import { readModel } from "./models.js";
import { type Arguments, UsageError } from "./options.js";
import { PRICED_LIMITS, readInput, readLimits, readPairs, readPlanHash, readUsd } from "./parse-values.js";
import { readPrices } from "./prices.js";
import { readStubs } from "./read-plan.js";

export function planFile(args: Arguments): string {
  const named = [...args.all("plan"), ...args.operands];
  if (named.length === 0)
    throw new UsageError(
      "cli/missing-argument",
      "`stepgraph run` needs a plan",
      "write `stepgraph run PLAN`, or `-` for standard input",
    );
  if (named.length > 1)
    throw new UsageError(
      "cli/extra-argument",
      `\`stepgraph run\` takes one plan, not ${named.length}`,
      "leave one of them out",
    );
  if (named[0] === "-" && args.single("prompt") === "-")
    throw new UsageError(
      "cli/conflicting-options",
      "standard input can't be both the plan and the prompt",
      "put one of them in a file",
    );
  return named[0]!;
}

/** `--limit` and `--max-usd`. */
export function readRunLimits(args: Arguments): Limits {
  const limits = readLimits(args.all("limit"), PRICED_LIMITS);
  const most = args.single("max-usd");
  if (most !== undefined && limits.usd !== undefined)
    throw new UsageError(
      "cli/extra-argument",
      "the limit `usd` is set twice",
      "leave `--limit usd` or `--max-usd` out",
    );
  if (most !== undefined) limits.usd = readUsd("--max-usd", most);
  return limits;
}

/** For `--prices`, or a limit in dollars. */
export function priceRun(options: RunOptions, graph: PlanGraph, args: Arguments): void {
  const own = (graph.toJSON() as { limits?: { usd?: number } | null }).limits?.usd;
  if (!args.has("prices") && options.limits?.usd === undefined && own === undefined) return;
  const prices = readPrices(args);
  if (options.models !== undefined) options.models = priceModels(options.models, prices);
}

export function readOptions(args: Arguments, io: Io): RunOptions {
  const prompt = args.single("prompt");
  args.all("server").forEach(parseServerArgument);
  const [stubs, resumed, replayed, hash] = ["stubs", "resume", "replay", "plan-hash"].map((name) => args.single(name));
  const given = prompt !== undefined || args.has("input");
  const limits = readRunLimits(args);
  const options: RunOptions = {
    ...(given ? { input: readInput(prompt === "-" ? decode(readBytes("-")) : prompt, args.all("input")) } : {}),
    decisions: parseDecisions(args),
    ...(args.has("allow") ? { allow: args.all("allow").includes("*") || args.all("allow") } : {}),
    ...(Object.keys(limits).length > 0 && { limits }),
    context: readPairs("context", args.all("context")),
    ...(args.has("memory") && { memory: readPairs("memory", args.all("memory")) }),
  };
  const model = readModel(args, io.env);
  if (model) options.models = { default: model };
  if (stubs !== undefined) options.stubs = readStubs(stubs);
  if (resumed !== undefined) options.snapshot = readSnapshot(resumed);
  if (replayed !== undefined) options.replay = decode(readBytes(replayed));
  const locked = requiredLock(planFile(args), args);
  if (locked !== null) options.lock = locked.lock;
  if (hash !== undefined) options.planHash = readPlanHash(hash, planFile(args));
  const modes = ["resume", "replay", "fork"].filter((name) => args.has(name));
  if (modes.length > 1)
    throw new UsageError(
      "cli/conflicting-options",
      `\`--${modes[0]}\` and \`--${modes[1]}\` can't be combined`,
      "leave one of them out",
    );
  if (!args.has("fork") && (args.has("at") || args.has("set")))
    throw new UsageError(
      "cli/missing-argument",
      "`--at` and `--set` change a recorded run",
      "name its cassette by `--fork FILE`",
    );
  return options;
}
