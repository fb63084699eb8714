/**
 * `<stepgraph-plan>`: an interactive plan in any page.
 *
 * A frame separates Stepgraph's page from the site. It comes from a server (`embed.ts`) or memory
 * (`embed-package.ts`). This script fetches the plan, so files next to the page need no CORS. If scripts are off,
 * readers see the element's content.
 */

/** The `detail` of `stepgraph-error`. */
export interface PlanErrorDetail {
  /** `embed/plan-not-loaded`, `embed/page-not-loaded`, `embed/page-blocked`, or a page's code. */
  code: string;
  /** A sentence or a code. */
  reason: string;
  /** The unloaded plan's address. */
  src?: string;
}

/** The `detail` of `stepgraph-select`: the selected item's text, in UTF-16 units. */
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
  /** The frame's script, which receives the files. */
  readonly boot: string;
  readonly parts: readonly (() => Promise<{ files: Readonly<Record<string, string>> }>)[];
}

/** Passed as address parameters. */
const PASSED_ATTRIBUTES = ["readonly", "run", "view", "theme", "lang"] as const;
const STYLE =
  ":host{display:block;height:420px;min-width:0}:host([hidden]){display:none}" +
  "iframe{display:block;box-sizing:border-box;width:100%;height:100%;border:1px solid #85879a;border-radius:8px}" +
  "p{margin:8px 0;font:14px/20px system-ui,sans-serif}";
/** The frame's permissions. */
const SANDBOX = "allow-scripts allow-forms allow-downloads allow-popups allow-popups-to-escape-sandbox";
const BLOCKED =
  "the content security policy of this site blocks it. Allow what Stepgraph's guide to embedding lists, or set the " +
  "attribute `page` to the address of Stepgraph's page";
const NEEDS_TRUSTED_TYPES =
  "this site requires Trusted Types (`require-trusted-types-for`). Set the attribute `page` to the address of " +
  "Stepgraph's page";
/** Browsers word it differently if the policy blocks WebAssembly. */
const POLICY = /content security policy|\bCSP\b|unsafe-eval/i;

/** Servers have no elements, but frameworks load the module there. */
const Base: typeof HTMLElement = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/**
 * The element `<stepgraph-plan>`.
 *
 * Attributes: `src` (the plan's address, or put its text in a `<script type="text/yaml">` or `<pre>` inside), `name`,
 * `readonly`, `run` (shows the run button), `view` (`drawing` or `text`), `theme` (`light` or `dark`), `lang`,
 * `height` (pixels or a CSS length), `page` (Stepgraph's page), `nonce`. Property: `value`, the text. Events:
 * `change`, `stepgraph-select`, `stepgraph-error`.
 */
export class StepgraphPlan extends Base {
  /** @internal */
  static readonly observedAttributes: readonly string[] = ["src", "name", "height", "page", ...PASSED_ATTRIBUTES];
  /**
   * The default of `page`.
   *
   * @internal
   */
  static defaultPage: string | null = null;
  /**
   * The page without an address.
   *
   * @internal
   */
  static memoryPage: MemoryPage | null = null;

  #frame: HTMLIFrameElement | null = null;
  #text: string | null = null;
  #edited: string | null = null;
  /** Whether a script set `value`, perhaps before insertion. */
  #isSet = false;
  #ready = false;
  /** An upgraded element gets its attributes one by one before it is connected. */
  #connected = false;
  #loadCount = 0;
  readonly #root: ShadowRoot = this.attachShadow({ mode: "open" });
  readonly #onMessage = (event: MessageEvent<unknown>): void => this.#receive(event);

  /** The plan's text with the reader's changes. Set it to show another plan. */
  get value(): string {
    return this.#edited ?? this.#text ?? "";
  }

  /** Shows another plan. */
  set value(text: string) {
    // Drops a plan that is still loading.
    this.#loadCount++;
    this.#isSet = true;
    this.#show(text);
  }

  /** Selects the node or edge at an offset, in UTF-16 units. */
  selectAt(offset: number): void {
    this.#post({ type: "cursor", offset });
  }

  /** @internal */
  connectedCallback(): void {
    this.#connected = true;
    addEventListener("message", this.#onMessage);
    this.#createFrame();
    if (!this.#isSet) void this.#load();
  }

  /** @internal */
  disconnectedCallback(): void {
    this.#connected = false;
    removeEventListener("message", this.#onMessage);
    this.#frame = null;
    this.#root.replaceChildren();
  }

  /** @internal */
  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (!this.#connected || before === after) return;
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

  /** The page keeps its own origin. */
  #setAddress(frame: HTMLIFrameElement, page: string): void {
    const url = new URL(page, document.baseURI);
    for (const [name, value] of this.#settings()) url.searchParams.set(name, value);
    frame.src = url.href;
    frame.setAttribute("sandbox", `${SANDBOX} allow-same-origin`);
    frame.allow = "clipboard-write";
  }

  /** The opaque origin can't reach the site. Returns whether the site's policy lets the page start. */
  #setDocument(frame: HTMLIFrameElement): boolean {
    const page = StepgraphPlan.memoryPage;
    const reason = page === null ? BLOCKED : whyBlocked(this.nonce);
    if (page === null || reason !== null) {
      this.#failPage("embed/page-blocked", reason ?? BLOCKED);
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
        // The frame reports it: only the first part is needed to start.
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

  #failBoot(reason: string): void {
    if (POLICY.test(reason)) this.#failPage("embed/page-blocked", BLOCKED);
    else this.#failPage("embed/page-not-loaded", reason);
  }

  /** The element's text stays visible. */
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
    // Opaque origins have no name.
    const origin = this.#frame.src === "" ? "*" : new URL(this.#frame.src).origin;
    this.#frame.contentWindow?.postMessage({ stepgraph: 1, ...message }, origin);
  }

  #receive({ source, data }: MessageEvent<unknown>): void {
    if (this.#frame === null || source !== this.#frame.contentWindow || typeof data !== "object" || data === null)
      return;
    const { stepgraph, type, text, code, reason, start, end } = data as Record<string, unknown>;
    if (stepgraph !== 1) return;
    if (type === "boot" && StepgraphPlan.memoryPage) void this.#sendFiles(this.#frame, StepgraphPlan.memoryPage);
    else if (type === "boot-failed") this.#failBoot(String(reason));
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
 * Removes the surrounding HTML's indentation.
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

/** Returns why the site's policy blocks the page, or null. A frame inherits the policy, so a script here tests it. */
function whyBlocked(nonce: string): string | null {
  const mark = "stepgraphAllowed";
  const script = document.createElement("script");
  script.nonce = nonce;
  try {
    script.textContent = `document.currentScript.dataset.${mark}=""`;
  } catch {
    // The only reason to refuse a text.
    return NEEDS_TRUSTED_TYPES;
  }
  document.head.append(script);
  script.remove();
  return mark in script.dataset ? null : BLOCKED;
}

/**
 * Defines it once, and not on servers.
 *
 * @internal
 */
export function definePlanElement(): void {
  if (globalThis.customElements?.get("stepgraph-plan") === undefined)
    globalThis.customElements?.define("stepgraph-plan", StepgraphPlan);
}
