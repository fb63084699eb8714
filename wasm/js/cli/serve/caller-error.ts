/** Models read these errors as tool results. Protocol errors stay with the library. */
import type { CallToolResult } from "@modelcontextprotocol/server";

/** `docs/server.md` lists the codes. */
export const ERROR_HELP = {
  "serve/bad-arguments": "call the tool again with arguments that fit its schema",
  "serve/no-plan": "give the plan's text as `plan`, or the name of a file as `path`",
  "serve/unknown-plan": "name a file of the folder of plans",
  "serve/unknown-tool": "leave `name` out to see every tool",
  "serve/unknown-run": "call `explain_run` without `run` to see the runs there are",
  "serve/forgotten-run": "start the server with `--runs DIR`, which also stores runs on disk",
  "serve/unreadable-run": "run the plan again: the stored run is damaged",
  "serve/not-resumed": "resume the run again when the cause is gone: it is as it was",
  "serve/interrupted-run": "check what the run has done, and run the plan again: the server ended during this run",
  "serve/run-under-way": "wait until it ends or pauses; `explain_run` shows its progress",
  "serve/run-over": "run the plan again by `run_plan`",
  "serve/unknown-approval": "use the names of the approvals that `explain_run` lists",
  "serve/not-yours-to-decide": "ask the user, who decides in the client or with `stepgraph run --resume`",
  "serve/too-many-runs": "wait until a run has ended, or resume one that is paused",
  "serve/no-room":
    "have the user decide the paused runs, or start the server with a larger `--quota` or another `--runs` folder",
  "serve/frozen": "look for a slow pattern, or for values that grow at every step, and fix the plan",
  "serve/out-of-memory": "make values smaller: look for values that double at every step, or lists of large values",
  "serve/unknown-value": "name a value of the run with a JSON pointer, such as `/outputs/fetch`",
  "serve/no-model": "start the server with `--model`, or use a client that offers sampling",
  "serve/failed": "try again; with STEPGRAPH_DEBUG=1 in its environment the server logs the stack",
  "serve/no-tools": "check the server that did not answer",
} as const;

export type CallerErrorCode = keyof typeof ERROR_HELP;

export class CallerError extends Error {
  constructor(
    readonly code: CallerErrorCode,
    message: string,
    readonly help: string = ERROR_HELP[code],
  ) {
    super(message);
  }
}

export function errorText(code: string, message: string, help: string | null): string {
  return `error[${code}]: ${message}${help ? `\n  help: ${help}` : ""}`;
}

/** Library errors keep their codes. */
export function toCallerError(error: unknown): CallerError {
  if (error instanceof CallerError) return error;
  const { code, message } = failureOf(error);
  return new CallerError(code as CallerErrorCode, message, code === "serve/failed" ? ERROR_HELP[code] : "");
}

function failureOf(error: unknown): { code: string; message: string } {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  return {
    code: typeof code === "string" && /^[a-z]+\/[a-z-]+$/.test(code) ? code : "serve/failed",
    message: typeof message === "string" ? message : String(error),
  };
}

export function errorResult({ code, message, help }: CallerError): CallToolResult {
  return {
    isError: true,
    content: [{ type: "text", text: errorText(code, message, help) }],
    _meta: { "stepgraph/error": { code, message, help } },
  };
}
