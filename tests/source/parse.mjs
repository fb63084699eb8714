/**
 * Reads texts with another YAML parser, for the Rust tests in `tests/src/second_parser.rs`.
 *
 * Standard input is a JSON list of texts. Standard output is a JSON list with `{ value }` or `{ error }` for each.
 */
import { text } from "node:stream/consumers";
// `yaml` shares no code with our parser or with libyaml, has had releases for nine years and has the ISC licence. It
// also refuses most lines that are indented too little inside brackets, which parsers on crates.io accept.
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
