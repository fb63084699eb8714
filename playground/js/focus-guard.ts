/**
 * Keeps the keyboard focus in the page when an action removes, hides or disables the focused control, where browsers
 * give it to the body. The nearest control on the screen gets it, in the nearest part of the page that is left.
 *
 * Invariant: a user who leaves a control by a click beside it stays outside.
 */

const CONTROLS = "a[href], button, input, select, textarea, summary, [contenteditable=true], [tabindex='0']";

const GONE = ":disabled, [hidden], [hidden] *";

/** The focused control, then its ancestors. */
let trail: readonly Element[] = [];
let place: DOMRect | undefined;
let isDue = false;

export function guardFocus(): void {
  if (document.activeElement !== null && document.activeElement !== document.body) remember(document.activeElement);
  addEventListener("focusin", ({ target }) => remember(target as Element));
  addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget === null) afterFrames(forgetIfLeft);
  });
  new MutationObserver(() => {
    const control = trail[0];
    // Browsers take the focus from a disabled control a frame later.
    if (isDue || control === undefined || (control.isConnected && !control.matches(GONE))) return;
    isDue = true;
    afterFrames(restore);
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled", "hidden"] });
}

function remember(control: Element): void {
  trail = [];
  for (let at: Element | null = control; at !== null && at !== document.body; at = at.parentElement)
    trail = [...trail, at];
  place = control.getBoundingClientRect();
}

/** The page moves the focus itself in the next frame, where it knows better. */
function afterFrames(work: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(work));
}

function forgetIfLeft(): void {
  if (isFocusLost() && trail[0] !== undefined && isThere(trail[0])) trail = [];
}

function restore(): void {
  isDue = false;
  const [control, ...parts] = trail;
  if (control === undefined || isThere(control) || !document.hasFocus()) return;
  if (!isFocusLost() && document.activeElement !== control) return;
  for (const part of [...parts, document.body]) {
    const next = part.isConnected ? nearestControl(part) : undefined;
    if (next !== undefined) return next.focus({ preventScroll: true });
  }
}

function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function isThere(control: Element): boolean {
  return control.isConnected && !control.matches(":disabled") && control.checkVisibility();
}

function isUsable(control: Element): boolean {
  return !control.matches("[tabindex='-1']") && isThere(control);
}

function nearestControl(part: Element): HTMLElement | undefined {
  const usable = [...part.querySelectorAll<HTMLElement>(CONTROLS)].filter(isUsable);
  const distances = usable.map((control) => ({ control, distance: distance(control.getBoundingClientRect()) }));
  return distances.sort((one, other) => one.distance - other.distance)[0]?.control;
}

function distance(box: DOMRect): number {
  const { x, y, width, height } = place ?? box;
  return Math.hypot(box.x + box.width / 2 - x - width / 2, box.y + box.height / 2 - y - height / 2);
}
