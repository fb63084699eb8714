/** Internals of the library for the other entries of the package. */
import { callModel, callClient, callTool, toFailure, handlerOf, hostCapabilities, toolRegistry } from "./host.js";
import { toolClients } from "./functions.js";
import { assertPlan, sortDiagnostics } from "./graph.js";
import { conflictText } from "./run-conflict.js";
import { Listeners } from "./listeners.js";
import { assertKind, assertLimits, assertOptions, assertRunOptions, RUN } from "./options.js";
import { listSome, planChanges } from "./plan-changes.js";
import { fileTexts, readMissingSync } from "./plan-files.js";
import { rejectRun, rejectUnbound } from "./prepare-run.js";
import { now } from "./run.js";
import { randomId } from "./random-id.js";
import { nextTurn, TurnScheduler } from "./timers.js";

/** @internal */
export const internals = {
  Listeners,
  conflictText,
  assertKind,
  assertLimits,
  assertOptions,
  assertPlan,
  assertRunOptions,
  randomId,
  fileTexts,
  readMissingSync,
  sortDiagnostics,
  callModel,
  callClient,
  callTool,
  planChanges,
  toFailure,
  handlerOf,
  nextTurn,
  now,
  hostCapabilities,
  rejectRun,
  runKinds: RUN,
  listSome,
  toolClients,
  toolRegistry,
  TurnScheduler,
  rejectUnbound,
};
