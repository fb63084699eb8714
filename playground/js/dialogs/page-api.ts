/** The functions of the page that dialogs may call. `playground/src/page/js_dialogs.rs` has the other side. */
export interface PageApi {
  text(): string;
  /** The stubs of the open plan, as the text of a stubs file. */
  stubs(): string;
  /** The diagram of a plan as JSON, or undefined if the text has none. */
  diagram(text: string): string | undefined;
  /**
   * `shown` shows the run of the cassette at once. `then` is called after the plan is open, which the user may cancel.
   */
  open(name: string, text: string, origin: string, then: () => void, cassette?: string, shown?: boolean): void;
  /** Adds a tool node where it was dropped, or after the selected node (`NaN`). */
  addTool(tool: string, x: number, y: number): boolean;
  /** Sets the host capabilities, as JSON. */
  setHost(host: string): void;
  /** Announces a text to screen readers. */
  announce(text: string): void;
}
