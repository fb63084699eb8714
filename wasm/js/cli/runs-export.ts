/** `stepgraph runs export` */
import type { AuditStore, RunFilter } from "../integrations/audit/node.js";
import type { Snapshot } from "../types.js";
import type { PrintedRun, RunSource } from "./runs-source.js";
import type { Io } from "./io.js";
import { visible } from "../terminal/text.js";
import { closestName } from "./suggest.js";
import { UsageError, type Arguments } from "./options.js";
import { NdjsonFile } from "./ndjson-file.js";

const FORMATS = ["events", "cassette", "report", "plan", "snapshot"];

interface SourcedRun {
  source: RunSource;
  run: PrintedRun;
}

/** Exports events of all matching runs, if `one` is null. */
export async function exportRuns(
  one: SourcedRun | null,
  all: () => Iterable<string> | AsyncIterable<string>,
  args: Arguments,
  io: Io,
): Promise<number> {
  const format = args.single("as") ?? "events";
  if (!FORMATS.includes(format)) {
    const suggestion = closestName(format, FORMATS);
    throw new UsageError(
      "cli/bad-value",
      `there is no format \`${format}\``,
      suggestion ? `did you mean \`${suggestion}\`?` : `write ${FORMATS.map((name) => `\`${name}\``).join(", ")}`,
    );
  }
  if (one === null && format !== "events")
    throw new UsageError(
      "cli/missing-argument",
      `\`--as ${format}\` needs a run`,
      "name it, as in `stepgraph runs export RUN`",
    );
  const parts = one === null ? all() : partsOf(one, format, args);
  const file = args.single("output");
  if (file === undefined) for await (const part of parts) io.out.write(part);
  else await writeParts(file, parts);
  return 0;
}

function* partsOf({ source: store, run }: SourcedRun, format: string, args: Arguments): Generator<string> {
  if (format === "events") {
    for (const event of store.trace(run.id, eventFilter(args))) yield `${JSON.stringify(event)}\n`;
  } else if (format === "cassette") {
    const lines = store.cassette(run.id);
    if (lines.length === 0)
      throw new UsageError(
        "cli/not-possible",
        `the run \`${visible(run.id)}\` has no cassette`,
        "its events are there: `--as events`",
      );
    for (const line of lines) yield `${line}\n`;
  } else if (format === "report") {
    const {
      outcome,
      durationMs,
      counts,
      plan: { hash: planHash },
    } = run;
    yield `${JSON.stringify({ run, outcome, durationMs, counts, planHash, trace: [...store.trace(run.id, eventFilter(args))] })}\n`;
  } else if (format === "snapshot") {
    yield `${JSON.stringify(snapshotOf(store, run))}\n`;
  } else {
    const text = store.plan(run.plan.hash);
    if (text === null)
      throw new UsageError(
        "cli/not-possible",
        `the database has only the hash of the plan of \`${visible(run.id)}\``,
        `it is the one that \`stepgraph check\` calls ${run.plan.hash}`,
      );
    yield text.endsWith("\n") ? text : `${text}\n`;
  }
}

function snapshotOf({ snapshot }: RunSource, { id, status }: PrintedRun): Snapshot {
  if (snapshot === undefined)
    throw new UsageError(
      "cli/not-possible",
      "an audit database has no snapshots",
      "keep the run in a store: `stepgraph run --store FILE`",
    );
  const found = snapshot();
  if (found === null)
    throw new UsageError(
      "cli/not-possible",
      `the run \`${visible(id)}\` has no snapshot: it is ${status}`,
      "write `--as report` for its outcome and events",
    );
  return found;
}

/** Newest run first. */
export function* eventsOfAll(store: AuditStore, filter: RunFilter, args: Arguments): Generator<string> {
  for (let after: string | undefined; ; ) {
    const { runs, next } = store.runs({ ...filter, limit: 100, ...(after !== undefined && { after }) });
    for (const { id } of runs)
      for (const event of store.trace(id, eventFilter(args))) yield `${JSON.stringify({ run: id, ...event })}\n`;
    if (next === null) return;
    after = next;
  }
}

export function eventFilter(args: Arguments): { node?: string; type?: string[] } {
  const [node, type] = [args.single("node"), args.all("type")];
  return { ...(node !== undefined && { node }), ...(type.length > 0 && { type }) };
}

/** Run data is private to the owner. */
async function writeParts(file: string, parts: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const tape = new NdjsonFile(file, "anew");
  try {
    for await (const part of parts) tape.write(part);
  } catch (error) {
    tape.discard();
    throw error;
  }
  // An empty result still writes a file.
  const failure = tape.close({ evenEmpty: true });
  if (failure) throw new UsageError("cli/not-possible", failure.message, failure.help);
}
