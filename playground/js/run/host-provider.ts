/** Tools, models and initial values for runs, registered by the connections and the gallery. */
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

/** A replay has no tools or models, but needs trusted values, which no recording contains. */
export async function hostForReplay(plan: string): Promise<RunHost> {
  // Most recordings can be replayed without these values.
  return {
    tools: [],
    models: {},
    initialValues: await Promise.resolve(plan)
      .then(initialValuesOf)
      .catch(() => ({})),
  };
}
