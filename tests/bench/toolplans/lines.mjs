/** Reading JSON lines: any file, whatever stands in it; what can't be used is told with its number and passed over. */
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { entry } from "./shapes.mjs";

/** The longest line that is read, in characters. */
const LONGEST = 64 * 1024 * 1024;

/**
 * Every entry of some files: `{id, tools, plan, faults, unknown, context, trusted}`, or `{skipped, why}` for a line
 * that is none. Lines end with a line feed, before which a carriage return may stand; a byte order mark and empty lines
 * mean nothing.
 */
export async function* entries(files) {
  for (const file of files) {
    let number = 0;
    for await (const line of lines(file)) {
      number += 1;
      if (line !== null && line.trim() === "") continue;
      const place = `${basename(file)}:${number}`;
      yield line === null ? { skipped: place, why: `longer than ${LONGEST} characters` } : read(line, place);
    }
  }
}

function read(line, place) {
  let json;
  try {
    json = JSON.parse(line);
  } catch (error) {
    return { skipped: place, why: `no JSON: ${error.message}` };
  }
  const found = entry(json, place);
  return typeof found === "string" ? { skipped: place, why: found } : found;
}

/**
 * The lines of a file; null for one that is too long. Not by `readline`, which also breaks lines within JSON texts, at
 * U+2028.
 */
async function* lines(file) {
  let [parts, length, first] = [[], 0, true];
  const keep = (part) => {
    length += part.length;
    if (length <= LONGEST) parts.push(part);
    else parts = [];
  };
  const take = () => {
    const line = length <= LONGEST ? parts.join("") : null;
    [parts, length] = [[], 0];
    return line;
  };
  for await (const chunk of createReadStream(file, "utf8")) {
    const pieces = (first ? chunk.replace(/^\uFEFF/, "") : chunk).split("\n");
    first = false;
    for (const [at, piece] of pieces.entries()) {
      keep(piece);
      if (at < pieces.length - 1) yield take();
    }
  }
  if (length > 0) yield take();
}
