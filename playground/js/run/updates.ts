/** Batches updates of calls and joins streamed deltas. */
import type { CallUpdate } from "stepgraph/web";
import type { RunnerMessage } from "./protocol.js";

type PendingUpdate = Extract<RunnerMessage, { type: "updates" }>["updates"][number];

/** Readers are no faster. */
const INTERVAL_MS = 40;

export class CallUpdates {
  readonly #send: (message: RunnerMessage) => void;
  readonly #pending = new Map<string, PendingUpdate>();
  #isScheduled = false;

  constructor(send: (message: RunnerMessage) => void) {
    this.#send = send;
  }

  push(update: CallUpdate): void {
    const { call } = update;
    const known = this.#pending.get(call) ?? { call };
    this.#pending.set(
      call,
      update.type === "tool-progress"
        ? { ...known, ...progressOf(update) }
        : { ...known, ...appendDelta(known, update.delta) },
    );
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => {
      this.#isScheduled = false;
      this.#send({ type: "updates", updates: [...this.#pending.values()] });
      this.#pending.clear();
    }, INTERVAL_MS);
  }
}

function progressOf({
  progress,
  total,
  message,
}: Extract<CallUpdate, { type: "tool-progress" }>): Partial<PendingUpdate> {
  return { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
}

function appendDelta(
  known: PendingUpdate,
  delta: Extract<CallUpdate, { type: "model-delta" }>["delta"],
): Partial<PendingUpdate> {
  switch (delta.type) {
    case "text":
      return { text: (known.text ?? "") + delta.text };
    case "reasoning":
      return { thinking: (known.thinking ?? "") + delta.text };
    default:
      return {
        text: (known.text ?? "") + (delta.name === undefined ? "" : `\n${delta.name} `) + (delta.arguments ?? ""),
      };
  }
}
