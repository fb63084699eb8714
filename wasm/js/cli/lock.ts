/** `stepgraph lock` */
import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { PlanError, ToolLock } from "../node.js";
import { checkOn } from "../package-internals.js";
import type { Diagnostic, ToolInfo } from "../types.js";
import { pluralize, visible } from "../terminal/text.js";
import { decode, readBytes, renderOptions, writeText, type Io } from "./io.js";
import { findLock, LOCK_FILE, readLock, shortPath } from "./lock-file.js";
import { planFiles, readPlans, type ReadPlan, reportPlan, currentTools } from "./locked-tools.js";
import { UsageError, type Arguments } from "./options.js";

const UNKNOWN = new Set(["graph/unknown-tool", "graph/unavailable-tool"]);

export async function lockCommand(args: Arguments, io: Io): Promise<number> {
  const files = planFiles(args);
  const file = args.single("lock") ?? findLock(files[0]!) ?? newLock(files);
  const plans = readPlans(files, io);
  if (plans === null) return 2;
  // Otherwise the lock would call the server's tools gone.
  const tools = await currentTools(args, io, () => true);
  const missing = plans
    .map((plan) => ({ plan, found: missingTools(plan, tools) }))
    .filter(({ found }) => found.length > 0);
  for (const { plan, found } of missing) reportPlan(plan.source, found, io);
  if (missing.length > 0) return 2;
  const lock = lockFor(plans, tools);
  const before = oldLock(file);
  writeLock(file, lock);
  const { style } = renderOptions(io.out, io);
  const counted = `${pluralize(lock.tools.length, "tool")} of ${pluralize(plans.length, "plan")} locked`;
  const lines = [...before.lines(lock), `${style.bold(counted)} in ${visible(shortPath(file))}`];
  io.out.write(`${lines.join("\n")}\n`);
  const removed = before.removed(lock);
  if (removed > 0) warnOfRemoved(removed, io);
  return reportBroken(plans, tools, io) ? 2 : 0;
}

/** Other plans may share the lock. */
function warnOfRemoved(count: number, io: Io): void {
  const text = `${pluralize(count, "tool")} removed, because the named plans do not use ${count === 1 ? "it" : "them"}`;
  io.err.write(`warning: ${text}; if other plans share the lock, name all of them: \`stepgraph lock PLAN...\`\n`);
}

function reportBroken(plans: readonly ReadPlan[], tools: ToolInfo[], io: Io): boolean {
  const isNamed = (one: Diagnostic) => one.severity === "error" && one.code !== "graph/unknown-type";
  const broken = plans
    .map((plan) => ({ plan, found: checkOn(plan.graph, { tools }).filter(isNamed) }))
    .filter(({ found }) => found.length > 0);
  for (const { plan, found } of broken) reportPlan(plan.source, found, io);
  return broken.length > 0;
}

/** Beside the first plan, unless the current folder holds all. */
function newLock(files: readonly string[]): string {
  const isInside = (file: string) => file === "-" || !/^\.\.([/\\]|$)/.test(relative(".", resolve(file)));
  return files.every(isInside) ? LOCK_FILE : join(dirname(files[0]!), LOCK_FILE);
}

function missingTools({ graph }: ReadPlan, tools: ToolInfo[]): Diagnostic[] {
  return checkOn(graph, { tools }).filter(({ code }) => UNKNOWN.has(code));
}

function lockFor(plans: readonly ReadPlan[], tools: ToolInfo[]): ToolLock {
  try {
    return ToolLock.create(
      plans.map(({ graph }) => graph),
      tools,
    );
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    throw new UsageError(
      "cli/not-possible",
      error.message,
      "use another tool, or report this to the operator of the server",
    );
  }
}

/** Parses the text before writing: an unreadable lock is useless. */
function writeLock(file: string, lock: ToolLock): void {
  const text = lock.print();
  try {
    ToolLock.parse(text);
  } catch (error) {
    const why = (error as Error).message;
    throw new UsageError(
      "cli/not-possible",
      `the tools can't be locked: ${why}`,
      "report this to the operator of the server",
    );
  }
  if (!existsSync(file) || decode(readBytes(file)) !== text) writeText(file, text);
}

interface OldLock {
  /** Added, changed and removed tools. */
  lines(lock: ToolLock): string[];
  removed(lock: ToolLock): number;
}

/** An unreadable lock is replaced, another file is not. */
function oldLock(file: string): OldLock {
  if (!existsSync(file)) return changesSince([]);
  let tools: readonly ToolInfo[] = [];
  try {
    tools = readLock(file).tools;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const isNewer = error.message.endsWith("(lock/unknown-format)");
    if (isNewer)
      throw new UsageError(
        "cli/invalid-file",
        error.message,
        "use the version of Stepgraph that wrote it, or remove the file",
      );
    if (!/^(#.*\n|\s)*format:/.test(decode(readBytes(file))))
      throw new UsageError(
        "cli/invalid-file",
        `\`${shortPath(file)}\` is no lock, and is not replaced`,
        "name another file by `--lock`",
      );
  }
  return changesSince(tools);
}

function changesSince(before: readonly ToolInfo[]): OldLock {
  return {
    lines: ({ tools }) => changedLines(before, tools),
    removed: ({ tools }) => removedTools(before, tools).length,
  };
}

const keyOf = ({ server, name }: ToolInfo) => JSON.stringify([server, name]);

function removedTools(before: readonly ToolInfo[], after: readonly ToolInfo[]): ToolInfo[] {
  const kept = new Set(after.map(keyOf));
  return before.filter((tool) => !kept.has(keyOf(tool)));
}

function changedLines(before: readonly ToolInfo[], after: readonly ToolInfo[]): string[] {
  const old = new Map(before.map((tool) => [keyOf(tool), JSON.stringify(tool)]));
  const changed = after.filter((tool) => old.get(keyOf(tool)) !== JSON.stringify(tool));
  return [
    ...changed.map((tool) => lineOf(old.has(keyOf(tool)) ? "~" : "+", tool)),
    ...removedTools(before, after).map((tool) => lineOf("-", tool)),
  ];
}

function lineOf(mark: string, { server, name }: ToolInfo): string {
  return visible(`  ${mark} ${name}${server === undefined ? "" : `  (${server})`}`);
}
