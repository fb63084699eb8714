/** `stepgraph approvals` */
import type { RunStore, StoredApproval } from "../integrations/store/node.js";
import type { RenderOptions } from "../terminal/diagnostics.js";
import { briefJson, clip, formatDuration, pad, visible, width } from "../terminal/text.js";
import type { Decision } from "../types.js";
import { parseDecision } from "./approvals.js";
import { openStorePlace, reportStoreFailure, storePlace } from "./kept-run.js";
import { renderOptions, type Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { withoutKeys } from "./resume-help.js";
import { revealHidden } from "../terminal/reveal-hidden.js";
import { ago, formatTime } from "./runs-list.js";
import { shellQuote } from "./shell-quote.js";
import { closestName } from "./suggest.js";

const USAGE: Record<string, [least: number, most: number, usage: string]> = {
  list: [0, 1, "stepgraph approvals list [RUN]"],
  show: [2, 2, "stepgraph approvals show RUN CALL"],
  decide: [3, 3, "stepgraph approvals decide RUN CALL approve|reject|JSON"],
};

export async function approvalsCommand(args: Arguments, io: Io): Promise<number> {
  const [does = "list", ...words] = args.operands;
  assertUsage(does, words, args);
  const place = storePlace(args, io, true);
  if (place === undefined)
    throw new UsageError(
      "cli/missing-argument",
      "`stepgraph approvals` needs a store",
      "name it by `--store FILE`, or set STEPGRAPH_STORE",
    );
  const decision = does === "decide" ? readDecision(words[2]!) : null;
  try {
    const { store, close } = await openStorePlace(place, { create: false });
    try {
      const [run = "", call = ""] = words;
      if (does === "list") return await list(store, run, args, io);
      if (does === "show") return await show(store, run, call, args, io);
      return await decide(store, { run, call, decision: decision! }, args, io);
    } finally {
      await close();
    }
  } catch (error) {
    const code = reportStoreFailure(error, io);
    if (code === null) throw error;
    return code;
  }
}

function assertUsage(does: string, words: readonly string[], args: Arguments): void {
  const known = Object.hasOwn(USAGE, does) ? USAGE[does] : undefined;
  if (known === undefined) {
    const suggestion = closestName(does, Object.keys(USAGE));
    throw new UsageError(
      "cli/unknown-command",
      `there is no \`stepgraph approvals ${does}\``,
      suggestion ? `did you mean \`stepgraph approvals ${suggestion}\`?` : "write `list`, `show` or `decide`",
    );
  }
  const [least, most, usage] = known;
  if (words.length < least || words.length > most)
    throw new UsageError(
      words.length < least ? "cli/missing-argument" : "cli/extra-argument",
      `\`stepgraph approvals ${does}\` got ${words.length} words`,
      `write \`${usage}\``,
    );
  if (args.has("all") && does !== "list")
    throw new UsageError(
      "cli/conflicting-options",
      `\`--all\` does not apply to \`stepgraph approvals ${does}\``,
      "it is for `list`",
    );
  if (args.has("by") && does !== "decide")
    throw new UsageError(
      "cli/conflicting-options",
      `\`--by\` does not apply to \`stepgraph approvals ${does}\``,
      "it is for `decide`",
    );
}

function readDecision(word: string): Decision {
  if (/^(approve|approved)$/i.test(word)) return "approved";
  if (/^(reject|rejected)$/i.test(word)) return "rejected";
  const decision = parseDecision(word);
  if (decision !== null) return decision;
  throw new UsageError(
    "cli/bad-value",
    `\`${word}\` is no decision`,
    "write `approve`, `reject`, or JSON to continue with instead",
  );
}

async function list(store: RunStore, run: string, args: Arguments, io: Io): Promise<number> {
  const found = await store.approvals({ ...(run !== "" && { run }), open: !args.has("all") });
  if (args.has("json")) io.out.write(`${JSON.stringify({ approvals: found })}\n`);
  else if (found.length === 0) io.err.write("nothing waits for a decision\n");
  else io.out.write(`${listLines(found, Date.now(), renderOptions(io.out, io)).join("\n")}\n`);
  return 0;
}

function listLines(found: readonly StoredApproval[], now: number, { style, columns }: RenderOptions): string[] {
  const cells = found.map(({ run, call, askedMs }) => [visible(run), visible(call), ago(now - askedMs)]);
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => width(row[column]!))));
  return found.map((one, row) => {
    const [run, call, asked] = cells[row]!.map((text, column) => pad(text, widths[column]!)) as [
      string,
      string,
      string,
    ];
    const state = stateOf(one, now);
    const room = Math.max(20, columns - 8 - widths.reduce((sum, one) => sum + one, 0) - width(state));
    const input = style.dim(briefJson(one.approval.input, room));
    const sign = one.open && one.decision === null ? style.yellow("?") : style.dim("–");
    return `${sign} ${style.bold(run)}  ${call}  ${style.dim(asked)}  ${state}${state === "" ? "" : "  "}${input}`.trimEnd();
  });
}

