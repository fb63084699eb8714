/** Addresses of files that may have to be requested again. */

/** Returns another address after each attempt, because a cache may hold what was no module. */
export function retriedUrl(address: () => URL): () => URL {
  let attempts = 0;
  return () => {
    const url = address();
    // The address of an inlined file is the file.
    if (attempts > 0 && url.protocol !== "data:") url.searchParams.set("again", String(attempts));
    attempts++;
    return url;
  };
}
