/** Connections saved in the browser, with keys only on request. If storage fails, they last for this visit. */

/** It has a `key` only on request. */
export interface SavedServer {
  name: string;
  url: string;
  key?: string;
}

export interface SavedModel {
  name: string;
  provider: string;
  model: string;
  baseUrl?: string;
  key?: string;
}

export interface SavedConnections {
  servers: SavedServer[];
  models: SavedModel[];
  demo: boolean;
}

export interface KeyValueStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const STORAGE_KEY = "stepgraph connections";
const DEFAULTS: SavedConnections = { servers: [], models: [], demo: true };

/** Ignores invalid data. */
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

export function saveConnections(storage: KeyValueStorage | null, saved: SavedConnections): boolean {
  try {
    if (storage === null) return false;
    storage.setItem(STORAGE_KEY, JSON.stringify(saved));
    return true;
  } catch {
    return false;
  }
}
