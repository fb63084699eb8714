/** Runs typical plans and writes the part of each function of the engine. See `profile-parts.mjs`. */
import { groups, partOf } from "./profile-plans.mjs";
import { writeProfile } from "./profile-parts.mjs";

/** Its glue may not exist yet. */
const WITHOUT_WIRE = {
  name: "without-wire",
  setup: ({ onResolve }) => onResolve({ filter: /wire-module/ }, ({ path }) => ({ path, external: true })),
};

await writeProfile({
  entry: 'export * from "./package-internals.js";',
  plugin: WITHOUT_WIRE,
  start(library, module) {
    library.startSync(module);
    return {
      get buffer() {
        return library.words().buffer;
      },
    };
  },
  groups,
  partOf,
});
