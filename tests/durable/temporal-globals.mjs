/**
 * Imported before the engine: the sandbox has no finalizers, so what a workflow holds is given back with the workflow.
 */
globalThis.FinalizationRegistry = class {
  register() {}
  unregister() {}
};
