/** Plans as small pictures, from what `thumbnail.rs` says of them. */
import { s } from "./dom.js";

interface Box {
  place: string;
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
interface Line {
  path: string;
  from: string;
  to: string;
  label: string;
  failure: boolean;
}
interface Picture {
  area: [number, number, number, number];
  boxes: Box[];
  lines: Line[];
  frames: { at: [number, number, number, number]; name: string }[];
}

/** How a node fares. */
export type Fare = "running" | "done" | "failed";

/** A picture whose nodes and edges can be marked. */
export interface Sketch {
  element: SVGSVGElement;
  mark(place: string, fare: Fare): void;
  take(from: string, to: string): void;
  clear(): void;
}

const MARGIN = 16;

/** Draws it; `named` writes the names of nodes, large enough for a picture of half the size. */
export function sketch(json: string, name: string, named = false): Sketch {
  const {
    area: [x, y, width, height],
    boxes,
    lines,
    frames,
  } = JSON.parse(json) as Picture;
  const places = new Map<string, SVGGElement>();
  const ways = new Map<string, SVGPathElement>();
  const element = s("svg", {
    class: named ? "sketch named" : "sketch",
    viewBox: `${x - MARGIN} ${y - MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`,
    preserveAspectRatio: named ? "xMidYMin meet" : "xMidYMid meet",
    role: "img",
    "aria-label": name,
  });
  for (const box of boxes.filter(({ open }) => open)) element.append(shown(box, named, places));
  for (const {
    at: [fx, fy, w, h],
  } of frames)
    element.append(s("rect", { class: "frame", x: fx, y: fy, width: w, height: h, rx: 8 }));
  for (const line of lines) {
    const path = s("path", { class: line.failure ? "way failure" : "way", d: line.path });
    ways.set(`${line.from}\n${line.to}`, path);
    element.append(path, s("path", { class: "tip", d: tip(line.path) }));
  }
  for (const box of boxes.filter(({ open }) => !open)) element.append(shown(box, named, places));
  return {
    element,
    mark: (place, fare) => {
      const group = places.get(place);
      group?.classList.remove("running", "done", "failed");
      group?.classList.add(fare);
      const sign = group?.querySelector(".sign");
      if (sign) sign.textContent = { running: "…", done: "✓", failed: "!" }[fare];
    },
    take: (from, to) => ways.get(`${from}\n${to}`)?.classList.add("taken"),
    clear: () => {
      for (const group of places.values()) group.classList.remove("running", "done", "failed");
      for (const way of ways.values()) way.classList.remove("taken");
      for (const sign of element.querySelectorAll(".sign")) sign.textContent = "";
    },
  };
}

function shown(
  { place, title, at: [x, y, width, height], tint, ink, icon, open, start }: Box,
  named: boolean,
  places: Map<string, SVGGElement>,
): SVGGElement {
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
  if (named) {
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
    // The icon alone, in the middle: at this size letters are dust.
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
  places.set(place, group);
  return group;
}

/** An arrow's tip at the end of a path, which ends downwards or from a side. */
function tip(path: string): string {
  const numbers = path.match(/-?\d+(?:\.\d+)?/g)!.map(Number);
  const [ax, ay, x, y] = numbers.slice(-4) as [number, number, number, number];
  const length = Math.hypot(x - ax, y - ay) || 1;
  const [dx, dy] = [(x - ax) / length, (y - ay) / length];
  const [bx, by] = [x - dx * 10, y - dy * 10];
  return `M${x} ${y}L${bx - dy * 5} ${by + dx * 5}L${bx + dy * 5} ${by - dx * 5}z`;
}
