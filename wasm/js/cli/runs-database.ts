/** An audit database or a store for `stepgraph runs`. */
import { existsSync } from "node:fs";
import type { AuditStore } from "../integrations/audit/node.js";
import { openDatabase, reportAuditFailure } from "./audit.js";
import { readBytes, type Io } from "./io.js";
import { isStoreUrl, type OpenedStore, openStorePlace, reportStoreFailure } from "./kept-run.js";
import { UsageError, type Arguments } from "./options.js";

type Kind = "audit" | "store";

/** `first` is the kind to try first. Throws {@link UsageError} without a name. */
export function databasePlace(args: Arguments, io: Io): { place: string; first: Kind } {
  if (args.has("db") && args.has("store"))
    throw new UsageError("cli/conflicting-options", "`--db` and `--store` can't be combined", "name one database");
  const { STEPGRAPH_AUDIT, STEPGRAPH_STORE } = io.env;
  const isNamed = args.has("db") || args.has("store");
  const place = isNamed ? (args.single("db") ?? args.single("store")) : STEPGRAPH_AUDIT || STEPGRAPH_STORE;
  if (place === undefined || place === "")
    throw new UsageError(
      "cli/missing-argument",
      "`stepgraph runs` needs a database",
      "name it by `--db FILE` or `--store FILE`, or set STEPGRAPH_AUDIT or STEPGRAPH_STORE",
    );
  if (isStoreUrl(place)) return { place, first: "store" };
  return { place, first: args.has("store") || (!isNamed && !STEPGRAPH_AUDIT) ? "store" : "audit" };
}

/**
 * Recognises a database by its tables. For neither kind, prints an error and returns its exit code. Throws {@link
 * UsageError} for a missing file.
 */
export async function openRunsDatabase(
  place: string,
  first: Kind,
  io: Io,
): Promise<{ audit: AuditStore } | OpenedStore | number> {
  if (!isStoreUrl(place) && !existsSync(place)) readBytes(place);
  const open = {
    audit: async () => ({ audit: await openDatabase(place, io, { create: false }) }),
    store: async () => openStorePlace(place, { create: false }),
  };
  try {
    return await open[first]();
  } catch (error) {
    const other = isStoreUrl(place) || !isOfOtherKind(error) ? undefined : first === "audit" ? "store" : "audit";
    const opened = other && (await open[other]().catch(() => undefined));
    if (opened !== undefined) return opened;
    const code = reportAuditFailure(error, io) ?? reportStoreFailure(error, io);
    if (code === null) throw error;
    return code;
  }
}

function isOfOtherKind(error: unknown): boolean {
  return ["audit/unreadable", "store/not-found"].includes((error as { code?: string } | null)?.code ?? "");
}
