/** Loads imported plan files in Node: `node --import stepgraph/register app.mjs`. */
import module from "node:module";
import type { load } from "./hooks.js";

/** Since Node 22.15. Its hooks also serve `require`. */
const { registerHooks } = module as { registerHooks?: (hooks: { load: typeof load }) => void };

if (registerHooks === undefined) module.register("./hooks.js", import.meta.url);
else registerHooks({ load: (await import("./hooks.js")).load });
