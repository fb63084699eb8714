/** The script for tools that are functions of the page. Apart from `later.ts`, because only runs with tools need it. */
import { loader } from "./later.js";

type FunctionTools = typeof import("./function-tools.js");

/** @internal */
export const loadFunctionTools = /* @__PURE__ */ loader<FunctionTools>(
  "function-tools",
  "toolClients",
  () => import("./function-tools.js"),
);
