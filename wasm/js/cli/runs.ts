/** `stepgraph runs` */
import type { StoredRun, AuditStore, RunFilter } from "../integrations/audit/node.js";
import { reportAuditFailure } from "./audit.js";
import { renderOptions, type Io } from "./io.js";
import { closestName } from "./suggest.js";
import { UsageError, type Arguments } from "./options.js";
import { checkOutputs } from "./output-files.js";
import { databasePlace, openRunsDatabase } from "./runs-database.js";
import { listLines } from "./runs-list.js";
import { pluralize } from "../terminal/text.js";

const FILTERS = ["plan", "status", "node", "key", "since", "until"];
const ACTIONS: Record<string, { run: "none" | "one" | "any"; options: string[] }> = {
  list: { run: "none", options: [...FILTERS, "limit", "after"] },
  show: { run: "one", options: ["node", "type", "verbose", "context"] },
  replay: { run: "one", options: ["context", "verbose"] },
  export: { run: "any", options: [...FILTERS, "type", "as", "output", "context"] },
  "to-test": { run: "any", options: ["into", "plan-file", "cassette", "name", "expect", "context"] },
  prune: { run: "none", options: FILTERS },
};
type Action = [does: string, named: string | undefined];

export async function runsCommand(args: Arguments, io: Io): Promise<number> {
  const action = readAction(args);
  const [does, named] = action;
  if (does === "to-test") checkOutputs(args, { writes: ["into"], reads: ["cassette"], also: [] });
  const cassette = args.single("cassette");
  if (cassette !== undefined) return (await import("./runs-to-test.js")).cassetteToTest(cassette, args, io);
  if (does === "to-test" && named === undefined)
    throw new UsageError(
      "cli/missing-argument",
      "`stepgraph runs to-test` needs a run",
      "name it, or a recording by `--cassette FILE`",
    );
  const filter = filterOf(args);
  const { place, first } = databasePlace(args, io);
  checkOutputs(args, { writes: ["output"], reads: [], also: [{ what: "the database", file: place }] });
  const database = await openRunsDatabase(place, first, io);
  if (typeof database === "number") return database;
  if ("store" in database) {
    const { runsOfStore } = await import("./runs-of-store.js");
    return runsOfStore(action, filter, database, args, io);
  }
  const { audit } = database;
  try {
    assertContext(action, args);
    return await executeAction(action, filter, audit, args, io);
  } catch (error) {
    const code = reportAuditFailure(error, io);
    if (code === null) throw error;
    return code;
  } finally {
    audit.close();
  }
}

function assertContext([does]: Action, args: Arguments): void {
  if (!args.has("context") || does === "replay") return;
  throw new UsageError(
    "cli/conflicting-options",
    `\`--context\` does not apply to \`stepgraph runs ${does}\``,
    "an audit database has no secrets; `--context` is for `replay`, and for runs of a store",
  );
}

async function executeAction(
  [does, named]: Action,
  filter: RunFilter,
  store: AuditStore,
  args: Arguments,
  io: Io,
): Promise<number> {
  if (does === "list") return listRuns(store, filter, args, io);
  if (does === "prune") return pruneRuns(store, filter, args, io);
  const run = named === undefined ? null : resolveRun(store, named);
  if (does === "show") return (await import("./runs-show.js")).showRun(store, run!, args, io);
  if (does === "replay") return (await import("./runs-replay.js")).replayRun(store, run!, args, io);
  if (does === "to-test") return (await import("./runs-to-test.js")).storedToTest(store, run!, args, io);
  const { eventsOfAll, exportRuns } = await import("./runs-export.js");
  return exportRuns(run && { source: store, run }, () => eventsOfAll(store, filter, args), args, io);
}

function meantBy(does: string, named: string): string {
  const meant = /\.(?:db|sqlite3?)$/i.test(named) ? `${does} --db ${named}` : `show ${named}`;
  return `did you mean \`stepgraph runs ${meant}\`?`;
}

function readAction(args: Arguments): Action {
  const [does = "list", named] = args.operands;
  const what = Object.hasOwn(ACTIONS, does) ? ACTIONS[does] : undefined;
  if (what === undefined) {
    const suggestion = closestName(does, Object.keys(ACTIONS));
    throw new UsageError(
      "cli/unknown-command",
      `there is no \`stepgraph runs ${does}\``,
      suggestion
        ? `did you mean \`stepgraph runs ${suggestion}\`?`
        : `write \`list\`, \`show RUN\`, \`replay RUN\`, \`export [RUN]\`, \`to-test RUN\` or \`prune\``,
    );
  }
  if (what.run === "one" && named === undefined)
    throw new UsageError(
      "cli/missing-argument",
      `\`stepgraph runs ${does}\` needs a run`,
      "name it by its first few characters, which `stepgraph runs list` shows",
    );
  if (what.run === "none" && named !== undefined)
    throw new UsageError("cli/extra-argument", `\`stepgraph runs ${does}\` takes no run`, meantBy(does, named));
  const known = new Set(Object.values(ACTIONS).flatMap(({ options }) => options));
  for (const name of known) {
    if (!args.has(name) || what.options.includes(name)) continue;
    const others = Object.entries(ACTIONS)
      .filter(([, { options }]) => options.includes(name))
      .map(([other]) => `\`${other}\``);
    throw new UsageError(
      "cli/conflicting-options",
      `\`--${name}\` does not apply to \`stepgraph runs ${does}\``,
      `it is for ${others.join(", ")}`,
    );
  }
  if (named !== undefined && args.has("cassette"))
    throw new UsageError(
      "cli/conflicting-options",
      "`--cassette` and a run can't be combined",
      "leave one of them out",
    );
  const sources = ["db", "store", "cassette"].filter((name) => args.has(name));
  if (sources.length > 1)
    throw new UsageError(
      "cli/conflicting-options",
      `\`--${sources[0]}\` and \`--${sources[1]}\` can't be combined`,
      "leave one of them out",
    );
  if (does === "export" && named !== undefined) {
    const odd = FILTERS.find((name) => name !== "node" && args.has(name));
    if (odd)
      throw new UsageError(
        "cli/conflicting-options",
        `\`--${odd}\` filters runs, but the command names one`,
        "leave one of them out",
      );
  }
  return [does, named];
}

