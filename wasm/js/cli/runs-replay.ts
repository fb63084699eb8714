/**
 * `stepgraph runs replay`: all events and the outcome must equal the stored ones. For a cut-off run, only stored events
 * count.
 */
import { alignRedacted, differences, Redactor, clippedJson } from "../package-internals.js";
import { PlanGraph, run as play } from "../node.js";
import type { Report, TraceEvent } from "../types.js";
import type { PrintedRun, RunSource } from "./runs-source.js";
import { headline } from "../terminal/diagnostics.js";
import { renderOptions, type Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { headLines, linesOfRun } from "./runs-show.js";
import { pluralize, visible } from "../terminal/text.js";
import { readPairs } from "./parse-values.js";

/** `first` difference. */
interface ReplayComparison {
  same: boolean;
  events: number;
  first: { event: number; type: string; node: string | null; path: string; stored: unknown; now: unknown } | null;
  outcome: Report["outcome"];
}

export async function replayRun(store: RunSource, run: PrintedRun, args: Arguments, io: Io): Promise<number> {
  const cassette = store.cassette(run.id);
  const text = store.plan(run.plan.hash);
  if (text === null)
    throw new UsageError(
      "cli/not-possible",
      `the database has only the hash of the plan of \`${visible(run.id)}\``,
      "export the cassette, and replay it with the plan: `stepgraph run PLAN --replay FILE`",
    );
  if (cassette.length === 0)
    throw new UsageError(
      "cli/not-possible",
      `the run \`${visible(run.id)}\` has no cassette`,
      run.events === 0
        ? "it did not start: `stepgraph runs show` prints the reason"
        : "its events are there: `stepgraph runs show`",
    );
  const { graph } = PlanGraph.parse(text);
  if (!graph?.valid)
    throw new UsageError(
      "cli/not-possible",
      `the plan of \`${visible(run.id)}\` can't be read any more`,
      "see it with `stepgraph runs export --as plan`",
    );
  const events: TraceEvent[] = [];
  const context = readPairs("context", args.all("context"));
  const report = await play(graph, {
    replay: cassette,
    context,
    onEvent: (event) => void events.push(event),
  });
  const found = compareRuns(store, run, events, report, new Redactor(context));
  if (args.has("json")) io.out.write(`${JSON.stringify({ run: run.id, ...found, report })}\n`);
  else reportComparison({ found, events }, store, run, args, io);
  return found.same ? 0 : 1;
}

function compareRuns(
  store: RunSource,
  run: PrintedRun,
  events: readonly TraceEvent[],
  report: Report,
  redactor: Redactor,
): ReplayComparison {
  const whole = run.outcome !== null;
  const { outcome } = report;
  let number = 0;
  const differs = (event: TraceEvent, path: string, stored: unknown, now: unknown): ReplayComparison => ({
    same: false,
    events: number,
    first: { event: number, type: event.type, node: "node" in event ? (event.node ?? null) : null, path, stored, now },
    outcome,
  });
  for (const stored of store.trace(run.id)) {
    const now = events[number];
    // The store may have events whose cassette lines were never written.
    if (now === undefined && !whole) break;
    if (now === undefined) return differs(stored, "", stored, undefined);
    const plain = alignRedacted(stored, redactor.plain(now));
    const first = differences(stored, plain, { most: 1 })[0];
    if (first) return differs(stored, first.path, first.expected, first.got);
    number++;
  }
  if (whole && events.length > number) return differs(events[number]!, "", undefined, events[number]);
  const plain = alignRedacted({ outcome: run.outcome }, redactor.plain({ outcome })) as { outcome: unknown };
  const first = whole ? differences(run.outcome, plain.outcome, { most: 1 })[0] : undefined;
  if (first)
    return {
      same: false,
      events: number,
      first: { event: number, type: "outcome", node: null, path: first.path, stored: first.expected, now: first.got },
      outcome,
    };
  return { same: true, events: number, first: null, outcome };
}

function reportComparison(
  { found, events }: { found: ReplayComparison; events: readonly TraceEvent[] },
  store: RunSource,
  run: PrintedRun,
  args: Arguments,
  io: Io,
): void {
  const options = renderOptions(io.out, io);
  const { style } = options;
  const view = linesOfRun(store, run, args, io);
  const lines = events.flatMap((event) => view.take(event, 0));
  io.out.write(`${[...headLines(store, run, options), "", ...lines].join("\n")}\n`);
  if (found.same) {
    const end = run.outcome === null ? "as far as it is stored" : run.outcome.type;
    io.out.write(`${style.bold(style.green("the same"))}: ${pluralize(found.events, "event")}, ${end}\n`);
    return;
  }
  const { event, type, node, path, stored, now } = found.first!;
  const what =
    type === "outcome"
      ? "the outcome"
      : `event ${event}, \`${type}\`${node === null ? "" : ` of \`${visible(node)}\``}`;
  const difference =
    path === ""
      ? `stored ${clippedJson(stored)}, now ${clippedJson(now)}`
      : `\`${visible(path)}\` was ${clippedJson(stored)}, and is now ${clippedJson(now)}`;
  io.out.write(
    `${headline({ severity: "error", code: "replay/differs", message: `${what}: ${difference}` }, options).join("\n")}\n`,
  );
  const { outcome } = found;
  if (outcome.type === "failed") io.out.write(`${style.red(visible(`${outcome.code}: ${outcome.message}`))}\n`);
  if (args.all("context").length === 0)
    io.out.write(
      `  ${style.blue("=")} ${style.bold("help")}: if the run had a context, set it again with \`--context KEY=VALUE\`\n`,
    );
}
