/** The tools, models and initial values for runs. The connections and the gallery register them here. */
import type { RunHost } from "./host.js";

export type { RunHost } from "./host.js";

type ToolsAndModels = Omit<RunHost, "initialValues">;
type InitialValues = NonNullable<RunHost["initialValues"]>;

let provider: () => ToolsAndModels | Promise<ToolsAndModels> = () => ({ tools: [], models: {} });
let initialValuesOf: (plan: string) => InitialValues | Promise<InitialValues> = () => ({});

/** Sets the functions that return the tools and models of a new run, and the initial values for a plan's text. */
export function setHostProvider(toolsAndModels: typeof provider, initialValues: typeof initialValuesOf): void {
  [provider, initialValuesOf] = [toolsAndModels, initialValues];
}

/** Returns the host for a run that starts now. */
export async function hostForRun(plan: string): Promise<RunHost> {
  return { ...(await provider()), initialValues: await initialValuesOf(plan) };
}

/** Returns the host for a replay: no tools or models, but the trusted values that no recording contains. */
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
