/**
 * `<stepgraph-plan>`: a plan in any page, as a drawing that its readers can look at, edit and run.
 *
 * Decides by isolation: the plan is shown by Stepgraph's own page in a frame, so that neither styles nor scripts of one
 * reach the other, and this script stays small. The plan itself is fetched here, by the page that names it, so a file
 * beside that page needs no leave from anybody. What is in the element before it is shown stays there for those without
 * scripts.
 *
 * Attributes: `src` the plan's address (or its text in a `<script type="text/yaml">` or `<pre>` inside), `name`,
 * `readonly`, `run` shows the run button, `view` `drawing` or `text`, `theme` `light` or `dark`, `lang`, `height` in
 * pixels or any CSS length, `page` where Stepgraph's page is. Property `value` is the plan's text; the event `change`
 * says that it was edited, `stepgraph-error` that something went wrong.
 */

/** Where the page is: one folder above this script. */
const PAGE = new URL("../", import.meta.url);
/** What is handed on to the page in its address. */
const PASSED_ATTRIBUTES = ["readonly", "run", "view", "theme", "lang"] as const;
const STYLE =
  ":host{display:block;height:420px;min-width:0}:host([hidden]){display:none}" +
  "iframe{display:block;width:100%;height:100%;border:1px solid #85879a;border-radius:8px}" +
  "p{margin:8px 0;font:14px/20px system-ui,sans-serif}";

/** A plan in a page. */
export class StepgraphPlan extends HTMLElement {
  static readonly observedAttributes = ["src", "name", "height", "page", ...PASSED_ATTRIBUTES];

  #frame: HTMLIFrameElement | null = null;
  #text: string | null = null;
  #edited: string | null = null;
  #ready = false;
  #loadCount = 0;
  readonly #root = this.attachShadow({ mode: "open" });
  readonly #onMessage = (event: MessageEvent<unknown>): void => this.#receive(event);

  /** The plan's text, as it stands now. */
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

  /** Says what is missing where the plan would be. */
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

/**
 * A text without the blank lines around it, and without what all its lines are indented by: it stands in a page that is
 * indented.
 */
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
