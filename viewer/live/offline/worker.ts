// Keeps the app's own files, so that it opens without a network once it has been opened. Recordings never come by here: they
// are read from the disk.

/** Written by the build: every file of the app, and a name that changes with them. */
declare const FILES: readonly string[];
declare const NAME: string;

/** What a service worker has beside what pages have; the language's own types of the two do not go together. */
interface Lasting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Asking extends Event {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Scope {
  readonly location: Location;
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
    // A page that is open still asks for what it was built with: one build back stays.
    const names = (await caches.keys()).filter((name) => name.startsWith("depthloom ") && name !== NAME);
    for (const name of names.slice(0, -1)) await caches.delete(name);
  };
  event.waitUntil(sweep());
});

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== scope.location.origin) return;
  event.respondWith(request.mode === "navigate" ? fresh(request) : kept(request));
});

/** The page as it is now, where that can be had. */
async function fresh(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match("./", { ignoreVary: true })) ?? Response.error();
  }
}

/** A file's name changes with its content: what is kept is right, whatever else the server's answer varies with. */
async function kept(request: Request): Promise<Response> {
  return (await caches.match(request, { ignoreVary: true })) ?? fetch(request);
}
