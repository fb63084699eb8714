// Runs CEL's own conformance tests, as far as they concern JSON values. Every test that differs belongs to a row of the
// table of differences in the documentation.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { tests as conformance } from "@bufbuild/cel-spec/testdata/conformance.js";
import { evaluate, ExpressionError } from "stepgraph";

const table = readFileSync(new URL("../../docs/expressions.md", import.meta.url), "utf8")
  .split("<!-- differences -->")[1]
  .split("<!-- /differences -->")[0];

/** Tests of other kinds of values, and of extensions that Stepgraph does not offer. */
const OTHER = [
  [
    /^(bindings_ext|block_ext|encoders_ext|macros2|network_ext|optionals|enums|proto2|proto3|proto2_ext|wrappers|unknowns)\//,
    "",
  ],
  [/^string_ext\/(quote|format|format_errors|reverse)\//, ""],
  [/^math_ext\/(trunc|sign|isNaN|isInf|isFinite|bit_\w+)\//, ""],
  // Protocol Buffers, bytes and unsigned numbers.
  [
    "",
    /\bTestAllTypes\b|google\.protobuf|\b[bB][rR]?["']|\d[uU]\b|\bu?int64_wrapper|\b(uint|bytes)\b|\bTestAllTypes|\bmsg\./,
  ],
  // Functions of the tests' own.
  ["", /\b(fn|tuple|sort|optional\.\w+)\(/],
  ["", /math\.isNaN/],
];

/** What a row of the table says, and the tests that it explains. */
const DIFFERENT = {
  "Numbers are finite: no division by zero": [/^comparisons\/(eq|ne)_literal\/(not_)?(eq|ne)_(int_)?double_nan$/],
  "A path that leads nowhere is missing": [
    /^fields\/map_fields\/map_(no_such_key|field_select_no_such_key)(_or_false|_and_true)?$/,
    /^fields\/qualified_identifier_resolution\/(list|int64)_field_select_unsupported$/,
  ],
  "An index past the end of a list is missing": [/^lists\/index\/index_out_of_bounds(_or_false|_and_true)?$/],
  "Other text leads nowhere in a list": [/^lists\/index\/bad_index_type(_or_false|_and_true)?$/],
  "`round`, `ceil` and `floor` accept integers": [/^math_ext\/(ceil|floor|round)\/dyn_error$/],
  "Time zones are offsets, not names": [/^timestamps\/timestamp_selectors_tz\/get\w+$/],
  "Names and functions must be known": [
    /^basic\/(variables|functions)\/unbound_is_runtime_error$/,
    /^parse\/receiver_function_names\//,
  ],
};

class OtherKind extends Error {}

function flatten(suite, path) {
  const own = (suite.tests ?? []).map(({ original }) => ({ ...original, path: `${path}/${original.name}` }));
  return [
    ...own,
    ...(suite.suites ?? []).flatMap((inner) => flatten(inner, path ? `${path}/${inner.name}` : inner.name)),
  ];
}

/** A value of the tests as JSON. */
function toJson(value) {
  const [[kind, inner]] = Object.entries(value);
  if (kind === "listValue") return (inner.values ?? []).map(toJson);
  if (kind === "mapValue")
    return Object.fromEntries((inner.entries ?? []).map((entry) => [String(toJson(entry.key)), toJson(entry.value)]));
  if (kind === "nullValue") return null;
  // A result is data, whose numbers are doubles.
  if (kind === "int64Value" || (kind === "doubleValue" && Number.isFinite(Number(inner)))) return Number(inner) + 0;
  if (["stringValue", "boolValue", "typeValue"].includes(kind)) return inner;
  throw new OtherKind(kind);
}

function scopeOf(bindings = {}) {
  const scope = {};
  for (const [name, { value }] of Object.entries(bindings)) {
    if (value === undefined) throw new OtherKind("an unknown value");
    const parts = name.split(".");
    const last = parts.pop();
    let inside = scope;
    for (const part of parts) inside = inside[part] ??= {};
    inside[last] = toJson(value);
  }
  return scope;
}

/** Null if the test concerns other kinds of values. */
function read({ container, expr, value, typedResult, evalError, anyEvalErrors, bindings, unknown, anyUnknowns, path }) {
  if (container || unknown || anyUnknowns || OTHER.some(([of, text]) => (of !== "" ? of.test(path) : text.test(expr))))
    return null;
  try {
    const failure = evalError !== undefined || anyEvalErrors !== undefined;
    const expected = value ?? typedResult?.result ?? (typedResult === undefined ? { boolValue: true } : undefined);
    if (!failure && expected === undefined) return null;
    return { path, expr, failure, scope: scopeOf(bindings), expected: failure ? undefined : toJson(expected) };
  } catch (error) {
    if (error instanceof OtherKind) return null;
    throw error;
  }
}

function passes({ expr, scope, failure, expected }) {
  try {
    const result = evaluate(expr, scope);
    if (failure) return false;
    assert.deepEqual(result, expected);
    return true;
  } catch (error) {
    if (error instanceof assert.AssertionError) return false;
    assert.ok(error instanceof ExpressionError, `${expr}: ${error}`);
    return failure;
  }
}

const all = flatten(conformance, "");
const ours = all.map(read).filter((one) => one !== null);
const rowOf = (path) => Object.keys(DIFFERENT).find((row) => DIFFERENT[row].some((pattern) => pattern.test(path)));

test(`${ours.length} of CEL's ${all.length} conformance tests concern JSON values`, () => {
  // The documentation names both.
  assert.deepEqual([ours.length, all.length], [970, 2344]);
});

test("CEL's tests pass, apart from those that a row of the table explains", () => {
  const failed = ours.filter((one) => !passes(one));
  const unexplained = failed.filter(({ path }) => rowOf(path) === undefined);
  assert.deepEqual(
    unexplained.map(({ path, expr }) => `${path}: ${expr}`),
    [],
  );
});

for (const [row, patterns] of Object.entries(DIFFERENT)) {
  test(`difference from CEL: ${row}`, () => {
    assert.ok(table.includes(`| ${row} |`), "the table lacks this row");
    const differ = ours.filter((one) => patterns.some((pattern) => pattern.test(one.path)) && !passes(one));
    assert.ok(differ.length > 0, "no test of CEL differs");
  });
}
