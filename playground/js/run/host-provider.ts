/** Tools, models and initial values that connections and gallery register for runs. */
import type { RunHost } from "./host.js";

export type { RunHost } from "./host.js";

type ToolsAndModels = Omit<RunHost, "initialValues">;
type InitialValues = NonNullable<RunHost["initialValues"]>;

let provider: () => ToolsAndModels | Promise<ToolsAndModels> = () => ({ tools: [], models: {} });
let initialValuesOf: (plan: string) => InitialValues | Promise<InitialValues> = () => ({});

export function setHostProvider(toolsAndModels: typeof provider, initialValues: typeof initialValuesOf): void {
  [provider, initialValuesOf] = [toolsAndModels, initialValues];
}

export async function hostForRun(plan: string): Promise<RunHost> {
  return { ...(await provider()), initialValues: await initialValuesOf(plan) };
}

/** Replays need only trusted values, which recordings lack. */
export async function hostForReplay(plan: string): Promise<RunHost> {
  // Most recordings need none of these.
  return {
    tools: [],
    models: {},
    initialValues: await Promise.resolve(plan)
      .then(initialValuesOf)
      .catch(() => ({})),
  };
}
