/** Which tools and models runs may use. Whoever connects them says so here. */
import type { Offer } from "./host.js";

export type { Offer } from "./host.js";

let provider: () => Offer | null | Promise<Offer | null> = () => null;

/** From now on runs are offered what this gives when they begin. */
export function offerBy(give: typeof provider): void {
  provider = give;
}

/** What a run that begins now is offered. */
export async function offered(): Promise<Offer | null> {
  return provider();
}
