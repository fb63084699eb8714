/** `stepgraph runs export`: exports stored runs as events, cassette, report or plan. */
import type { StoredRun, AuditStore, RunFilter } from "../integrations/audit/node.js";
import type { Io } from "./io.js";
import { closestName } from "./suggest.js";
import { UsageError, type Arguments } from "./options.js";
import { NdjsonFile } from "./ndjson-file.js";

const FORMATS = ["events", "cassette", "report", "plan"];

/** Exports one run, or the events of all matching runs. */
export function exportRuns(
  store: AuditStore,
  run: StoredRun | null,
  filter: RunFilter,
  args: Arguments,
  io: Io,
): number {
  const format = args.single("as") ?? "events";
  if (!FORMATS.includes(format)) {
    const suggestion = closestName(format, FORMATS);
    throw new UsageError(
      `there is no format \`${format}\``,
      suggestion ? `did you mean \`${suggestion}\`?` : `write ${FORMATS.map((name) => `\`${name}\``).join(", ")}`,
    );
  }
  if (run === null && format !== "events")
    throw new UsageError(`\`--as ${format}\` needs a run`, "name it, as in `stepgraph runs export RUN`");
  const parts = run === null ? eventsOfAll(store, filter, args) : partsOf(store, run, format, args);
  const file = args.single("output");
  if (file === undefined) for (const part of parts) io.out.write(part);
  else writeParts(file, parts);
  return 0;
}

function* partsOf(store: AuditStore, run: StoredRun, format: string, args: Arguments): Generator<string> {
  if (format === "events") {
    for (const event of store.trace(run.id, eventFilter(args))) yield `${JSON.stringify(event)}\n`;
  } else if (format === "cassette") {
    const lines = store.cassette(run.id);
    if (lines.length === 0)
      throw new UsageError(`the run \`${run.id}\` has no cassette`, "its events are there: `--as events`");
    for (const line of lines) yield `${line}\n`;
  } else if (format === "report") {
    const {
      outcome,
      durationMs,
      counts,
      plan: { hash: planHash },
    } = run;
    yield `${JSON.stringify({ run, outcome, durationMs, counts, planHash, trace: [...store.trace(run.id, eventFilter(args))] })}\n`;
  } else {
    const text = store.plan(run.plan.hash);
    if (text === null)
      throw new UsageError(
        `the database has only the hash of the plan of \`${run.id}\``,
        `it is the one that \`stepgraph check\` calls ${run.plan.hash}`,
      );
    yield text.endsWith("\n") ? text : `${text}\n`;
  }
}

/** Newest run first, each event with its run id. */
function* eventsOfAll(store: AuditStore, filter: RunFilter, args: Arguments): Generator<string> {
  for (let after: string | undefined; ; ) {
    const { runs, next } = store.runs({ ...filter, limit: 100, ...(after !== undefined && { after }) });
    for (const { id } of runs)
      for (const event of store.trace(id, eventFilter(args))) yield `${JSON.stringify({ run: id, ...event })}\n`;
    if (next === null) return;
    after = next;
  }
}

function eventFilter(args: Arguments): { node?: string; type?: string[] } {
  const [node, type] = [args.single("node"), args.all("type")];
  return { ...(node !== undefined && { node }), ...(type.length > 0 && { type }) };
}

/** Run data is private to the owner. */
function writeParts(file: string, parts: Iterable<string>): void {
  const tape = new NdjsonFile(file, "anew");
  try {
    for (const part of parts) tape.write(part);
  } catch (error) {
    tape.discard();
    throw error;
  }
  // An empty result still writes a file.
  const failure = tape.close({ evenEmpty: true });
  if (failure) throw new UsageError(failure.message, failure.help);
}
