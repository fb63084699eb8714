/** Exports of `stepgraph/audit` on every platform. */
export { audited, type Audited } from "./recorder.js";
export type { SqliteDatabase, SqliteStatement, SqliteValue } from "./database.js";
export type { AuditStatus, EventFilter, RunFilter } from "./queries.js";
export type { AuditOptions } from "./options.js";
export type { OpenDatabase, OpenOptions } from "./open-store.js";
export type { StoredRun, StoredEvent } from "./rows.js";
export {
  AuditError,
  type AuditCode,
  type AuditEnd,
  type AuditEvent,
  type AuditLine,
  type AuditBatch,
  type AuditRun,
  type AuditSink,
} from "./sink.js";
export { AuditStore, type EventPage, type RunPage } from "./store.js";
