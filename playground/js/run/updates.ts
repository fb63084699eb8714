/**
 * What calls tell of themselves while they are under way: pieces of an answer are put together before they are handed
 * on.
 */
import type { CallUpdate } from "stepgraph/web";
import type { RunnerMessage } from "./protocol.js";

type PendingUpdate = Extract<RunnerMessage, { type: "updates" }>["updates"][number];

/** How often at most, in milliseconds: more often nobody can read. */
const EVERY = 40;

export class CallUpdates {
  readonly #tell: (told: RunnerMessage) => void;
  readonly #open = new Map<string, PendingUpdate>();
  #due = false;

  constructor(tell: (told: RunnerMessage) => void) {
    this.#tell = tell;
  }

  take(update: CallUpdate): void {
    const { call } = update;
    const known = this.#open.get(call) ?? { call };
    this.#open.set(
      call,
      update.type === "tool-progress"
        ? { ...known, ...progressed(update) }
        : { ...known, ...pieced(known, update.delta) },
    );
    if (this.#due) return;
    this.#due = true;
    setTimeout(() => {
      this.#due = false;
      this.#tell({ type: "updates", updates: [...this.#open.values()] });
      this.#open.clear();
    }, EVERY);
  }
}

function progressed({
  progress,
  total,
  message,
}: Extract<CallUpdate, { type: "tool-progress" }>): Partial<PendingUpdate> {
  return { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
}

function pieced(
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
