/** Imports scripts again that could not be loaded. */

/**
 * Returns a function that loads a script. `name` is one of its exports, which an empty file lacks.
 *
 * Browsers keep a script that they could read but not run, such as a server's page about an error, until the page is
 * loaded again. So a later attempt imports another address. Bundlers change the address in `load`, so it is taken from
 * its text. Both functions must be in the file of the caller, to which paths are relative.
 */
export function retrying<T extends object>(
  name: keyof T,
  load: () => T | Promise<T>,
  importPath: (path: string) => Promise<T>,
): () => T | Promise<T> {
  let failures = 0;
  return () => {
    const path = failures === 0 ? undefined : pathIn(load);
    const script = path === undefined ? load() : importPath(withQuery(path, `again=${failures}`));
    if (!(script instanceof Promise)) return script;
    return script
      .then((loaded) => {
        if (name in loaded) return loaded;
        throw new Error("its file is empty");
      })
      .catch((error: unknown) => {
        failures++;
        throw error;
      });
  };
}

/** Absent in a bundle of one file, and where a bundler loads scripts by itself. */
function pathIn(load: () => unknown): string | undefined {
  return /\bimport\(\s*(["'`])([^"'`]+)\1\s*\)/.exec(String(load))?.[2];
}

function withQuery(path: string, query: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${query}`;
}
