/** `stepgraph upgrade` and `run --upgrade` */
import { compareRun, mapNodes, PlanError, restartAt } from "../node.js";
import type { MappedRun, PlanGraph, RunComparison, RunConflict } from "../node.js";
import { renderDiagnostics, type RenderOptions, Source, tally } from "../terminal/diagnostics.js";
import { skippedBy } from "../package-internals.js";
import { pluralize, visible } from "../terminal/text.js";
import type { Diagnostic, Snapshot } from "../types.js";
import { readSnapshot } from "./approvals.js";
import { renderOptions, type Io } from "./io.js";
import { openStorePlace, reportStoreFailure, storePlace } from "./kept-run.js";
import { closestName } from "./suggest.js";
import { UsageError, type Arguments } from "./options.js";
import { checkedPlan, type ParsedFile } from "./read-plan.js";
import { EXIT_INVALID, reportInvalid } from "./failure-report.js";

export async function upgradeCommand(args: Arguments, io: Io): Promise<number> {
  const [file] = args.operands as [string];
  const place = storePlace(args, io);
  const resumed = args.single("resume");
  if ((place === undefined) === (resumed === undefined))
    throw new UsageError(
      "cli/missing-argument",
      "`stepgraph upgrade` needs a run",
      "write `--resume FILE`, or `--store FILE --run-id ID`",
    );
  if ((place === undefined) !== !args.has("run-id"))
    throw new UsageError(
      "cli/missing-argument",
      "`--store` and `--run-id` belong together",
      "write both, or `--resume FILE`",
    );
  if (place !== undefined && args.has("from"))
    throw new UsageError(
      "cli/conflicting-options",
      "`--store` and `--from` can't be combined",
      "the store has the plan of the run",
    );
  if (args.has("map") && !args.has("from"))
    throw new UsageError(
      "cli/missing-argument",
      "`--map` renames nodes of the old plan",
      "name that plan by `--resume FILE --from FILE`",
    );
  const read = checkedPlan(file);
  if (read.graph === null || !read.graph.valid) {
    const message = `the plan has ${tally(read.diagnostics)}`;
    return reportInvalid([read], { code: "run/invalid-plan", message }, args, io);
  }
  if (place === undefined) {
    const { compared } = await compareSnapshot(read.graph, readSnapshot(resumed!), args);
    return report(compared, { ...read, file, graph: read.graph }, args, io);
  }
  try {
    const { store, close } = await openStorePlace(place, { create: false });
    try {
      const compared = await store.compare(read.graph, args.single("run-id")!);
      return report(compared, { ...read, file, graph: read.graph }, args, io);
    } finally {
      await close();
    }
  } catch (error) {
    const code = reportStoreFailure(error, io);
    if (code === null) throw error;
    return code;
  }
}

/** The returned snapshot has the node names of `--map`. */
async function compareSnapshot(
  graph: PlanGraph,
  snapshot: Snapshot,
  args: Arguments,
): Promise<{ compared: RunComparison; snapshot: Snapshot }> {
  const file = args.single("from");
  if (file === undefined) {
    const compared = withUsage("name a file that `--snapshot` wrote", () => compareRun(graph, snapshot));
    return { compared, snapshot };
  }
  const { graph: from, diagnostics } = checkedPlan(file);
  const help = "name the plan with which the run was paused";
  if (from === null) throw new UsageError("cli/invalid-file", `\`--from ${file}\` has ${tally(diagnostics)}`, help);
  if (from.hash !== snapshot.plan?.hash)
    throw new UsageError("cli/invalid-file", `\`--from ${file}\` is not the plan of the snapshot`, help);
  const mapped = await mappedRun(graph, from, snapshot, args);
  const compare = () => compareRun(graph, mapped.snapshot, { from: mapped.from });
  return { compared: withUsage("name a file that `--snapshot` wrote", compare), snapshot: mapped.snapshot };
}

