/** Functions for the page's module. The rest loads with the first frame. */

type ServiceModule = typeof import("./storage-service.js");
let loading: Promise<ServiceModule> | null = null;
let service: ServiceModule | null = null;
let embedded: typeof import("./embedded.js") | null = null;

function loadService(): Promise<ServiceModule> {
  return (loading ??= import("./storage-service.js").then((module) => (service = module)));
}

/** See `storage-service.ts`. */
export async function startStorage(
  read: () => string,
  listener: (message: string) => void,
  keep: boolean,
  then: (answer: string) => void,
): Promise<void> {
  then(await (await loadService()).start(read, listener, keep));
}

export function storedPlanChanged(): void {
  service?.changed();
}

/** See `commands.ts`. */
export async function runStorageCommand(verb: string, args: string[], then: (answer: string) => void): Promise<void> {
  const { runCommand: ask } = await import("./commands.js");
  then(await ask(verb, args));
}

/** See `embedded.ts`. */
export async function startEmbedding(text: () => string, take: (name: string, text: string) => void): Promise<void> {
  embedded = await import("./embedded.js");
  await embedded.start(text, take);
}

export function embeddedPlanChanged(): void {
  embedded?.changed();
}
