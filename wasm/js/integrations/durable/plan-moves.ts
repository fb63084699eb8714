/**
 * Moves a run to a newer plan while an engine keeps its journal.
 *
 * Such a journal can't be changed, so a step records which plan the run goes on with. Each replay then moves at the
 * same place. Invariant: the choice is made once, by the process that gets the answer first.
 */
import { type Command, compareRun, PlanError, type PlanGraph, type Snapshot, type TraceEvent } from "stepgraph";
import type { BoundRun } from "./start-run.js";

/** A place where a run waits. `isOpen` says whether it waits for the answer of a command already. */
export interface WaitingPlace {
  snapshot: Snapshot;
  atMs: number;
  isOpen: (command: Command) => boolean;
}

/** A run that has moved. `trace` are the events with which it resumed. */
export interface MovedRun extends BoundRun {
  trace: TraceEvent[];
}

/** The plans of a run, the newest first, and how to go on with one of them. */
export class PlanMoves {
  readonly #plans: readonly PlanGraph[];
  readonly #bind: BoundRun["bind"];
  #current: PlanGraph;

  constructor(plans: readonly PlanGraph[], current: PlanGraph, bind: BoundRun["bind"]) {
    this.#plans = plans;
    this.#current = current;
    this.#bind = bind;
  }

  /** Returns the hash of the newest plan that the run may continue with. */
  choose(place: WaitingPlace): string {
    const from = this.#current;
    const newer = this.#plans.slice(0, this.#plans.indexOf(from));
    const isProved = (plan: PlanGraph) => compareRun(plan, place.snapshot, { from }).proved;
    const chosen = newer.find((plan) => isProved(plan) && this.#continues(plan, place));
    return (chosen ?? from).hash;
  }

  /** Returns the run with the recorded plan, or null if it has that plan already. */
  move(hash: unknown, place: WaitingPlace): MovedRun | null {
    if (hash === this.#current.hash) return null;
    const plan = this.#plans.find((one) => one.hash === hash);
    if (plan === undefined)
      throw new PlanError("run/plan-changed", `the run has moved to the plan ${String(hash)}: pass that plan, too`);
    const moved = this.#resume(plan, place);
    if (moved === null)
      throw new PlanError("durable/host-changed", "the host no longer has what the plan of the run needs");
    this.#current = plan;
    return moved;
  }

  #continues(plan: PlanGraph, place: WaitingPlace): boolean {
    // The outputs of a snapshot hide references that the plan itself can't answer.
    const whole = this.#bind(plan);
    if ("report" in whole) return false;
    whole.run.free();
    const moved = this.#resume(plan, place);
    moved?.run.free();
    return moved !== null;
  }

  /**
   * Returns null if a new node needs a tool that the run did not begin with, or if the resumed run would ask for
   * something else: it asks again for the approval of a tool call in progress.
   */
  #resume(plan: PlanGraph, { snapshot, atMs, isOpen }: WaitingPlace): MovedRun | null {
    const bound = this.#bind(plan, snapshot);
    if ("report" in bound) return null;
    const { commands, trace } = bound.run.step({ type: "resume", atMs });
    if (commands.every(isOpen)) return { ...bound, trace };
    bound.run.free();
    return null;
  }
}
