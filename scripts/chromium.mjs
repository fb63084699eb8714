/**
 * Finds a Chromium to test in. In CI on Debian it installs one; on a person's machine it says how to.
 */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { attempt, run, Trouble } from "./lib/command.mjs";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "chrome.exe"];
const elsewhere = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
];

/** The path of a Chromium or Chrome. `CHROMIUM` in the environment goes before all others. */
export async function findChromium() {
  const found = look();
  if (found) return found;
  if (await mayInstall()) {
    await run("Reading the package lists", "apt-get", ["update"]);
    await run("Installing Chromium", "apt-get", ["install", "-y", "--no-install-recommends", "chromium"], {
      env: { DEBIAN_FRONTEND: "noninteractive" },
    });
    const installed = look();
    if (installed) return installed;
  }
  throw new Trouble(
    "Chromium is missing: install it (Debian: `apt-get install chromium`), or name one in the variable CHROMIUM.",
  );
}

function look() {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  const candidates = [
    process.env.CHROMIUM,
    ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
    ...elsewhere,
  ];
  return candidates.filter(Boolean).find(executable);
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
