/**
 * What of connections outlasts the page.
 *
 * Decides that addresses and names are kept, and keys only of what a person has asked to have kept. Storage that is
 * denied or full loses nothing but that: the connections of this visit go on.
 */

/** A server as it is kept. `key` stands in it only when the person wanted that. */
export interface SavedServer {
  name: string;
  url: string;
  key?: string;
}

/** A model as it is kept. */
export interface SavedModel {
  name: string;
  provider: string;
  model: string;
  baseUrl?: string;
  key?: string;
}

/** What is kept. */
export interface SavedConnections {
  servers: SavedServer[];
  models: SavedModel[];
  demo: boolean;
}

/** The part of the browser's storage that is used. */
export interface KeyValueStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const STORAGE_KEY = "stepgraph connections";
const DEFAULTS: SavedConnections = { servers: [], models: [], demo: true };

/** What was kept; nothing where there is no such thing, or something else. */
export function loadConnections(storage: KeyValueStorage | null): SavedConnections {
  try {
    const found = JSON.parse(storage?.getItem(STORAGE_KEY) ?? "null") as Partial<SavedConnections> | null;
    const texts = (one: unknown, ...keys: string[]) =>
      typeof one === "object" &&
      one !== null &&
      keys.every((key) => typeof (one as Record<string, unknown>)[key] === "string");
    return {
      servers: (Array.isArray(found?.servers) ? found.servers : []).filter((one) => texts(one, "name", "url")),
      models: (Array.isArray(found?.models) ? found.models : []).filter((one) =>
        texts(one, "name", "provider", "model"),
      ),
      demo: found?.demo !== false,
    };
  } catch {
    return DEFAULTS;
  }
}

/** Keeps it; says whether that worked. */
export function saveConnections(storage: KeyValueStorage | null, saved: SavedConnections): boolean {
  try {
    if (storage === null) return false;
    storage.setItem(STORAGE_KEY, JSON.stringify(saved));
    return true;
  } catch {
    return false;
  }
}
