/**
 * Keeps the command interruptible while a function of the user blocks its thread. Node calls signal listeners only
 * between tasks, so a watcher thread lets signals end the process. Past a time limit the command ends itself.
 */

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
const TICK_MS = 100;
/** Watcher ticks after which the thread counts as blocked. */
const MISSED_TICKS = 8;
const HOOK = "stepgraph.blocked";

/** Acts on the blocked thread as a debugger does. */
const WATCHER = `
const { workerData } = require("node:worker_threads");
const { Session } = require("node:inspector");
let [last, missed] = [0, 0];
setInterval(() => {
  const beat = Atomics.load(workerData, 0);
  missed = beat === last ? missed + 1 : 0;
  last = beat;
  if (missed < ${MISSED_TICKS}) return;
  missed = 0;
  const session = new Session();
  session.connectToMainThread();
  const expression = 'globalThis[Symbol.for("${HOOK}")]?.()';
  session.post("Runtime.evaluate", { expression }, () => session.disconnect());
}, ${TICK_MS});
`;

let whenBlocked: () => void = () => {};

/** `listener` must not wait. */
export function onBlocked(listener: () => void): void {
  whenBlocked = listener;
}

let isWatched = false;
/** Does nothing under a debugger, which may stop this thread. */
export async function watchThread(): Promise<void> {
  if (isWatched) return;
  isWatched = true;
  try {
    const [{ url }, { Worker }] = await Promise.all([import("node:inspector"), import("node:worker_threads")]);
    if (url() === undefined) startWatcher(Worker);
  } catch {
    // Another runtime, or no right to start threads.
  }
}

function startWatcher(Worker: typeof import("node:worker_threads").Worker): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const watcher = new Worker(WATCHER, { eval: true, workerData: beats });
  watcher.on("error", () => {});
  watcher.unref();
  (globalThis as Record<symbol, unknown>)[Symbol.for(HOOK)] = () => {
    releaseSignals();
    whenBlocked();
  };
  setInterval(() => Atomics.add(beats, 0, 1), TICK_MS).unref();
}

/** Signals belong to the system until the thread is free again. */
function releaseSignals(): void {
  const held = SIGNALS.map((signal) => [signal, process.listeners(signal)] as const);
  if (held.every(([, listeners]) => listeners.length === 0)) return;
  for (const [signal] of held) process.removeAllListeners(signal);
  queueMicrotask(() => {
    for (const [signal, listeners] of held) for (const listener of listeners) process.on(signal, listener);
  });
}
