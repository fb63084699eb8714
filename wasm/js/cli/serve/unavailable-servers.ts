/** Tool servers that did not list their tools. Pure. */
import { errorText } from "./caller-error.js";

/** Such a server, with its error and help. */
export interface UnavailableServer {
  server: string;
  place: string;
  problem: string;
  help: string;
}

/** Renders unavailable servers as text. */
export function unavailableText(unavailable: UnavailableServer[]): string {
  return unavailable
    .map(({ server, place, problem, help }) =>
      errorText("serve/no-tools", `the tool server \`${server}\` at ${place} did not answer: ${problem}`, help),
    )
    .join("\n");
}
