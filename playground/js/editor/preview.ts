/**
 * Shows the plan's text until the editor is there.
 *
 * The editor has 100 kB. A visitor who only looks does not need them. The preview looks like the editor, takes the
 * focus, and keeps what is typed while the editor loads.
 */
import { indentClass } from "./indent.js";
import { line, PLAIN } from "./lexer.js";
import type { PaneOptions } from "./messages.js";

/** What the user did before the editor was there. Offsets are UTF-16 units with one unit for each line ending. */
export interface PreviewState {
  readonly scrollTop: number;
  readonly hasFocus: boolean;
  /** Null if nothing is selected. */
  readonly selection: { readonly anchor: number; readonly head: number } | null;
  readonly typed: string;
}

export class TextPreview {
  readonly #root: HTMLElement;
  readonly #scroller: HTMLElement;
  readonly #content: HTMLElement;
  #typed = "";

  constructor(parent: HTMLElement, { text, label, wraps }: PaneOptions) {
    this.#content = element("div", `cm-content${wraps ? " cm-lineWrapping" : ""}`);
    const name = { "aria-label": label, "aria-describedby": "text-hint" };
    const attributes = { role: "textbox", "aria-multiline": "true", ...name, tabindex: "0" };
    const typing = { contenteditable: "true", spellcheck: "false", autocapitalize: "off", autocorrect: "off" };
    for (const [name, value] of Object.entries({ ...attributes, ...typing })) this.#content.setAttribute(name, value);
    this.#content.append(...highlightedLines(text));
    this.#content.addEventListener("beforeinput", (event) => this.#keep(event, event.data));
    this.#content.addEventListener("paste", (event) => this.#keep(event, event.clipboardData?.getData("text/plain")));
    this.#scroller = element("div", "cm-scroller", this.#content);
    const status = element("div", "cm-panels cm-panels-bottom", element("div", "text-status"));
    this.#root = element("div", "cm-editor text-preview", this.#scroller, status);
    parent.append(this.#root);
  }

  /** Removes the preview. */
  close(): PreviewState {
    const state = {
      scrollTop: this.#scroller.scrollTop,
      hasFocus: document.activeElement === this.#content,
      selection: this.#selection(),
      typed: this.#typed,
    };
    this.#root.remove();
    return state;
  }

  #keep(event: Event, typed: string | null | undefined): void {
    event.preventDefault();
    this.#typed += typed ?? "";
  }

  #selection(): PreviewState["selection"] {
    const { anchorNode = null, anchorOffset = 0, focusNode = null, focusOffset = 0 } = document.getSelection() ?? {};
    if (!this.#content.contains(anchorNode) || !this.#content.contains(focusNode)) return null;
    return { anchor: this.#offsetOf(anchorNode!, anchorOffset), head: this.#offsetOf(focusNode!, focusOffset) };
  }

  #offsetOf(node: Node, offset: number): number {
    const before = document.createRange();
    before.setStart(this.#content, 0);
    before.setEnd(node, offset);
    const lines = [...before.cloneContents().childNodes].map(({ textContent }) => textContent ?? "");
    return lines.join("\n").length;
  }
}

function element(tag: string, name: string, ...children: Node[]): HTMLElement {
  const made = document.createElement(tag);
  made.className = name;
  made.append(...children);
  return made;
}

function highlightedLines(text: string): HTMLElement[] {
  let state = PLAIN;
  const lines = text.split(/\r\n?|\n/).map((text) => {
    const parts: (string | Node)[] = [];
    let done = 0;
    state = line(text, state, (from, to, kind) => {
      if (kind === "mark" || to <= from) return;
      if (from > done) parts.push(text.slice(done, from));
      parts.push(element("span", `tok-${kind}`, new Text(text.slice(from, to))));
      done = to;
    });
    const shown = element("div", `cm-line ${indentClass(text)}`);
    if (done < text.length) parts.push(text.slice(done));
    // An empty box has no height.
    shown.append(...(text === "" ? [document.createElement("br")] : parts));
    return shown;
  });
  lines[0]!.classList.add("cm-activeLine");
  return lines;
}
