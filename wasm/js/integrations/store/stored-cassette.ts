/** The cassette of a stored run, from its journal and without its host. */
import { internals, type Approval, type PlanGraph, type ToolClient } from "stepgraph";
import { decodeEntry, HEAD, type Head, readCall, readDecision, readHead, readTools } from "../durable/journal-entry.js";
import type { JournalAnswer } from "../durable/journal.js";
import { replayedLines } from "../durable/memory-journal.js";
import type { StartValues } from "./run-rows.js";

type RecordingRun = InstanceType<typeof internals.RecordingRun>;
type RawCommand = ReturnType<RecordingRun["commands"]>[number];
type Entry = JournalAnswer | { cancelled: true };

/** Returns the lines that `record` would have received, or none for a run without entries. */
export async function storedCassette(
  graph: PlanGraph,
  start: StartValues,
  lines: readonly string[],
): Promise<string[]> {
  const [first, ...entries] = replayedLines(lines).map((line) => JSON.parse(line) as Entry);
  if (first === undefined || !("name" in first) || first.name !== HEAD) return [];
  const head = readHead(HEAD, Object(first.value) as Record<string, unknown>);
  const listed = await takeTools(head, entries);
  if (listed === null) return [];
  const written: string[] = [];
  const player = new JournalPlayer(graph, start, head, listed.tools, (line) => written.push(line));
  try {
    await player.play(Math.max(head.atMs, listed.atMs ?? 0), entries);
  } finally {
    player.free();
  }
  return written;
}

/** Takes the entry of the tools. Returns null if a server did not list them: the run did not begin. */
async function takeTools({ host }: Head, entries: Entry[]) {
  if (host.clients === 0) return { tools: [] };
  const entry = entries.shift();
  if (entry === undefined || !("name" in entry)) return null;
  const listed = readTools(entry.name, await decodeEntry(entry.name, entry.value, undefined));
  return "error" in listed ? null : listed;
}

class JournalPlayer {
  readonly #run: RecordingRun;
  readonly #isResumed: boolean;
  /** Open calls and timers by name, and when timers end. */
  readonly #open = new Map<string, { command: RawCommand; dueMs: number }>();
  /** Decisions whose time is in a later entry. */
  readonly #decided = new Map<string, Record<string, unknown>>();
  #isOver = false;
  #at = 0;

  constructor(
    graph: PlanGraph,
    start: StartValues,
    { host, run }: Head,
    lists: Parameters<typeof internals.toolRegistry>[1],
    record: (line: string) => void,
  ) {
    const tools = internals.toolRegistry((host.servers ?? []).map(unreachable), lists);
    const named = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, () => null]));
    const { types, ids, models, allow, limits, retries } = host;
    const { outputs, snapshot } = start;
    const capable = { handlers: named(types), byId: named(ids), models: named(models), allow, outputs, snapshot };
    const offer = internals.hostCapabilities(capable as never, tools, retries === "host");
    const given = { ...start, limits, record, ...(run !== undefined && { runId: run }) };
    const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    this.#run = new internals.RecordingRun(graph, graph.bind(offer), options, offer, 0);
    this.#run.tools = tools;
    this.#isResumed = snapshot !== undefined;
  }

  async play(atMs: number, entries: readonly Entry[]): Promise<void> {
    this.#at = atMs;
    const run = this.#run;
    this.#take(this.#isResumed ? run.resume(atMs) : run.start(atMs));
    for (const entry of entries) {
      if (this.#isOver) return;
      if ("name" in entry) await this.#feed(entry);
      else this.#take(run.cancel(this.#at));
    }
    if (!this.#isOver) this.#pause();
  }

  free(): void {
    this.#run.free();
  }

  #take(op: number): void {
    const { ABANDON, CLEAR_TIMER, CONTINUE, FINISHED } = internals.ops;
    if (op === internals.ops.REFUSED) return;
    for (const command of this.#run.commands()) {
      if (command.op === FINISHED) this.#end();
      else if (command.op === ABANDON || command.op === CLEAR_TIMER) this.#forget(command.serial);
      else if (command.op !== CONTINUE)
        this.#open.set(this.#run.nameOf(command), { command, dueMs: this.#at + command.afterMs });
    }
  }

  #end(): void {
    this.#isOver = true;
    this.#run.markEnded(this.#at);
    this.#run.recordEnd();
  }

  /** Only a run that waits for decisions has an end. */
  #pause(): void {
    const asked = [...this.#open.values()].map(({ command }) => this.#run.approval(command));
    const approvals = asked.filter((approval): approval is Approval => approval !== null);
    const [approval] = approvals;
    if (approval === undefined || approvals.length < this.#open.size) return;
    this.#run.markEnded(this.#at);
    this.#run.recordEnd({ type: "paused", approval, approvals });
  }

  #forget(serial: number): void {
    for (const [name, { command }] of this.#open) if (command.serial === serial) this.#open.delete(name);
  }

  /** Names of calls end in a number, so the endings of other steps tell them apart. */
  async #feed({ name, value }: JournalAnswer): Promise<void> {
    const [, step = name, kind] = /^(.*)\.(timer|turn|time)$/.exec(name) ?? [];
    if (kind === "timer") return this.#fire(step);
    const entry = await decodeEntry(name, value, undefined);
    if (kind === undefined) return this.#answer(name, entry);
    this.#pass(readCall(name, entry).atMs);
    if (kind === "turn") return this.#take(this.#run.continueStep(this.#at));
    const decided = this.#decided.get(step);
    if (decided !== undefined) this.#decide(step, decided);
  }

  #fire(timer: string): void {
    const open = this.#open.get(timer);
    if (open === undefined) return;
    this.#open.delete(timer);
    this.#pass(open.dueMs);
    this.#take(this.#run.fireTimer(open.command, this.#at));
  }

  #answer(call: string, entry: Record<string, unknown>): void {
    const open = this.#open.get(call);
    if (open === undefined) return;
    if (open.command.op !== internals.ops.APPROVAL) {
      const answer = readCall(call, entry);
      this.#pass(answer.atMs);
      const line =
        "error" in answer
          ? { type: "failed" as const, ...answer.error }
          : "reply" in answer
            ? { type: "replied" as const, reply: answer.reply }
            : { type: "done" as const, output: answer.output, ...(answer.writes && { writes: answer.writes }) };
      return this.#finish(call, { ...line, call, atMs: this.#at });
    }
    const { atMs } = readDecision(call, entry);
    if (atMs === undefined) return void this.#decided.set(call, entry);
    this.#pass(atMs);
    this.#decide(call, entry);
  }

  #decide(call: string, entry: Record<string, unknown>): void {
    const read = readDecision(call, entry);
    const common = { call, atMs: this.#at };
    if ("error" in read) this.#finish(call, { type: "failed", ...read.error, ...common });
    else this.#finish(call, { type: "decided", decision: read.decision, ...common });
  }

  #finish(call: string, line: Parameters<typeof internals.feedAnswer>[2]): void {
    const { command } = this.#open.get(call)!;
    this.#open.delete(call);
    this.#take(internals.feedAnswer(this.#run, command, line, this.#at));
  }

  /** Time never goes back. */
  #pass(atMs: number | undefined): void {
    if (atMs !== undefined && atMs > this.#at) this.#at = atMs;
  }
}

function unreachable(name: string): ToolClient {
  return {
    name,
    list: async () => [],
    call: async () => ({ value: null, isError: false }),
    close: async () => {},
  };
}
