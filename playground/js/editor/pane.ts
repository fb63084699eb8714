/**
 * Connects CodeMirror with the page's module.
 *
 * The page's changes move the cursor along and are not reported. The page has the only undo history.
 */
import { pasteScroll } from "./paste-scroll.js";
import { itemSelected } from "./selection-link.js";
import { bracketMatching } from "@codemirror/language";
import {
  Annotation,
  Compartment,
  EditorState,
  type Extension,
  Prec,
  type StateEffect,
  Transaction,
} from "@codemirror/state";
import {
  crosshairCursor,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  lineNumbers,
  rectangularSelection,
  scrollPastEnd,
} from "@codemirror/view";
import { highlighting } from "./highlighting.js";
import {
  toEditorChanges,
  toFileEdits,
  type LineEnding,
  lineEndingOf,
  toEditorOffset,
  toFileOffset,
  toText,
} from "./line-endings.js";
import { paneKeymap, type EditorAction } from "./keys.js";
import { foldingAndIndentation } from "./folding.js";
import { loadEngineMessages } from "../engine-messages.js";
import { onHostCapabilities } from "./host-capabilities.js";
import { notifyTyping } from "../share/typing-events.js";
import { describeChange, EditQueue } from "./edit-queue.js";
import { phrases } from "./i18n.js";
import { localizeProblem, type PlacedProblem, problems, setProblems } from "./problems.js";
import { selection } from "./selection.js";
import type { Edit, PaneListener, PaneOptions, Problem } from "./messages.js";
import type { PreviewState } from "./preview.js";
import { setLinkedRange, linkedRange } from "./linked-range.js";
import { status } from "./status.js";
import { tabKey } from "./tab-key.js";
import { allowStyles } from "./styles.js";
import { wrapping } from "./wrapping.js";

/** The page's changes. */
const pageChange = Annotation.define<"change" | "open">();

const PROBLEMS_DELAY_MS = 300;

/** Receives all changes. */
export interface TextListener {
  open(text: string): void;
  change(edits: Edit[]): void;
  setHost(host: string): void;
  close(): void;
}

export interface PaneHost {
  readonly view: EditorView;
  lineEnding(): LineEnding;
  lang(): string;
  listener: PaneListener;
  setTextListener(follower: TextListener): void;
  addExtension(extension: Extension): void;
}

export class TextPane implements PaneHost {
  readonly view: EditorView;
  readonly #queue: EditQueue;
  #lineEnding: LineEnding;
  #textListener: TextListener | null = null;
  #lang = "";
  #host = "";
  #loadedActions: Promise<(service: EditorAction) => void> | null = null;
  readonly #phrases = new Compartment();
  readonly #label = new Compartment();
  readonly #readOnly = new Compartment();
  readonly #wrapping = new Compartment();
  readonly #tabKey = new Compartment();
  readonly #extensionsLater = new Compartment();

  constructor(
    parent: HTMLElement,
    { text, lang, label, readOnly, wraps }: PaneOptions,
    readonly listener: PaneListener,
  ) {
    allowStyles();
    this.#lineEnding = lineEndingOf(text);
    this.#queue = new EditQueue(
      () => this.#lineEnding,
      () => this.view.state.doc,
      () => this.#deliver(),
    );
    this.view = new EditorView({
      parent,
      state: EditorState.create({ doc: toText(text), extensions: this.#extensions(lang, label, readOnly, wraps) }),
    });
    onHostCapabilities((host) => this.setHost(host));
    this.#useLanguage(lang);
    addEventListener("pagehide", this.#forgetScroll);
    const load = (): void => void this.#loadActions();
    for (const event of ["focusin", "pointerenter"]) this.view.dom.addEventListener(event, load, { once: true });
  }

  #extensions(lang: string, label: string, readOnly: boolean, wraps: boolean): Extension {
    return [
      paneKeymap(
        (service) => this.serve(service),
        (name) => this.listener("command", name),
      ),
      lineNumbers(),
      foldingAndIndentation,
      problems,
      highlighting,
      linkedRange,
      status,
      highlightActiveLine(),
      highlightActiveLineGutter(),
      highlightSpecialChars(),
      selection,
      dropCursor(),
      bracketMatching(),
      scrollPastEnd(),
      pasteScroll,
      rectangularSelection({ eventFilter: (event) => event.altKey && event.shiftKey }),
      crosshairCursor({ key: "Alt" }),
      EditorState.allowMultipleSelections.of(true),
      EditorView.clickAddsSelectionRange.of((event) => event.altKey),
      EditorState.languageData.of(() => [
        { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "[", "{", "'", '"'] } },
      ]),
      this.#phrases.of(EditorState.phrases.of(phrases(lang))),
      this.#label.of(contentAttributes(label)),
      this.#readOnly.of(EditorState.readOnly.of(readOnly)),
      this.#wrapping.of(wraps ? wrapping : []),
      this.#tabKey.of([]),
      this.#extensionsLater.of([]),
      EditorView.updateListener.of(({ transactions }) =>
        transactions.forEach((transaction) => this.#onTransaction(transaction)),
      ),
      // The browser's undo misses the page's changes.
      Prec.highest(
        EditorView.domEventHandlers({
          beforeinput: (event, view) => {
            if (event.inputType === "insertText" && event.data !== null && insertTyped(view, event.data)) {
              event.preventDefault();
              return true;
            }
            const back = /^history(Undo|Redo)$/.exec(event.inputType)?.[1];
            if (!back) return false;
            event.preventDefault();
            this.listener("command", back.toLowerCase());
            return true;
          },
        }),
      ),
    ];
  }

