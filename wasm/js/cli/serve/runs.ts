/**
 * `run_plan` and `resume_run`. The user approves, in the client or at a terminal, and the caller only with
 * `--caller-decides`. Otherwise the run is `paused`.
 *
 * Invariants: a plan with errors does not run. A run is in progress at most once. A cancelled run starts no further
 * calls and stays resumable.
 */
import type { Decision } from "../../types.js";
import { closestName } from "../suggest.js";
import { approvalQuestion, decisionOf } from "./caller.js";
import { MAX_CONCURRENT_RUNS, type PlanService, type PlanSource } from "./plan-service.js";
import { UnansweredError, type CallerPrompt } from "./multi-round-trip.js";
import { CallerError } from "./caller-error.js";
import { newStoredRun, headOf, setIdentity, type StoredRun } from "./stored-run.js";
import type { ApprovalView } from "./approval-view.js";
import type { ToolOutput } from "./render.js";
import type { ExplainArgs } from "./worker-explain.js";
import type { InvalidPlan, RunOutcome, RunArgs } from "./worker-run.js";

export interface CallerFeatures {
  elicits: boolean;
  samples: boolean;
  parent?: { traceparent: string; tracestate?: string };
  tell: (progress: string) => void;
}

export interface ExecutedRun {
  type: "carried";
  run: StoredRun;
  outcome: RunOutcome;
  notes: string[];
}

export async function runPlan(
  service: PlanService,
  source: PlanSource,
  input: unknown,
  caller: CallerFeatures,
  prompt: CallerPrompt,
): Promise<InvalidPlan | ExecutedRun> {
  const { store } = service.settings;
  const run = newStoredRun(service.bundle(source), source.path, input);
  const notes: string[] = [];
  try {
    if (store.count("running") >= MAX_CONCURRENT_RUNS)
      throw new CallerError("serve/too-many-runs", `${MAX_CONCURRENT_RUNS} runs are already in progress`);
    const gone = store.add(run);
    if (gone.length > 0) notes.push(`to free space, these runs were evicted: ${gone.join(", ")}`);
    store.claim(run);
    const outcome = await executeRun(service, run, caller, prompt, { snapshot: null, decisions: {}, notes });
    if (outcome.type === "not-run") {
      store.drop(run);
      return outcome;
    }
    saveRun(service, run, notes);
    return { type: "carried", run, outcome, notes };
  } finally {
    store.release(run);
  }
}

/** The caller's `decisions` need `--caller-decides`. */
export async function resumeRun(
  service: PlanService,
  id: string,
  decisions: Record<string, Decision>,
  caller: CallerFeatures,
  prompt: CallerPrompt,
): Promise<ExecutedRun> {
  const { store } = service.settings;
  const known = store.get(id);
  checkResumable(known);
  store.claim(known);
  try {
    // Another server may have resumed it.
    const run = store.get(id);
    checkResumable(run);
    return await resumeStored(service, run, decisions, caller, prompt);
  } finally {
    store.release(known);
  }
}

async function resumeStored(
  service: PlanService,
  run: StoredRun,
  decisions: Record<string, Decision>,
  caller: CallerFeatures,
  prompt: CallerPrompt,
): Promise<ExecutedRun> {
  const { store, callerDecides } = service.settings;
  const { id } = run;
  const named = Object.keys(decisions);
  checkNames(run, named);
  if (named.length > 0 && !callerDecides) {
    const how = caller.elicits
      ? "call `resume_run` without `decisions`: your client asks the user"
      : `ask the user to decide${decisionHelp(service, run)}`;
    throw new CallerError(
      "serve/not-yours-to-decide",
      `${named.map((name) => `\`${name}\``).join(", ")} is for the user to decide, and this server accepts no decisions from its caller`,
      how,
    );
  }
  if (run.snapshot === null)
    throw new CallerError("serve/unreadable-run", `the run \`${id}\` has no snapshot to resume from`);
  const notes: string[] = [];
  const before = run.status;
  run.status = "running";
  try {
    notes.push(...store.add(run).map((gone) => `to free space, a run was evicted: ${gone}`));
    const outcome = await executeRun(service, run, caller, prompt, { snapshot: run.snapshot, decisions, notes });
    if (outcome.type === "not-run")
      throw new CallerError("serve/unreadable-run", `the plan of the run \`${id}\` can't be read any more`);
    saveRun(service, run, notes);
    return { type: "carried", run, outcome, notes };
  } catch (error) {
    run.status = before;
    saveRun(service, run, notes);
    throw error;
  }
}

/** A terminal shows the whole approval. */
export function decisionHelp({ settings: { store } }: PlanService, { id }: StoredRun): string {
  if (store.folder === null) return "";
  const resumed = `${store.file(id, "plan")} --resume ${store.file(id, "snapshot")}`;
  return `: at a terminal, which shows all of it, with  stepgraph run ${resumed}  with the options of this server`;
}

interface ResumePoint {
  snapshot: string | null;
  decisions: Record<string, Decision>;
  notes: string[];
}

