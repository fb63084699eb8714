/**
 * Requests the module that a page loads first, from the folder of the package.
 *
 * A bundler that copies no files, such as esbuild, leaves an address that has no module. That error says what to do.
 */
import { wrongResponse } from "./compile-module.js";
import { PlanError } from "./errors.js";
import { retriedUrl } from "./retried-url.js";

/** @internal Returns a function that requests the module. */
export function packageModule(address: () => URL, advice: string): () => Promise<Response> {
  const nextAddress = retriedUrl(address);
  return () => request(nextAddress, advice);
}

async function request(address: () => URL, advice: string): Promise<Response> {
  let reason: string;
  let url: URL | undefined;
  try {
    url = address();
    const response = await fetch(url);
    const wrong = wrongResponse(response);
    if (wrong === undefined) return response;
    reason = wrong;
  } catch (error) {
    // Scripts that are not modules have no address, so that of the file is invalid.
    reason = error instanceof Error ? error.message : String(error);
    // Browsers don't say which: a network, CORS or the page's policy.
    if (url !== undefined) reason += ` (${url.href}; a content security policy must allow it in \`connect-src\`)`;
  }
  throw new PlanError("api/not-loaded", `the module of \`stepgraph\` was not loaded: ${reason}. ${advice}`);
}
