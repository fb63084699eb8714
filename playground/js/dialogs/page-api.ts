/** What the page lets its dialogs do; `playground/src/page/js_dialogs.rs` has the other side. */
export interface PageApi {
  /** The text of the plan that is open. */
  text(): string;
  /** What stands in for others in its runs, as the text of a stubs file. */
  standIns(): string;
  /** The picture of a plan as JSON, as `thumbnail.rs` writes it; undefined where a text is none. */
  draw(text: string): string | undefined;
  /**
   * Opens a plan of its own, with the recording of a run if there is one; that run is shown at once where `shown` says
   * so. `then` is called once it is open: a person may be asked before, and may stay.
   */
  open(name: string, text: string, origin: string, then: () => void, cassette?: string, shown?: boolean): void;
  /**
   * Adds a node that calls a tool, where it was dropped on the drawing, or else (`NaN`) after the one that is selected.
   */
  add(tool: string, x: number, y: number): boolean;
  /** Tells what is connected, as JSON, so that the plan is checked against it. */
  offer(offer: string): void;
  /** Says something to those who listen. */
  say(text: string): void;
}
