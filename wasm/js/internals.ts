/** Internals for other entries of the package. */
import { approvalId, decisionsFromClient, readApprovalId } from "./assert-decisions.js";
import { RecordingRun } from "./cassette.js";
import { ABANDON, APPROVAL, CLEAR_TIMER, CONTINUE, FINISHED, REFUSED } from "./command.js";
import { toFailure, handlerOf, hostCapabilities } from "./host.js";
import { callModel, callClient, callTool, toolRegistry } from "./host-clients.js";
import { toolClients } from "./function-tools.js";
import { assertPlan, sortDiagnostics } from "./graph.js";
import { hasSameStart } from "./upgrade/plan-parts.js";
import { conflictText } from "./run-conflict.js";
import { Listeners } from "./listeners.js";
import { assertKind, assertLimits, assertOptions, assertRunOptions, RUN } from "./options.js";
import { planChanges } from "./plan-changes.js";
import { listSome } from "./plan-hash.js";
import { assertPrices } from "./prices.js";
import { fileTexts, readMissingSync } from "./plan-files.js";
import { feedAnswer } from "./replay.js";
import { rejectRun, rejectUnbound } from "./prepare-run.js";
import { now } from "./run.js";
import { rejectUnpriced, withCallPrices } from "./run-prices.js";
import { randomId } from "./random-id.js";
import { nextTurn, TurnScheduler } from "./timers.js";
import type { RunOptions } from "./types.js";

/** @internal */
export const internals = {
  Listeners,
  conflictText,
  hasSameStart,
  feedAnswer,
  RecordingRun,
  ops: { ABANDON, APPROVAL, CLEAR_TIMER, CONTINUE, FINISHED, REFUSED },
  assertKind,
  assertLimits,
  assertOptions,
  assertPlan,
  assertRunOptions(options: RunOptions, of = "run"): void {
    assertRunOptions(options, of);
    if (options.prices !== undefined) assertPrices(of, options.prices);
  },
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
  approvalId,
  decisionsFromClient,
  readApprovalId,
  toolClients,
  toolRegistry,
  TurnScheduler,
  rejectUnbound,
  rejectUnpriced,
  withCallPrices,
};
