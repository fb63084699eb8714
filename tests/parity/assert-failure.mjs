// What every failure of a client must be: of its code, and without the key that its request was sent with.

import assert from "node:assert/strict";
import { CallError } from "../../dist/package-internals.js";

/** The key that the tests send; nothing may show it. */
export const KEY = "sk-marker-0123456789";

/** Fails with this code, and shows no key. */
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
