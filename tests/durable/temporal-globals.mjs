/** Imported before the engine. The sandbox has no finalizers, so objects are freed with their workflow. */
globalThis.FinalizationRegistry = class {
  register() {}
  unregister() {}
};
