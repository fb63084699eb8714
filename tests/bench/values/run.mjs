// Builds the prototype and compares the forms, to support the decision to keep values in JavaScript.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runAlone } from "../process.mjs";
import { best, median } from "../sampler.mjs";
import { ratio, table, formatMicroseconds } from "../table.mjs";
import { FORMS, KINDS } from "./forms.mjs";

const valuesFolder = fileURLToPath(new URL(".", import.meta.url));
const VERSION = "0.2.130";

function bindgen() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const name = process.platform === "win32" ? "wasm-bindgen.exe" : "wasm-bindgen";
  const file = join(cache, "stepgraph", `wasm-bindgen-${VERSION}`, "bin", name);
  if (!existsSync(file))
    throw new Error(`wasm-bindgen ${VERSION} is not there: run \`npm start\` once, which installs it`);
  return file;
}

function build() {
  const glue = bindgen();
  const target = process.env.CARGO_TARGET_DIR || join(valuesFolder, "target");
  mkdirSync(target, { recursive: true });
  const say = { cwd: valuesFolder, stdio: "inherit" };
  execFileSync(
    "cargo",
    ["build", "--release", "--locked", "--quiet", "--target", "wasm32-unknown-unknown", "--target-dir", target],
    say,
  );
  const wasm = join(target, "wasm32-unknown-unknown", "release", "stepgraph_bench_values.wasm");
  execFileSync(glue, [wasm, "--target", "web", "--no-typescript", "--out-dir", "pkg", "--out-name", "values"], say);
}

/** Runs every form and kind `passes` times, interleaved. Resolves to the rows of the table. */
export async function values({ passes, quick, timeoutMs, say }) {
  build();
  const cells = KINDS.flatMap((kind) => FORMS.map((form) => ({ form, kind, results: [] })));
  for (let pass = 1; pass <= passes; pass++) {
    for (const cell of cells) {
      say(`pass ${pass}: ${cell.form} ${cell.kind}`);
      const flags = quick ? ["--quick"] : [];
      cell.results.push(await runAlone(join(valuesFolder, "measure.mjs"), [cell.form, cell.kind, ...flags], timeoutMs));
    }
  }
  return cells.map(({ form, kind, results }) => ({ form, kind, ...summary(results) }));
}

function summary(results) {
  const failed = results.find((result) => result.failure);
  if (failed) return { failure: failed.failure };
  return {
    best: best(results.flatMap((result) => result.wallUs)),
    median: median(results.flatMap((result) => result.wallUs)),
    cpu: median(results.flatMap((result) => result.cpuUs)),
  };
}

/** Formats the table: µs per node and the ratio of bests to the plain loop with values of the same kind. */
export function valuesTable(rows) {
  const unit = (kind) => rows.find((row) => row.form === "js" && row.kind === kind)?.best;
  const head = ["form", "value", "best", "median", "CPU", "ratio"];
  return table(
    head,
    rows.map((row) =>
      row.failure
        ? [row.form, row.kind, row.failure, "", "", ""]
        : [
            row.form,
            row.kind,
            formatMicroseconds(row.best),
            formatMicroseconds(row.median),
            formatMicroseconds(row.cpu),
            ratio(row.best, unit(row.kind)),
          ],
    ),
  );
}
