import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { build, type PreviewServer, preview } from "vite";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { sharedBrowser } from "../chromium.ts";
import { type Plug, plugIn } from "./plug.ts";

/** Flags for three fake cameras, the second with 16 bits. `answer` is the reply to the browser's question: "" for yes, or "=deny". */
export const fakeCameras = (answer: "" | "=deny" = ""): string[] => [
  "--use-fake-device-for-media-stream=device-count=3,fps=30",
  `--use-fake-ui-for-media-stream${answer}`,
  "--disable-gpu-compositing",
];

/** Builds page.ts and opens it, for the tests of one file, in a browser with fake cameras. */
export function useMediaPage(more: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), "depthloom-media-"));
  let server: PreviewServer | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    const root = fileURLToPath(new URL(".", import.meta.url));
    const shared = { configFile: false, root, logLevel: "warn", build: { outDir: folder, emptyOutDir: true } } as const;
    await build(shared);
    const where = { preview: { host: "127.0.0.1", port: 0 } };
    [server, browser] = await Promise.all([
      preview({ ...shared, ...where }),
      sharedBrowser([...fakeCameras(), ...more]),
    ]);
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  /** A page whose console must stay empty: Chromium warns there when a read-back has to wait for the GPU. */
  return async (plug: Plug = {}, by = browser): Promise<Page> => {
    if (!by || !server) throw new Error("the browser is there only inside a test");
    const tab = await by.newPage();
    const complaints: string[] = [];
    tab.on("pageerror", (error) => complaints.push(error.message));
    tab.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
    onTestFinished(async () => {
      await tab.close();
      expect(complaints).toEqual([]);
    });
    await tab.addInitScript(plugIn, plug);
    await tab.goto(server.resolvedUrls?.local[0] ?? "");
    await tab.waitForFunction(() => "page" in window);
    return tab;
  };
}
