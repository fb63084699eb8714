/**
 * What the entries beside the library use of its inside: how calls are answered, and what is said of a plan that can't
 * run.
 */
import { askModel, callOf, callTool, failureOf, handlerOf, offerOf, toolsOf } from "./host.js";
import { assertPlan } from "./graph.js";
import { Listeners } from "./listeners.js";
import { assertKind, assertLimits, assertOptions, assertRunOptions, RUN } from "./options.js";
import { changes, now, refuse, some, unbound } from "./run.js";
import { randomId } from "./random-id.js";
import { nextTurn, Turns } from "./timers.js";

/** @internal */
export const inner = {
  Listeners,
  assertKind,
  assertLimits,
  assertOptions,
  assertPlan,
  assertRunOptions,
  randomId,
  askModel,
  callOf,
  callTool,
  changes,
  failureOf,
  handlerOf,
  nextTurn,
  now,
  offerOf,
  refuse,
  runKinds: RUN,
  some,
  toolsOf,
  Turns,
  unbound,
};