function stateOf({ open, decision, decidedBy, dueMs, tooLate }: StoredApproval, now: number): string {
  if (decision !== null) {
    const word = typeof decision === "string" ? decision : "another value";
    return `${word}${decidedBy === null ? "" : ` by ${clip(visible(decidedBy), 30)}`}${tooLate ? ", too late" : ""}`;
  }
  if (!open) return "no longer waits";
  if (dueMs === null) return "";
  return dueMs > now ? `due in ${formatDuration(dueMs - now)}` : "overdue";
}

async function show(store: RunStore, run: string, call: string, args: Arguments, io: Io): Promise<number> {
  const one = await findApproval(store, run, call);
  const record = await store.get(run);
  if (args.has("json")) {
    io.out.write(`${JSON.stringify({ approval: one, run: record })}\n`);
    return 0;
  }
  const { style } = renderOptions(io.out, io);
  const { tool, server, input } = one.approval;
  const plan = record?.name ?? record?.planHash.slice(0, 12) ?? "";
  const asks =
    tool === undefined
      ? ""
      : ` to call \`${visible(tool)}\`${server === undefined ? "" : ` of server \`${visible(server)}\``}`;
  const lines = [
    `${style.bold(visible(call))} of run ${style.bold(visible(run))} (plan ${visible(plan)}) asks for approval${asks}`,
    style.dim(
      `asked ${formatTime(one.askedMs)}${stateOf(one, Date.now()) === "" ? "" : `, ${stateOf(one, Date.now())}`}`,
    ),
    // The whole value, hidden characters made visible.
    revealHidden(typeof input === "string" ? input : (JSON.stringify(input, null, 2) ?? "null")),
  ];
  io.out.write(`${lines.join("\n")}\n`);
  return 0;
}

async function findApproval(store: RunStore, run: string, call: string): Promise<StoredApproval> {
  const all = await store.approvals({ run, open: false });
  const found = all.find((one) => one.call === call);
  if (found !== undefined) return found;
  const calls = all.map((one) => one.call);
  const suggestion = closestName(call, calls);
  throw new UsageError(
    "cli/not-found",
    calls.length === 0
      ? `no run \`${run}\` asked for a decision`
      : `run \`${run}\` asked for no decision on \`${call}\``,
    suggestion ? `did you mean \`${suggestion}\`?` : "see `stepgraph approvals list --all`",
  );
}

async function decide(
  store: RunStore,
  { run, call, decision }: { run: string; call: string; decision: Decision },
  args: Arguments,
  io: Io,
): Promise<number> {
  await findApproval(store, run, call);
  await store.decide(run, call, decision, args.single("by"));
  const record = await store.get(run);
  if (args.has("json")) io.out.write(`${JSON.stringify({ run, call, decision, status: record?.status ?? null })}\n`);
  else if (record?.status === "running") io.err.write("decided; the run goes on\n");
  else
    io.err.write(
      `decided; continue the run: stepgraph run PLAN --store ${shellQuote(withoutKeys("store", args.single("store") ?? "STORE"))} --run-id ${shellQuote(run)}\n`,
    );
  return 0;
}
