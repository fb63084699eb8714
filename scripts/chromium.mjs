/**
 * Finds a Chromium to test in. In CI on Debian it installs one; on a person's machine it says how to.
 *
 * There are two: the whole browser, and the shell, which shows pages and nothing else. The engine is the same; without
 * windows, toolbars and pages of its own the shell takes half of the processor's time. What is tested of the browser
 * around the page, such as what it asks a person to allow, what is opened by its command line, and what is measured, is
 * so in the whole browser.
 */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { attempt, UserError } from "./lib/command.mjs";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "chrome.exe"];
const shells = ["chromium-headless-shell", "chrome-headless-shell"];
const otherPaths = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
];

/** The path of a Chromium or Chrome. `CHROMIUM` in the environment goes before all others. */
export async function findChromium() {
  const found = findInstalled();
  if (found) return found;
  await installChromium();
  const installed = findInstalled();
  if (installed) return installed;
  throw new UserError(
    "Chromium is missing: install it (Debian: `apt-get install chromium`), or name one in the variable CHROMIUM.",
  );
}

/** The path of a shell of Chromium, or of a Chromium where there is no shell. `CHROMIUM` goes before all others. */
export async function findShell() {
  return [process.env.CHROMIUM, ...onPath(shells)].filter(Boolean).find(executable) ?? findChromium();
}

/**
 * Installs what is missing of both, where that may be done: before tests run, since they run at the same time, and two
 * installations can't. A system without the package of the shell goes without it.
 */
export async function installChromium() {
  const packages = [
    findInstalled() ? null : "chromium",
    onPath(shells).some(executable) ? null : "chromium-headless-shell",
  ];
  const missing = process.env.CHROMIUM ? [] : packages.filter(Boolean);
  if (missing.length === 0 || !(await mayInstall())) return;
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await attempt("apt-get", ["update"], { env });
  for (const name of missing) await attempt("apt-get", ["install", "-y", "--no-install-recommends", name], { env });
}

function findInstalled() {
  return [process.env.CHROMIUM, ...onPath(names), ...otherPaths].filter(Boolean).find(executable);
}

function onPath(programs) {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return folders.flatMap((folder) => programs.map((name) => join(folder, name)));
}

/** Nobody's own machine gets packages installed by a test run. */
async function mayInstall() {
  if (process.env.CI !== "true" || process.getuid?.() !== 0) return false;
  return (await attempt("apt-get", ["--version"])).code === 0;
}

function executable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
