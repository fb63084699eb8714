/**
 * Takes pictures of the page for README and documentation.
 *
 * Usage: `node scripts/pictures.mjs`, after `node scripts/playground.mjs`.
 */
import { join } from "node:path";
import { chromium } from "playwright-core";
import { findShell } from "./chromium.mjs";
import { root } from "./lib/paths.mjs";
import { page as folder } from "./playground.mjs";
import { serve } from "./serve.mjs";

const { url, close } = await serve(folder);
const browser = await chromium.launch({ executablePath: await findShell(), args: ["--no-sandbox", "--disable-gpu"] });
for (const theme of ["light", "dark"]) {
  const viewport = { width: 1440, height: 860 };
  const page = await browser.newPage({ viewport, colorScheme: theme, locale: "en-GB", reducedMotion: "reduce" });
  await page.goto(url);
  await page.getByRole("main").waitFor();
  await page.getByRole("group", { name: "Run", exact: true }).getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("region", { name: "Panels" }).getByText("run completed in").first().waitFor();
  await page.screenshot({ path: join(root, "docs", "public", `page-${theme}.png`) });
  await page.close();
}
await browser.close();
await close();
