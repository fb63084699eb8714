/** Progress of a run as text. */
import type { TraceEvent } from "../../types.js";

/** Null if not reported. */
export function progressText(event: TraceEvent): string | null {
  const where = "scope" in event && event.scope ? `${event.scope}/` : "";
  switch (event.type) {
    case "node-started":
      return `${where}${event.node} started`;
    case "node-completed":
      return `${where}${event.node} completed in ${Math.round(event.durationMs)} ms`;
    case "node-failed":
      return `${where}${event.node} failed: ${event.code}: ${event.message}`;
    case "node-retried":
      return `${where}${event.node} is retried in ${Math.round(event.delayMs)} ms: ${event.message}`;
    case "tool-asked":
      return `${where}${event.node} calls ${event.tool}`;
    default:
      return null;
  }
}
