/** Reports typed text to the storage service at once, in case the page closes before its module receives the text. */

/** `text` returns the text to save, `length` is its length. */
export type TypingListener = (text: () => string, length: number) => void;

let subscriber: TypingListener | null = null;

export function onTyping(listener: TypingListener): void {
  subscriber = listener;
}

export const notifyTyping: TypingListener = (text, length) => subscriber?.(text, length);
