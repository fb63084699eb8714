/** The page's one set of connections, made when somebody first asks for it. */
import type { Lang } from "./demo-data.js";
import { Connections } from "./connections.js";

let instance: Connections | null = null;

/** The connections of this page. The language is that of the document, so that it follows the page. */
export function connections(): Connections {
  if (instance === null) {
    instance = new Connections({ storage: browserStorage(), lang });
    void instance.start();
  }
  return instance;
}

/** The language of the page. */
export function lang(): Lang {
  return document.documentElement.lang === "es" ? "es" : "en";
}

/** Storage, where it is not denied. */
function browserStorage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
