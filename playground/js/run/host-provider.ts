/**
 * Which tools and models runs may use, and what runs of a plan are given besides their input. Whoever connects them,
 * and whoever knows the plan, says so here.
 */
import type { Offer } from "./host.js";

export type { Offer } from "./host.js";

type Offered = Omit<Offer, "given">;
type Given = NonNullable<Offer["given"]>;

let provider: () => Offered | Promise<Offered> = () => ({ tools: [], models: {} });
let knower: (plan: string) => Given | Promise<Given> = () => ({});

/**
 * From now on runs are offered what `offer` gives when they begin, and are given what `given` knows of their plan's
 * text.
 */
export function offerBy(offer: typeof provider, given: typeof knower): void {
  [provider, knower] = [offer, given];
}

/** What a run that begins now is offered. */
export async function offered(plan: string): Promise<Offer> {
  return { ...(await provider()), given: await knower(plan) };
}

/** What a recording is replayed with: nobody, and the values that no recording holds. */
export async function recalled(plan: string): Promise<Offer> {
  // Where that can't be known most recordings can be replayed all the same.
  return {
    tools: [],
    models: {},
    given: await Promise.resolve(plan)
      .then(knower)
      .catch(() => ({})),
  };
}