async function mappedRun(graph: PlanGraph, from: PlanGraph, snapshot: Snapshot, args: Arguments): Promise<MappedRun> {
  const names = mappedNames(graph, args);
  if (names === null) return { from, snapshot };
  const { editPlan } = await import("../editor/node.js");
  const help = "name the old node first: `--map OLD=NEW`";
  const mapped = withUsage(help, () => mapNodes(snapshot, names, { from, editPlan }));
  // `--snapshot` adds these, with old names.
  const waiting = Object.keys(mapped.snapshot.asked ?? {});
  return { ...mapped, snapshot: { ...mapped.snapshot, waiting } as Snapshot };
}

/** Reads `--map`. A mistyped new name would look like a node that is gone. */
function mappedNames(graph: PlanGraph, args: Arguments): Record<string, string> | null {
  const keys = graph.nodes.flatMap(({ key, scope }) => (scope === undefined ? [key] : []));
  const pairs = args.all("map").map((text): [string, string] => {
    const [old = "", name = "", ...rest] = text.split("=");
    if (old === "" || name === "" || rest.length > 0)
      throw new UsageError("cli/bad-value", `\`--map ${text}\` names no two nodes`, "write it like `--map fetch=load`");
    if (keys.includes(name)) return [old, name];
    const suggestion = closestName(name, keys);
    const help = suggestion === null ? "write the name as in the new plan" : `did you mean \`${suggestion}\`?`;
    throw new UsageError("cli/not-found", `\`--map ${text}\`: the new plan has no node \`${name}\``, help);
  });
  return pairs.length === 0 ? null : Object.fromEntries(pairs);
}

/** A wrong option value is a mistake in the command line. */
function withUsage<T>(help: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof PlanError) throw new UsageError("cli/not-possible", error.message, help);
    throw error;
  }
}

interface NamedPlan extends ParsedFile {
  file: string;
  graph: PlanGraph;
}

function report({ proved, conflicts }: RunComparison, read: NamedPlan, args: Arguments, io: Io): number {
  if (args.has("json")) {
    io.out.write(`${JSON.stringify({ proved, conflicts })}\n`);
    return proved ? 0 : 1;
  }
  const { style } = renderOptions(io.out, io);
  io.out.write(conflictLines(conflicts, read, args, io.out, io));
  const summary = proved
    ? `${style.green(style.bold("proved"))}: the run may continue with this plan: nothing that ran or waits has changed`
    : `${style.red(style.bold("not proved"))}: ${pluralize(conflicts.length, "conflict")}`;
  io.out.write(`${summary}\n`);
  return proved ? 0 : 1;
}

function conflictLines(
  conflicts: readonly RunConflict[],
  read: NamedPlan,
  args: Arguments,
  stream: Io["out"],
  io: Io,
): string {
  if (conflicts.length === 0) return "";
  const text = textOf(read);
  const shown = conflicts.map((conflict) => toDiagnostic(conflict, text, args));
  return `${renderDiagnostics(shown, text, renderOptions(stream, io))}\n`;
}

/** Standard input can't be read again. */
function textOf({ source, text }: NamedPlan): Source {
  return new Source(source.name, text!(), source.files);
}

/** The plan's own keys have no node, so finds their line in the text. */
function toDiagnostic(
  { code, node, message, help, line, column, file }: RunConflict,
  plan: Source,
  args: Arguments,
): Diagnostic {
  const [, key] = node === null ? (/^`(inputs|limits|servers)\b/.exec(message) ?? []) : [];
  const found = key === undefined ? null : new RegExp(`^${key}\\s*:`, "m").exec(plan.text);
  const source = plan.of(file);
  const start = line === null ? found?.index : source.lineSpan(line).start + column! - 1;
  const name = key ?? node?.split("/").at(-1) ?? "";
  return {
    code: code as Diagnostic["code"],
    severity: "error",
    message,
    target: node === null ? { type: "document" } : { type: "node", node },
    ...(file !== undefined && { file }),
    span: start === undefined ? null : { start, end: start + name.length },
    line: start === undefined ? null : source.lineAt(start),
    column: start === undefined ? null : start - source.lineSpan(source.lineAt(start)).start + 1,
    labels: [],
    help: restartHelp(help, args.has("store")),
    fix: [],
  };
}

/** A store's run has no snapshot until exported. */
function restartHelp(help: string, isStored: boolean): string {
  const exported = "export the run by `runs export --as snapshot`";
  const run = isStored ? "export the run by `runs export --as snapshot` and restart it" : "restart the run";
  return help
    .replace("map it", `${isStored ? `${exported} and ` : ""}add \`--from OLD.yaml --map OLD=NEW\``)
    .replace("restart the run at `", `${run} with \`--restart-at `)
    .replace("restart it at a node", `${isStored ? run : "restart it"} with \`--restart-at NODE\``);
}

