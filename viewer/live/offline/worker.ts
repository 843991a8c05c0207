// Stores the app's own files, so that the app opens without a network after its first visit. Recordings never pass through this worker,
// since the page reads them from the disk.

/** The build writes these: every file of the app, and a name that changes with the files. */
declare const FILES: readonly string[];
declare const NAME: string;

/** The members of a service worker's scope that a page lacks. TypeScript's own types of the two exclude each other. */
interface Lasting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Asking extends Event {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Scope {
  readonly location: Location;
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", listener: (event: Lasting) => void): void;
  addEventListener(type: "fetch", listener: (event: Asking) => void): void;
}
const scope = self as unknown as Scope;

scope.addEventListener("install", (event) => {
  const keep = async () => {
    const cache = await caches.open(NAME);
    await cache.addAll(["./", ...FILES]);
    await scope.skipWaiting();
  };
  event.waitUntil(keep());
});

scope.addEventListener("activate", (event) => {
  const sweep = async () => {
    // A page that is still open asks for the files that it was built with, so the build before this one stays.
    const names = (await caches.keys()).filter((name) => name.startsWith("depthloom ") && name !== NAME);
    for (const name of names.slice(0, -1)) await caches.delete(name);
    // The page that brought this worker may ask for more of its files once its server is gone.
    await scope.clients.claim();
  };
  event.waitUntil(sweep());
});

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== scope.location.origin) return;
  event.respondWith(request.mode === "navigate" ? fresh(request) : kept(request));
});

/** The newest page, or the stored one without a network. */
async function fresh(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch {
    return (await stored("./")) ?? Response.error();
  }
}

/** A stored file. A file's name changes with its content, so the stored content is right even if the server's answers vary. */
async function kept(request: Request): Promise<Response> {
  return (await stored(request)) ?? fetch(request);
}

/** A file of this build, else of the build before it. */
async function stored(request: Request | string): Promise<Response | undefined> {
  const how = { ignoreVary: true };
  return (await (await caches.open(NAME)).match(request, how)) ?? caches.match(request, how);
}
