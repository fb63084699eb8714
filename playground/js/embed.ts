/**
 * `<stepgraph-plan>`: an interactive plan in any page.
 *
 * The plan runs in Stepgraph's own page in a frame, so the two pages can't interfere. This script fetches the plan, so
 * a file next to the embedding page needs no CORS headers. Without scripts, readers see the content of the element.
 *
 * Attributes: `src` (address of the plan, whose text can also be in a `<script type="text/yaml">` or `<pre>` inside),
 * `name`, `readonly`, `run` (shows the run button), `view` (`drawing` or `text`), `theme` (`light` or `dark`), `lang`,
 * `height` (pixels or any CSS length), `page` (address of Stepgraph's page). Property: `value`, the text. Events:
 * `change`, `stepgraph-error`.
 */

/** The page is one folder above this script. */
const PAGE = new URL("../", import.meta.url);
/** These attributes become parameters of the page's address. */
const PASSED_ATTRIBUTES = ["readonly", "run", "view", "theme", "lang"] as const;
const STYLE =
  ":host{display:block;height:420px;min-width:0}:host([hidden]){display:none}" +
  "iframe{display:block;width:100%;height:100%;border:1px solid #85879a;border-radius:8px}" +
  "p{margin:8px 0;font:14px/20px system-ui,sans-serif}";

export class StepgraphPlan extends HTMLElement {
  static readonly observedAttributes = ["src", "name", "height", "page", ...PASSED_ATTRIBUTES];

  #frame: HTMLIFrameElement | null = null;
  #text: string | null = null;
  #edited: string | null = null;
  #ready = false;
  #loadCount = 0;
  readonly #root = this.attachShadow({ mode: "open" });
  readonly #onMessage = (event: MessageEvent<unknown>): void => this.#receive(event);

  get value(): string {
    return this.#edited ?? this.#text ?? "";
  }

  set value(text: string) {
    this.#show(text);
  }

  connectedCallback(): void {
    addEventListener("message", this.#onMessage);
    this.#createFrame();
    void this.#load();
  }

  disconnectedCallback(): void {
    removeEventListener("message", this.#onMessage);
    this.#frame = null;
    this.#root.replaceChildren();
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (!this.isConnected || before === after) return;
    if (name === "src") void this.#load();
    else if (name === "height") this.#applyHeight();
    else this.#createFrame();
  }

  #createFrame(): void {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    this.#root.adoptedStyleSheets = [sheet];
    const url = new URL(this.getAttribute("page") ?? PAGE, document.baseURI);
    url.searchParams.set("embed", "");
    for (const name of PASSED_ATTRIBUTES)
      if (this.hasAttribute(name)) url.searchParams.set(name, this.getAttribute(name) ?? "");
    const frame = document.createElement("iframe");
    frame.src = url.href;
    frame.loading = "lazy";
    frame.title = this.getAttribute("name") ?? this.getAttribute("aria-label") ?? "Stepgraph";
    frame.setAttribute(
      "sandbox",
      "allow-scripts allow-same-origin allow-forms allow-downloads allow-popups allow-popups-to-escape-sandbox",
    );
    frame.allow = "clipboard-write";
    [this.#frame, this.#ready] = [frame, false];
    this.#root.replaceChildren(frame);
    this.#applyHeight();
  }

  #applyHeight(): void {
    const height = this.getAttribute("height") ?? "";
    this.style.height = /^\d+$/.test(height) ? `${height}px` : height;
  }

  async #load(): Promise<void> {
    const count = ++this.#loadCount;
    const src = this.getAttribute("src");
    if (src === null) {
      const inside = this.querySelector('script[type="text/yaml"], script[type="application/json"], pre, template');
      this.#show(
        dedent(
          (inside instanceof HTMLTemplateElement
            ? inside.content.textContent
            : (inside?.textContent ?? this.textContent)) ?? "",
        ),
      );
      return;
    }
    try {
      const response = await fetch(new URL(src, document.baseURI));
      if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
      const text = await response.text();
      if (count === this.#loadCount) this.#show(text);
    } catch (error) {
      if (count === this.#loadCount) this.#fail(src, error instanceof Error ? error.message : String(error));
    }
  }

  #fail(src: string, reason: string): void {
    const alert = document.createElement("p");
    alert.setAttribute("role", "alert");
    const link = document.createElement("a");
    [link.href, link.textContent] = [src, src];
    alert.append("The plan could not be loaded: ", link, ` (${reason})`);
    this.#root.replaceChildren(alert);
    this.#frame = null;
    this.dispatchEvent(new CustomEvent("stepgraph-error", { detail: { src, reason } }));
  }

  #show(text: string): void {
    [this.#text, this.#edited] = [text, null];
    if (this.#frame === null && this.isConnected) this.#createFrame();
    this.#sendPlan();
  }

  #sendPlan(): void {
    if (!this.#ready || this.#text === null || this.#frame === null) return;
    const name =
      this.getAttribute("name") ?? /[^/]*$/.exec(this.getAttribute("src") ?? "")?.[0].replace(/\.\w+$/, "") ?? "";
    this.#frame.contentWindow?.postMessage(
      { stepgraph: 1, type: "plan", name, text: this.#edited ?? this.#text },
      new URL(this.#frame.src).origin,
    );
  }

  #receive({ source, data }: MessageEvent<unknown>): void {
    if (this.#frame === null || source !== this.#frame.contentWindow || typeof data !== "object" || data === null)
      return;
    const { stepgraph, type, text, code } = data as Record<string, unknown>;
    if (stepgraph !== 1) return;
    if (type === "ready") {
      this.#ready = true;
      this.#sendPlan();
    } else if (type === "change" && typeof text === "string") {
      this.#edited = text;
      this.dispatchEvent(new Event("change", { bubbles: true }));
    } else if (type === "error") this.dispatchEvent(new CustomEvent("stepgraph-error", { detail: { reason: code } }));
  }
}

/** Removes the indentation of the surrounding HTML. */
export function dedent(text: string): string {
  const lines = text
    .replace(/^(?:[ \t]*\r?\n)+/, "")
    .replace(/\s+$/, "")
    .split(/\r?\n/);
  const depths = lines.filter((line) => line.trim() !== "").map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const depth = Math.min(...depths, Infinity);
  return Number.isFinite(depth) ? `${lines.map((line) => line.slice(depth)).join("\n")}\n` : "";
}

if (!customElements.get("stepgraph-plan")) customElements.define("stepgraph-plan", StepgraphPlan);
