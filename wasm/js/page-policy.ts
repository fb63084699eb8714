/** Gives a code to the error of a page whose content security policy (CSP) blocks WebAssembly. */
import { PlanError } from "./errors.js";

/** Browsers agree on neither the type nor the text of the error. */
const BLOCKED = /content security policy|\bCSP\b|unsafe-eval/i;

/** @internal Returns other errors unchanged. */
export function policyError(error: unknown): unknown {
  if (error instanceof PlanError || !(error instanceof Error) || !BLOCKED.test(error.message)) return error;
  return new PlanError(
    "api/blocked-by-policy",
    "the content security policy (CSP) of this page blocks WebAssembly: " +
      `add \`'wasm-unsafe-eval'\` to its \`script-src\`. The browser says: ${error.message}`,
  );
}