  #onTransaction(transaction: Transaction): void {
    const { docChanged, changes, startState, selection, state } = transaction;
    const source = transaction.annotation(pageChange);
    const isOwn = source === undefined;
    if (docChanged) {
      if (isOwn) {
        const { by, name } = describeChange({ userEvent: transaction.annotation(Transaction.userEvent) });
        this.#queue.add(changes, startState.doc, by, name);
        notifyTyping(() => state.sliceDoc().replaceAll("\n", this.#lineEnding), state.doc.length);
      }
      if (source !== "open") this.#textListener?.change(toFileEdits(changes, startState.doc, this.#lineEnding));
    } else if (selection && isOwn) {
      this.#queue.startGroup();
    }
    if (isOwn && (selection || docChanged) && state.selection.main.head !== startState.selection.main.head)
      this.#scheduleCursor();
  }

  #cursorTimer = 0;

  /** Reports a cursor at rest. */
  #scheduleCursor(): void {
    clearTimeout(this.#cursorTimer);
    this.#cursorTimer = setTimeout(() => {
      const { doc, selection } = this.view.state;
      this.#deliver();
      this.listener("cursor", String(toFileOffset(doc, selection.main.head, this.#lineEnding)));
    }, 150);
  }

  #deliver(): void {
    const typed = this.take();
    if (typed !== "") this.listener("typed", typed);
  }

  /** JSON, or empty. */
  take(): string {
    const typed = this.#queue.take();
    return typed ? JSON.stringify(typed) : "";
  }

  /** Needs an empty edit queue. */
  apply(json: string): void {
    const { doc } = this.view.state;
    const specs = toEditorChanges(JSON.parse(json) as Edit[], doc, this.#lineEnding);
    this.view.dispatch({ changes: specs, annotations: pageChange.of("change"), scrollIntoView: false });
  }

  open(text: string): void {
    this.#queue.take();
    const { state } = this.view;
    if (text === state.doc.sliceString(0, state.doc.length, this.#lineEnding)) return;
    this.#lineEnding = lineEndingOf(text);
    const opened = state.update({
      changes: { from: 0, to: state.doc.length, insert: toText(text) },
      selection: { anchor: 0 },
      annotations: pageChange.of("open"),
      effects: EditorView.scrollIntoView(0),
    });
    // A hidden view would render all lines.
    if (this.view.dom.checkVisibility()) this.view.dispatch(opened);
    else this.view.setState(opened.state);
    this.#textListener?.open(text);
  }

  #problemsJson = "[]";
  #problemsTimer = 0;

  /** Waits during typing: half a word is always wrong. */
  problems(json: string): void {
    this.#problemsJson = json;
    clearTimeout(this.#problemsTimer);
    const rest = this.#queue.idleIn(PROBLEMS_DELAY_MS);
    if (rest > 0) this.#problemsTimer = setTimeout(() => this.#showProblems(), rest);
    else this.#showProblems();
  }

  #showProblems(): void {
    const { doc } = this.view.state;
    const at = (offset: number, side: -1 | 1): number =>
      Math.min(this.#queue.map(toEditorOffset(doc, offset, this.#lineEnding), side), doc.length);
    const found = (JSON.parse(this.#problemsJson) as Problem[]).map((problem): PlacedProblem => {
      const from = at(problem.start, 1);
      return { ...localizeProblem(problem, this.#lang), from, to: Math.max(from, at(problem.end, -1)) };
    });
    this.view.dispatch({ effects: setProblems.of(found) });
  }

  #useLanguage(lang: string): void {
    if (lang === this.#lang) return;
    this.#lang = lang;
    void loadEngineMessages(lang).then(() => {
      if (lang === this.#lang && this.view.dom.isConnected) this.problems(this.#problemsJson);
    });
  }

  /** `mark` also scrolls. `focus` moves cursor and focus instead. */
  reveal(start: number, end: number, how: "here" | "mark" | "focus"): void {
    if (how !== "here") itemSelected(start, end);
    const {
      view,
      view: {
        state: { doc },
      },
    } = this;
    const [from, to] = [toEditorOffset(doc, start, this.#lineEnding), toEditorOffset(doc, end, this.#lineEnding)];
    const effects: StateEffect<unknown>[] = [setLinkedRange.of(how === "focus" ? null : { from, to })];
    if (how !== "here") {
      const isVisible = view.visibleRanges.some((range) => range.from <= from && range.to >= to);
      // Scrolling to a long line's end would hide its keys.
      effects.push(
        EditorView.scrollIntoView(from, isVisible ? { y: "nearest", yMargin: 20 } : { y: "start", yMargin: 60 }),
      );
    }
    // Typing keeps the cursor.
    const moves = how === "focus" || (how === "mark" && !view.hasFocus);
    view.dispatch({ effects, ...(moves ? { selection: { anchor: from } } : {}), annotations: pageChange.of("change") });
    if (how === "focus") view.focus();
  }

  unmark(): void {
    this.view.dispatch({ effects: setLinkedRange.of(null), annotations: pageChange.of("change") });
  }

  speak(lang: string, label: string): void {
    const phrased = this.#phrases.reconfigure(EditorState.phrases.of(phrases(lang)));
    const place = this.view.scrollSnapshot();
    this.view.dispatch({ effects: [phrased, this.#label.reconfigure(contentAttributes(label))] });
    // The next frame measures the lines again.
    requestAnimationFrame(() => this.view.dispatch({ effects: place }));
    this.#useLanguage(lang);
  }

  lock(readOnly: boolean): void {
    this.view.dispatch({ effects: this.#readOnly.reconfigure(EditorState.readOnly.of(readOnly)) });
  }

  /** JSON, for the language service. */
  setHost(host: string): void {
    this.#host = host;
    this.#textListener?.setHost(host);
  }

  serve(service: EditorAction): void {
    void this.#loadActions().then((serve) => serve(service));
  }

  focus(): void {
    this.view.focus();
  }

  /** Goes on where the user was in the preview. */
  resume({ scrollTop, hasFocus, selection, typed }: PreviewState): void {
    const { view } = this;
    const within = (offset: number): number => Math.min(offset, view.state.doc.length);
    if (selection) view.dispatch({ selection: { anchor: within(selection.anchor), head: within(selection.head) } });
    view.scrollDOM.scrollTop = scrollTop;
    if (hasFocus) view.focus();
    if (typed === "" || view.state.readOnly) return;
    view.dispatch(view.state.replaceSelection(typed), { userEvent: "input.type", scrollIntoView: true });
  }

  /** After a reload, Firefox restores the position before the pane has its full height, and shows an arbitrary line. */
  readonly #forgetScroll = ({ persisted }: PageTransitionEvent): void => {
    if (!persisted) this.view.scrollDOM.scrollTo(0, 0);
  };

  destroy(): void {
    removeEventListener("pagehide", this.#forgetScroll);
    this.#queue.take();
    clearTimeout(this.#cursorTimer);
    clearTimeout(this.#problemsTimer);
    this.#textListener?.close();
    this.view.destroy();
  }

  lineEnding(): LineEnding {
    return this.#lineEnding;
  }

  lang(): string {
    return this.#lang;
  }

  setTextListener(follower: TextListener): void {
    this.#textListener = follower;
    if (this.#host !== "") follower.setHost(this.#host);
  }

  addExtension(extension: Extension): void {
    this.view.dispatch({ effects: this.#extensionsLater.reconfigure(extension) });
  }

  #loadActions(): Promise<(service: EditorAction) => void> {
    return (this.#loadedActions ??= import("./language-features.js").then(({ languageFeatures }) =>
      languageFeatures(this),
    ));
  }

  tab(indents: boolean, hint: string): void {
    this.view.dispatch({ effects: this.#tabKey.reconfigure(tabKey.of({ indents, hint })) });
  }

  wrap(wraps: boolean): void {
    if (wraps !== this.view.lineWrapping)
      this.view.dispatch({ effects: this.#wrapping.reconfigure(wraps ? wrapping : []) });
  }
}

/** The page's hint says what Tab does. */
function contentAttributes(label: string): Extension {
  return EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": "text-hint", tabindex: "0" });
}

/** The browser would copy styles in an attribute, which the security policy forbids, and lay out letters twice. */
function insertTyped(view: EditorView, text: string): boolean {
  const { from, to, empty } = view.state.selection.main;
  if (view.composing || view.state.readOnly || (empty && !isCursorAt(view, from))) return false;
  const insert = (): Transaction =>
    view.state.update(view.state.replaceSelection(text), { userEvent: "input.type", scrollIntoView: true });
  if (!view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert)))
    view.dispatch(insert());
  return true;
}

/** Whether nothing is replaced. A late accent, for example, replaces its letter. */
function isCursorAt(view: EditorView, offset: number): boolean {
  const at = document.getSelection();
  return at?.focusNode != null && at.isCollapsed && view.posAtDOM(at.focusNode, at.focusOffset) === offset;
}
