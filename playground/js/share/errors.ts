/** Error codes of storage and sharing. Invariant: errors leave the plan unchanged. */

/** `playground/src/i18n/share.rs` has their messages. */
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

/** `detail` is part of the message. */
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

/** Returns `{"ok": …}` or `{"code", "detail"}`: the page catches no exceptions. */
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
