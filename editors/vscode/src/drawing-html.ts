/**
 * The document of the webview: the element of `stepgraph/embed`, and a script between it and the extension.
 *
 * The element has its page in memory, so the drawing needs no server, even on a remote machine.
 */

/** Addresses and sources that depend on the editor. */
export interface WebviewParts {
  /** The address of `index.js` of `stepgraph/embed`. */
  script: string;
  /** The source of the extension's files, for the policy. */
  source: string;
  nonce: string;
  theme: Theme;
  /** The editor's language. */
  language: string;
}

export type Theme = "light" | "dark";

/** The drawing connects to no server. */
function policyFor({ source, nonce }: WebviewParts): string {
  return [
    "default-src 'none'",
    `script-src ${source} 'nonce-${nonce}' blob: 'wasm-unsafe-eval'`,
    `style-src 'nonce-${nonce}' blob:`,
    "img-src data: blob:",
    "font-src data: blob:",
    "connect-src blob:",
    "worker-src blob:",
  ].join("; ");
}

export function drawingHtml(parts: WebviewParts): string {
  const { script, nonce, theme } = parts;
  const lang = parts.language.startsWith("es") ? "es" : "en";
  return `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyFor(parts)}">
<title>Drawing</title>
<style nonce="${nonce}">
html, body { height: 100%; margin: 0; padding: 0; overflow: hidden; }
</style>
</head>
<body>
<script type="module" nonce="${nonce}" src="${escapeAttribute(script)}"></script>
<script type="module" nonce="${nonce}">
const editor = acquireVsCodeApi();
const plan = document.createElement("stepgraph-plan");
for (const [name, value] of Object.entries(${JSON.stringify({ theme, lang, nonce, height: "100vh" })}))
  plan.setAttribute(name, value);
plan.addEventListener("change", () => editor.postMessage({ type: "change", text: plan.value }));
plan.addEventListener("stepgraph-select", ({ detail }) => editor.postMessage({ type: "select", ...detail }));
plan.addEventListener("stepgraph-error", ({ detail }) => editor.postMessage({ type: "error", reason: detail.reason }));
addEventListener("message", ({ data }) => {
  if (data?.type === "plan") {
    plan.setAttribute("name", data.name);
    plan.value = data.text;
    plan.isConnected || document.body.append(plan);
  } else if (data?.type === "cursor") plan.selectAt(data.offset);
  else if (data?.type === "theme") plan.setAttribute("theme", data.theme);
});
editor.postMessage({ type: "ready" });
</script>
</body>
</html>`;
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
