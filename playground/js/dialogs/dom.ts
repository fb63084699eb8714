/** Creates elements. Invariant: no output of plans, tools or models is parsed as markup. */

/** Null, undefined and false are skipped. */
export type Child = Node | string | number | null | undefined | false | Child[];

/** Listeners are under `on`. False, null and undefined are omitted. */
export interface Props {
  on?: Record<string, (event: never) => void>;
  [name: string]: unknown;
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return applyProps(document.createElement(tag), props, children);
}

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return applyProps(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);
}

function applyProps<E extends Element>(element: E, { on = {}, ...props }: Props, children: Child[]): E {
  for (const [name, value] of Object.entries(props)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "value" || name === "checked") (element as unknown as Record<string, unknown>)[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener as EventListener);
  appendChildren(element, children);
  return element;
}

function appendChildren(element: Element, children: Child[]): void {
  for (const child of children) {
    if (Array.isArray(child)) appendChildren(element, child);
    else if (child !== null && child !== undefined && child !== false)
      element.append(typeof child === "number" ? String(child) : child);
  }
}

export function setChildren(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  appendChildren(element, children);
}

/** Moves the focus to `element` if it would be lost with the old children, or was lost before. */
export function setChildrenAndFocus(element: HTMLElement, ...children: Child[]): void {
  const focused = document.activeElement;
  const loses = focused === null || focused === document.body || element.contains(focused);
  setChildren(element, ...children);
  if (!loses) return;
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

let count = 0;

export function uniqueId(stem: string): string {
  return `${stem}-${++count}`;
}
