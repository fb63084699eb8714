/** Reports typed text at once, in case the page closes before its module receives it. */

/** `length` is that of `text`. */
export type TypingListener = (text: () => string, length: number) => void;

let subscriber: TypingListener | null = null;

export function onTyping(listener: TypingListener): void {
  subscriber = listener;
}

export const notifyTyping: TypingListener = (text, length) => subscriber?.(text, length);
