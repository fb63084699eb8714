/** The planner at work: its plan as a picture, and what happens in its run, on the picture and as lines. */
import type { TraceEvent } from "stepgraph/web";
import { fill, h } from "./dom.js";
import type { PageApi } from "./page-api.js";
import { learned } from "./stage-summary.js";
import { sketch, type Thumbnail } from "./thumbnail.js";
import { t } from "./i18n.js";

export interface PlanningView {
  page: PageApi;
  close: () => void;
  flow: HTMLElement;
  log: HTMLElement;
  told: HTMLElement;
  email: HTMLInputElement;
  drawn: Thumbnail | null;
}

/** The planner's own plan. */
export function draw(stage: PlanningView, source: string): void {
  fill(stage.log);
  const json = stage.page.draw(source);
  stage.drawn = json === undefined ? null : sketch(json, t("picture", t("planner")), true);
  fill(stage.flow, stage.drawn?.element);
}

/** What happens in a run, on its picture and as lines. */
export function follow({ drawn, log }: PlanningView, event: TraceEvent): void {
  if (!("node" in event) || ("scope" in event && event.scope)) return;
  const { node } = event;
  if (event.type === "node-started")
    for (const [before, text] of learned(node, event.input))
      [...log.children]
        .findLast((line) => (line as HTMLElement).dataset.node === before)
        ?.lastElementChild?.replaceChildren(text);
  if (event.type === "node-started") drawn?.mark(node, "running");
  else if (event.type === "node-failed") drawn?.mark(node, "failed");
  else if (event.type === "edge-decided" && event.to !== null) drawn?.take(event.from, event.to);
  else if (event.type === "node-completed") drawn?.mark(node, "done");
  if (event.type !== "node-completed" && event.type !== "node-failed") return;
  const said = event.type === "node-failed" ? event.message : brief(event.output);
  log.append(
    h(
      "li",
      { class: event.type === "node-failed" ? "failed" : "done", "data-node": node },
      h("code", {}, node),
      event.visit > 1 && ` ×${event.visit}`,
      h("span", {}, said),
    ),
  );
  log.lastElementChild?.scrollIntoView({ block: "nearest" });
}

export function brief(value: unknown): string {
  const message = (value as { message?: unknown } | null | undefined)?.message;
  const text =
    typeof value === "string" ? value : typeof message === "string" ? message : (JSON.stringify(value) ?? "");
  return text.length > 140 ? `${text.slice(0, 139)}…` : text;
}
