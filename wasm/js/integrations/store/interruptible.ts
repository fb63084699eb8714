/** A signal ends a call of `run`. The run can be continued. */
import type { Report } from "stepgraph";
import type { MemoryJournal } from "../durable/memory-journal.js";

export async function interruptible(
  running: Promise<Report>,
  journal: MemoryJournal,
  signal: AbortSignal | undefined,
): Promise<Report> {
  const stop = () => journal.interrupt();
  signal?.addEventListener("abort", stop, { once: true });
  // The run has rewound its journal.
  if (signal?.aborted) stop();
  try {
    return await running;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}
