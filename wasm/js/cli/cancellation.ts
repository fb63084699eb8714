/** Cancels a run at Ctrl-C or a stray error of a module, and the command at the second Ctrl-C. */
import { endByError, onStrayError } from "./stray-errors.js";

export interface Cancellation {
  readonly signal: AbortSignal;
  end(): void;
}

/** `outer` also cancels the run. */
export function cancelOnSignals(outer: AbortSignal | undefined, onSecond: () => void): Cancellation {
  const stop = new AbortController();
  const cancel = () => stop.abort();
  let isInterrupted = false;
  const interrupt = () => {
    if (isInterrupted) onSecond();
    isInterrupted = true;
    cancel();
  };
  outer?.addEventListener("abort", cancel);
  if (outer?.aborted) cancel();
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  const ignore = onStrayError(() => {
    endByError();
    cancel();
  });
  const end = () => {
    ignore();
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    outer?.removeEventListener("abort", cancel);
  };
  return { signal: stop.signal, end };
}
