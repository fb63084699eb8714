/** Mistakes in the use of the command. `docs/cli.md` lists the codes. */

/** Stable forever. Exit code 2. */
export const USAGE_CODES = {
  "cli/unknown-command": "there is no such command, or the command comes after its options",
  "cli/unknown-option": "the command has no such option",
  "cli/missing-argument": "a file, a value or an option that is needed is missing",
  "cli/extra-argument": "there are too many files or values, or one is there twice",
  "cli/bad-value": "an option or an argument does not accept the value",
  "cli/conflicting-options": "options, files or a command and an option exclude each other",
  "cli/missing-setup": "a program, a package, a key or an environment variable is missing",
  "cli/not-found": "no plan, run, tool, test, server or example has that name",
  "cli/unreadable-file": "a file or a folder can't be read",
  "cli/unwritable-file": "a file or a folder can't be written, or must not be overwritten",
  "cli/invalid-file": "the content of a file is not what the command or the option needs",
  "cli/not-possible": "the command refuses: the state of the run, the tools or the machine does not allow it",
} as const;

/** Exit code 1. */
export const FAILURE_CODES = {
  "cli/below-minimum": "the coverage or the mutation score of the tests is too low",
  "cli/unfinished-module": "a module ended the process, or never answers a call",
  "cli/unexpected": "an error of the command itself: please report it",
} as const;

export type UsageCode = keyof typeof USAGE_CODES;

/** Exit code 2. */
export class UsageError extends Error {
  constructor(
    readonly code: UsageCode,
    message: string,
    readonly help: string,
    /** Between message and help. */
    readonly details: readonly string[] = [],
  ) {
    super(message);
  }
}

/** The form of errors in JSON. */
export interface Failure {
  /** Of the command or of the library. */
  code: string;
  message: string;
  help?: string;
  details?: readonly string[];
}

/** Errors of the library keep their codes. */
export function toFailure(error: unknown): Failure {
  const { code, message, help, details } = Object(error) as Partial<Record<keyof Failure, unknown>>;
  return {
    code: typeof code === "string" && /^[a-z]+\/[a-z-]+$/.test(code) ? code : "cli/unexpected",
    message: typeof message === "string" ? message : String(error),
    ...(typeof help === "string" && help !== "" && { help }),
    ...(Array.isArray(details) && details.length > 0 && { details: details as string[] }),
  };
}
