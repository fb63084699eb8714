/** Validates snapshots. */
import { PlanError } from "./errors.js";
import { isMap } from "./guards.js";
import type { RequestedApproval, Snapshot } from "./types.js";

/** The engine would ignore other values. */
export function assertSnapshot(snapshot: Snapshot | undefined): void {
  const flaw = snapshot === undefined ? null : snapshotError(snapshot);
  if (flaw !== null) throw new PlanError("snapshot/unusable", `the snapshot can't be resumed: ${flaw}`);
}

function snapshotError(snapshot: Snapshot): string | null {
  try {
    const { format, plan, state, values, run, asked } = (snapshot ?? {}) as Partial<Snapshot>;
    if (format !== 1)
      return `it is of version ${JSON.stringify(format) ?? "unknown"}, and this release reads version 1`;
    if (typeof plan?.hash !== "string" || typeof plan.parts !== "string") return "it does not name its plan";
    if (typeof state !== "object" || state === null || !Array.isArray(values)) return "it has no state or no values";
    if (run !== undefined && typeof run !== "string") return "its `run` is no text";
    if (asked !== undefined && !(isMap(asked) && Object.values(asked).every(isApprovalRecord)))
      return "its `asked` does not name the requested call";
    JSON.stringify([plan, state]);
    return null;
  } catch {
    return "it is not JSON";
  }
}

function isApprovalRecord(value: unknown): boolean {
  const { tool, server, hash, says } = (value ?? {}) as Partial<RequestedApproval>;
  const ofTool = tool === undefined && server === undefined && says === undefined ? [] : [tool, server ?? "", says];
  return [hash, ...ofTool].every((text) => typeof text === "string");
}
