/**
 * The stages of `npm test`, and those of each area. One cargo command runs at a time: the lane `cargo`.
 *
 * Rust tests and clippy have a low priority, so that other tests get answers in time.
 */
import { join } from "node:path";
import { build } from "../build.mjs";
import { installChromium } from "../chromium.mjs";
import { buildPage } from "../playground.mjs";
import { attempt, UserError } from "./command.mjs";
import { countCargo, countOne } from "./test-counts.mjs";
import { cargoFailures, programFailure } from "./failures.mjs";
import { nodeTests } from "./node-tests.mjs";
import { root } from "./paths.mjs";

/** `CONTRIBUTING.md` has the same table. */
export const AREAS = {
  core: "checking and running plans, with the cases of `tests/suite` and clippy",
  wire: "MCP, signing in and models, against real servers and MCP's conformance suite, with clippy",
  command: "the command `stepgraph`",
  package: "the npm package in bundlers, runtimes and type checkers",
  durable: "durable runs",
  page: "the page's decisions, scripts and types, and three files of browser tests",
  e2e: "the page, end to end in Chromium",
  firefox: "the page, end to end in Firefox; no part of `npm test`",
  scripts: "formatting, linting of TypeScript and the project's own scripts",
};

const lockedFlag = process.env.CI ? ["--locked"] : [];
const deny = ["--", "-D", "warnings"];
const PROGRAMS = { STEPGRAPH_PROGRAMS: join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "debug") };
const CORE_CRATES = ["authoring", "core", "plan", "schema", "text", "yaml"].flatMap((name) => [
  "-p",
  `stepgraph-${name}`,
]);
const CORE = [...CORE_CRATES, "-p", "stepgraph-tests"];
const PAGE = "stepgraph-playground";
const WASM_TARGET = "wasm32-unknown-unknown";

export function stagesOf(areas) {
  if (areas.length === 0) return ALL;
  const wanted = areas.flatMap((area) => OF_AREA[area](areas));
  return wanted.filter((stage, at) => wanted.findIndex(({ name }) => name === stage.name) === at);
}

const rustFormat = stage("format of Rust", { work: () => cargo(["fmt", "--all", "--check"]) });
const scriptFormat = stage("format and lint of scripts", { work: biome });
const building = stage("build", { lane: "cargo", work: () => buildResult(build, "npm run build") });
// Parallel installations fail, so this is a stage.
const browser = stage("browser", { work: () => buildResult(installChromium, "npm test -- e2e") });
const page = stage("page", {
  lane: "cargo",
  needs: ["build"],
  work: () => buildResult(buildPage, "node scripts/playground.mjs"),
});
const quickPage = stage("page, built quickly", {
  lane: "cargo",
  needs: ["build"],
  work: () => buildResult(() => buildPage({ quick: true }), "node scripts/playground.mjs --quick"),
});
const ofScripts = tests("scripts", "tests/scripts");
const types = stage("types", { needs: ["build"], work: () => typeScript("tests/types") });
const pageTypes = stage("the page's types", { needs: ["build"], work: () => typeScript("playground") });
const programs = stage("programs for tests", {
  lane: "cargo",
  needs: ["build"],
  work: () => cargo(["build", "-p", "stepgraph-tests", "--bins", ...lockedFlag], false),
});
const parity = tests("wasm tests", "tests/parity", ["build", "browser", programs.name]);
const durable = tests("durable", "tests/durable", ["build"]);
const histories = tests("histories", "tests/histories", ["build"]);
const hostile = tests("hostile", "tests/hostile", ["build"]);
const conformance = tests("conformance", "tests/conformance", ["build", "browser"]);
const command = tests("command", "tests/cli", ["build", "browser"]);
// The package has the page inside.
const packaging = tests("packaging", "tests/package", ["page", "browser"]);
const pageScripts = tests("page's scripts", "tests/playground", ["build"]);
const endToEnd = tests("end to end", "tests/e2e", ["page", "browser"]);
const inFirefox = stage("end to end in Firefox", { needs: ["page"], work: firefoxTests });
const browserTests = (built) =>
  tests("the page in a browser", "tests/e2e", [built.name, browser.name], /\/(canvas|keyboard|run)\.test\.mjs$/);
const rust = stage("Rust tests", { lane: "cargo", work: () => rustTests(["--workspace"]) });
const native = stage("clippy", {
  lane: "cargo",
  work: () =>
    cargo(["clippy", "--workspace", "--all-targets", "--features", "stepgraph-tools/glue", ...lockedFlag, ...deny]),
});
// Only the page has code for browsers alone. The release profile shares its macros with the page's build: a minute
// less.
const browsers = stage("clippy for browsers", {
  lane: "cargo",
  work: () =>
    cargo(["clippy", "--release", "-p", PAGE, "--features", "split", "--target", WASM_TARGET, ...lockedFlag, ...deny]),
});
const fuzz = stage("fuzz", {
  lane: "cargo",
  work: () => cargo(["run", "-p", "stepgraph-tests", "--bin", "fuzz", ...lockedFlag]),
});

