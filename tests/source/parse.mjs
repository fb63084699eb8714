/**
 * Reads texts with another YAML parser, for `tests/src/second_parser.rs`.
 *
 * Reads a JSON list of texts, and writes one of `{ value }` or `{ error }`.
 */
import { text } from "node:stream/consumers";
// `yaml` shares no code with our parser or libyaml, has had releases for nine years and has the ISC licence. It also
// refuses most lines that are indented too little inside brackets, unlike parsers on crates.io.
import { parseDocument } from "yaml";

function read(source) {
  const document = parseDocument(source, { logLevel: "silent" });
  const [error] = document.errors;
  if (error !== undefined) return { error: error.message };
  try {
    return { value: document.toJS({ maxAliasCount: -1 }) ?? null };
  } catch (problem) {
    return { error: String(problem) };
  }
}

process.stdout.write(JSON.stringify(JSON.parse(await text(process.stdin)).map(read)));
