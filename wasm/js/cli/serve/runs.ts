/**
 * `run_plan` and `resume_run`: a plan is checked, run, and kept, until it ends or waits for a person.
 *
 * Decides who may give leave: a person, asked through the client where it can ask, or at a terminal; the caller itself
 * only where the server was started with `--caller-decides`. Without a person the run rests as `paused`, and nothing
 * that needs leave is done.
 *
 * Invariants: a plan with errors does not run; a run is under way at most once; one whose caller cancels begins no
 * further call and is kept as `cancelled`, to be gone on with.
 */
import type { PlanGraph } from "../../node.js";
import { PlanError } from "../../node.js";
import type { Decision, Diagnostic, RunOptions, TraceEvent } from "../../types.js";
import { hasErrors, tally } from "../diagnostics.js";
import { near } from "../near.js";
import { approvalQuestion, decisionOf, lentModel } from "./caller.js";
import { AT_ONCE, type Desk, type Given } from "./desk.js";
import { Unanswered, type Asker } from "./job.js";
import { Problem } from "./problem.js";
import { begun, noted, settled, type Kept } from "./record.js";

/** How many questions a person is asked at a time; the others follow. */
const AT_A_TIME = 20;

/** What a caller has for a run. */
export interface With {
  elicits: boolean;
  samples: boolean;
  parent?: { traceparent: string; tracestate?: string };
  onEvent: (event: TraceEvent) => void;
}

/** A plan that does not pass. */
export interface NotRun {
  type: "not-run";
  given: Given;
  diagnostics: Diagnostic[];
}

/** A run, with what there is to say of it beside. */
export interface Carried {
  type: "carried";
  run: Kept;
  notes: string[];
}

/** Checks and runs a plan. */
export async function runPlan(
  desk: Desk,
  given: Given,
  input: unknown,
  caller: With,
  asker: Asker,
): Promise<NotRun | Carried> {
  const { graph, diagnostics } = desk.checked(given.text, null);
  if (graph === null) return { type: "not-run", given, diagnostics };
  const { store } = desk.settings;
  const { id: name = null } = graph.toJSON() as { id?: string };
  const kept = begun(given.text, given.path, name, graph.hash, input);
  const notes: string[] = [];
  try {
    if (store.count("running") >= AT_ONCE)
      throw new Problem("serve/too-many-runs", `${AT_ONCE} runs are under way already`);
    const gone = store.add(kept);
    if (gone.length > 0) notes.push(`to make room, these ended runs were given up: ${gone.join(", ")}`);
    store.claim(kept);
    saved(desk, kept, notes);
    await carried(desk, kept, graph, caller, asker, { input });
    if (kept.outcome?.type === "failed" && kept.outcome.code === "run/invalid-plan") {
      store.drop(kept);
      return { type: "not-run", given, diagnostics: kept.outcome.diagnostics ?? kept.diagnostics };
    }
    saved(desk, kept, notes);
    return { type: "carried", run: kept, notes };
  } finally {
    store.release(kept);
    graph.free();
  }
}

/** Goes on with a run that rests. `decisions` are the caller's, and count only where the server was told so. */
export async function resumeRun(
  desk: Desk,
  id: string,
  decisions: Record<string, Decision>,
  caller: With,
  asker: Asker,
): Promise<Carried> {
  const { store } = desk.settings;
  const known = store.get(id);
  checkResumable(known);
  store.claim(known);
  try {
    // Another server may have gone on with it until just now.
    const kept = store.get(id);
    checkResumable(kept);
    return await resumed(desk, kept, decisions, caller, asker);
  } finally {
    store.release(known);
  }
}

async function resumed(
  desk: Desk,
  kept: Kept,
  decisions: Record<string, Decision>,
  caller: With,
  asker: Asker,
): Promise<Carried> {
  const { store, callerDecides } = desk.settings;
  const { id } = kept;
  const named = Object.keys(decisions);
  checkNames(kept, named);
  if (named.length > 0 && !callerDecides) {
    const how = caller.elicits
      ? "call `resume_run` without `decisions`: your client will ask the person"
      : `ask the person to decide${personally(desk, kept)}`;
    throw new Problem(
      "serve/not-yours-to-decide",
      `${named.map((name) => `\`${name}\``).join(", ")} is for a person to decide, and this server takes no decisions from its caller`,
      how,
    );
  }
  if (kept.snapshot === null) throw new Problem("serve/unreadable-run", `the run \`${id}\` has no state to go on from`);
  const { graph } = desk.checked(kept.plan, null);
  if (graph === null) throw new Problem("serve/unreadable-run", `the plan of the run \`${id}\` can't be read any more`);
  const notes: string[] = [];
  const before = kept.status;
  kept.status = "running";
  try {
    notes.push(...store.add(kept).map((gone) => `to make room, an ended run was given up: ${gone}`));
    await carried(desk, kept, graph, caller, asker, { snapshot: kept.snapshot, decisions });
    saved(desk, kept, notes);
    return { type: "carried", run: kept, notes };
  } catch (error) {
    kept.status = before;
    if (error instanceof PlanError)
      throw new Problem("serve/unreadable-run", `the run \`${id}\` can't be taken up: ${error.message}`);
    throw error;
  } finally {
    graph.free();
  }
}

