/**
 * The drawing as a picture of points.
 *
 * Decides how large it is: two points for each of the drawing's, less where a browser could not hold it. The drawing
 * comes as SVG that stands alone, so the picture shows what the file would.
 *
 * Source: the limits of canvases in today's browsers: 16 384 points a side, and 268 million in all on the smallest.
 */
import { ShareError } from "./errors.js";

const MAX_SIDE = 16_384;
const MAX_AREA = 100_000_000;
const PIXEL_RATIO = 2;

/** How much larger than the drawing its picture is; null when it would be unreadable. */
export function scaleOf(width: number, height: number): number | null {
  const most = Math.min(PIXEL_RATIO, MAX_SIDE / width, MAX_SIDE / height, Math.sqrt(MAX_AREA / (width * height)));
  return width > 0 && height > 0 && most >= 0.1 ? most : null;
}

/** Width and height as an SVG says them. */
export function sizeOf(svg: string): { width: number; height: number } {
  const [, width = "", height = ""] = /^<svg [^>]*\bwidth="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  return { width: Number(width), height: Number(height) };
}

/** The picture. @throws {ShareError} `picture/large`, `picture/failed`. */
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

/** Puts a picture on the clipboard. @throws {ShareError} `clipboard/denied`. */
export async function copyPng(svg: string): Promise<void> {
  const blob = toPng(svg);
  try {
    // The promise itself, not what it gives: some browsers forget the click that asked for it while they wait.
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
  } catch (error) {
    await blob;
    throw error instanceof ShareError ? error : new ShareError("clipboard/denied");
  }
}
