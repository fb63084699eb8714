/** Runs as a table. Times are local. */
import type { PrintedRun } from "./runs-source.js";
import type { RenderOptions } from "../terminal/diagnostics.js";
import type { Style } from "../terminal/style.js";
import { clip, pluralize, formatDuration, pad, visible, width } from "../terminal/text.js";

export const STATUS_SIGNS: Record<PrintedRun["status"], [string, keyof Style]> = {
  completed: ["✓", "green"],
  failed: ["✗", "red"],
  cancelled: ["–", "yellow"],
  paused: ["?", "yellow"],
  running: ["▸", "blue"],
  unfinished: ["!", "red"],
  interrupted: ["!", "red"],
};

/** Stores have ids that people chose, and waiting calls. */
interface ListOptions {
  wholeIds?: boolean;
  waits?: (id: string) => string[];
}

export function listLines(
  runs: readonly PrintedRun[],
  now: number,
  { style, columns }: RenderOptions,
  { wholeIds = false, waits }: ListOptions = {},
): string[] {
  const short = wholeIds ? Infinity : shortIdLength(runs.map(({ id }) => id));
  const cells = runs.map((run) => [
    clip(visible(run.id.slice(0, short)), 40),
    clip(visible(run.plan.name ?? run.plan.hash.slice(0, 12)), 28),
    formatTime(run.startedMs),
    durationText(run),
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => width(row[column]!))));
  return runs.map((run, index) => {
    const [, plan, began, lasted] = cells[index] as [string, string, string, string];
    const [sign, colour] = STATUS_SIGNS[run.status];
    const id = pad(cells[index]![0]!, widths[0]!);
    const head = `${sign} ${id}  ${pad(plan, widths[1]!)}  ${began}  ${lasted.padStart(widths[3]!)}  `;
    const space = Math.max(20, columns - 1 - width(head));
    const key = run.key === null ? "" : `${clip(visible(run.key), 24)}: `;
    const tail = style[STATUS_SIGNS[run.status][1] === "red" ? "red" : "dim"](
      clip(statusText(run, now, waits?.(run.id)), space - width(key)),
    );
    return `${style[colour](sign)} ${style.bold(id)}  ${pad(plan, widths[1]!)}  ${style.dim(began)}  ${lasted.padStart(widths[3]!)}  ${key}${tail}`.trimEnd();
  });
}

/** At least 8, and long enough for distinct ids. */
function shortIdLength(ids: readonly string[]): number {
  let length = 8;
  while (length < 16 && new Set(ids.map((id) => id.slice(0, length))).size < ids.length) length++;
  return length;
}

function durationText({ durationMs }: PrintedRun): string {
  // A run that did not start has no duration.
  return durationMs === null || durationMs === 0 ? "" : formatDuration(durationMs);
}

export function statusText(run: PrintedRun, now: number, waits?: readonly string[]): string {
  const { outcome, counts } = run;
  const did =
    counts === null
      ? pluralize(run.events ?? 0, "event")
      : [pluralize(counts.steps, "step"), ...(counts.calls > 0 ? [pluralize(counts.calls, "call")] : [])].join(", ");
  switch (run.status) {
    case "failed": {
      const { code = "", message = "", node } = outcome?.type === "failed" ? outcome : {};
      return visible(`${node === undefined ? "" : `${node}: `}${code}: ${message}`);
    }
    case "interrupted":
      return `interrupted ${ago(now - run.seenMs)}`;
    case "paused":
      if (waits?.length) return visible(`waits for ${waits.join(", ")}`);
      return visible(
        `waits for ${outcome?.type === "paused" ? outcome.approvals.map(({ call }) => call).join(", ") : "approval"}`,
      );
    case "unfinished":
      return `unfinished after ${did}, last seen ${ago(now - run.seenMs)}`;
    case "running":
      return run.events === null ? "running" : `running, ${did}`;
    default:
      if (run.events === null) return run.status;
      return run.status === "completed" ? did : `${run.status}, ${did}`;
  }
}

export function ago(ms: number): string {
  const [number, unit] =
    ms < 90_000
      ? [ms / 1000, "s"]
      : ms < 5_400_000
        ? [ms / 60_000, "min"]
        : ms < 129_600_000
          ? [ms / 3_600_000, "h"]
          : [ms / 86_400_000, "days"];
  return `${Math.max(0, Math.round(number as number))} ${unit} ago`;
}

export function formatTime(ms: number): string {
  const at = new Date(ms);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
