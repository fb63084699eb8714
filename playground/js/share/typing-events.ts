/**
 * Reports typed text to the storage service before the page's module receives it after the next frame, in case the page
 * closes before.
 */

/** `text` returns the text to save, `length` is its length. */
export type TypingListener = (text: () => string, length: number) => void;

let subscriber: TypingListener | null = null;

/** Sets the listener. */
export function onTyping(listener: TypingListener): void {
  subscriber = listener;
}

export const notifyTyping: TypingListener = (text, length) => subscriber?.(text, length);
