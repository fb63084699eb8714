/**
 * Starts other programs so that they end when this one does.
 *
 * A signal to a process group reaches all children. Ctrl-C does not, so it is passed on.
 */
import { spawn } from "node:child_process";
import process from "node:process";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
/** Windows has none, and opens a window for a detached program. */
const HAS_PROCESS_GROUPS = process.platform !== "win32";

const running = new Set();
let isReady = false;

/** `shares` keeps a program that uses the terminal in our group. */
export function start(program, args, { shares = false, ...options } = {}) {
  const hasGroup = HAS_PROCESS_GROUPS && !shares;
  installHandlers();
  const child = spawn(program, args, { ...options, detached: hasGroup });
  const entry = { child, hasGroup };
  running.add(entry);
  const removeEntry = () => running.delete(entry);
  child.on("error", removeEntry);
  child.on("exit", removeEntry);
  return child;
}

export function end(child, signal = "SIGTERM", hasGroup = HAS_PROCESS_GROUPS) {
  // A program that could not start has no process id.
  if (child.pid === undefined) return;
  try {
    process.kill(hasGroup ? -child.pid : child.pid, signal);
  } catch {
    // It has already ended.
  }
}

function endAll() {
  for (const { child, hasGroup } of running) end(child, "SIGTERM", hasGroup);
}

function installHandlers() {
  if (isReady) return;
  isReady = true;
  process.on("exit", endAll);
  for (const signal of SIGNALS) process.on(signal, () => onSignal(signal));
}

function onSignal(signal) {
  if (process.listenerCount(signal) > 1) return;
  endAll();
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
