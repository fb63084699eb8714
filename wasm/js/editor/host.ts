/** Kinds of host options. */
import type { Kinds } from "../options.js";
import type { DocumentOptions, HostCapabilities } from "./types.js";

export const FORMAT = { format: "=auto|=yaml|=json" } as const;

export const HOST: Kinds<HostCapabilities> = {
  tools: "[]map",
  types: "[]text",
  ids: "[]text",
  models: "[]text",
  stubs: "map",
};

export const DOCUMENT: Kinds<DocumentOptions> = { ...HOST, ...FORMAT };
