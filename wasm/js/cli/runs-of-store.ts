/** `stepgraph runs --store` */
import type { RunFilter } from "../integrations/audit/node.js";
import type { RunStore, StoredRun, StoredRunFilter, StoredStatus } from "../integrations/store/node.js";
import { pluralize, visible } from "../terminal/text.js";
import { renderOptions, type Io } from "./io.js";
import { type OpenedStore, reportStoreFailure } from "./kept-run.js";
import { UsageError, type Arguments } from "./options.js";
import { listLines } from "./runs-list.js";
import { printedRun, readStoredRun } from "./runs-source.js";
import { shellQuote } from "./shell-quote.js";
import { closestName } from "./suggest.js";

const STATUSES: readonly StoredStatus[] = ["running", "paused", "interrupted", "completed", "failed", "cancelled"];
/** Only audit databases have these filters. */
const INDEXED = ["key"];

export async function runsOfStore(
  [does, named]: readonly [string, string | undefined],
  given: RunFilter,
  { store, close }: OpenedStore,
  args: Arguments,
  io: Io,
): Promise<number> {
  try {
    const filter = storeFilter(does, given, args);
    if (does === "list") return await list(store, filter, args, io);
    if (does === "prune") return await prune(store, filter, args, io);
    return await readOne(store, [does, named], filter, args, io);
  } catch (error) {
    const code = reportStoreFailure(error, io);
    if (code === null) throw error;
    return code;
  } finally {
    await close();
  }
}

function storeFilter(does: string, { node: _node, key: _key, ...filter }: RunFilter, args: Arguments): StoredRunFilter {
  const selectsByNode = args.has("node") && does !== "show" && does !== "export";
  const odd = INDEXED.find((name) => args.has(name)) ?? (selectsByNode ? "node" : undefined);
  if (odd !== undefined)
    throw new UsageError(
      "cli/conflicting-options",
      `a store can't select runs by \`--${odd}\``,
      "leave it out, or keep an audit too: `--audit`",
    );
  const { status = [], ...rest } = filter;
  const statuses = [status].flat() as StoredStatus[];
  const unknown = statuses.find((one) => !STATUSES.includes(one));
  if (unknown !== undefined) {
    const suggestion = (unknown as string) === "unfinished" ? "interrupted" : closestName(unknown, STATUSES);
    throw new UsageError(
      "cli/bad-value",
      `a run of a store has no status \`${unknown}\``,
      suggestion ? `did you mean \`${suggestion}\`?` : `write one of ${STATUSES.map((one) => `\`${one}\``).join(", ")}`,
    );
  }
  return { ...rest, ...(statuses.length > 0 && { status: statuses }) };
}

async function list(store: RunStore, filter: StoredRunFilter, args: Arguments, io: Io): Promise<number> {
  const { runs, next } = await store.runs(filter);
  if (args.has("json")) {
    io.out.write(`${JSON.stringify({ runs, next })}\n`);
    return 0;
  }
  const options = renderOptions(io.out, io);
  const open = runs.some(({ status }) => status === "paused") ? await store.approvals() : [];
  const waits = (id: string) => open.filter(({ run }) => run === id).map(({ call }) => call);
  const lines = listLines(runs.map(printedRun), Date.now(), options, { wholeIds: true, waits });
  if (runs.length > 0) io.out.write(`${lines.join("\n")}\n`);
  else io.err.write(Object.keys(filter).length > 1 ? "no matching runs\n" : "no runs yet\n");
  if (next !== null) io.err.write(options.style.dim(`there are more: add \`--after ${shellQuote(next)}\`\n`));
  return 0;
}

async function readOne(
  store: RunStore,
  [does, named]: readonly [string, string | undefined],
  filter: StoredRunFilter,
  args: Arguments,
  io: Io,
): Promise<number> {
  if (does === "to-test")
    return (await import("./runs-to-test.js")).keptToTest(store, (await findRun(store, named!)).id, args, io);
  const { exportRuns } = await import("./runs-export.js");
  if (named === undefined) return exportRuns(null, () => eventsOfAll(store, filter, args, io), args, io);
  const { run, source } = await readStoredRun(store, await findRun(store, named), args, io);
  if (does === "show") return (await import("./runs-show.js")).showRun(source, run, args, io);
  if (does === "replay") return (await import("./runs-replay.js")).replayRun(source, run, args, io);
  return exportRuns({ source, run }, () => [], args, io);
}

async function* eventsOfAll(store: RunStore, filter: StoredRunFilter, args: Arguments, io: Io): AsyncGenerator<string> {
  const { eventFilter } = await import("./runs-export.js");
  for await (const known of allRuns(store, filter)) {
    const { source } = await readStoredRun(store, known, args, io);
    for (const event of source.trace(known.id, eventFilter(args)))
      yield `${JSON.stringify({ run: known.id, ...event })}\n`;
  }
}

async function* allRuns(store: RunStore, filter: StoredRunFilter): AsyncGenerator<StoredRun> {
  for (let after: string | undefined; ; ) {
    const { runs, next } = await store.runs({ ...filter, limit: 100, ...(after !== undefined && { after }) });
    yield* runs;
    if (next === null) return;
    after = next;
  }
}

/** Throws with suggestions if none or several match. */
async function findRun(store: RunStore, named: string): Promise<StoredRun> {
  const known = await store.get(named);
  if (known !== null) return known;
  const ids: string[] = [];
  const found: StoredRun[] = [];
  for await (const run of allRuns(store, {})) {
    ids.push(run.id);
    if (named !== "" && run.id.startsWith(named)) found.push(run);
  }
  if (found.length === 1) return found[0]!;
  if (found.length > 1)
    throw new UsageError(
      "cli/bad-value",
      `\`${named}\` may be ${pluralize(found.length, "run")}`,
      `write more of one of them: ${found
        .slice(0, 5)
        .map(({ id }) => `\`${visible(id)}\``)
        .join(", ")}`,
    );
  if (ids.length === 0)
    throw new UsageError(
      "cli/not-found",
      `there is no run \`${named}\`: the store has none`,
      "write `stepgraph run PLAN --store FILE` to keep runs there",
    );
  const suggestion = closestName(named, ids);
  throw new UsageError(
    "cli/not-found",
    `there is no run \`${named}\``,
    suggestion
      ? `did you mean \`${visible(suggestion)}\`?`
      : `the last one is \`${visible(ids[0]!)}\`; \`stepgraph runs list\` shows the others`,
  );
}

async function prune(store: RunStore, { limit: _limit, ...filter }: StoredRunFilter, args: Arguments, io: Io) {
  if (Object.keys(filter).length === 0)
    throw new UsageError(
      "cli/missing-argument",
      "no filter selects the runs to delete",
      "write `--until 30d`, or another filter",
    );
  const ids: string[] = [];
  for await (const { id } of allRuns(store, filter)) ids.push(id);
  let pruned = 0;
  for (const id of ids) if (await store.delete(id)) pruned++;
  if (args.has("json")) io.out.write(`${JSON.stringify({ pruned })}\n`);
  else io.err.write(`deleted ${pluralize(pruned, "run")}\n`);
  return 0;
}
