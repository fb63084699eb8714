// Checks failures of clients: the code, and that no key of the request leaks.

import assert from "node:assert/strict";
import { CallError } from "../../dist/package-internals.js";

/** The key that the tests send. No output may contain it. */
export const KEY = "sk-marker-0123456789";

/** Checks that a promise rejects with this code and that the error contains no key. */
export async function fails(promise, code, message = /./) {
  const error = await promise.then(
    (value) => assert.fail(`no error but ${JSON.stringify(value)}`),
    (error) => error,
  );
  assert.ok(error instanceof CallError, `${error.stack}`);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
  assert.ok(!`${error.message}${error.stack}`.includes(KEY), error.message);
}
