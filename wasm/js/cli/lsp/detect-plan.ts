/**
 * Whether a file is a plan: editors hand over every YAML and JSON file there is.
 *
 * Decides by the language that the editor names, else by what stands in the file, and for a file without content by its
 * name.
 */

/** Whether a text in that language, in a file of that name, is a plan. */
export function isPlan(language: string, uri: string, text: string): boolean {
  if (/^stepgraph/i.test(language)) return true;
  if (isCompanionFile(uri)) return false;
  if (/^#.*\$schema=\S*stepgraph/m.test(text)) return true;
  if (/^\s*(#[^\n]*\s*)*$/.test(text)) return /[./]plan\.(ya?ml|json)$|\.stepgraph\.(ya?ml|json)$/i.test(uri);
  return /^\s*\{/.test(text) ? isJsonPlan(text) : isYamlPlan(text);
}

/** Stubs and catalogues stand beside plans. */
function isCompanionFile(uri: string): boolean {
  return /\.stubs\.(ya?ml|json)$|\/stepgraph\.tools\.json$/i.test(uri);
}

/**
 * A key `nodes` at the left edge, with a map or nothing yet behind it. Other programs have lists there; and what has an
 * `apiVersion` is Kubernetes'.
 */
function isYamlPlan(text: string): boolean {
  if (/^["']?apiVersion["']?\s*:/m.test(text)) return false;
  const nodes = /^(["']?)nodes\1[ \t]*:[ \t]*(.*)$/m.exec(text);
  if (!nodes) return false;
  const [head, , value = ""] = nodes;
  if (/^[^\s#&!{]/.test(value)) return false;
  const next = /^[ \t]*([^\s#].*)$/m.exec(text.slice(nodes.index + head.length));
  return value.startsWith("{") || next === null || !/^- |^-$/.test(next[1]!);
}

/** A key `nodes` with a map behind it that no other map holds, as far as a glance tells. */
function isJsonPlan(text: string): boolean {
  return topKeys(text, 200_000).some(([key, opens]) => key === "nodes" && opens === "{");
}

/** The keys of the outermost map with the first letter of their values, of so much of the text. */
function topKeys(text: string, max: number): [string, string][] {
  const found: [string, string][] = [];
  const tokens = /"((?:[^"\\\n]|\\.)*)"(\s*:\s*(\S)?)?|[{}[\]]/g;
  const head = text.slice(0, max);
  let depth = 0;
  for (let token = tokens.exec(head); token !== null; token = tokens.exec(head)) {
    const [whole, key, colon, opens = ""] = token;
    if (depth === 1 && key !== undefined && colon !== undefined) found.push([key, opens]);
    if (whole === "{" || whole === "[") depth++;
    if (whole === "}" || whole === "]") depth--;
    // The letter after a colon may itself open something.
    if (colon !== undefined && opens !== "") tokens.lastIndex--;
  }
  return found;
}
