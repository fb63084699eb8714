/**
 * Which tools and models runs may use, and what runs of a plan are given besides their input. Whoever connects them,
 * and whoever knows the plan, says so here.
 */
import type { RunHost } from "./host.js";

export type { RunHost } from "./host.js";

type ToolsAndModels = Omit<RunHost, "given">;
type InitialValues = NonNullable<RunHost["given"]>;

let provider: () => ToolsAndModels | Promise<ToolsAndModels> = () => ({ tools: [], models: {} });
let knower: (plan: string) => InitialValues | Promise<InitialValues> = () => ({});

/**
 * From now on runs are offered what `offer` gives when they begin, and are given what `given` knows of their plan's
 * text.
 */
export function offerBy(offer: typeof provider, given: typeof knower): void {
  [provider, knower] = [offer, given];
}

/** What a run that begins now is offered. */
export async function offered(plan: string): Promise<RunHost> {
  return { ...(await provider()), given: await knower(plan) };
}

/** What a recording is replayed with: nobody, and the values that no recording holds. */
export async function recalled(plan: string): Promise<RunHost> {
  // Where that can't be known most recordings can be replayed all the same.
  return {
    tools: [],
    models: {},
    given: await Promise.resolve(plan)
      .then(knower)
      .catch(() => ({})),
  };
}
