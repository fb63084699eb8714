/** Renders paragraphs, lists, code and emphasis. It creates no HTML, links or images: some text is untrusted. */

export function renderMarkdown(markdown: string, into: HTMLElement): void {
  const lines = markdown.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const fence = /^(`{3,})/.exec(line)?.[1];
    if (fence) {
      const end = lines.findIndex((other, index) => index > at && other.startsWith(fence));
      const code = lines.slice(at + 1, end < 0 ? undefined : end);
      put(into, "pre").textContent = code.join("\n");
      at = end < 0 ? lines.length : end;
    } else if (/^\s*[-*] /.test(line)) {
      const list = into.lastElementChild?.tagName === "UL" ? (into.lastElementChild as HTMLElement) : put(into, "ul");
      inline(line.replace(/^\s*[-*] /, ""), put(list, "li"));
    } else if (/^(?:---|\*\*\*)$/.test(line)) {
      put(into, "hr");
    } else if (line.trim() !== "") {
      const begins = at === 0 || lines[at - 1]!.trim() === "" || into.lastElementChild?.tagName !== "P";
      const paragraph = begins ? put(into, "p") : (into.lastElementChild as HTMLElement);
      inline((begins ? "" : " ") + line.replace(/^#+ /, ""), paragraph);
    }
  }
}

function put(into: HTMLElement, tag: string): HTMLElement {
  const element = document.createElement(tag);
  into.append(element);
  return element;
}

function inline(text: string, into: HTMLElement): void {
  const pattern = /(`+)((?:.*?[^`])??)\1(?!`)|\*\*(.+?)\*\*|\\([!-/:-@[-`{-~])/g;
  let at = 0;
  for (const found of text.matchAll(pattern)) {
    into.append(text.slice(at, found.index));
    const [all, , code, strong, kept] = found;
    if (kept !== undefined) into.append(kept);
    else if (strong !== undefined) inline(strong, put(into, "strong"));
    else put(into, "code").textContent = code!.replace(/^ (.*) $/, "$1");
    at = found.index + all.length;
  }
  into.append(text.slice(at));
}
