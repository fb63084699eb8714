import assert from "node:assert/strict";
import { test } from "node:test";
import { commandHelp, overview } from "../../dist/cli/help.js";
import { COMMANDS, findCommand, readArguments } from "../../dist/cli/options.js";
import { plain } from "../../dist/terminal/style.js";
import { readHeaders, readInput, readPairs } from "../../dist/cli/parse-values.js";

const run = findCommand("run");

function assertUsageErrors(cases) {
  for (const [work, message, help, code = "cli/bad-value"] of cases) {
    assert.throws(work, (error) => {
      assert.equal(error.constructor.name, "UsageError", error.stack);
      assert.equal(error.code, code, error.message);
      assert.match(error.message, message);
      assert.match(error.help, help);
      return true;
    });
  }
}

test("arguments are read", () => {
  const read = readArguments(run, [
    "p.yaml",
    "--prompt",
    "hola",
    "--input",
    "a=1",
    "--input=b=-2",
    "-vq",
    "--json",
    "--audit",
    "-",
  ]);
  assert.deepEqual(read.operands, ["p.yaml"]);
  assert.equal(read.single("prompt"), "hola");
  assert.deepEqual(read.all("input"), ["a=1", "b=-2"]);
  assert.deepEqual(
    ["verbose", "quiet", "json", "help"].map((name) => read.has(name)),
    [true, true, true, false],
  );
  assert.equal(read.single("audit"), "-");
  assert.equal(read.single("model"), undefined);
});

test("usage errors name the correction", () => {
  const deferParse =
    (...argv) =>
    () =>
      readArguments(run, argv);
  assertUsageErrors([
    [deferParse("--promt", "x"), /knows no `--promt`/, /did you mean `--prompt`\?/, "cli/unknown-option"],
    [deferParse("--zzz"), /knows no `--zzz`/, /stepgraph run --help/, "cli/unknown-option"],
    [deferParse("--plan"), /`--plan` needs a value/, /--plan FILE/, "cli/missing-argument"],
    [deferParse("--plan", "--json"), /needs a value before `--json`/, /--plan=--json/, "cli/missing-argument"],
    [deferParse("--json=yes"), /takes no value/, /alone/, "cli/extra-argument"],
    [deferParse("--plan", "a", "--plan", "b"), /appears twice/, /leave one/, "cli/extra-argument"],
    [deferParse("a", "b"), /takes one plan, not 2/, /write `stepgraph run/, "cli/extra-argument"],
    [
      () => readArguments(findCommand("check"), []),
      /needs at least one file/,
      /write `stepgraph check FILE/,
      "cli/missing-argument",
    ],
    [deferParse("--plan", ""), /the value of `--plan` is empty/, /--plan FILE/],
    [deferParse("--plan=", "x"), /the value of `--plan` is empty/, /--plan FILE/],
    [deferParse(""), /a plan is an empty text/, /stepgraph run PLAN.*a variable of your shell is not set/],
    [deferParse("--q"), /knows no `--q`/, /did you mean `--quiet`\?/, "cli/unknown-option"],
    [deferParse("--re", "x"), /knows no `--re`/, /stepgraph run --help/, "cli/unknown-option"],
    [
      () => readArguments(findCommand("diff"), ["a"]),
      /needs 2 plans/,
      /stepgraph diff BEFORE AFTER/,
      "cli/missing-argument",
    ],
    [
      () => readArguments(findCommand("merge"), ["a", "b", "c", "d"]),
      /takes 3 plans, not 4/,
      /BASE OURS THEIRS/,
      "cli/extra-argument",
    ],
    [
      () => readArguments(findCommand("review"), ["a", "b", "c"]),
      /takes at most 2 versions, not 3/,
      /BASE \[HEAD\]/,
      "cli/extra-argument",
    ],
    [
      () => readArguments(findCommand("schema"), ["a"]),
      /takes no operand, not 1/,
      /write `stepgraph schema`/,
      "cli/extra-argument",
    ],
    [
      () => findCommand("-v"),
      /`-v` stands before the command/,
      /`stepgraph --version`.*`--verbose`/,
      "cli/unknown-option",
    ],
    [
      () => findCommand("--verison"),
      /stands before the command/,
      /did you mean `stepgraph --version`\?/,
      "cli/unknown-option",
    ],
    [
      () => findCommand("--json"),
      /stands before the command/,
      /as in `stepgraph run PLAN --json`/,
      "cli/unknown-option",
    ],
    [() => findCommand("grph"), /no command `grph`/, /stepgraph graph/, "cli/unknown-command"],
    [() => findCommand("my.yaml"), /no command/, /stepgraph run my\.yaml/, "cli/unknown-command"],
  ]);
});

