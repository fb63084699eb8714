/** The page's connections, created at first use. */
import type { Lang } from "./demo-data.js";
import { Connections } from "./connections.js";
import { isSpanish } from "../page-language.js";

let instance: Connections | null = null;

/** Their language follows the document. */
export function connections(): Connections {
  if (instance === null) {
    instance = new Connections({ storage: browserStorage(), lang });
    void instance.start();
  }
  return instance;
}

export function lang(): Lang {
  return isSpanish() ? "es" : "en";
}

function browserStorage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
