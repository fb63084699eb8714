/** The functions of the page that dialogs may call. `playground/src/page/js_dialogs.rs` has the other side. */
export interface PageApi {
  /** The text of the open plan. */
  text(): string;
  /** The stubs of the open plan, as the text of a stubs file. */
  standIns(): string;
  /** The diagram of a plan as JSON, or undefined if the text has none. */
  draw(text: string): string | undefined;
  /**
   * Opens a plan, with the cassette of a run if there is one. `shown` shows that run at once. `then` is called after
   * the plan is open. The page may first ask the user, who can cancel.
   */
  open(name: string, text: string, origin: string, then: () => void, cassette?: string, shown?: boolean): void;
  /** Adds a node that calls a tool: at the point where it was dropped, or after the selected node (`NaN`). */
  add(tool: string, x: number, y: number): boolean;
  /** Sets the host capabilities, as JSON. The plan is checked against them. */
  offer(offer: string): void;
  /** Announces a text to screen readers. */
  say(text: string): void;
}
