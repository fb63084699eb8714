// Tests bundling the page's scripts: every error has a location, and a failure changes no file.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { UserError } from "../../scripts/lib/command.mjs";
import { bundlePage, ENTRIES, MODULES, missingParts, STYLES } from "../../scripts/lib/page-scripts.mjs";

/** Has all bundler inputs. */
function checkout(context) {
  const base = mkdtempSync(join(tmpdir(), "stepgraph-page-"));
  context.after(() => rmSync(base, { recursive: true }));
  const writeScript = (name, text) => {
    mkdirSync(dirname(join(base, name)), { recursive: true });
    writeFileSync(join(base, name), text);
  };
  for (const name of ENTRIES) writeScript(`playground/js/${name}.ts`, `console.log("${name}");`);
  for (const name of STYLES) writeScript(`playground/styles/${name}.css`, `.${name} { color: red; }`);
  for (const name of missingParts(base)) writeScript(name, "");
  return { base, write: writeScript };
}

function bundled(base) {
  const folder = join(base, "playground", "generated");
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = names.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort();
  return paths.map((path) => [path, readFileSync(path, "utf8")]);
}

test("a page's missing package files are listed until they exist", (context) => {
  const { base } = checkout(context);
  assert.deepEqual(missingParts(base), []);
  for (const name of ["dist/editor/web.js", "pkg/stepgraph_editor_bg.wasm"]) rmSync(join(base, name));
  assert.deepEqual(missingParts(base), ["dist/editor/web.js", "pkg/stepgraph_editor_bg.wasm"]);
});

const BROKEN = [
  {
    name: "two scripts",
    files: { "js/boot.ts": "let a = ;\n", "js/embed.ts": "\n  import './nowhere.js';" },
    places: ["playground/js/boot.ts:1:9: Unexpected", "playground/js/embed.ts:2:10: Could not resolve"],
  },
  {
    name: "a style",
    files: { "styles/dialogs.css": '@import "./none.css";' },
    places: ["playground/styles/dialogs.css:1:9: "],
  },
];

for (const { name, files, places } of BROKEN)
  test(`a failure leaves the last bundle unchanged: ${name}`, async (context) => {
    const { base, write } = checkout(context);
    await bundlePage({ quick: true, base });
    const good = bundled(base);
    assert.equal(good.length, ENTRIES.length + STYLES.length + MODULES.length);
    for (const [path, text] of Object.entries(files)) write(`playground/${path}`, text);
    await assert.rejects(bundlePage({ quick: true, base }), (error) => {
      assert.ok(error instanceof UserError);
      for (const place of places) assert.ok(error.output.includes(place), error.output);
      return true;
    });
    assert.deepEqual(
      bundled(base).filter(([path]) => !path.includes("next")),
      good,
    );
    for (const path of Object.keys(files)) write(`playground/${path}`, "");
    await bundlePage({ quick: true, base });
    assert.notDeepEqual(bundled(base), good);
    assert.ok(bundled(base).every(([path]) => !path.includes("next")));
  });
