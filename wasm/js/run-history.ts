/** What a run needs to record, replay, resume, pause or be cancelled. Loaded by `later.ts`. */
export { RecordingRun } from "./cassette.js";
export { Redactor } from "./redact.js";
export { replay } from "./replay.js";
export { planChanges } from "./plan-changes.js";
export { signSnapshot, verifySnapshot } from "./snapshot-signature.js";
export { assertSnapshot } from "./snapshot-shape.js";
