import assert from "node:assert/strict";
import { test } from "node:test";
import { add, countCargo, countNode, countOne } from "../../scripts/lib/test-counts.mjs";
import { attempt, run, UserError } from "../../scripts/lib/command.mjs";
import { cacheFolder, rustToolchain } from "../../scripts/lib/paths.mjs";
import { checkBasics } from "../../scripts/lib/tools.mjs";

test("the cache folder is the user's own, or the requested one", () => {
  const cases = [
    [{ STEPGRAPH_CACHE: "asked", XDG_CACHE_HOME: "x" }, "linux", "asked"],
    [{ XDG_CACHE_HOME: "x" }, "linux", "x/stepgraph"],
    [{}, "linux", "h/.cache/stepgraph"],
    [{}, "darwin", "h/Library/Caches/stepgraph"],
    [{ LOCALAPPDATA: "local" }, "win32", "local/stepgraph"],
  ];
  for (const [env, platform, expected] of cases)
    assert.equal(cacheFolder(env, platform, "h").replaceAll("\\", "/"), expected);
});

test("versions are read from their files", () => {
  const text = '[toolchain]\nchannel = "1.2.3"\ncomponents = ["rustfmt", "clippy"]\ntargets = ["t"]\n';
  assert.deepEqual(rustToolchain(text), { channel: "1.2.3", components: ["rustfmt", "clippy"], targets: ["t"] });
});

test("test counts are read from the output of the runners", () => {
  const cargo =
    "test result: ok. 3 passed; 0 failed; 0 ignored\nnoise\ntest result: FAILED. 2 passed; 1 failed; 0 ignored\n";
  const cases = [
    [countCargo(cargo, false), 5, 1],
    [countCargo("error: could not compile", false), 0, 1],
    [countCargo("", true), 0, 1],
    [countNode("# tests 4\n# pass 4\n# fail 0\n# cancelled 0\n", true), 4, 0],
    [countNode("ℹ pass 2\nℹ fail 1\nℹ cancelled 1\n", false), 2, 2],
    [countNode("SyntaxError", false), 0, 1],
    [countOne("", true), 1, 0],
    [add(countOne("", false), countOne("", true)), 1, 1],
  ];
  for (const [counts, passed, failed] of cases) assert.deepEqual(counts, { passed, failed });
});

test("a missing or failing program is reported in one sentence, with its output", async () => {
  await assert.rejects(
    run("Testing", "there-is-no-such-program", []),
    (error) => error instanceof UserError && /could not be started/.test(error.message),
  );
  const script = ["-e", "console.error('the reason'); process.exit(3)"];
  await assert.rejects(
    run("Testing", process.execPath, script),
    (error) => /ended with 3/.test(error.message) && /the reason/.test(error.output),
  );
  assert.deepEqual(await attempt(process.execPath, ["-e", "console.log(1)"]), { code: 0, out: "1\n", all: "1\n" });
});

test("a background program does not delay the script", async () => {
  const left =
    'require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" })';
  const script = `const { pid, unref } = ${left}; console.log(pid); process.exit(3);`;
  const { code, out } = await attempt(process.execPath, ["-e", script]);
  process.kill(Number(out));
  assert.equal(code, 3);
});

test("an old Node is reported, with the required version", async () => {
  await assert.rejects(checkBasics("18.1.0"), /Node 18\.1\.0 is too old: install Node 20 or newer/);
});
