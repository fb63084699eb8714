/** `stepgraph runs show`: a stored run as it looked live. */
import { PlanGraph } from "../node.js";
import type { Report, TraceEvent } from "../types.js";
import type { PrintedRun, RunSource } from "./runs-source.js";
import { lineColumns, renderOptions, type Io } from "./io.js";
import type { RenderOptions } from "../terminal/diagnostics.js";
import type { Arguments } from "./options.js";
import { ago, formatTime, STATUS_SIGNS } from "./runs-list.js";
import { briefJson, pluralize, formatDuration, visible, wrap } from "../terminal/text.js";
import { columnsForNames, summaryLine, RunLines } from "./run-lines.js";

export function showRun(store: RunSource, run: PrintedRun, args: Arguments, io: Io): number {
  const node = args.single("node");
  const type = args.all("type");
  const filter = { ...(node !== undefined && { node }), ...(type.length > 0 && { type }) };
  if (args.has("json")) {
    io.out.write(`${JSON.stringify({ run, events: [...store.trace(run.id, filter)] })}\n`);
    return 0;
  }
  const options = renderOptions(io.out, io);
  io.out.write(`${headLines(store, run, options).join("\n")}\n\n`);
  const view = linesOfRun(store, run, args, io);
  // In chunks, so huge runs appear at once.
  let lines: string[] = [];
  const open = new Map<string, string>();
  for (const event of store.trace(run.id, filter)) {
    trackNode(event, open);
    lines.push(...view.take(event, 0));
    if (lines.length >= 1000) {
      io.out.write(`${lines.join("\n")}\n`);
      lines = [];
    }
  }
  if (run.outcome === null)
    lines.push(
      ...[...open.values()].map((name) =>
        options.style.blue(`▸ ${name}  ${run.status === "running" ? "is running" : "was running"}`),
      ),
    );
  if (lines.length > 0) io.out.write(`${lines.join("\n")}\n`);
  io.out.write(`${closingLine(run, options)}\n`);
  return 0;
}

function trackNode(event: TraceEvent, open: Map<string, string>): void {
  if (event.type !== "node-started" && event.type !== "node-completed" && event.type !== "node-failed") return;
  const { node, visit, scope = "" } = event;
  const key = `${scope} ${visit} ${node}`;
  if (event.type === "node-started")
    open.set(key, visible(`${scope === "" ? "" : `${scope}/`}${node}${visit > 1 ? ` ×${visit}` : ""}`));
  else open.delete(key);
}

export function linesOfRun(
  store: RunSource,
  run: PrintedRun,
  args: Arguments,
  io: Io,
): { take(event: TraceEvent, now: number): string[] } {
  const { style } = renderOptions(io.out, io);
  const columns = lineColumns(io.out, args.has("verbose"));
  const text = store.plan(run.plan.hash);
  const graph = text === null ? null : PlanGraph.parse(text).graph;
  return new RunLines({
    style,
    verbose: args.has("verbose"),
    names: graph ? columnsForNames(graph) : 12,
    columns: () => columns,
  });
}

export function headLines(store: RunSource, run: PrintedRun, { style, columns }: RenderOptions): string[] {
  const [sign, colour] = STATUS_SIGNS[run.status];
  const after = store.continuations(run.id);
  const began = `${formatTime(run.startedMs)}, ${ago(Date.now() - run.startedMs)}`;
  const facts: [string, string][] = [
    ["started", run.durationMs === null ? began : `${began}; took ${formatDuration(run.durationMs)}`],
    ...(run.key === null ? [] : [["key", visible(run.key)] as [string, string]]),
    ["plan", `${run.plan.hash.slice(0, 16)}…${store.plan(run.plan.hash) === null ? ", without its text" : ""}`],
    ...(run.continues === null ? [] : [["resumed", `from ${run.continues}`] as [string, string]]),
    ...(after.length === 0 ? [] : [["resumed", `as ${after.map(({ id }) => id).join(", ")}`] as [string, string]]),
    [
      "stored",
      `${pluralize(run.events ?? 0, "event")}, ${run.lines === 0 ? "no cassette" : `${pluralize(run.lines, "line")} of its cassette`}`,
    ],
  ];
  const title = `${style[colour](sign)} ${style.bold(visible(run.plan.name ?? "a plan without a name"))}  ${visible(run.id)}`;
  return [
    title,
    ...facts.flatMap(([name, text]) =>
      wrap(text, Math.max(20, columns - 12)).map(
        (line, index) => `  ${style.dim((index === 0 ? name : "").padEnd(8))}${line}`,
      ),
    ),
  ];
}

function closingLine(run: PrintedRun, { style }: RenderOptions): string {
  const { outcome, counts, durationMs, status } = run;
  if (outcome === null || counts === null)
    return `${style.bold(style[STATUS_SIGNS[status][1]](status))}: last seen ${formatTime(run.seenMs)}, after ${pluralize(run.events ?? 0, "event")}`;
  const asked =
    outcome.type === "paused"
      ? outcome.approvals
          .map(({ call, input }) => `\n  ${style.yellow("?")} ${visible(call)}  ${style.dim(briefJson(input, 60))}`)
          .join("")
      : "";
  const words = summaryLine({ outcome, counts, durationMs: durationMs ?? 0 } as Report, style) + asked;
  // A failed node's own line already says so.
  return outcome.type === "failed" && outcome.node === undefined
    ? `${style.red(visible(`${outcome.code}: ${outcome.message}`))}\n${words}`
    : words;
}
