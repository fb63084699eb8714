/**
 * `<stepgraph-plan>`: an interactive plan in any page.
 *
 * The plan is in Stepgraph's own page in a frame, so the two pages can't interfere. The page comes from a server
 * (`embed.ts`), or from memory (`embed-package.ts`). This script fetches the plan, so a file next to the embedding page
 * needs no CORS headers. Without scripts, readers see the content of the element.
 */

/** The `detail` of the event `stepgraph-error`. */
export interface PlanErrorDetail {
  /** `embed/plan-not-loaded`, `embed/page-not-loaded`, `embed/page-blocked`, or a code of the page. */
  code: string;
  /** What went wrong, as a sentence or a code. */
  reason: string;
  /** The address of a plan that could not be loaded. */
  src?: string;
}

/** The `detail` of the event `stepgraph-select`: the text of the selected node or edge, in UTF-16 units. */
export interface PlanSelectDetail {
  start: number;
  end: number;
}

declare global {
  interface HTMLElementTagNameMap {
    "stepgraph-plan": StepgraphPlan;
  }
  interface HTMLElementEventMap {
    "stepgraph-select": CustomEvent<PlanSelectDetail>;
    "stepgraph-error": CustomEvent<PlanErrorDetail>;
  }
}

/**
 * Stepgraph's page in memory.
 *
 * @internal
 */
export interface MemoryPage {
  /** The frame's script. It receives the files of each part. */
  readonly boot: string;
  readonly parts: readonly (() => Promise<{ files: Readonly<Record<string, string>> }>)[];
}

/** These attributes become parameters of the page's address. */
const PASSED_ATTRIBUTES = ["readonly", "run", "view", "theme", "lang"] as const;
const STYLE =
  ":host{display:block;height:420px;min-width:0}:host([hidden]){display:none}" +
  "iframe{display:block;box-sizing:border-box;width:100%;height:100%;border:1px solid #85879a;border-radius:8px}" +
  "p{margin:8px 0;font:14px/20px system-ui,sans-serif}";
/** What the page may do in its frame. */
const SANDBOX = "allow-scripts allow-forms allow-downloads allow-popups allow-popups-to-escape-sandbox";
const BLOCKED =
  "the content security policy of this site blocks it. Allow what Stepgraph's guide to embedding lists, or set the " +
  "attribute `page` to the address of Stepgraph's page";

/** On a server there are no elements. The module must load there, because frameworks render pages twice. */
const Base: typeof HTMLElement = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/**
 * The element `<stepgraph-plan>`.
 *
 * Attributes: `src` (address of the plan, whose text can also be in a `<script type="text/yaml">` or `<pre>` inside),
 * `name`, `readonly`, `run` (shows the run button), `view` (`drawing` or `text`), `theme` (`light` or `dark`), `lang`,
 * `height` (pixels or any CSS length), `page` (address of Stepgraph's page), `nonce`. Property: `value`, the text.
 * Events: `change`, `stepgraph-select`, `stepgraph-error`.
 */
export class StepgraphPlan extends Base {
  /** @internal */
  static readonly observedAttributes: readonly string[] = ["src", "name", "height", "page", ...PASSED_ATTRIBUTES];
  /**
   * The page's address for elements without the attribute `page`.
   *
   * @internal
   */
  static defaultPage: string | null = null;
  /**
   * The page for elements without an address.
   *
   * @internal
   */
  static memoryPage: MemoryPage | null = null;

  #frame: HTMLIFrameElement | null = null;
  #text: string | null = null;
  #edited: string | null = null;
  /** Whether the text comes from the property `value`, which a script may set before the element is in the page. */
  #isSet = false;
  #ready = false;
  #loadCount = 0;
  readonly #root: ShadowRoot = this.attachShadow({ mode: "open" });
  readonly #onMessage = (event: MessageEvent<unknown>): void => this.#receive(event);

  /** The plan's text, with the reader's changes. Set it to show another plan. */
  get value(): string {
    return this.#edited ?? this.#text ?? "";
  }

  /** Shows another plan. */
  set value(text: string) {
    // A plan that is still loading comes too late.
    this.#loadCount++;
    this.#isSet = true;
    this.#show(text);
  }

  /** Selects the node or the edge at an offset of the text, in UTF-16 units. */
  selectAt(offset: number): void {
    this.#post({ type: "cursor", offset });
  }

