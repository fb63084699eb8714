/** The page's functions for dialogs. `playground/src/page/js_dialogs.rs` is the other side. */
export interface PageApi {
  text(): string;
  /** A stubs file. */
  stubs(): string;
  /** JSON, or undefined if the text has no plan. */
  diagram(text: string): string | undefined;
  /** `shown` shows the cassette's run. `then` runs after opening, which the user may cancel. */
  open(name: string, text: string, origin: string, then: () => void, cassette?: string, shown?: boolean): void;
  /** Adds it at the drop, or after the selected node (`NaN`). */
  addTool(tool: string, x: number, y: number): boolean;
  /** JSON. */
  setHost(host: string): void;
  /** For screen readers. */
  announce(text: string): void;
}
