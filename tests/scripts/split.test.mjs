// A module that was split does what it did, wherever it was cut, and loads its second part exactly when that is needed.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { functionsNamedIn, renumbered } from "../../scripts/lib/code.mjs";
import { withoutIdleClasses, withoutIdleExports } from "../../scripts/lib/glue.mjs";
import { bodiesOf, sectionsOf } from "../../scripts/lib/module.mjs";
import { root } from "../../scripts/lib/places.mjs";
import { parts, split } from "../../scripts/lib/split.mjs";

/**
 * Calls of every kind: direct both ways, by the table, of an import, of one that returns nothing; a global and memory
 * that all change.
 */
const SOURCE = `(module
  (type $binary (func (param i32 i64) (result i64)))
  (import "host" "tell" (func $tell (param i32)))
  (memory (export "memory") 1)
  (table 4 4 funcref)
  (table 1 externref)
  (global $depth (mut i32) (i32.const 100))
  (elem (i32.const 1) $double $add)
  (func $nothing)
  (func $double (type $binary) (call $add (local.get 0) (i64.mul (local.get 1) (i64.const 2))))
  (func $add (type $binary) (global.set $depth (i32.sub (global.get $depth) (i32.const 1))) (i64.add (i64.extend_i32_s (local.get 0)) (local.get 1)))
  (func $both (export "both") (param i32) (result i64)
    (call $nothing)
    (call $tell (local.get 0))
    (i32.store (i32.const 8) (local.get 0))
    (i64.add (call_indirect (type $binary) (local.get 0) (i64.const 5) (i32.const 1)) (call $double (i32.load (i32.const 8)) (i64.const 7))))
  (func (export "depth") (result i32) (call $nothing) (call $tell (global.get $depth)) (global.get $depth)))`;

let folder;
let module;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "stepgraph-"));
  const [text, file] = [join(folder, "a.wat"), join(folder, "a.wasm")];
  writeFileSync(text, SOURCE);
  execFileSync(process.execPath, [
    join(root, "node_modules/binaryen/bin/wasm-as"),
    "--enable-reference-types",
    "--enable-bulk-memory",
    text,
    "-o",
    file,
  ]);
  module = readFileSync(file);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** What a host sees of both parts, and when the second one was loaded. */
function run(chosen) {
  const { first, rest } = split(module, (at) => chosen.has(at), { from: "page", load: "load" });
  const seen = [];
  const load = () => {
    seen.push("loaded");
    new WebAssembly.Instance(new WebAssembly.Module(rest), { first: exports });
    exports.loaded.value = 1;
  };
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(first), {
    host: { tell: (what) => seen.push(what) },
    page: { load },
  });
  seen.push(exports.both(3), exports.both(4), exports.depth());
  return seen;
}

test("wherever a module is cut, it does the same, and loads its second part once at most", () => {
  const { imports, bodies } = parts(module);
  const whole = [3, 4, 96, 30n, 32n, 96];
  for (let chosen = 0; chosen < 2 ** bodies.length; chosen++) {
    const moved = new Set([...bodies.keys()].filter((at) => chosen & (1 << at)).map((at) => at + imports.length));
    const seen = run(moved);
    assert.deepEqual(
      seen.filter((it) => it !== "loaded"),
      whole,
      [...moved].join(" "),
    );
    assert.equal(seen.filter((it) => it === "loaded").length, moved.size > 0 ? 1 : 0, [...moved].join(" "));
  }
});

test("what is not called loads nothing, and parts of two versions refuse each other", () => {
  const last = (it) => it.imports.length + it.bodies.length - 1;
  const { first, rest } = split(module, (at) => at === last(parts(module)), { from: "page", load: "load" });
  let loads = 0;
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(first), {
    host: { tell: () => {} },
    page: { load: () => loads++ },
  });
  assert.equal(exports.both(3), 30n);
  assert.equal(loads, 0);
  const other = split(withoutIdleExports(module, "both"), () => true, { from: "page", load: "load" });
  assert.throws(
    () => new WebAssembly.Instance(new WebAssembly.Module(other.rest), { first: exports }),
    WebAssembly.LinkError,
  );
  assert.deepEqual(split(module, (at) => at === last(parts(module)), { from: "page", load: "load" }).rest, rest);
});

test("functions are found where a body names them, and can be given other numbers", () => {
  const named = bodiesOf(module, sectionsOf(module)).map((body) => functionsNamedIn(body).map(({ of }) => of));
  assert.deepEqual(named, [[], [3], [], [1, 0, 2], [1, 0]]);
  const both = bodiesOf(module, sectionsOf(module))[3];
  assert.deepEqual(
    functionsNamedIn(renumbered(both, (at) => at + 300)).map(({ of }) => of),
    [301, 300, 302],
  );
  assert.deepEqual(
    renumbered(
      renumbered(both, (at) => at + 300),
      (at) => at - 300,
    ),
    both,
  );
  assert.throws(() => functionsNamedIn(Buffer.from([0, 0xfd, 0, 0x0b])), /not known: 0xfd/);
});

test("classes that nothing makes leave the glue, and exports that it doesn't name leave the module", () => {
  const glue =
    "export class Idle {\n    free() {\n        wasm.idle_free(0);\n    }\n}\nif (Symbol.dispose) Idle.prototype[Symbol.dispose] = 0;\n" +
    "export class Made {\n    static __wrap(ptr) {\n    }\n}\nconst IdleFinalization = (a)\n    ? b\n    : new C(ptr => wasm.idle_free(ptr));\nwasm.both();\n";
  assert.equal(withoutIdleClasses(glue), "export class Made {\n    static __wrap(ptr) {\n    }\n}\nwasm.both();\n");
  const exports = WebAssembly.Module.exports(new WebAssembly.Module(withoutIdleExports(module, glue))).map(
    ({ name }) => name,
  );
  assert.deepEqual(exports, ["memory", "both"]);
});
