/** Arithmetic of upper bounds. Unknown ones keep their reasons. */

import type { CostFigure } from "../cost-types.js";

export const ZERO: CostFigure = { most: 0 };
const MAX_REASONS = 5;

export function known(most: number): CostFigure {
  return { most };
}

export function unbounded(reason: string): CostFigure {
  return { most: null, kind: "unbounded", why: [reason] };
}

export function unknown(reason: string): CostFigure {
  return { most: null, kind: "unknown", why: [reason] };
}

export function add(a: CostFigure, b: CostFigure): CostFigure {
  return a.most === null || b.most === null ? openFigure(a, b) : known(a.most + b.most);
}

export function multiply(a: CostFigure, b: CostFigure): CostFigure {
  if (a.most === 0 || b.most === 0) return ZERO;
  return a.most === null || b.most === null ? openFigure(a, b) : known(a.most * b.most);
}

export function larger(a: CostFigure, b: CostFigure): CostFigure {
  return a.most === null || b.most === null ? openFigure(a, b) : known(Math.max(a.most, b.most));
}

/** Both bounds hold. */
export function smaller(a: CostFigure, b: CostFigure): CostFigure {
  if (a.most === null) return b.most === null ? a : b;
  return b.most === null ? a : known(Math.min(a.most, b.most));
}

/** Most plans repeat a few reasons, so equal figures are reused. */
function openFigure(a: CostFigure, b: CostFigure): CostFigure {
  if (b.most !== null) return a;
  if (a.most !== null || a === b) return b;
  const kind = a.kind === "unbounded" ? a.kind : b.kind;
  const more = a.why.length < MAX_REASONS ? b.why.filter((reason) => !a.why.includes(reason)) : [];
  if (kind === a.kind && more.length === 0) return a;
  return { most: null, kind, why: [...a.why, ...more].slice(0, MAX_REASONS) };
}