  /** @internal */
  connectedCallback(): void {
    addEventListener("message", this.#onMessage);
    this.#createFrame();
    if (!this.#isSet) void this.#load();
  }

  /** @internal */
  disconnectedCallback(): void {
    removeEventListener("message", this.#onMessage);
    this.#frame = null;
    this.#root.replaceChildren();
  }

  /** @internal */
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
    const frame = document.createElement("iframe");
    frame.loading = "lazy";
    frame.title = this.getAttribute("name") ?? this.getAttribute("aria-label") ?? "Stepgraph";
    [this.#frame, this.#ready] = [frame, false];
    const page = this.getAttribute("page") ?? StepgraphPlan.defaultPage;
    if (page !== null) this.#setAddress(frame, page);
    else if (!this.#setDocument(frame)) return;
    this.#root.replaceChildren(frame);
    this.#applyHeight();
  }

  #settings(): URLSearchParams {
    const settings = new URLSearchParams({ embed: "" });
    for (const name of PASSED_ATTRIBUTES)
      if (this.hasAttribute(name)) settings.set(name, this.getAttribute(name) ?? "");
    return settings;
  }

  /** The page has its own origin, and keeps it. */
  #setAddress(frame: HTMLIFrameElement, page: string): void {
    const url = new URL(page, document.baseURI);
    for (const [name, value] of this.#settings()) url.searchParams.set(name, value);
    frame.src = url.href;
    frame.setAttribute("sandbox", `${SANDBOX} allow-same-origin`);
    frame.allow = "clipboard-write";
  }

  /** The page has the site's policy, and an opaque origin: it can't reach the site. Returns whether it may start. */
  #setDocument(frame: HTMLIFrameElement): boolean {
    const page = StepgraphPlan.memoryPage;
    if (page === null || !allowsInlineScripts(this.nonce)) {
      this.#failPage("embed/page-blocked", BLOCKED);
      return false;
    }
    const settings = this.#settings().toString().replaceAll("&", "&amp;");
    const nonce = /^[\w+/=-]+$/.test(this.nonce ?? "") ? ` nonce="${this.nonce}"` : "";
    frame.srcdoc =
      `<!doctype html><html lang="en" data-settings="?${settings}"><head><meta charset="utf-8">` +
      `<meta name="viewport" content="width=device-width, initial-scale=1">` +
      `<meta name="color-scheme" content="light dark"><title>Stepgraph</title></head>` +
      `<body><script type="module"${nonce}>${page.boot}</script></body></html>`;
    frame.setAttribute("sandbox", SANDBOX);
    frame.allow = "clipboard-write *";
    return true;
  }

  async #sendFiles(frame: HTMLIFrameElement, page: MemoryPage): Promise<void> {
    const post = (message: object): void => frame.contentWindow?.postMessage({ stepgraph: 1, ...message }, "*");
    for (const load of page.parts) {
      try {
        const { files } = await load();
        post({ type: "files", files });
      } catch (error) {
        // The frame reports it: with the first part the page can't start, and with another one it can do less.
        post({ type: "files-failed", reason: messageOf(error) });
      }
    }
  }

  #applyHeight(): void {
    const height = this.getAttribute("height") ?? "";
    this.style.height = /^\d+$/.test(height) ? `${height}px` : height;
  }

  async #load(): Promise<void> {
    this.#isSet = false;
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
      if (count === this.#loadCount) this.#failPlan(src, messageOf(error));
    }
  }

  #failPlan(src: string, reason: string): void {
    const link = document.createElement("a");
    [link.href, link.textContent] = [src, src];
    this.#showError("The plan could not be loaded: ", link, ` (${reason})`);
    this.#report({ code: "embed/plan-not-loaded", reason, src });
  }

  /** The reader still sees the plan's text, if it is in the element. */
  #failPage(code: string, reason: string): void {
    this.#showError(`The plan can't be shown: ${reason}.`);
    this.#root.append(document.createElement("slot"));
    this.style.height = "auto";
    this.#report({ code, reason });
  }

  #showError(...content: (Node | string)[]): void {
    const alert = document.createElement("p");
    alert.setAttribute("role", "alert");
    alert.append(...content);
    this.#root.replaceChildren(alert);
    this.#frame = null;
  }

  #report(detail: PlanErrorDetail): void {
    this.dispatchEvent(new CustomEvent("stepgraph-error", { detail }));
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
    this.#post({ type: "plan", name, text: this.#edited ?? this.#text });
  }

  #post(message: object): void {
    if (!this.#ready || this.#frame === null) return;
    // An opaque origin has no name.
    const origin = this.#frame.src === "" ? "*" : new URL(this.#frame.src).origin;
    this.#frame.contentWindow?.postMessage({ stepgraph: 1, ...message }, origin);
  }

  #receive({ source, data }: MessageEvent<unknown>): void {
    if (this.#frame === null || source !== this.#frame.contentWindow || typeof data !== "object" || data === null)
      return;
    const { stepgraph, type, text, code, reason, start, end } = data as Record<string, unknown>;
    if (stepgraph !== 1) return;
    if (type === "boot" && StepgraphPlan.memoryPage) void this.#sendFiles(this.#frame, StepgraphPlan.memoryPage);
    else if (type === "boot-failed") this.#failPage("embed/page-not-loaded", String(reason));
    else if (type === "ready") {
      this.#ready = true;
      this.#sendPlan();
    } else if (type === "change" && typeof text === "string") {
      this.#edited = text;
      this.dispatchEvent(new Event("change", { bubbles: true }));
    } else if (type === "select" && typeof start === "number" && typeof end === "number") {
      const detail: PlanSelectDetail = { start, end };
      this.dispatchEvent(new CustomEvent("stepgraph-select", { detail }));
    } else if (type === "error") this.#report({ code: String(code), reason: String(code) });
  }
}

/**
 * Removes the indentation of the surrounding HTML.
 *
 * @internal
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A frame without an address has the policy of its parent, so a script here shows what that policy allows. */
function allowsInlineScripts(nonce: string): boolean {
  const mark = "stepgraphAllowed";
  const script = document.createElement("script");
  script.nonce = nonce;
  try {
    script.textContent = `document.currentScript.dataset.${mark}=""`;
    document.head.append(script);
  } catch {
    // Trusted types refuse the text.
  }
  script.remove();
  return mark in script.dataset;
}

/**
 * Does nothing on a server, or if the site has the element already.
 *
 * @internal
 */
export function definePlanElement(): void {
  if (globalThis.customElements?.get("stepgraph-plan") === undefined)
    globalThis.customElements?.define("stepgraph-plan", StepgraphPlan);
}
