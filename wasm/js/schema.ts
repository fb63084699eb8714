/** JSON Schema: whether a schema can be used, and what is wrong with values. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { assertStarted } from "./engine.js";

/** @internal What is wrong with a schema. */
export interface SchemaError {
  /** A JSON pointer into the schema. */
  path: string;
  message: string;
}

/** @internal One way in which a value does not fit. */
export interface Violation {
  /** A JSON pointer into the value. */
  instancePath: string;
  keyword: string;
  /** A JSON pointer into the schema. */
  schemaPath: string;
  message: string;
}

/**
 * @internal What came of checking a value: the first violations, how many more there are, whether a bound was passed.
 */
export interface SchemaReport {
  violations: Violation[];
  more: number;
  unfinished: boolean;
}

/**
 * @internal What is wrong with values by a schema of draft 2020-12; with errors of the schema nothing is judged.
 *
 * References lead into the schema or into `resources`, by their names; nothing is fetched.
 */
export function checkBySchema(
  schema: unknown,
  values: readonly unknown[],
  resources: Record<string, unknown> = {},
): { errors: SchemaError[]; reports: SchemaReport[] } {
  assertStarted();
  const text = wasm.schema_reports(JSON.stringify(schema), JSON.stringify(values), JSON.stringify(resources));
  const [errors, reports] = JSON.parse(text) as [[string, string][], [number, boolean, string[][]][]];
  return {
    errors: errors.map(([path, message]) => ({ path, message })),
    reports: reports.map(([more, unfinished, violations]) => ({
      violations: violations.map(violation),
      more,
      unfinished,
    })),
  };
}

function violation(parts: string[]): Violation {
  const [instancePath = "", keyword = "", schemaPath = "", message = ""] = parts;
  return { instancePath, keyword, schemaPath, message };
}
