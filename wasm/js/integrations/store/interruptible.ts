/** Ends a call of `run` by a signal. The run itself can be continued. */
import type { Report } from "stepgraph";
import type { MemoryJournal } from "../durable/memory-journal.js";

export async function interruptible(
  running: Promise<Report>,
  journal: MemoryJournal,
  signal: AbortSignal | undefined,
): Promise<Report> {
  const stop = () => journal.interrupt();
  signal?.addEventListener("abort", stop, { once: true });
  // The run has begun, and with that rewound its journal.
  if (signal?.aborted) stop();
  try {
    return await running;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}
