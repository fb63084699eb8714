/**
 * What can go wrong when plans are kept, shared, opened and exported: a code for each, which the page words in the
 * person's language.
 *
 * Decides the codes and nothing else. Invariant: whatever fails here leaves what is open as it was.
 */

/** What went wrong. `playground/src/i18n/share.rs` has a sentence for each. */
export const CODES = [
  "link/cut",
  "link/changed",
  "link/version",
  "link/garbage",
  "link/large",
  "link/empty",
  "storage/denied",
  "storage/full",
  "storage/newer",
  "storage/gone",
  "storage/failed",
  "clipboard/denied",
  "clipboard/empty",
  "file/unreachable",
  "file/refused",
  "file/large",
  "file/binary",
  "file/missing",
  "file/address",
  "picture/large",
  "picture/failed",
  "import/failed",
] as const;

/** One of the codes. */
export type ShareErrorCode = (typeof CODES)[number];

/** Something that went wrong. `detail` is for the sentence: an address, a size, a reason. */
export class ShareError extends Error {
  readonly code: ShareErrorCode;
  readonly detail: string;

  constructor(code: ShareErrorCode, detail = "") {
    super(detail === "" ? code : `${code}: ${detail}`);
    this.name = "ShareError";
    this.code = code;
    this.detail = detail;
  }
}

/** The answer as JSON text, `{"ok": …}` or `{"code", "detail"}`: the page reads no exceptions. */
export async function toJsonResult(work: () => unknown): Promise<string> {
  try {
    return JSON.stringify({ ok: (await work()) ?? null });
  } catch (error) {
    const { code, detail } =
      error instanceof ShareError
        ? error
        : new ShareError("storage/failed", error instanceof Error ? error.message : String(error));
    return JSON.stringify({ code, detail });
  }
}
