/**
 * Exports PNG at scale 2 or less.
 *
 * Source: browsers allow 16 384 px per side and at least 268 million px.
 */
import { ShareError } from "./errors.js";

const MAX_SIDE = 16_384;
const MAX_AREA = 100_000_000;
const PIXEL_RATIO = 2;

/** Null if illegible. */
export function scaleOf(width: number, height: number): number | null {
  const most = Math.min(PIXEL_RATIO, MAX_SIDE / width, MAX_SIDE / height, Math.sqrt(MAX_AREA / (width * height)));
  return width > 0 && height > 0 && most >= 0.1 ? most : null;
}

export function sizeOf(svg: string): { width: number; height: number } {
  const [, width = "", height = ""] = /^<svg [^>]*\bwidth="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  return { width: Number(width), height: Number(height) };
}

/** @throws {ShareError} `picture/large`, `picture/failed`. */
export async function toPng(svg: string): Promise<Blob> {
  const { width, height } = sizeOf(svg);
  const scale = scaleOf(width, height);
  if (scale === null) throw new ShareError("picture/large");
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image(width, height);
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [Math.ceil(width * scale), Math.ceil(height * scale)];
    const context = canvas.getContext("2d");
    context?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (context === null || blob === null) throw new ShareError("picture/failed");
    return blob;
  } catch (error) {
    throw error instanceof ShareError ? error : new ShareError("picture/failed");
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** @throws {ShareError} `clipboard/denied`. */
export async function copyPng(svg: string): Promise<void> {
  const blob = toPng(svg);
  try {
    // Some browsers need the call in the click handler, so it gets a promise.
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
  } catch (error) {
    await blob;
    throw error instanceof ShareError ? error : new ShareError("clipboard/denied");
  }
}
