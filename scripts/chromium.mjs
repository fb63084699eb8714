/**
 * Finds a Chromium for tests, and in CI installs one.
 *
 * The headless shell takes half of the time. Permissions, command-line options and measurements need the full browser.
 */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { attempt, UserError } from "./lib/command.mjs";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "chrome.exe"];
const headlessShellNames = ["chromium-headless-shell", "chrome-headless-shell"];
const otherPaths = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
];

/** `CHROMIUM` takes precedence. */
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

/** Falls back to Chromium. `CHROMIUM` takes precedence. */
export async function findShell() {
  return [process.env.CHROMIUM, ...onPath(headlessShellNames)].filter(Boolean).find(executable) ?? findChromium();
}

/** Parallel installations fail, so call it before tests. The system may lack the shell. */
export async function installChromium() {
  const packages = [
    findInstalled() ? null : "chromium",
    onPath(headlessShellNames).some(executable) ? null : "chromium-headless-shell",
  ];
  const missing = process.env.CHROMIUM ? [] : packages.filter(Boolean);
  if (missing.length === 0 || !(await canInstallPackages())) return;
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

async function canInstallPackages() {
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
