/** `stepgraph/durable` for Node, Deno and Bun, with journals in files. */
export * from "../durable.js";
export {
  fileJournal,
  type FileJournalOptions,
  type PersistentJournal,
  type PersistentJournalOptions,
} from "./node/file-journal.js";
export { sqliteJournal, type SqliteJournalOptions } from "./node/sqlite-journal.js";
