/**
 * The entry `stepgraph/durable`: runs that survive their process, on any durable engine.
 *
 * Imports the library by the package's name, so that there is one engine in a process whatever entry is loaded.
 */
export { executeCall, remoteHost, type CallHost, type ExecuteCallOptions } from "./durable/calls.js";
export { runDurable } from "./durable/driver.js";
export type { DurableOptions } from "./durable/options.js";
export type { ResultStore } from "./durable/journal-entry.js";
export { stepError, type Journal, type JournalAnswer, type JournalStep, type RemoteCall } from "./durable/journal.js";
export { MemoryJournal, type MemoryJournalOptions } from "./durable/memory-journal.js";
export { promiseJournal, type PromiseHost } from "./durable/promise-journal.js";
