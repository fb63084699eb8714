import assert from "node:assert/strict";
import { test } from "node:test";
import { renderDiagnostic, renderDiagnostics, Source, tally } from "../../dist/terminal/diagnostics.js";
import { coloured, plain } from "../../dist/terminal/style.js";

/** The first `«...»` of `text` is the diagnostic's place, each `‹...›` a label's. */
function withMarkers(text, extra = {}) {
  const spans = [];
  let plainText = "";
  const open = [];
  for (const character of text) {
    if ("«‹".includes(character)) open.push({ start: plainText.length, primary: character === "«" });
    else if ("»›".includes(character)) spans.push({ ...open.pop(), end: plainText.length });
    else plainText += character;
  }
  const textRange = ({ start, end }) => {
    const before = plainText.slice(0, start);
    return { span: { start, end }, line: before.split("\n").length, column: start - before.lastIndexOf("\n") };
  };
  const main = spans.find((span) => span.primary);
  const labels = spans
    .filter((span) => !span.primary)
    .map((span) => ({ ...textRange(span), message: "first defined here" }));
  const nowhere = { span: null, line: null, column: null };
  const diagnostic = {
    code: "graph/unknown-node",
    severity: "error",
    message: "`ed` is not a node",
    target: { type: "document" },
    labels,
    help: null,
    fix: [],
    ...(main ? textRange(main) : nowhere),
    ...extra,
  };
  return [diagnostic, new Source("plan.yaml", plainText)];
}

function render(text, extra, columns = 80) {
  const [diagnostic, source] = withMarkers(text, extra);
  return renderDiagnostic(diagnostic, source, { style: plain, columns }).join("\n");
}

const CASES = {
  "the words are underlined, and the help follows": [
    ["edges:\n  - to: «ed»\n", { help: "did you mean `end`?" }],
    `error[graph/unknown-node]: \`ed\` is not a node
 --> plan.yaml:2:9
  |
2 |   - to: ed
  |         ^^
  = help: did you mean \`end\`?`,
  ],
  "labels stand under their own lines, what is between left out": [
    ["‹a›: 1\nb: 2\nc: 3\n«a»: 4\n", { severity: "warning" }],
    `warning[graph/unknown-node]: \`ed\` is not a node
 --> plan.yaml:4:1
  |
1 | a: 1
  | - first defined here
…
4 | a: 4
  | ^`,
  ],
  "two places of one line": [
    ["x: ‹a› «bb»\n"],
    `error[graph/unknown-node]: \`ed\` is not a node
 --> plan.yaml:1:6
  |
1 | x: a bb
  |      ^^
  |    - first defined here`,
  ],
  "tabs and wide characters take their columns": [
    ["\t漢字: «b»"],
    `error[graph/unknown-node]: \`ed\` is not a node
 --> plan.yaml:1:6
  |
1 |     漢字: b
  |           ^`,
  ],
  "several lines are shown by their first": [
    ["a: «b \r\nc\r\n»d"],
    `error[graph/unknown-node]: \`ed\` is not a node
 --> plan.yaml:1:4
  |
1 | a: b
  |    ^`,
  ],
  "an empty place at the end of the text": [
    ["a:\n«»"],
    `error[graph/unknown-node]: \`ed\` is not a node
 --> plan.yaml:2:1
  |
2 |
  | ^`,
  ],
  "without a place there is no text": [
    ["a", { help: "write `nodes`" }],
    `error[graph/unknown-node]: \`ed\` is not a node
 --> plan.yaml
  = help: write \`nodes\``,
  ],
};

for (const [name, [[text, extra], expected]] of Object.entries(CASES)) {
  test(name, () => assert.equal(render(text, extra), expected));
}

test("a long line is cut around the place", () => {
  const lines = render(`${"x".repeat(1e6)}«here»${"y".repeat(1e6)}`, {}, 50).split("\n");
  assert.ok(
    lines.every((line) => line.length <= 50),
    lines.join("\n"),
  );
  const at = lines[4].indexOf("^^^^");
  assert.equal(lines[3].slice(at, at + 4), "here");
  assert.match(lines[3], /^1 \| ….*…$/);
});

test("a message is wrapped, and cannot steer the terminal", () => {
  const lines = render("«a»", { message: `\x1b[2J ${"word ".repeat(30)}` }, 40).split("\n");
  assert.ok(
    lines.every((line) => line.length <= 44 && !line.includes("\x1b")),
    lines.join("\n"),
  );
});

test("places outside the text do no harm", () => {
  const [diagnostic] = withMarkers("«a»");
  const wild = {
    ...diagnostic,
    span: { start: 90, end: 99 },
    labels: [{ span: { start: -1, end: 0 }, line: 0, column: 0, message: "?" }],
  };
  assert.match(renderDiagnostic(wild, new Source("p", "a"), { style: plain, columns: 40 }).join("\n"), /unknown-node/);
});

test("colours mark severity and places, and are gone with the plain style", () => {
  const [diagnostic, source] = withMarkers("«a»");
  const text = renderDiagnostics([diagnostic], source, { style: coloured, columns: 80 });
  assert.ok(text.includes("\x1b[31m"));
  assert.equal(text.replace(/\x1b\[\d+m/g, ""), renderDiagnostics([diagnostic], source, { style: plain, columns: 80 }));
});

test("the tally names the errors and warnings", () => {
  const of = (...severities) => tally(severities.map((severity) => ({ severity })));
  assert.deepEqual(
    [of(), of("error"), of("warning", "error", "error", "hint")],
    ["no problems", "1 error", "2 errors, 1 warning, 1 hint"],
  );
});

test("lines are found by binary search, with either line break", () => {
  const source = new Source("p", "a\r\nbb\n\nc");
  assert.deepEqual(
    [0, 2, 3, 5, 6, 7, 8, 99].map((offset) => source.lineAt(offset)),
    [1, 1, 2, 2, 3, 4, 4, 4],
  );
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((line) => source.lineSpan(line)),
    [
      { start: 0, end: 1 },
      { start: 3, end: 5 },
      { start: 6, end: 6 },
      { start: 7, end: 8 },
      { start: 8, end: 8 },
    ],
  );
});
