/**
 * The error codes of storage and sharing. The page has a message for each. Invariant: after an error the open plan is
 * unchanged.
 */

/** `playground/src/i18n/share.rs` has a message for each. */
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

/** `detail` is part of the message: a URL, a size or a reason. */
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

/** Returns `{"ok": …}` or `{"code", "detail"}`, because the page does not catch exceptions. */
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
