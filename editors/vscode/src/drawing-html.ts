/** The document of the webview: one frame, and a script that passes messages between the page and the extension. */

/** Returns the address of the embedded page, with the editor's theme and language. */
export function pageAddress(page: string, theme: "light" | "dark", language: string): string {
  const url = new URL(page);
  url.searchParams.set("embed", "");
  url.searchParams.set("theme", theme);
  url.searchParams.set("lang", language.startsWith("es") ? "es" : "en");
  return url.href;
}

export function drawingHtml(address: string, nonce: string): string {
  const { origin } = new URL(address);
  const policy = `default-src 'none'; frame-src ${origin}; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Drawing</title>
<style nonce="${nonce}">
html, body { height: 100%; margin: 0; padding: 0; overflow: hidden; }
iframe { display: block; width: 100%; height: 100%; border: 0; }
</style>
</head>
<body>
<iframe title="Drawing of the plan" src="${escapeAttribute(address)}"
  sandbox="allow-scripts allow-same-origin allow-forms allow-downloads"></iframe>
<script nonce="${nonce}">
const editor = acquireVsCodeApi();
const frame = document.querySelector("iframe");
const origin = ${JSON.stringify(origin)};
addEventListener("message", ({ source, data }) => {
  if (source === frame.contentWindow) {
    if (data && data.stepgraph === 1) editor.postMessage({ type: data.type, text: data.text });
  } else if (data && data.type === "plan") {
    frame.contentWindow.postMessage({ stepgraph: 1, type: "plan", name: data.name, text: data.text }, origin);
  }
});
</script>
</body>
</html>`;
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