test("each option refuses no value, an empty one and a second one, and says what to write", () => {
  for (const command of COMMANDS) {
    const operands = Array(command.operands[0]).fill("x");
    const refusal = (...argv) => {
      try {
        readArguments(command, [...operands, ...argv]);
        return null;
      } catch (error) {
        assert.equal(error.constructor.name, "UsageError", error.stack);
        assert.ok(error.help.length > 0, error.message);
        return error.message;
      }
    };
    for (const { name, value, choices, many, mayBeEmpty } of command.options.filter(({ name }) => name !== "help")) {
      const option = `--${name}`;
      if (value === undefined) {
        assert.equal(refusal(`${option}=yes`), `\`${option}\` takes no value`);
        continue;
      }
      const given = choices?.[0] ?? "x";
      assert.equal(refusal(option), `\`${option}\` needs a value`);
      if (!mayBeEmpty) assert.equal(refusal(option, ""), `the value of \`${option}\` is empty`);
      if (!many) assert.equal(refusal(option, given, option, given), `\`${option}\` appears twice`);
      assert.equal(refusal(option, given), null);
    }
  }
});

test("help takes precedence over all usage errors", () => {
  assert.ok(readArguments(run, ["--nonsense", "--help"]).has("help"));
  assert.ok(readArguments(run, ["-h"]).has("help"));
});

test("the help names every command and option, within the width", () => {
  for (const columns of [40, 80, 200]) {
    const look = { style: plain, columns };
    for (const command of COMMANDS) {
      assert.ok(overview(look).includes(`  ${command.name} `));
      const text = commandHelp(command, look);
      for (const option of command.options) assert.ok(text.includes(`--${option.name}`), option.name);
      const prose = text.split("examples")[0].split("\n").slice(3);
      if (columns > 40)
        assert.ok(
          prose.every((line) => line.length <= Math.min(columns, 100)),
          text,
        );
    }
  }
});

test("values are text unless they are marked as JSON", () => {
  assert.deepEqual(readPairs("input", ["a=1", "b:=1", 'c:={"x": [true]}', "d=x=y", "e="]), {
    a: "1",
    b: 1,
    c: { x: [true] },
    d: "x=y",
    e: "",
  });
  assert.deepEqual(
    [readInput(undefined, []), readInput("hola", []), readInput(undefined, ["a=1"]), readInput("hola", ["a=1"])],
    [null, "hola", { a: "1" }, { prompt: "hola", a: "1" }],
  );
  assert.equal(Object.getPrototypeOf(readPairs("input", ["__proto__=x"])), Object.prototype);
  assert.deepEqual(readHeaders(["Authorization: Bearer a:b"]), { Authorization: "Bearer a:b" });
  assertUsageErrors([
    [() => readPairs("input", ["novalue"]), /not KEY=VALUE/, /novalue=/],
    [() => readPairs("input", ["=5"]), /not KEY=VALUE/, /write `--input KEY=5`/],
    [() => readPairs("input", ['{"i":1}']), /not KEY=VALUE/, /write `--input KEY:=JSON` for each key/],
    [() => readPairs("input", ["a:={"]), /is not JSON/, /a=\{/],
    [() => readPairs("context", ["a=1", "a=2"]), /`a` twice/, /leave one/, "cli/extra-argument"],
    [() => readInput("x", ["prompt=y"]), /set twice/, /leave one/, "cli/extra-argument"],
    [() => readHeaders(["nothing"]), /NAME: VALUE/, /Authorization/],
  ]);
});
