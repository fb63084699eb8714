/**
 * Format of spilled batches: `{"audit": 1, "run"}`, then a line for each event, cassette line and end. A truncated last
 * line was never confirmed.
 */
import type { AuditEnd, AuditEvent, AuditLine, AuditBatch, AuditRun } from "./sink.js";

const FORMAT = 1;

export function formatSpill({ run, events, lines, end }: AuditBatch): string {
  const rows: unknown[] = [
    { audit: FORMAT, run },
    ...events.map((event) => ({ event })),
    ...lines.map((line) => ({ line })),
  ];
  if (end !== null) rows.push({ end });
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

/** Null for another format. */
export function parseSpill(text: string): AuditBatch | null {
  const rows = text.split("\n").filter((row) => row !== "");
  const head = parseJson(rows[0]) as { audit?: unknown; run?: AuditRun } | null;
  const { run } = head ?? {};
  if (
    head?.audit !== FORMAT ||
    typeof run?.id !== "string" ||
    typeof run.plan?.hash !== "string" ||
    typeof run.startedMs !== "number"
  )
    return null;
  const part = { run, events: [] as AuditEvent[], lines: [] as AuditLine[], end: null as AuditEnd | null };
  for (const row of rows.slice(1)) {
    const { event, line, end } = (parseJson(row) ?? {}) as { event?: AuditEvent; line?: AuditLine; end?: AuditEnd };
    if (event !== undefined) part.events.push(event);
    if (line !== undefined) part.lines.push(line);
    if (end !== undefined) part.end = end;
  }
  return part;
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "") as unknown;
  } catch {
    return null;
  }
}
