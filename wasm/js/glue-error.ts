/** Gives a code to the errors of the modules' glue. The build tool writes the calls. */
import { PlanError } from "./errors.js";

/** A failed call can leave an object in use for ever. Its caller knows the reason. */
export function glueError(message: string): PlanError {
  return new PlanError("api/engine-failed", `an earlier call failed in the middle of its work: ${message}`);
}
