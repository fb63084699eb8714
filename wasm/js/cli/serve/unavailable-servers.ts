/** Servers without a tool list. */
import { errorText } from "./caller-error.js";

export interface UnavailableServer {
  server: string;
  place: string;
  problem: string;
  help: string;
}

export function unavailableText(unavailable: UnavailableServer[]): string {
  return unavailable
    .map(({ server, place, problem, help }) =>
      errorText("serve/no-tools", `the tool server \`${server}\` at ${place} did not answer: ${problem}`, help),
    )
    .join("\n");
}
