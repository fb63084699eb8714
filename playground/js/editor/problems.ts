/** Underlines problems, with navigation and fixes. */
import { type EditorState, type Extension, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, type Command, WidgetType } from "@codemirror/view";
import { engineMessage } from "../engine-messages.js";
import type { Edit, Problem } from "./messages.js";

/** Editor offsets. The fix refers to the reported text. */
export interface PlacedProblem extends Problem {
  readonly from: number;
  readonly to: number;
}

interface ProblemsState {
  readonly all: readonly PlacedProblem[];
  readonly decorations: DecorationSet;
  /** The text is unchanged since the report. */
  readonly current: boolean;
}

const MAX_SHOWN = 2_000;
const RANK = { error: 0, warning: 1, hint: 2 } as const;

export const setProblems = StateEffect.define<readonly PlacedProblem[]>();

/** Marks a problem without length, such as a missing word. */
class EmptyProblemWidget extends WidgetType {
  constructor(readonly severity: string) {
    super();
  }

  override eq(other: EmptyProblemWidget): boolean {
    return other.severity === this.severity;
  }

  override toDOM(): HTMLElement {
    const spot = document.createElement("span");
    spot.className = `problem-spot is-${this.severity}`;
    return spot;
  }
}

const marks = Object.fromEntries(
  ["error", "warning", "hint"].map((severity) => [severity, Decoration.mark({ class: `problem is-${severity}` })]),
);
const emptyMarks = Object.fromEntries(
  ["error", "warning", "hint"].map((severity) => [
    severity,
    Decoration.widget({ widget: new EmptyProblemWidget(severity), side: 1 }),
  ]),
);

const field = StateField.define<ProblemsState>({
  create: () => ({ all: [], decorations: Decoration.none, current: true }),
  update(value, { docChanged, changes, effects, state }) {
    const problemsEffect = effects.findLast((effect) => effect.is(setProblems));
    if (problemsEffect)
      return { all: problemsEffect.value, decorations: decorate(problemsEffect.value, state), current: true };
    if (!docChanged) return value;
    const all = value.all.map((found) => ({
      ...found,
      from: changes.mapPos(found.from, 1),
      to: changes.mapPos(found.to, -1),
    }));
    return { all, decorations: value.decorations.map(changes), current: false };
  },
  provide: (field) => EditorView.decorations.from(field, ({ decorations }) => decorations),
});

function decorate(all: readonly PlacedProblem[], { doc }: EditorState): DecorationSet {
  const found: Range<Decoration>[] = [];
  for (const { from, to, severity } of all.slice(0, MAX_SHOWN)) {
    // Underlines one line, for readability.
    const end = Math.min(to, doc.lineAt(from).to);
    found.push(end > from ? marks[severity]!.range(from, end) : emptyMarks[severity]!.range(from));
  }
  return Decoration.set(found, true);
}

/** Returns the problem in the language of the page. */
export function localizeProblem(problem: Problem, lang: string): Problem {
  const { code, message, help } = problem;
  const local = (text: string): string => engineMessage(lang, code, text);
  return { ...problem, message: local(message), help: help === null ? null : local(help) };
}

/** Most severe first. */
export function problemsAt(state: EditorState, from: number, to = from): PlacedProblem[] {
  const here = state.field(field).all.filter((found) => found.from <= to && found.to >= from);
  return here.sort((a, b) => RANK[a.severity] - RANK[b.severity] || a.from - b.from);
}

/** Empty if the text has changed. */
export function currentFix(state: EditorState, { fix }: PlacedProblem): readonly Edit[] {
  return state.field(field).current ? fix : [];
}

export function goToProblem(forwards: boolean, then: (view: EditorView) => void): Command {
  return (view) => {
    const { all } = view.state.field(field);
    const at = view.state.selection.main.head;
    const order = [...all].sort((a, b) => a.from - b.from);
    const next = forwards
      ? (order.find(({ from }) => from > at) ?? order[0])
      : (order.findLast(({ from }) => from < at) ?? order.at(-1));
    if (!next) return false;
    view.dispatch({
      selection: { anchor: next.from },
      effects: EditorView.scrollIntoView(next.from, { y: "nearest", yMargin: 60 }),
      userEvent: "select",
    });
    then(view);
    return true;
  };
}

export const problems: Extension = field;