/** Repeats until the run ends or no decision arrives. */
async function executeRun(
  service: PlanService,
  run: StoredRun,
  caller: CallerFeatures,
  prompt: CallerPrompt,
  point: ResumePoint,
): Promise<InvalidPlan | RunOutcome> {
  const { notes } = point;
  let { snapshot, decisions } = point;
  for (;;) {
    const ran = await runInWorker(service, run, caller, prompt, { snapshot, decisions });
    if (ran.type === "not-run" || ran.status !== "paused" || ran.snapshot === null) return ran;
    if (!caller.elicits || prompt.signal.aborted) return ran;
    // Stays resumable if the connection ends.
    saveRun(service, run, []);
    decisions = await askApprovals(service, run, ran.approvals, prompt, notes);
    if (Object.keys(decisions).length === 0 || prompt.signal.aborted) return ran;
    // Another caller may have resumed it.
    if ((run.status as string) !== "paused" || run.snapshot !== ran.snapshot)
      throw new CallerError("serve/run-under-way", `the run \`${run.id}\` was resumed by another caller`);
    run.status = "running";
    snapshot = ran.snapshot;
  }
}

/** If the worker is lost, the run has failed. */
async function runInWorker(
  service: PlanService,
  run: StoredRun,
  caller: CallerFeatures,
  prompt: CallerPrompt,
  from: Pick<ResumePoint, "snapshot" | "decisions">,
): Promise<InvalidPlan | RunOutcome> {
  const { plan, rest } = run;
  const chat = service.modelOf(caller, prompt);
  const parent = caller.parent ?? null;
  const args: RunArgs = { head: headOf(run), plan, rest, ...from, model: chat !== undefined, parent };
  const began = performance.now();
  const onBegun = (found: Parameters<typeof setIdentity>[1]) => {
    setIdentity(run, found);
    saveRun(service, run, []);
  };
  const onNews = (update: StoredRun["updates"][number]) => {
    run.updates.push(update);
    update.progress.forEach(caller.tell);
  };
  try {
    const given = { signal: prompt.signal, chat, onBegun, onNews };
    return applyOutcome(run, await service.pool.run<InvalidPlan | RunOutcome>("run", args, given));
  } catch (error) {
    const isAsBefore = error instanceof CallerError && error.code === "serve/not-resumed";
    if (run.status === "running") run.status = isAsBefore ? "paused" : "failed";
    if (isAsBefore) saveRun(service, run, []);
    if (!(error instanceof CallerError) || !WORKER_FAILURES.has(error.code)) throw error;
    const { code, message } = error;
    const durationMs = performance.now() - began;
    const lost = { head: headOf(run), plan, rest, updates: run.updates, code, message, durationMs };
    return applyOutcome(run, await service.pool.run<RunOutcome>("ended", lost));
  }
}

const WORKER_FAILURES = new Set(["serve/frozen", "serve/out-of-memory", "serve/failed"]);

function applyOutcome(run: StoredRun, ran: InvalidPlan | RunOutcome): InvalidPlan | RunOutcome {
  if (ran.type === "not-run") return ran;
  const { status, waiting, rest, snapshot } = ran;
  Object.assign(run, { status, waiting, rest, snapshot, updates: [], endedAt: new Date().toISOString() });
  return ran;
}

/** Leaves out approvals that stay open or were not shown completely. */
async function askApprovals(
  service: PlanService,
  run: StoredRun,
  approvals: ApprovalView[],
  prompt: CallerPrompt,
  notes: string[],
): Promise<Record<string, Decision>> {
  const entries = await Promise.all(
    approvals.map(async (approval): Promise<[string, Decision | null]> => {
      const elsewhere = decisionHelp(service, run);
      if (!approval.whole)
        notes.push(
          `\`${approval.call}\` is too long to show completely, so the client can't approve it; ` +
            `\`explain_run\` with value \`/asked\` shows all of it${elsewhere === "" ? "" : `; the user decides${elsewhere}`}`,
        );
      try {
        const view = await prompt.ask(approvalQuestion(approval, elsewhere));
        return [approval.call, decisionOf(view, approval.whole)];
      } catch (error) {
        if (error instanceof UnansweredError) return [approval.call, null];
        throw error;
      }
    }),
  );
  return Object.fromEntries(entries.filter((entry): entry is [string, Decision] => entry[1] !== null));
}

function checkResumable({ id, status }: StoredRun): void {
  if (status === "running") throw new CallerError("serve/run-under-way", `the run \`${id}\` is in progress`);
  if (status === "completed" || status === "failed")
    throw new CallerError("serve/run-over", `the run \`${id}\` has ${status}`);
}

function checkNames({ id, waiting: names }: StoredRun, named: string[]): void {
  for (const name of named) {
    if (names.includes(name)) continue;
    const suggestion = closestName(name, names) ?? (names.length === 1 ? names[0] : null);
    throw new CallerError(
      "serve/unknown-approval",
      `the run \`${id}\` has no open approval \`${name.slice(0, 100)}\``,
      suggestion
        ? `did you mean \`${suggestion}\`?`
        : names.length === 0
          ? "leave `decisions` out: it has no open approvals"
          : `its open approvals are ${names.map((one) => `\`${one}\``).join(", ")}`,
    );
  }
}

function saveRun(service: PlanService, run: StoredRun, notes: string[]): void {
  const problem = service.settings.store.save(run);
  if (problem !== null) notes.push(problem);
}

/** In a worker, because records may be large. */
export function explainRun(
  service: PlanService,
  id: string,
  what: ExplainArgs["what"],
  signal?: AbortSignal,
): Promise<ToolOutput> {
  const run = service.settings.store.get(id);
  const args: ExplainArgs = { head: headOf(run), plan: run.plan, rest: run.rest, updates: run.updates, what };
  return service.pool.run<ToolOutput>("explain", args, { signal });
}
