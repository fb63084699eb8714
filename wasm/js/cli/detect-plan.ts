/**
 * Detects plans. Editors send every YAML and JSON file. Language id decides, then content, and for an empty file its
 * name.
 */

export function isPlan(language: string, uri: string, text: string): boolean {
  if (/^stepgraph/i.test(language)) return true;
  if (isCompanionFile(uri)) return false;
  if (/^#.*\$schema=\S*stepgraph/m.test(text)) return true;
  if (/^\s*(#[^\n]*\s*)*$/.test(text)) return /[./]plan\.(ya?ml|json)$|\.stepgraph\.(ya?ml|json)$/i.test(uri);
  return /^\s*\{/.test(text) ? isJsonPlan(text) : isYamlPlan(text);
}

function isCompanionFile(uri: string): boolean {
  return /\.stubs\.(ya?ml|json)$|\/stepgraph\.tools\.json$/i.test(uri);
}

/** `nodes` at column 0 with a map or no value yet. Elsewhere it is a list, and Kubernetes has `apiVersion`. */
function isYamlPlan(text: string): boolean {
  if (/^["']?apiVersion["']?\s*:/m.test(text)) return false;
  const nodes = /^(["']?)nodes\1[ \t]*:[ \t]*(.*)$/m.exec(text);
  if (!nodes) return false;
  const [head, , value = ""] = nodes;
  if (/^[^\s#&!{]/.test(value)) return false;
  const next = /^[ \t]*([^\s#].*)$/m.exec(text.slice(nodes.index + head.length));
  return value.startsWith("{") || next === null || !/^- |^-$/.test(next[1]!);
}

function isJsonPlan(text: string): boolean {
  return topKeys(text, 200_000).some(([key, opens]) => key === "nodes" && opens === "{");
}

/** Returns keys and their values' first characters. */
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
    // That character may open a container.
    if (colon !== undefined && opens !== "") tokens.lastIndex--;
  }
  return found;
}
