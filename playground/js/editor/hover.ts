/** Hover cards: problems with fixes, then documentation. */
import type { Extension } from "@codemirror/state";
import {
  activateHover,
  closeHoverTooltips,
  type Command,
  EditorView,
  hasHoverTooltips,
  hoverTooltip,
  keymap,
  type Tooltip,
} from "@codemirror/view";
import { editorMarkdown } from "../engine-messages.js";
import { toEditorChanges, toEditorOffset, toFileOffset } from "./line-endings.js";
import { renderMarkdown } from "./markdown.js";
import type { PaneHost } from "./pane.js";
import { type PlacedProblem, currentFix, problemsAt } from "./problems.js";
import type { LanguageService } from "./service.js";

export interface HoverCards {
  readonly extension: Extension;
  readonly show: Command;
}

export function hoverCards(host: PaneHost, service: LanguageService): HoverCards {
  async function hoverAt(view: EditorView, pos: number): Promise<Tooltip | null> {
    const { doc } = view.state;
    const hover = await service.request("hover", toFileOffset(doc, pos, host.lineEnding()));
    if (view.state.doc !== doc) return null;
    const problems = problemsAt(view.state, pos).slice(0, 5);
    if (problems.length === 0 && !hover) return null;
    const spans = [
      ...problems.map(({ from, to }) => ({ from, to })),
      ...(hover
        ? [
            {
              from: toEditorOffset(doc, hover.span.start, host.lineEnding()),
              to: toEditorOffset(doc, hover.span.end, host.lineEnding()),
            },
          ]
        : []),
    ];
    const [from, to] = [Math.max(...spans.map(({ from }) => from)), Math.min(...spans.map(({ to }) => to))];
    return {
      pos: Math.min(from, pos),
      end: Math.max(to, pos),
      above: true,
      create: (view) =>
        renderCard(view, host, problems, withoutProblems(problems, editorMarkdown(host.lang(), hover?.markdown ?? ""))),
    };
  }
  const hover = hoverTooltip(hoverAt, { hideOnChange: true, hoverTime: 350 });
  const dismiss: Command = (view) => {
    if (!hasHoverTooltips(view.state)) return false;
    view.dispatch({ effects: closeHoverTooltips });
    return true;
  };
  return {
    extension: [hover, keymap.of([{ key: "Escape", run: dismiss }])],
    show: (view) => {
      const pos = view.state.selection.main.head;
      activateHover(view, pos, 1, {
        tooltip: hover,
        until: ({ docChanged, selection }) => docChanged || selection !== undefined,
      });
      void hoverAt(view, pos).then((found) =>
        view.dispatch({
          effects: EditorView.announce.of(
            found ? cardText(found, view) : view.state.phrase("No information available"),
          ),
        }),
      );
      return true;
    },
  };
}

function cardText(found: Tooltip, view: EditorView): string {
  return found.create(view).dom.textContent ?? "";
}

/** Omits lines with codes, which the card shows already. */
function withoutProblems(problems: readonly PlacedProblem[], markdown: string): string {
  const isShown = (line: string): boolean => problems.some(({ code }) => line.startsWith(`**\`${code}\`**`));
  return markdown
    .split("\n")
    .filter((line) => !isShown(line))
    .join("\n")
    .trim()
    .replace(/^---\n/, "")
    .trim();
}

function renderCard(
  view: EditorView,
  host: PaneHost,
  problems: readonly PlacedProblem[],
  markdown: string,
): { dom: HTMLElement; mount: () => void; destroy: () => void } {
  const dom = document.createElement("div");
  dom.className = "text-card";
  for (const problem of problems) dom.append(renderProblem(view, host, problem));
  if (markdown !== "") {
    const more = document.createElement("div");
    more.className = "text-card-known";
    renderMarkdown(markdown, more);
    dom.append(more);
  }
  // The focus may be elsewhere.
  const dismiss = (event: KeyboardEvent): void => {
    if (event.key === "Escape") view.dispatch({ effects: closeHoverTooltips });
  };
  const mount = (): void => globalThis.addEventListener("keydown", dismiss, true);
  return { dom, mount, destroy: () => globalThis.removeEventListener("keydown", dismiss, true) };
}

function renderProblem(view: EditorView, host: PaneHost, problem: PlacedProblem): HTMLElement {
  const dom = document.createElement("div");
  dom.className = `text-card-problem is-${problem.severity}`;
  const message = document.createElement("p");
  const severity = document.createElement("strong");
  severity.textContent = view.state.phrase(problem.severity);
  const text = document.createElement("span");
  renderMarkdown(problem.message, text);
  message.append(severity, " ", ...(text.firstElementChild?.childNodes ?? []));
  dom.append(message);
  if (problem.help) {
    const help = document.createElement("div");
    help.className = "text-card-help";
    renderMarkdown(problem.help, help);
    dom.append(help);
  }
  if (currentFix(view.state, problem).length > 0 && !view.state.readOnly) {
    const fix = document.createElement("button");
    fix.type = "button";
    fix.textContent = view.state.phrase("Fix");
    fix.addEventListener("click", () => applyFix(view, host, problem));
    dom.append(fix);
  }
  return dom;
}

/** Requires that it still matches the text. */
export function applyFix(view: EditorView, host: PaneHost, problem: PlacedProblem): void {
  const fix = currentFix(view.state, problem);
  if (fix.length > 0)
    view.dispatch({ changes: toEditorChanges(fix, view.state.doc, host.lineEnding()), userEvent: "command.fix" });
  view.focus();
}
