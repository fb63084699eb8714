/** SQL statements that write to the store. */

export const INSERT_RUN =
  "INSERT OR IGNORE INTO runs (id, key, continues, plan, name, status, started, place, pid, seen) " +
  "VALUES (?, ?, ?, ?, ?, 'running', ?, ?, ?, ?)";
// An earlier run may have stored only the hash.
export const INSERT_PLAN =
  "INSERT INTO plans (hash, name, text) VALUES (?, ?, ?) " +
  "ON CONFLICT (hash) DO UPDATE SET text = excluded.text WHERE text IS NULL AND excluded.text IS NOT NULL";
export const INSERT_EVENT = "INSERT OR IGNORE INTO events (run, seq, at, type, node, scope, visit, json) VALUES ";
export const INSERT_LINE = "INSERT OR IGNORE INTO lines (run, seq, json) VALUES ";
export const UPDATE_SEEN =
  "UPDATE runs SET seen = max(seen, ?), events = max(events, ?), lines = max(lines, ?) WHERE run = ?";
export const UPDATE_END =
  "UPDATE runs SET status = ?, code = ?, message = ?, node = ?, scope = ?, outcome = ?, ended = ?, " +
  "duration = ?, steps = ?, calls = ?, retries = ?, tokens = ?, usd = ?, unreported = ? WHERE run = ?";
