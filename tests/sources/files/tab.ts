import type { Browser, Page } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { afterAll, beforeAll, expect } from "vitest";
import { assembly } from "../../../config/assembly.ts";
import { wasm } from "../../../config/wasm.ts";
import { launchBrowser } from "../../browser/chromium.ts";

/**
 * A page of this folder in a browser, for the tests of one file: `tab.now` is there while they run. `readers` are packages that the server
 * has to know of. An error that the page does not catch fails the tests.
 */
export function usePage(page: string, readers: object = {}): { readonly now: Page } {
  const errors: string[] = [];
  let server: ViteDevServer;
  let browser: Browser;
  let now: Page;
  beforeAll(async () => {
    server = await createServer({
      configFile: false,
      logLevel: "error",
      plugins: [wasm(), assembly()],
      optimizeDeps: { ...readers, entries: [`tests/sources/files/${page}`] },
      server: { host: "127.0.0.1", port: 0, watch: null, hmr: false },
    });
    await server.listen();
    browser = await launchBrowser();
    now = await browser.newPage();
    now.on("pageerror", (error) => errors.push(error.message));
    await now.goto(`${server.resolvedUrls?.local[0]}tests/sources/files/${page}`);
    await now.waitForFunction(() => "page" in window);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    expect(errors).toEqual([]);
  });
  return {
    get now() {
      return now;
    },
  };
}
