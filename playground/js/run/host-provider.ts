/**
 * Which tools and models runs may use, and what runs of a plan are given besides their input. Whoever connects them,
 * and whoever knows the plan, says so here.
 */
import type { RunHost } from "./host.js";

export type { RunHost } from "./host.js";

type ToolsAndModels = Omit<RunHost, "initialValues">;
type InitialValues = NonNullable<RunHost["initialValues"]>;

let provider: () => ToolsAndModels | Promise<ToolsAndModels> = () => ({ tools: [], models: {} });
let initialValuesOf: (plan: string) => InitialValues | Promise<InitialValues> = () => ({});

/**
 * From now on runs are offered what `toolsAndModels` gives when they begin, and are given what `initialValues` knows of
 * their plan's text.
 */
export function setHostProvider(toolsAndModels: typeof provider, initialValues: typeof initialValuesOf): void {
  [provider, initialValuesOf] = [toolsAndModels, initialValues];
}

/** What a run that begins now is offered. */
export async function hostForRun(plan: string): Promise<RunHost> {
  return { ...(await provider()), initialValues: await initialValuesOf(plan) };
}

/** What a recording is replayed with: nobody, and the values that no recording holds. */
export async function hostForReplay(plan: string): Promise<RunHost> {
  // Where that can't be known most recordings can be replayed all the same.
  return {
    tools: [],
    models: {},
    initialValues: await Promise.resolve(plan)
      .then(initialValuesOf)
      .catch(() => ({})),
  };
}
