/** Highlights visible text, by semantic tokens later. */
import type { ChangeDesc, Extension, Range } from "@codemirror/state";
import { Prec, StateEffect } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { line, type TokenKind } from "./lexer.js";
import { LineStates } from "./line-states.js";

const mark = (name: string): Decoration => Decoration.mark({ class: name });
/** Unstyled punctuation gets no element, because each slows a frame. */
const kinds = [
  "key",
  "string",
  "number",
  "atom",
  "comment",
  "meta",
  "template",
] as const satisfies readonly TokenKind[];
const tokenMarks: { readonly [kind in TokenKind]?: Decoration } = Object.fromEntries(
  kinds.map((kind) => [kind, mark(`tok-${kind}`)]),
);
/** Styled by the lexer. */
const UNSTYLED_TOKENS = new Set(["key"]);

const lexerHighlighting = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    #states = new LineStates();

    constructor(view: EditorView) {
      this.decorations = this.#decorate(view);
    }

    update({ view, docChanged, viewportChanged, changes, startState }: ViewUpdate): void {
      if (docChanged) this.#states.change(changes, startState.doc, view.state.doc);
      if (docChanged || viewportChanged) this.decorations = this.#decorate(view);
    }

    #decorate({ visibleRanges, state: { doc } }: EditorView): DecorationSet {
      const found: Range<Decoration>[] = [];
      let done = 0;
      for (const { from, to } of visibleRanges) {
        const last = doc.lineAt(to).number;
        for (let number = Math.max(doc.lineAt(from).number, done + 1); number <= last; number++) {
          const { from: begin, text } = doc.line(number);
          line(text, this.#states.stateBefore(doc, number), (start, end, kind) => {
            const word = tokenMarks[kind];
            if (word && end > start) found.push(word.range(begin + start, begin + end));
          });
          done = number;
        }
      }
      return Decoration.set(found);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

/** Four numbers per token: start, end, kind, whether it defines a name. Editor offsets. */
export const setSemanticTokens = StateEffect.define<{ tokens: Uint32Array; kinds: readonly string[] }>();

/** Later changes move the tokens. */
const semanticHighlighting = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet = Decoration.none;
    #tokens = new Uint32Array();
    #marks: (Decoration | null)[] = [];
    #since: ChangeDesc | null = null;

    update({ view, docChanged, viewportChanged, changes, transactions }: ViewUpdate): void {
      if (docChanged) this.#since = this.#since?.composeDesc(changes) ?? changes.desc;
      const tokensEffect = transactions
        .flatMap(({ effects }) => effects)
        .findLast((effect) => effect.is(setSemanticTokens));
      if (tokensEffect) {
        this.#tokens = tokensEffect.value.tokens as Uint32Array<ArrayBuffer>;
        this.#marks = tokensEffect.value.kinds.map((kind) => (UNSTYLED_TOKENS.has(kind) ? null : mark(`is-${kind}`)));
        this.#since = null;
      }
      if (tokensEffect || viewportChanged) this.decorations = this.#decorate(view);
      else if (docChanged) this.decorations = this.decorations.map(changes);
    }

    #decorate({ visibleRanges, state }: EditorView): DecorationSet {
      const found: Range<Decoration>[] = [];
      const tokens = this.#tokens;
      const now = (at: number): number => Math.min(this.#since?.mapPos(at) ?? at, state.doc.length);
      for (const { from, to } of visibleRanges) {
        let [low, high] = [0, tokens.length / 4];
        while (low < high) {
          const middle = (low + high) >> 1;
          if (now(tokens[4 * middle + 1]!) < from) low = middle + 1;
          else high = middle;
        }
        for (let at = 4 * low; at < tokens.length; at += 4) {
          const [start, end] = [now(tokens[at]!), now(tokens[at + 1]!)];
          if (start > to) break;
          const decoration = this.#marks[tokens[at + 2]!];
          if (decoration && end > start) found.push(decoration.range(start, end));
        }
      }
      return Decoration.set(found);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

export const highlighting: Extension = [lexerHighlighting, Prec.high(semanticHighlighting)];
