/**
 * The entry `stepgraph/durable`: runs that survive their process. It imports the library by name, to share the engine.
 */
export { executeCall, remoteHost, type CallHost, type ExecuteCallOptions } from "./durable/calls.js";
export type { CompareJournalOptions } from "./durable/compare-journal.js";
export { compareJournal, runDurable } from "./durable/driver.js";
export type { DurableOptions } from "./durable/options.js";
export type { ResultStore } from "./durable/journal-entry.js";
export { stepError, type Journal, type JournalAnswer, type JournalStep, type RemoteCall } from "./durable/journal.js";
export { MemoryJournal, type MemoryJournalOptions } from "./durable/memory-journal.js";
export { promiseJournal, type PromiseHost } from "./durable/promise-journal.js";
