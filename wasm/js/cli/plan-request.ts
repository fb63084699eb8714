/** Arguments of `stepgraph plan`. */
import { existsSync, readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { type PlanGraph, stubTools } from "../node.js";
import type { RunOptions, ToolInfo } from "../types.js";
import { parseProgram } from "./programs.js";
import { connections, serverWords, displayUrl, type Connection } from "./connections.js";
import { decode, readBytes, errorReason, type Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { checkOutputs } from "./output-files.js";
import { isStubs, readPlan, readStubs } from "./read-plan.js";
import { hasKey } from "./server-keys.js";
import { readModel } from "./models.js";

/** A plan of `--workflows`. */
export interface KnownPlan {
  name: string;
  file: string;
  graph: PlanGraph;
  description: string;
  inputs: unknown;
}

export interface PlanRequest {
  request: string;
  options: RunOptions;
  known: KnownPlan[];
  servers: Connection[];
  tools: ToolInfo[];
}

export function readPlanRequest(args: Arguments, io: Io, tell: (text: string) => void): PlanRequest {
  const [typed] = args.operands;
  const request = typed === "-" ? decode(readBytes("-")) : typed!;
  const output = args.single("output");
  if (output !== undefined && existsSync(output) && !args.has("force"))
    throw new UsageError(
      "cli/unwritable-file",
      `\`${output}\` already exists`,
      "name another one, or add `--force` to overwrite it",
    );
  checkOutputs(args, { writes: ["output", "keep", "snapshot", "tokens"], reads: ["stubs"] });
  if (!args.has("yes"))
    for (const name of ["input", "context", "allow", "snapshot"])
      if (args.has(name))
        throw new UsageError("cli/missing-argument", `\`--${name}\` is for a run`, "add `--yes` to run the plan");
  const stubs = args.single("stubs") === undefined ? undefined : readStubs(args.single("stubs")!);
  const model = readModel(args, io.env);
  if (!model && !stubs?.models)
    throw new UsageError(
      "cli/missing-argument",
      "`stepgraph plan` needs a language model",
      "name one by `--model-url URL`, or by `--model NAME` and its key in the environment",
    );
  const words = serverWords(args, io, defaultServerName);
  const known = args.single("workflows") === undefined ? [] : readKnownPlans(args.single("workflows")!, tell);
  const input = {
    user_input: request,
    partial: args.has("partial") ? "continue" : "ask",
    ...(known.length > 0
      ? { workflows: known.map(({ name, description, inputs }) => ({ name, description, inputs })) }
      : {}),
  };
  return {
    request,
    options: { input, ...(model ? { models: { default: model } } : {}), ...(stubs ? { stubs } : {}) },
    known,
    servers: connections(words, args, io, null, tell),
    tools: stubs ? stubTools(stubs) : [],
  };
}

/** The host, with `-` for characters forbidden in names. */
export function defaultServerName(word: string): string {
  if (!/^[a-z]+:\/\//i.test(word) || !URL.canParse(word)) return word;
  return `${new URL(word).host.replace(/[^\w.-]/g, "-").replace(/^[^A-Za-z0-9]+/, "") || "server"}=${word}`;
}

/**
 * A server's name suffices if the plan has its full URL, without query and fragment, which may hold keys. If the
 * environment has a key, the command needs the URL: keys never go to URLs that only a plan names.
 */
export function shortServerArgument(word: string, servers: number, env: Io["env"]): string {
  const [, name = word, url = ""] = /^([^=]*)=(.*)$/s.exec(word) ?? [];
  // No plan names a command.
  if (parseProgram(url) !== null) return word;
  if (!URL.canParse(url)) return name;
  const { search, hash } = new URL(url);
  if (`${search}${hash}` !== "") return `${name}=...`;
  return hasKey(name, servers, env) ? `${name}=${displayUrl(url)}` : name;
}

/** Skips plans with errors. */
function readKnownPlans(folder: string, tell: (text: string) => void): KnownPlan[] {
  let files: string[];
  try {
    files = readdirSync(folder)
      .filter((file) => /\.(ya?ml|json)$/.test(file) && !isStubs(file))
      .sort();
  } catch (error) {
    throw new UsageError(
      "cli/unreadable-file",
      `can't read the folder \`${folder}\`: ${errorReason(error)}`,
      "name a folder of plans",
    );
  }
  const known = files.flatMap((name) => {
    const file = join(folder, name);
    const { graph } = readPlan(file);
    const valid = graph?.valid ?? false;
    if (!valid) tell(`\`${file}\` is not a valid plan: skipped`);
    const { description = "", inputs = null } = (graph?.toJSON() ?? {}) as { description?: string; inputs?: unknown };
    return graph === null || !valid ? [] : [{ name: basename(file, extname(file)), file, graph, description, inputs }];
  });
  if (known.length === 0)
    throw new UsageError(
      "cli/not-found",
      `there is no plan in \`${folder}\``,
      "leave `--workflows` out, or name a folder of plans",
    );
  return known;
}
