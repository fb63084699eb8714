/** `explain_run`, as a worker does it: reads a record, and tells of it. */
import { decisionsOf, explanation, pieceOf, summaryOf, valuesOf, visitsOf } from "./explain.js";
import type { RunUpdate } from "./worker-messages.js";
import type { Head } from "./stored-run.js";
import type { ToolOutput } from "./render.js";
import { recordOf } from "./run-record.js";
import type { WorkerContext } from "./worker-run.js";

/** A run, and what is asked of it. */
export interface ExplainArgs {
  head: Head;
  plan: string;
  rest: string;
  news: RunUpdate[];
  /** What is told: why it went so, a value of it, or what it came to. */
  what: { node?: string; why?: boolean } | { value: string; offset: number } | "summary";
}

/** Tells of a run. */
export async function explainTask(
  _bench: WorkerContext,
  { head, plan, rest, news, what }: ExplainArgs,
): Promise<ToolOutput> {
  const run = recordOf(head, plan, rest, news);
  if (what === "summary") return { data: { ...summaryOf(run), ...valuesOf(run) }, text: "" };
  if (!("value" in what)) {
    const { node, why = false } = what;
    return {
      data: { ...summaryOf(run), nodes: visitsOf(run, node), decisions: decisionsOf(run, node) },
      text: explanation(run, node, why),
    };
  }
  const piece = pieceOf(run, what.value, what.offset);
  const rests = `\n(${piece.characters} characters in all; go on with offset ${piece.next_offset})`;
  return { data: { ...summaryOf(run), piece }, text: `${piece.text}${piece.next_offset === null ? "" : rests}` };
}
