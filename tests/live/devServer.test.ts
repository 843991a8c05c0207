import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createVite } from "vite";
import { expect, onTestFinished, test } from "vitest";
import { servedPage } from "../../config/page.ts";
import { useFolder } from "../sources/fixtures.ts";

const disk = useFolder();

test("the development server opens no file in the editor for a page of another origin, or for a program", async () => {
  const vite = await createVite({
    ...{ configFile: false, root: disk.root, logLevel: "silent", plugins: [servedPage()] },
    server: { middlewareMode: true, ws: false, hmr: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  });
  onTestFinished(() => vite.close());
  const server = createServer(vite.middlewares).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/__open-in-editor`;
  const asked = (site: string) => fetch(address, { headers: { "sec-fetch-site": site } });
  expect((await fetch(`${address}?file=none`)).status).toBe(403);
  expect((await asked("cross-site")).status).toBe(403);
  // Vite answers the page itself, here that no file was named.
  const own = await asked("same-origin");
  expect([own.status, await own.text()]).toEqual([500, expect.stringContaining('"file" is missing')]);
});
