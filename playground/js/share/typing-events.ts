/**
 * What is typed, told to whoever keeps plans before the page itself knows of it: the page takes it behind the next
 * frame, and may die before.
 */

/** The text as it would be saved, made when it is asked for; `length` says how long it is. */
export type TypingListener = (text: () => string, length: number) => void;

let subscriber: TypingListener | null = null;

/** From now on this one is told. */
export function onTyping(listener: TypingListener): void {
  subscriber = listener;
}

/** Something was typed. */
export const notifyTyping: TypingListener = (text, length) => subscriber?.(text, length);
