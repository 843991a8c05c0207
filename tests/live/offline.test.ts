import { expect, onTestFinished, test, vi } from "vitest";

// The service worker that keeps the app's files for a visit without a network.

/** A script without exports, which TypeScript takes for no module. */
const WORKER = "../../viewer/live/offline/worker.ts";

type Listener = (event: object) => void;

test("without a network the newest build that was stored is shown, though the build before it is kept", async () => {
  const stored = new Map<string, Map<string, string>>();
  const matchIn = (files: Map<string, string> | undefined, file: string) => files?.get(file);
  const caches = {
    async open(name: string) {
      const files = stored.get(name) ?? new Map<string, string>();
      stored.set(name, files);
      const addAll = async (added: readonly string[]) => added.map((file) => files.set(file, `${file} of ${name}`));
      return { addAll, match: async (file: string) => matchIn(files, file) };
    },
    keys: async () => [...stored.keys()],
    delete: async (name: string) => stored.delete(name),
    match: async (file: string) => [...stored.values()].flatMap((files) => matchIn(files, file) ?? [])[0],
  };
  const offline = async () => {
    throw new TypeError("offline");
  };
  onTestFinished(() => void vi.unstubAllGlobals());
  for (const [name, value] of Object.entries({ caches, fetch: offline, FILES: [] })) vi.stubGlobal(name, value);
  const claimed: string[] = [];
  const visited: (() => unknown)[] = [];
  for (const build of ["depthloom one", "depthloom two"]) {
    const on = new Map<string, Listener>();
    const addEventListener = (type: string, listener: Listener) => on.set(type, listener);
    const clients = { claim: async () => void claimed.push(build) };
    vi.stubGlobal("self", { location: { origin: "http://a" }, clients, skipWaiting: async () => {}, addEventListener });
    vi.stubGlobal("NAME", build);
    vi.resetModules();
    await import(/* @vite-ignore */ WORKER);
    const done = (type: string, event: object) =>
      new Promise((take) => on.get(type)?.({ ...event, waitUntil: take, respondWith: take }));
    for (const type of ["install", "activate"]) await done(type, {});
    visited.push(() => done("fetch", { request: { method: "GET", mode: "navigate", url: "http://a/" } }));
  }
  // The page that brought a worker asks it for files, too.
  expect([[...stored.keys()], claimed]).toEqual([claimed, ["depthloom one", "depthloom two"]]);
  expect(await visited[1]?.()).toBe("./ of depthloom two");
});
