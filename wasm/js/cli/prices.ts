/** The package's example prices, overridden by a file's. */
import { examplePrices, readYaml, type Prices } from "../node.js";
import { priceMistake } from "../package-internals.js";
import { Source } from "../terminal/diagnostics.js";
import { decode, displayName, readBytes } from "./io.js";
import { UsageError, type Arguments } from "./options.js";

/** Throws {@link UsageError} with the mistake's line. */
export function readPrices(args: Arguments): Prices {
  const file = args.single("prices");
  return file === undefined ? examplePrices : overExamples(readFile(file));
}

function readFile(file: string): Prices {
  const text = decode(readBytes(file));
  const name = displayName(file);
  const { value, diagnostics } = readYaml(text);
  const error = diagnostics.find(({ severity }) => severity === "error");
  if (error !== undefined) {
    const line = error.span ? `:${new Source(name, text).lineAt(error.span.start)}` : "";
    throw new UsageError(
      "cli/invalid-file",
      `${name}${line}: ${error.message}`,
      error.help ?? "write the prices as YAML",
    );
  }
  const mistake = priceMistake(value);
  if (mistake === null) return value as Prices;
  const { path, message, help } = mistake;
  const what = path.length === 0 ? "the file" : `\`${path.join(".")}\``;
  throw new UsageError("cli/invalid-file", `${name}:${lineOf(text, path)}: ${what}: ${message}`, help);
}

/** A file's price replaces each example it covers. */
function overExamples(own: Prices): Prices {
  const covers = (name: string) =>
    Object.keys(own.models ?? {}).some((key) =>
      key.endsWith("*") ? name.startsWith(key.slice(0, -1)) : key === name || `${key}*` === name,
    );
  const examples = Object.entries(examplePrices.models ?? {}).filter(([name]) => !covers(name));
  return { ...own, models: { ...Object.fromEntries(examples), ...own.models } };
}

/** The file parsed, so each key follows the one before. */
function lineOf(text: string, path: readonly string[]): number {
  let at = 0;
  for (const key of path) {
    const escaped = key.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const found = new RegExp(`(^|[{,\\n])\\s*["']?(${escaped})["']?\\s*:`, "g");
    found.lastIndex = at;
    const match = found.exec(text);
    if (match === null) break;
    at = match.index + match[0].indexOf(match[2]!);
  }
  return new Source("", text).lineAt(at);
}
