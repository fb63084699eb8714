/** Tool servers that did not list their tools, and how that is told. Pure. */
import { errorText } from "./caller-error.js";

/** A server that did not list its tools. */
export interface UnavailableServer {
  server: string;
  place: string;
  problem: string;
  help: string;
}

/** What is told of them. */
export function unavailableText(unavailable: UnavailableServer[]): string {
  return unavailable
    .map(({ server, place, problem, help }) =>
      errorText("serve/no-tools", `the tool server \`${server}\` at ${place} did not answer: ${problem}`, help),
    )
    .join("\n");
}
