/**
 * What the entries beside the library use of its inside: how calls are answered, and what is said of a plan that can't
 * run.
 */
import { askModel, callTool, failureOf, handlerOf, offerOf, toolsOf } from "./host.js";
import { changes, now, refuse, some, unbound } from "./run.js";

/** @internal */
export const inner = {
  askModel,
  callTool,
  changes,
  failureOf,
  handlerOf,
  now,
  offerOf,
  refuse,
  some,
  toolsOf,
  unbound,
};