/** The plan changed since its snapshot. */
export function upgradeHelp(args: Arguments, { style }: RenderOptions): string {
  if (!args.has("resume") && !args.has("fork")) return "";
  const way = args.has("fork")
    ? "add `--upgrade` to use the recorded answers of the calls that are still the same"
    : "add `--upgrade` to continue if nothing that ran has changed, or `--restart-at NODE`";
  return `  ${style.blue("=")} ${style.bold("help")}: ${way}\n`;
}

function tellSkipped(waiting: string | null, node: string, args: Arguments, io: Io): void {
  if (waiting === null || args.has("json")) return;
  const { style } = renderOptions(io.err, io);
  const what = `the run waits at \`${visible(waiting)}\`, and a restart at \`${visible(node)}\` skips its answer`;
  io.err.write(`${style.yellow(style.bold("warning"))}: ${what}\n`);
}

/** Throws {@link UsageError} for options that need others. */
export function checkUpgradeOptions(args: Arguments): void {
  const has = (name: string) => args.has(name);
  if (has("upgrade") && !has("resume") && !has("fork") && !(has("store") && has("run-id")))
    throw new UsageError(
      "cli/missing-argument",
      "`--upgrade` continues a run",
      "add `--resume FILE`, `--fork FILE`, or `--store FILE --run-id ID`",
    );
  if (has("restart-at") && !has("resume"))
    throw new UsageError(
      "cli/missing-argument",
      "`--restart-at` continues a run from a snapshot",
      "add `--resume FILE`",
    );
  if (has("restart-at") && has("upgrade"))
    throw new UsageError(
      "cli/conflicting-options",
      "`--upgrade` and `--restart-at` can't be combined",
      "leave one of them out",
    );
  if (has("map") && !(has("upgrade") && has("from")))
    throw new UsageError(
      "cli/missing-argument",
      "`--map` renames nodes of the old plan",
      "add `--resume FILE --upgrade --from FILE`",
    );
  if (has("from") && !(has("upgrade") && has("resume")))
    throw new UsageError(
      "cli/missing-argument",
      "`--from` names the old plan of a snapshot",
      "add `--resume FILE --upgrade`",
    );
}

/** Returns the exit code after it reported conflicts. */
export async function upgradedSnapshot(
  snapshot: Snapshot,
  read: NamedPlan,
  args: Arguments,
  io: Io,
): Promise<{ snapshot: Snapshot; acceptChangedPlan?: true } | number> {
  const node = args.single("restart-at");
  if (node !== undefined) {
    const help = "name a node of the plan's own graph: a node inside another one can't be restarted alone";
    const moved = withUsage(help, () => restartAt(read.graph, snapshot, node));
    tellSkipped(skippedBy(read.graph, snapshot, node), node, args, io);
    return { snapshot: moved };
  }
  if (!args.has("upgrade")) return { snapshot };
  const { compared, snapshot: mapped } = await compareSnapshot(read.graph, snapshot, args);
  const { proved, conflicts } = compared;
  if (proved) return { snapshot: mapped, acceptChangedPlan: true };
  if (!args.has("json")) io.err.write(conflictLines(conflicts, read, args, io.err, io));
  const message = `the plan has changed since the snapshot was made: ${pluralize(conflicts.length, "conflict")}`;
  const diagnostics = conflicts.map((conflict) => toDiagnostic(conflict, textOf(read), args));
  const files = args.has("json") ? [{ diagnostics, source: read.source }] : [];
  reportInvalid(files, { code: "run/plan-changed", message }, args, io);
  return EXIT_INVALID;
}
