/**
 * The error codes of storage, sharing, opening and export. The page has the messages in the user's language.
 *
 * Invariant: after such an error the open plan is unchanged.
 */

/** All codes. `playground/src/i18n/share.rs` has a message for each. */
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

export type ShareErrorCode = (typeof CODES)[number];

/** An error with a code. `detail` is part of the message: a URL, a size or a reason. */
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

/** Returns the result as JSON text, `{"ok": …}` or `{"code", "detail"}`, because the page does not catch exceptions. */
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
