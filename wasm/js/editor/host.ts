/** What the editor's functions take, by kinds. */
import type { Kinds } from "../options.js";
import type { DocumentOptions, HostCapabilities } from "./types.js";

/** How a text is read. */
export const FORMAT = { format: "=auto|=yaml|=json" } as const;

/** What is known of a host. */
export const HOST: Kinds<HostCapabilities> = {
  tools: "[]map",
  types: "[]text",
  ids: "[]text",
  models: "[]text",
  stubs: "map",
};

/** Both. */
export const DOCUMENT: Kinds<DocumentOptions> = { ...HOST, ...FORMAT };
