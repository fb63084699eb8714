/** `stepgraph run --audit FILE.db`. The database opens before the run, and later database errors do not stop it. */
import type { PlanGraph } from "../node.js";
import type { Report, RunOptions } from "../types.js";
import type { AuditError, AuditStore } from "../integrations/audit/node.js";
import { headline, type RenderOptions } from "../terminal/diagnostics.js";
import { helpLine, NO_SQLITE_HELP } from "./failure-report.js";
import { renderOptions, type Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { withoutSqliteWarning } from "./sqlite-warning.js";
import { basename, dirname, resolve } from "node:path";
import { pluralize, visible } from "../terminal/text.js";

export interface AuditTrail {
  options: RunOptions;
  end(report: Promise<Report>): Promise<Report>;
  /** Also reports events that could not be written. */
  close(): void;
}

export const auditIds = new WeakMap<Report, string>();

export function auditLocation(report: Report, args: Arguments, { style }: RenderOptions): string {
  const [id, file] = [auditIds.get(report), args.all("audit").find(isDatabase)];
  return id === undefined || file === undefined ? "" : style.dim(`audited as ${id} in ${visible(file)}\n`);
}

export function isDatabase(name: string): boolean {
  return /\.(db|sqlite3?)$/i.test(name);
}

/** Exit code 1: a retry may help. */
const TEMPORARY_FAILURES = new Set(["audit/locked", "audit/full", "audit/io", "audit/failed"]);

/** Returns the exit code, or null for other errors. */
export function reportAuditFailure(error: unknown, io: Io): number | null {
  const { code, message = "", help: given = "" } = (error ?? {}) as { code?: unknown; message?: string; help?: string };
  if (typeof code !== "string" || !code.startsWith("audit/")) return null;
  const options = renderOptions(io.err, io);
  const help = code === "audit/no-driver" ? NO_SQLITE_HELP : given;
  io.err.write(`${headline({ severity: "error", code, message }, options).join("\n")}\n${helpLine(help, options)}\n`);
  return TEMPORARY_FAILURES.has(code) ? 1 : 2;
}

/** Null without a database in `--audit`. */
export async function openAuditTrail(
  graph: PlanGraph,
  options: RunOptions,
  args: Arguments,
  io: Io,
  plan?: { file: string; text: () => string },
): Promise<AuditTrail | null> {
  const names = args.all("audit");
  const file = names.find(isDatabase);
  if (names.length - (file === undefined ? 0 : 1) > 1 || names.filter(isDatabase).length > 1) {
    throw new UsageError(
      "cli/extra-argument",
      "`--audit` names two files of the same kind",
      "name at most one file of lines and one database",
    );
  }
  const key = args.single("audit-key");
  if (file === undefined) {
    if (key !== undefined)
      throw new UsageError(
        "cli/missing-argument",
        "`--audit-key` is for a database",
        "name one with `--audit FILE.db`",
      );
    return null;
  }
  const { audited } = await import("../integrations/audit/node.js");
  const store = await openDatabase(file, io, {});
  const trouble: AuditError[] = [];
  const continues = (options.snapshot as { run?: unknown } | undefined)?.run;
  const trail = audited(graph, options, store, {
    ...(key !== undefined && { key }),
    ...(typeof continues === "string" && { continues }),
    ...(plan && {
      plan: plan.text(),
      ...(plan.file !== "-" && { name: basename(plan.file).replace(/(\.plan)?\.(ya?ml|json)$/, "") }),
    }),
    onError: (error) => void trouble.push(error),
  });
  return {
    options: trail.options,
    async end(report) {
      const ended = await trail.end(report);
      auditIds.set(ended, trail.id);
      return ended;
    },
    close() {
      store.close();
      const { unwritten, spilledTo } = trail;
      const options = renderOptions(io.err, io);
      const { style } = options;
      const last = trouble.at(-1);
      if (unwritten !== null && last) {
        const message = `${pluralize(unwritten.events.length, "event")} of the run are missing from the audit: ${last.message}`;
        io.err.write(`${headline({ severity: "error", code: last.code, message }, options).join("\n")}\n`);
      } else if (spilledTo.length > 0 && last) {
        const aside = spilledTo.some((name) => dirname(name) !== dirname(resolve(file)));
        const taken = aside
          ? "move it next to the database, and the next command that opens the database imports it"
          : "the next command that opens the database imports it";
        io.err.write(
          `${headline({ severity: "warning", code: last.code, message: last.message }, options).join("\n")}\n`,
        );
        const places = spilledTo.map((name) => `\`${visible(name)}\``).join(", ");
        const advice = `the rest was saved in ${places}; ${taken}`;
        io.err.write(`  ${style.blue("=")} ${style.bold("help")}: ${advice}\n`);
      }
    },
  };
}

/** Warns of invalid spill files next to the database. */
export async function openDatabase(file: string, io: Io, options: { create?: boolean }): Promise<AuditStore> {
  const { openAudit } = await import("../integrations/audit/node.js");
  const look = renderOptions(io.err, io);
  const onWarning = (message: string) =>
    void io.err.write(`${headline({ severity: "warning", code: "audit/unreadable", message }, look).join("\n")}\n`);
  return withoutSqliteWarning(async () => openAudit(file, { ...options, onWarning }));
}
