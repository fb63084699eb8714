// Checks the code of a client's failure, and that no key leaks.

import assert from "node:assert/strict";
import { CallError } from "../../dist/package-internals.js";

/** No output may contain this key of the tests. */
export const KEY = "sk-marker-0123456789";

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
