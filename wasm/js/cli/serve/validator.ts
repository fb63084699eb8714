/**
 * What the protocol's library asks of the platform, in the place of its own: JSON Schema is judged by the engine, so
 * that the bundle has no second judge (160 kB), and a schema means the same in a plan and in a tool of the server.
 *
 * The bundler puts this file where the library imports `@modelcontextprotocol/server/_shims` (version 2.4.0).
 */
import process from "node:process";
import { checkBySchema } from "../../package-internals.js";

export { process };

type Verdict<T> =
  | { valid: true; data: T; errorMessage: undefined }
  | { valid: false; data: undefined; errorMessage: string };

/** Judges values by schemas of draft 2020-12. */
export class DefaultJsonSchemaValidator {
  /** What judges values by one schema. */
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
