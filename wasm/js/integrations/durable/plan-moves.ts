/**
 * Moves a run to a newer plan while an engine keeps its journal. A step records the plan, so that each replay moves at
 * the same place.
 */
import { type Command, compareRun, PlanError, type PlanGraph, type Snapshot, type TraceEvent } from "stepgraph";
import type { BoundRun } from "./start-run.js";

/** `isOpen`: the run waits for a command's answer already. */
export interface WaitingPlace {
  snapshot: Snapshot;
  atMs: number;
  isOpen: (command: Command) => boolean;
}

/** `trace` has the events with which the run resumed. */
export interface MovedRun extends BoundRun {
  trace: TraceEvent[];
}

/** A run's plans, newest first. */
export class PlanMoves {
  readonly #plans: readonly PlanGraph[];
  readonly #bind: BoundRun["bind"];
  #current: PlanGraph;

  constructor(plans: readonly PlanGraph[], current: PlanGraph, bind: BoundRun["bind"]) {
    this.#plans = plans;
    this.#current = current;
    this.#bind = bind;
  }

  /** Returns the hash of the plan to continue with. */
  choose(place: WaitingPlace): string {
    const from = this.#current;
    const newer = this.#plans.slice(0, this.#plans.indexOf(from));
    const isProved = (plan: PlanGraph) => compareRun(plan, place.snapshot, { from }).proved;
    const chosen = newer.find((plan) => isProved(plan) && this.#continues(plan, place));
    return (chosen ?? from).hash;
  }

  /** Null if the run has this plan already. */
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
    // A snapshot's outputs hide references that the plan itself can't answer.
    const whole = this.#bind(plan);
    if ("report" in whole) return false;
    whole.run.free();
    const moved = this.#resume(plan, place);
    moved?.run.free();
    return moved !== null;
  }

  /**
   * Null if a new node needs a tool that the run did not begin with, or if the resumed run would ask for something
   * else: it asks again for the approval of a tool call in progress.
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