function filterOf(args: Arguments): RunFilter {
  const [plan, node, key, after, limit] = ["plan", "node", "key", "after", "limit"].map((name) => args.single(name));
  const number = limit === undefined ? 20 : Number(limit);
  if (!Number.isInteger(number) || number < 1)
    throw new UsageError(
      "cli/bad-value",
      `\`--limit ${limit}\` is not a number of runs`,
      "write a whole number from 1 up",
    );
  const [since, until] = ["since", "until"].map((name) => readTime(name, args.single(name), Date.now()));
  const status = args.all("status").flatMap((text) => text.split(",")) as NonNullable<RunFilter["status"]>;
  return {
    limit: number,
    ...(plan !== undefined && { plan }),
    ...(node !== undefined && { node }),
    ...(key !== undefined && { key }),
    ...(after !== undefined && { after }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(status.length > 0 && { status }),
  };
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A date, with or without time, or an age. The zone is local by default. */
export function readTime(name: string, text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const [, number, unit] = /^(\d+)([smhdw])$/.exec(text) ?? [];
  if (number !== undefined) return now - Number(number) * UNITS[unit!]!;
  const at = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);
  if (Number.isNaN(at) || !/^\d{4}-/.test(text))
    throw new UsageError(
      "cli/bad-value",
      `\`--${name} ${text}\` is not a time`,
      `write \`--${name} 2026-01-31\`, \`--${name} 2026-01-31T18:00\`, or how long ago: \`--${name} 2h\``,
    );
  return at;
}

/** Throws with suggestions if none or several match. */
function resolveRun(store: AuditStore, named: string): StoredRun {
  const found = store.find(named);
  if (found.length === 1) return found[0]!;
  if (found.length > 1)
    throw new UsageError(
      "cli/bad-value",
      `\`${named}\` may be ${pluralize(found.length, "run")}`,
      `write more of one of them: ${found
        .slice(0, 5)
        .map(({ id }) => `\`${id}\``)
        .join(", ")}`,
    );
  const { runs } = store.runs({ limit: 10_000 });
  if (runs.length === 0)
    throw new UsageError(
      "cli/not-found",
      `there is no run \`${named}\`: the database has none`,
      "write `stepgraph run PLAN --audit FILE.db` to keep runs there",
    );
  const suggestion = closestName(
    named,
    runs.flatMap(({ id, key }) => [id, id.slice(0, named.length), ...(key === null ? [] : [key])]),
  );
  throw new UsageError(
    "cli/not-found",
    `there is no run \`${named}\``,
    suggestion
      ? `did you mean \`${suggestion}\`?`
      : `the last one is \`${runs[0]!.id.slice(0, 8)}\`; \`stepgraph runs list\` shows the others`,
  );
}

function listRuns(store: AuditStore, filter: RunFilter, args: Arguments, io: Io): number {
  const page = store.runs(filter);
  if (args.has("json")) {
    io.out.write(`${JSON.stringify(page)}\n`);
    return 0;
  }
  const options = renderOptions(io.out, io);
  io.out.write(page.runs.length > 0 ? `${listLines(page.runs, Date.now(), options).join("\n")}\n` : "");
  if (page.runs.length === 0) io.err.write(`${Object.keys(filter).length > 1 ? "no matching runs" : "no runs yet"}\n`);
  else if (page.next !== null)
    io.err.write(options.style.dim(`there are more: add \`--after ${page.next.slice(0, 16)}\`\n`));
  return 0;
}

function pruneRuns(store: AuditStore, { limit: _limit, ...filter }: RunFilter, args: Arguments, io: Io): number {
  if (Object.keys(filter).length === 0)
    throw new UsageError(
      "cli/missing-argument",
      "no filter selects the runs to delete",
      "write `--until 30d`, or another filter",
    );
  const pruned = store.prune(filter);
  if (args.has("json")) io.out.write(`${JSON.stringify({ pruned })}\n`);
  else io.err.write(`deleted ${pluralize(pruned, "run")}\n`);
  return 0;
}
