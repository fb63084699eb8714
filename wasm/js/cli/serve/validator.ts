/**
 * The bundler replaces `@modelcontextprotocol/server/_shims` (version 2.4.0) by this file: the engine validates JSON
 * Schema. That saves 160 kB, and schemas of plans and tools mean the same.
 */
import process from "node:process";
import { checkBySchema } from "../../package-internals.js";

export { process };

type Verdict<T> =
  | { valid: true; data: T; errorMessage: undefined }
  | { valid: false; data: undefined; errorMessage: string };

/** Draft 2020-12. */
export class DefaultJsonSchemaValidator {
  getValidator<T>(schema: unknown): (value: unknown) => Verdict<T> {
    return (value) => {
      const { errors, reports } = checkBySchema(schema, [value]);
      const wrong = [
        ...errors.map(({ path, message }) => `schema ${path}: ${message}`),
        ...(reports[0]?.violations ?? []).map(({ instancePath, message }) => `${instancePath || "/"}: ${message}`),
      ];
      return wrong.length === 0
        ? { valid: true, data: value as T, errorMessage: undefined }
        : { valid: false, data: undefined, errorMessage: wrong.join("; ") };
    };
  }
}