/** How a person decides without the caller's client. */
export function personally({ settings: { store } }: Desk, { id, asked }: Kept): string {
  if (store.folder === null) return "";
  const resumed = `${store.file(id, "plan")} --resume ${store.file(id, "snapshot")}`;
  const call = asked[0]?.call ?? "CALL";
  return `: at a terminal, by  stepgraph run ${resumed} --approve ${call}  with the options of this server`;
}

/** Runs, asks whom there is to ask, and goes on, until it ends or nobody decides. */
async function carried(
  desk: Desk,
  kept: Kept,
  graph: PlanGraph,
  caller: With,
  asker: Asker,
  from: RunOptions,
): Promise<void> {
  const onEvent = (event: TraceEvent) => {
    noted(kept, event);
    caller.onEvent(event);
  };
  const { model } = desk.settings;
  const lent = model ?? (caller.samples ? lentModel(asker) : null);
  const options: RunOptions = {
    ...desk.runOptions(graph),
    ...(lent ? { models: { default: lent } } : {}),
    signal: asker.signal,
    onEvent,
  };
  let next = from;
  for (;;) {
    try {
      settled(kept, await desk.settings.runner.run(graph, { ...options, ...next }, caller.parent));
    } catch (error) {
      if (kept.status === "running") kept.status = "failed";
      throw error;
    }
    const { outcome, snapshot } = kept;
    if (outcome?.type !== "paused" || snapshot === null || !caller.elicits || asker.signal.aborted) return;
    // The run rests while the person thinks: whatever becomes of them, it can be gone on with.
    saved(desk, kept, []);
    const decisions = await asked(kept, asker);
    if (Object.keys(decisions).length === 0 || asker.signal.aborted) return;
    // Somebody else may have gone on with it meanwhile.
    if ((kept.status as string) !== "paused" || kept.snapshot !== snapshot)
      throw new Problem("serve/run-under-way", `the run \`${kept.id}\` was gone on with by somebody else`);
    kept.status = "running";
    next = { snapshot, decisions };
  }
}

/** What a person decides of all that a run asks; nothing for what they leave open. */
async function asked(kept: Kept, asker: Asker): Promise<Record<string, Decision>> {
  const entries = await Promise.all(
    kept.asked.slice(0, AT_A_TIME).map(async (approval): Promise<[string, Decision | null]> => {
      try {
        return [approval.call, decisionOf(await asker.ask(approvalQuestion(kept.name, approval)))];
      } catch (error) {
        if (error instanceof Unanswered) return [approval.call, null];
        throw error;
      }
    }),
  );
  return Object.fromEntries(entries.filter((entry): entry is [string, Decision] => entry[1] !== null));
}

function checkResumable({ id, status }: Kept): void {
  if (status === "running") throw new Problem("serve/run-under-way", `the run \`${id}\` is under way`);
  if (status === "completed" || status === "failed")
    throw new Problem("serve/run-over", `the run \`${id}\` has ${status}`);
}

function checkNames({ id, asked: open }: Kept, named: string[]): void {
  const names = open.map(({ call }) => call);
  for (const name of named) {
    if (names.includes(name)) continue;
    const meant = near(name, names) ?? (names.length === 1 ? names[0] : null);
    throw new Problem(
      "serve/unknown-approval",
      `the run \`${id}\` does not ask for \`${name.slice(0, 100)}\``,
      meant
        ? `did you mean \`${meant}\`?`
        : names.length === 0
          ? "leave `decisions` out: it asks for nothing"
          : `it asks for ${names.map((one) => `\`${one}\``).join(", ")}`,
    );
  }
}

function saved(desk: Desk, kept: Kept, notes: string[]): void {
  const problem = desk.settings.store.save(kept);
  if (problem !== null) notes.push(problem);
}

/** What is said of a plan that does not pass. */
export function notRunText(diagnostics: readonly Diagnostic[]): string {
  return `not run: the plan has ${hasErrors([...diagnostics]) ? tally([...diagnostics]) : "errors"}`;
}
