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
interface ResumedRun extends BoundRun {
  trace: TraceEvent[];
}

export interface MovedRun extends ResumedRun {
  from: PlanGraph;
  to: PlanGraph;
}

/** A run's plans, newest first. */
export class PlanMoves {
  readonly #plans: readonly PlanGraph[];
  readonly #bind: BoundRun["bind"];
  readonly #isHosted: (plan: PlanGraph) => boolean;
  #current: PlanGraph;

  /** `isHosted`: the run began with all that a plan takes from the host. */
  constructor(
    started: { plans: readonly PlanGraph[]; current: PlanGraph; isHosted: (plan: PlanGraph) => boolean },
    bind: BoundRun["bind"],
  ) {
    this.#plans = started.plans;
    this.#current = started.current;
    this.#isHosted = started.isHosted;
    this.#bind = bind;
  }

  /** Returns the hash of the plan to continue with. */
  choose(place: () => WaitingPlace): string {
    const from = this.#current;
    const newer = this.#plans.slice(0, this.#plans.indexOf(from));
    if (newer.length === 0) return from.hash;
    const at = place();
    const isProved = (plan: PlanGraph) => compareRun(plan, at.snapshot, { from }).proved;
    const chosen = newer.find((plan) => isProved(plan) && this.#continues(plan, at));
    return (chosen ?? from).hash;
  }

  /** Null if the run has this plan already. */
  move(hash: unknown, place: () => WaitingPlace): MovedRun | null {
    if (hash === this.#current.hash) return null;
    const plan = this.#plans.find((one) => one.hash === hash);
    if (plan === undefined)
      throw new PlanError("run/plan-changed", `the run has moved to the plan ${String(hash)}: pass that plan, too`);
    const moved = this.#resume(plan, place());
    if (moved === null)
      throw new PlanError("durable/host-changed", "the host no longer has what the plan of the run needs");
    const from = this.#current;
    this.#current = plan;
    return { ...moved, from, to: plan };
  }

  #continues(plan: PlanGraph, place: WaitingPlace): boolean {
    if (!this.#isHosted(plan)) return false;
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
  #resume(plan: PlanGraph, { snapshot, atMs, isOpen }: WaitingPlace): ResumedRun | null {
    const bound = this.#bind(plan, snapshot);
    if ("report" in bound) return null;
    const { commands, trace } = bound.run.step({ type: "resume", atMs });
    if (commands.every(isOpen)) return { ...bound, trace };
    bound.run.free();
    return null;
  }
}
