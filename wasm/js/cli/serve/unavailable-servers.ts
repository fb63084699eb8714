/** Tool servers that did not list their tools, and how that is told. Pure. */
import { problemText } from "./caller-error.js";

/** A server that did not list its tools. */
export interface UnavailableServer {
  server: string;
  place: string;
  problem: string;
  help: string;
}

/** What is told of them. */
export function silentText(unavailable: UnavailableServer[]): string {
  return unavailable
    .map(({ server, place, problem, help }) =>
      problemText("serve/no-tools", `the tool server \`${server}\` at ${place} did not answer: ${problem}`, help),
    )
    .join("\n");
}
