import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { pretend, serve } from "../sources/live/liveServer.ts";
import { useApp } from "./app.ts";
import { sharedBrowser } from "./chromium.ts";
import { tumZip } from "./recordings.ts";

// A link may come from anybody: the page connects to a server that a link names, or fetches from it, only after the user agrees.

const app = useApp();
const FOREIGN = "https://recordings.example";
const title = (page: Page) => page.locator("#masthead h1").textContent();

/** Every address that a page has requested. */
function asked(page: Page): string[] {
  const addresses: string[] = [];
  page.on("request", (request) => addresses.push(request.url()));
  page.on("websocket", (socket) => addresses.push(socket.url()));
  return addresses;
}

/** Another server, with a recording that pages of any origin may read. */
const withForeign = (page: Page) =>
  page.route(`${FOREIGN}/**`, (route) =>
    route.fulfill({ body: Buffer.from(tumZip(2)), headers: { "access-control-allow-origin": "*" } }),
  );

test("?source=ws://… connects after a click, keeps its token out of the address, and reconnects in the same tab", async () => {
  const { address } = await serve(pretend(20, 10), { token: "a-secret-of-mine" });
  let addresses: string[] = [];
  const it = await app.open(`backend=cpu&source=${encodeURIComponent(address)}`, async (page) => {
    addresses = asked(page);
  });
  const { page } = it;
  await page.getByText("This link opens the live stream ws://127.0.0.1").waitFor();
  expect(addresses.filter((url) => url.startsWith("ws"))).toEqual([]);
  await it.keep("link-stream");
  // The menu has a button "Connect", too.
  await page.locator("#messages").getByRole("button", { name: "Connect" }).click();
  // The title is the name that the server gives its stream.
  await expect.poll(() => title(page)).toBe("pretend");
  // The address names the stream before the #, and nowhere behind the #.
  await it.pause();
  expect(await page.evaluate(() => location.hash)).not.toMatch(/recording=|a-secret-of-mine/);
  await page.reload();
  await page.locator("#messages").getByRole("button", { name: "Connect" }).click();
  await expect.poll(() => title(page)).toBe("pretend");
});

test("?source=https://… of another server is fetched after a click", async () => {
  let addresses: string[] = [];
  const it = await app.open(`backend=cpu&source=${FOREIGN}/a/room.zip`, async (page) => {
    addresses = asked(page);
    await withForeign(page);
  });
  const { page } = it;
  await page.getByText(`This link opens a recording at recordings.example: ${FOREIGN}/a/room.zip`).waitFor();
  expect(addresses.filter((url) => url.startsWith(FOREIGN))).toEqual([]);
  await it.keep("link-foreign");
  await page.getByRole("button", { name: "Fetch" }).click();
  await expect.poll(() => title(page)).toBe("room.zip");
  expect(addresses.filter((url) => url.startsWith(FOREIGN))).toEqual([`${FOREIGN}/a/room.zip`]);
});

describe("npm run dev", () => {
  let server: ViteDevServer | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    const configFile = fileURLToPath(new URL("../../vite.config.ts", import.meta.url));
    const cacheDir = join(inject("builds"), "served");
    server = await createServer({ configFile, cacheDir, logLevel: "warn", server: { port: 0 } });
    await server.listen();
    browser = await sharedBrowser(["--disable-gpu-compositing"]);
  });
  afterAll(async () => {
    await server?.close();
  });

  const place = () => {
    const address = server?.httpServer?.address();
    if (!browser || !address || typeof address === "string") throw new Error("the server is there only inside a test");
    return { browser, url: `http://127.0.0.1:${address.port}` };
  };

  test("the page has its styles before a script has run", async () => {
    const { browser, url } = place();
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(url);
    expect(await page.locator("#view").evaluate((view) => getComputedStyle(view).position)).not.toBe("static");
    await page.close();
  });

  test("serves the page under the built page's policy, and the page works under it", async () => {
    const { browser, url } = place();
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(`${url}/?backend=cpu&source=none`);
    await page.locator("#transport .play").waitFor();
    const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
    expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; /);
    expect(policy).not.toContain("unsafe-inline");
    expect(policy).toContain("connect-src 'self' https: ws: wss: http://localhost:* http://127.0.0.1:*;");
    expect(complaints).toEqual([]);
    // An injected script does not run.
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "globalThis.ran = true";
      document.head.append(script);
      return "ran" in globalThis;
    });
    expect(ran).toBe(false);
    expect(complaints.join()).toMatch(/Content Security Policy/);
    await page.close();
  });
});

/** Puts a zip into a folder of the browser's own file system, and has the page's dialog choose it. */
async function choose(page: Page, folder: string, bytes: Uint8Array): Promise<void> {
  await page.evaluate(
    async ([name, data]) => {
      const home = await navigator.storage.getDirectory();
      const dir = await home.getDirectoryHandle(name, { create: true });
      const handle = await dir.getFileHandle("take.zip", { create: true });
      const out = await handle.createWritable();
      await out.write(new Uint8Array(data));
      await out.close();
      Object.assign(window, { showOpenFilePicker: async () => [handle] });
    },
    [folder, [...bytes]] as const,
  );
  await page.locator(".menu > summary").getByText("Open", { exact: true }).click();
  await page.getByRole("button", { name: "Recording…", exact: true }).click();
}

test("a reload opens the tab's own recording, though another tab has opened one of the same name, and a link asks which", async () => {
  const it = await app.open("backend=cpu&source=none#view=points");
  const { page } = it;
  const last = (tab: Page) =>
    expect.poll(() => tab.locator(".timeline input").getAttribute("max"), { timeout: 60_000 });
  await choose(page, "monday", tumZip(3));
  await it.named("take.zip");
  await last(page).toBe("2");
  const url = page.url().replace(/#.*/, "#governor=false&detail=0.25&view=points");
  const open = async (address: string) => {
    const [tab] = await Promise.all([
      page.context().waitForEvent("page"),
      page.evaluate((to) => void window.open(to, "_blank", "noopener"), address),
    ]);
    await tab.locator("#transport .play").waitFor();
    return tab;
  };
  const second = await open(url);
  await choose(second, "tuesday", tumZip(6));
  await last(second).toBe("5");
  for (const [tab, frames] of [
    [page, "2"],
    [second, "5"],
  ] as const) {
    await tab.reload();
    await last(tab).toBe(frames);
  }
  const link = await open(page.url());
  await link.getByText("This view shows take.zip: open or drop it to go on.").waitFor();
});
