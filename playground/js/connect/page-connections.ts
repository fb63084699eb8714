/** The page's connections, created at first use. */
import type { Lang } from "./demo-data.js";
import { Connections } from "./connections.js";

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
  return document.documentElement.lang === "es" ? "es" : "en";
}

function browserStorage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