const ALL = [
  rustFormat,
  scriptFormat,
  ofScripts,
  browser,
  building,
  page,
  programs,
  endToEnd,
  parity,
  command,
  packaging,
  durable,
  histories,
  hostile,
  conformance,
  pageScripts,
  types,
  pageTypes,
  rust,
  native,
  browsers,
  fuzz,
];

const OF_AREA = {
  core: () => [
    rustFormat,
    stage("Rust tests of the core", {
      lane: "cargo",
      work: () => rustTests(CORE),
    }),
    clippyOf("clippy of the core", CORE),
  ],
  wire: () => [
    rustFormat,
    stage("Rust tests of the wire", { lane: "cargo", work: () => rustTests(["-p", "stepgraph-wasm"]) }),
    clippyOf("clippy of the wire", ["-p", "stepgraph-wasm"]),
    browser,
    building,
    conformance,
    tests(
      "servers and models",
      "tests/parity",
      ["build", "browser"],
      /\/(mcp-|auth|models|wire|doctor|call-schemas)[\w-]*\.test\.mjs$/,
    ),
  ],
  command: () => [scriptFormat, browser, building, command],
  package: () => [scriptFormat, browser, building, page, types, packaging],
  durable: () => [scriptFormat, building, durable, histories, hostile],
  page: (areas) => [
    rustFormat,
    scriptFormat,
    stage("Rust tests of the page", { lane: "cargo", work: () => rustTests(["-p", PAGE]) }),
    clippyOf("clippy of the page", ["-p", PAGE]),
    building,
    pageTypes,
    pageScripts,
    // Other areas build the full page in the same folder. For `e2e` all of its tests run.
    ...(areas.includes("e2e")
      ? []
      : pageInBrowser(areas.some((area) => NEED_FULL_PAGE.includes(area)) ? page : quickPage)),
  ],
  e2e: () => [browser, building, page, endToEnd],
  firefox: () => [building, page, inFirefox],
  scripts: () => [rustFormat, scriptFormat, ofScripts],
};

const NEED_FULL_PAGE = ["package", "firefox"];

function pageInBrowser(built) {
  return [browser, built, browserTests(built)];
}

function stage(name, { lane, needs, work }) {
  return { name, lane, needs, work };
}

function tests(name, folder, needs, only) {
  return stage(name, { needs, work: () => nodeTests(folder, { only, env: PROGRAMS }) });
}

/** One file at a time: each test starts a new content process, which compiles the page on all processors. */
async function firefoxTests() {
  const result = await nodeTests("tests/e2e", { concurrency: 1, env: { ...PROGRAMS, STEPGRAPH_BROWSER: "firefox" } });
  const failures = result.failures.map((failure) => ({
    ...failure,
    again: `STEPGRAPH_BROWSER=firefox ${failure.again}`,
  }));
  return { ...result, failures };
}

function clippyOf(name, packages) {
  const args = ["clippy", ...packages, "--all-targets", ...lockedFlag, ...deny];
  return stage(name, { lane: "cargo", work: () => cargo(args) });
}

/** The same tree gives the same result. `npm run fuzz` uses other seeds. */
const SEED = { PROPTEST_RNG_SEED: process.env.PROPTEST_RNG_SEED ?? "1" };

async function rustTests(packages) {
  const args = ["test", ...packages, "--no-fail-fast", ...lockedFlag];
  const done = await attempt("cargo", args, { isPatient: true, env: SEED });
  const command = `cargo ${args.join(" ")}`;
  return { counts: countCargo(done.all, done.code === 0), output: done.all, ...cargoFailures(command, done.all) };
}

async function cargo(args, isPatient = true) {
  return programResult(await attempt("cargo", args, { isPatient }), `cargo ${args.join(" ")}`);
}

async function biome() {
  const program = join(root, "node_modules", "@biomejs", "biome", "bin", "biome");
  const args = ["check", "--error-on-warnings", "."];
  return programResult(await attempt(process.execPath, [program, ...args]), `npx biome ${args.join(" ")}`);
}

async function typeScript(project) {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  return programResult(await attempt(process.execPath, [compiler, "-p", project]), `npx tsc -p ${project}`);
}

/** `again` does the same. */
async function buildResult(make, again) {
  try {
    await make();
    return { counts: { passed: 1, failed: 0 }, output: "", brief: "", failures: [] };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const output = `${error.output}\n${error.message}`;
    return { counts: { passed: 0, failed: 1 }, output, ...programFailure(again, output) };
  }
}

function programResult(done, command) {
  return { counts: countOne(done.all, done.code === 0), output: done.all, ...programFailure(command, done.all) };
}
