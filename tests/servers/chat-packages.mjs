// Imports the AI SDK, one provider, and AG-UI from the test cache: they take 55 MB and need Node 22.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { npmPackages } from "./install.mjs";

const folder = await npmPackages("chat-packages-1", [
  "ai@7.0.173",
  "@ai-sdk/provider@4.0.38",
  "@ai-sdk/openai-compatible@3.0.92",
  "@ag-ui/core@1.0.0",
  "@ag-ui/client@1.0.0",
  "rxjs@7.8.1",
  "zod@4.6.7",
]);
const entry = join(folder, "load.mjs");
writeFileSync(entry, "export const load = (name) => import(name);\n");

export const { load } = await import(pathToFileURL(entry).href);
