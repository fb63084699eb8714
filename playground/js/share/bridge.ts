/**
 * What the page's module imports of this folder: small things, and the way to the rest, which is loaded beside the
 * page's first picture.
 */

type ServiceModule = typeof import("./storage-service.js");
let loading: Promise<ServiceModule> | null = null;
let service: ServiceModule | null = null;
let embedded: typeof import("./embedded.js") | null = null;

function loadService(): Promise<ServiceModule> {
  return (loading ??= import("./storage-service.js").then((module) => (service = module)));
}

/** Sets up where plans are kept, and gives the plan to begin with: see `storage-service.ts`. */
export async function shareBegin(
  read: () => string,
  listener: (message: string) => void,
  keep: boolean,
  then: (answer: string) => void,
): Promise<void> {
  then(await (await loadService()).start(read, listener, keep));
}

/** The plan has changed. */
export function shareChanged(): void {
  service?.changed();
}

/** Asks for something by name: see `commands.ts`. */
export async function share(verb: string, args: string[], then: (answer: string) => void): Promise<void> {
  const { runCommand: ask } = await import("./commands.js");
  then(await ask(verb, args));
}

/** The page stands inside another: see `embedded.ts`. */
export async function embedBegin(text: () => string, take: (name: string, text: string) => void): Promise<void> {
  embedded = await import("./embedded.js");
  await embedded.start(text, take);
}

/** The plan of an embedded page has changed. */
export function embedChanged(): void {
  embedded?.changed();
}
