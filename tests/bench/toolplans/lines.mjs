/** Reads JSON lines from any file. An unusable line is reported with its number and skipped. */
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { entry } from "./shapes.mjs";

/** The maximum length of a line, in characters. */
const LONGEST = 64 * 1024 * 1024;

/**
 * Yields every entry of the files: `{id, tools, plan, faults, unknown, context, trusted}`, or `{skipped, why}` for an
 * unusable line. Lines end with LF or CRLF. A byte order mark and empty lines are ignored.
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
 * Yields the lines of a file, or null for a line that is too long. `readline` does not work here: it also breaks lines
 * at U+2028, inside JSON texts.
 */
async function* lines(file) {
  let [parts, length, first] = [[], 0, true];
  const append = (part) => {
    length += part.length;
    if (length <= LONGEST) parts.push(part);
    else parts = [];
  };
  const takeLine = () => {
    const line = length <= LONGEST ? parts.join("") : null;
    [parts, length] = [[], 0];
    return line;
  };
  for await (const chunk of createReadStream(file, "utf8")) {
    const pieces = (first ? chunk.replace(/^\uFEFF/, "") : chunk).split("\n");
    first = false;
    for (const [at, piece] of pieces.entries()) {
      append(piece);
      if (at < pieces.length - 1) yield takeLine();
    }
  }
  if (length > 0) yield takeLine();
}
