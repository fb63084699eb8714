/**
 * Imported before the engine. The sandbox has no finalizers, so the objects of a workflow are freed with the workflow.
 */
globalThis.FinalizationRegistry = class {
  register() {}
  unregister() {}
};
