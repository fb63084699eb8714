/**
 * What the page's module imports of this folder: small things, and the way to the rest, which is loaded beside the
 * page's first picture.
 */

type ServiceModule = typeof import("./storage-service.js");
let place: Promise<ServiceModule> | null = null;
let here: ServiceModule | null = null;
let guest: typeof import("./embedded.js") | null = null;

function loaded(): Promise<ServiceModule> {
  return (place ??= import("./storage-service.js").then((module) => (here = module)));
}

/** Sets up where plans are kept, and gives the plan to begin with: see `storage-service.ts`. */
export async function shareBegin(
  read: () => string,
  tell: (told: string) => void,
  keep: boolean,
  then: (answer: string) => void,
): Promise<void> {
  then(await (await loaded()).begin(read, tell, keep));
}

/** The plan has changed. */
export function shareChanged(): void {
  here?.changed();
}

/** Asks for something by name: see `commands.ts`. */
export async function share(verb: string, args: string[], then: (answer: string) => void): Promise<void> {
  const { share: ask } = await import("./commands.js");
  then(await ask(verb, args));
}

/** The page stands inside another: see `embedded.ts`. */
export async function embedBegin(text: () => string, take: (name: string, text: string) => void): Promise<void> {
  guest = await import("./embedded.js");
  await guest.begin(text, take);
}

/** The plan of an embedded page has changed. */
export function embedChanged(): void {
  guest?.changed();
}
