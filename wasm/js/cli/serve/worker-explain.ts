/** `explain_run` in a worker. */
import { decisionsOf, explanation, sliceValue, summaryOf, valuesOf, visitsOf } from "./explain.js";
import type { RunUpdate } from "./worker-messages.js";
import type { Head } from "./stored-run.js";
import type { ToolOutput } from "./render.js";
import { parseRecord } from "./run-record.js";
import type { WorkerContext } from "./worker-run.js";

export interface ExplainArgs {
  head: Head;
  plan: string;
  rest: string;
  updates: RunUpdate[];
  what: { node?: string; why?: boolean } | { value: string; offset: number } | "summary";
}

export async function explainTask(
  _bench: WorkerContext,
  { head, plan, rest, updates, what }: ExplainArgs,
): Promise<ToolOutput> {
  const run = parseRecord(head, plan, rest, updates);
  if (what === "summary") return { data: { ...summaryOf(run), ...valuesOf(run) }, text: "" };
  if (!("value" in what)) {
    const { node, why = false } = what;
    return {
      data: { ...summaryOf(run), nodes: visitsOf(run, node), decisions: decisionsOf(run, node) },
      text: explanation(run, node, why),
    };
  }
  const slice = sliceValue(run, what.value, what.offset);
  const rests = `\n(${slice.characters} characters in all; continue with offset ${slice.next_offset})`;
  return { data: { ...summaryOf(run), piece: slice }, text: `${slice.text}${slice.next_offset === null ? "" : rests}` };
}
