/**
 * What is typed, told to whoever keeps plans before the page itself knows of it: the page takes it behind the next
 * frame, and may die before.
 */

/** The text as it would be saved, made when it is asked for; `length` says how long it is. */
export type TypingListener = (text: () => string, length: number) => void;

let hear: TypingListener | null = null;

/** From now on this one is told. */
export function onWriting(listener: TypingListener): void {
  hear = listener;
}

/** Something was typed. */
export const writing: TypingListener = (text, length) => hear?.(text, length);
