/** Draws small diagrams from the JSON of `thumbnail.rs`. */
import { s } from "./dom.js";

interface ThumbnailNode {
  nodePath: string;
  title: string;
  detail: string;
  kind: string;
  at: [number, number, number, number];
  tint: string;
  ink: string;
  icon: string;
  open: boolean;
  start: boolean;
}
interface ThumbnailEdge {
  path: string;
  from: string;
  to: string;
  label: string;
  tag: [number, number, number, number];
  failure: boolean;
}
interface ThumbnailData {
  area: [number, number, number, number];
  boxes: ThumbnailNode[];
  lines: ThumbnailEdge[];
  frames: { at: [number, number, number, number]; name: string }[];
}

export type NodeStatus = "running" | "done" | "open" | "failed";

export interface Thumbnail {
  element: SVGSVGElement;
  /** Those that the diagram cuts. */
  longConditions: { from: string; to: string; condition: string }[];
  setStatus(nodePath: string, status: NodeStatus): void;
  markTaken(from: string, to: string): void;
  clear(): void;
  /** Points at one node, or at what is drawn of the nodes around it. */
  point(nodePath: string): void;
}

const MARGIN = 16;
const STATUSES: readonly NodeStatus[] = ["running", "done", "open", "failed"];

/** `nameOf` adds node names, readable at half size. It may translate a title. */
export function drawThumbnail(
  json: string,
  name: string,
  nameOf?: (title: string) => string,
  showsConditions = false,
): Thumbnail {
  const {
    area: [x, y, width, height],
    boxes,
    lines,
    frames,
  } = JSON.parse(json) as ThumbnailData;
  const groups = new Map<string, SVGGElement>();
  const paths = new Map<string, SVGPathElement>();
  const element = s("svg", {
    class: nameOf ? "thumbnail named" : "thumbnail",
    viewBox: `${x - MARGIN} ${y - MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`,
    preserveAspectRatio: nameOf ? "xMidYMin meet" : "xMidYMid meet",
    role: "img",
    "aria-label": name,
  });
  for (const box of boxes.filter(({ open }) => open)) element.append(drawNode(box, nameOf, groups));
  for (const {
    at: [fx, fy, w, h],
  } of frames)
    element.append(s("rect", { class: "frame", x: fx, y: fy, width: w, height: h, rx: 8 }));
  for (const line of lines) {
    const path = s("path", { class: line.failure ? "way failure" : "way", d: line.path });
    paths.set(`${line.from}\n${line.to}`, path);
    element.append(path, s("path", { class: "tip", d: arrowTip(line.path) }));
  }
  if (showsConditions)
    for (const line of lines.filter(({ label }) => label !== "")) element.append(drawCondition(line));
  for (const box of boxes.filter(({ open }) => !open)) element.append(drawNode(box, nameOf, groups));
  return {
    element,
    longConditions: lines
      .filter(({ label, tag }) => showsConditions && label.length > maxLetters(tag))
      .map(({ from, to, label }) => ({ from, to, condition: label })),
    setStatus: (nodePath, status) => {
      const group = groups.get(nodePath);
      group?.classList.remove(...STATUSES);
      group?.classList.add(status);
      const sign = group?.querySelector(".sign");
      if (sign) sign.textContent = { running: "…", done: "✓", open: "!", failed: "!" }[status];
    },
    markTaken: (from, to) => paths.get(`${from}\n${to}`)?.classList.add("taken"),
    point: (nodePath) => {
      for (const group of groups.values()) group.classList.remove("pointed");
      const parts = nodePath.split("/");
      const drawn = parts.map((_, at) => parts.slice(0, parts.length - at).join("/")).find((path) => groups.has(path));
      groups.get(drawn ?? "")?.classList.add("pointed");
      element.scrollIntoView({ block: "nearest" });
    },
    clear: () => {
      for (const group of groups.values()) group.classList.remove(...STATUSES);
      for (const path of paths.values()) path.classList.remove("taken");
      for (const sign of element.querySelectorAll(".sign")) sign.textContent = "";
    },
  };
}

function drawNode(
  { nodePath, title: ownTitle, at: [x, y, width, height], tint, ink, icon, open, start }: ThumbnailNode,
  nameOf: ((title: string) => string) | undefined,
  groups: Map<string, SVGGElement>,
): SVGGElement {
  const title = nameOf?.(ownTitle) ?? ownTitle;
  const rect = s("rect", {
    x,
    y,
    width,
    height,
    rx: 10,
    fill: open ? "none" : tint,
    stroke: ink,
    class: open ? "group" : start ? "start" : false,
  });
  const group = s("g", { class: "box" }, rect);
  if (nameOf) {
    const most = Math.max(3, Math.floor((width - 16) / 10.4));
    group.append(
      s(
        "text",
        { x: x + width / 2, y: open ? y + 24 : y + height / 2 + 6, fill: ink, class: "name" },
        title.length > most ? `${title.slice(0, most - 1)}…` : title,
      ),
    );
    group.append(s("text", { x: x + width - 4, y: y - 4, class: "sign" }));
  } else if (!open) {
    // Text would be illegible, so the icon is centered.
    const scale = Math.min(height / 26, 2.1);
    group.append(
      s("path", {
        d: icon,
        transform: `translate(${x + width / 2 - 10 * scale} ${y + height / 2 - 10 * scale}) scale(${scale})`,
        stroke: ink,
        class: "glyph",
      }),
    );
  }
  group.append(s("title", {}, title));
  groups.set(nodePath, group);
  return group;
}

function maxLetters([, , width]: ThumbnailEdge["tag"]): number {
  return Math.max(3, Math.floor((width - 8) / 7.3));
}

function drawCondition({ label, tag, failure }: ThumbnailEdge): SVGGElement {
  const [x, y, width, height] = tag;
  const most = maxLetters(tag);
  return s(
    "g",
    { class: failure ? "condition failure" : "condition" },
    s("rect", { x, y, width, height, rx: 7 }),
    s(
      "text",
      { x: x + width / 2, y: y + height / 2 + 5 },
      label.length > most ? `${label.slice(0, most - 1)}…` : label,
    ),
    s("title", {}, label),
  );
}

function arrowTip(path: string): string {
  const numbers = path.match(/-?\d+(?:\.\d+)?/g)!.map(Number);
  const [ax, ay, x, y] = numbers.slice(-4) as [number, number, number, number];
  const length = Math.hypot(x - ax, y - ay) || 1;
  const [dx, dy] = [(x - ax) / length, (y - ay) / length];
  const [bx, by] = [x - dx * 10, y - dy * 10];
  return `M${x} ${y}L${bx - dy * 5} ${by + dx * 5}L${bx + dy * 5} ${by - dx * 5}z`;
}
