/** The page's one set of connections, made when somebody first asks for it. */
import type { Lang } from "./demo-data.js";
import { Connections } from "./connections.js";

let here: Connections | null = null;

/** The connections of this page. The language is that of the document, so that it follows the page. */
export function connections(): Connections {
  if (here === null) {
    here = new Connections({ shelf: shelf(), lang });
    void here.begin();
  }
  return here;
}

/** The language of the page. */
export function lang(): Lang {
  return document.documentElement.lang === "es" ? "es" : "en";
}

/** Storage, where it is not denied. */
function shelf(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
