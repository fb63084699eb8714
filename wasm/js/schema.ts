/** JSON Schema: whether a schema can be used, and what is wrong with a value. */
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

/** @internal What came of checking a value: the first violations, how many more there are, whether a bound was passed. */
export interface SchemaReport {
  violations: Violation[];
  more: number;
  unfinished: boolean;
}

/** @internal A schema of draft 2020-12. References lead into it or into `resources`, by their names; nothing is fetched. */
export class JsonSchema {
  /** What is wrong with the schema; with errors it judges nothing. */
  readonly errors: SchemaError[];
  readonly #raw: wasm.JsonSchema;

  constructor(schema: unknown, resources: Record<string, unknown> = {}) {
    assertStarted();
    this.#raw = new wasm.JsonSchema(JSON.stringify(schema), JSON.stringify(resources));
    this.errors = JSON.parse(this.#raw.errors()) as SchemaError[];
  }

  /** What is wrong with a value; null when the schema can't be used. */
  check(value: unknown): SchemaReport | null {
    return JSON.parse(this.#raw.violations(JSON.stringify(value))) as SchemaReport | null;
  }
}
