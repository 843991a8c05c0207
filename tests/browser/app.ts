import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { type Plugin, type PreviewServer, preview } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { AppPage, SCREENSHOTS, SMALL } from "./appPage.ts";
import { built, builtOnce } from "./build.ts";
import { endSharedBrowsers, sharedBrowser } from "./chromium.ts";

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const configFile = root("vite.config.ts");

/** The built app in a headless browser. */
export interface App {
  /** The option of the page's address that selects the adapter under test. */
  readonly adapter: string;
  /**
   * Opens the app in a page of its own, which is closed at the end of the test; `query` is the address's query, perhaps with settings
   * behind
   * a #; `prepare` is called before anything is loaded.
   */
  open(query: string, prepare?: (page: Page) => Promise<unknown>): Promise<AppPage>;
}

/**
 * If the stages run on the CPU, Chromium composes the page there as well: with a software GPU the same tests take three times as long.
 * WebGPU's own pictures would stay blank.
 */
const WITHOUT_GPU = "--disable-gpu-compositing";

/**
 * Builds the app and serves it, for the tests of one file, to the shared browser of each backend. `plugin` can change the build,
 * `flags` are flags of the browsers. A test that fails ends its browser, so that nothing that hangs or plays on reaches the next test.
 */
export function useApp(plugin?: Plugin, flags: readonly string[] = []): App {
  let server: PreviewServer | undefined;
  const opened = new Set<AppPage>();
  const browserFor = (query: string) =>
    sharedBrowser(query.includes("backend=cpu") ? [...flags, WITHOUT_GPU] : [...flags]);
  beforeAll(async () => {
    const outDir = plugin ? await built(plugin) : await builtOnce();
    server = await preview({ configFile, preview: { port: 0 }, build: { outDir } });
    mkdirSync(SCREENSHOTS, { recursive: true });
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") {
      await [...opened][0]?.keep(`failed-${task.name.replace(/\W+/g, "-").slice(0, 60)}`).catch(() => {});
      opened.clear();
      await endSharedBrowsers();
    }
    for (const it of opened) if (!it.isShared) await it.close();
  });
  afterAll(async () => {
    for (const it of opened) await it.close();
    await server?.close();
  });
  return {
    adapter: process.env.DEPTHLOOM_TEST_ADAPTER === "hardware" ? "adapter=hardware" : "adapter=software",
    async open(query, prepare) {
      const address = server?.httpServer.address();
      if (!address || typeof address === "string") throw new Error("the app is there only inside a test");
      const browser = await browserFor(query);
      // Views that glide would make the tests wait.
      const page = await browser.newPage({ viewport: SMALL, reducedMotion: "reduce" });
      const [search, set] = query.split("#");
      // The governor is off, so that pictures do not depend on the machine's load; small pictures are drawn quickly.
      const app = new AppPage(page, ["governor=false", "detail=0.25", set].filter(Boolean).join("&"));
      opened.add(app);
      page.on("close", () => opened.delete(app));
      await prepare?.(page);
      await page.goto(`http://127.0.0.1:${address.port}/?${search}#${app.settings}`);
      // The browser itself would open a file that is dropped before the page listens.
      await page.locator("#transport .play").waitFor();
      await app.showLatency();
      return app;
    },
  };
}

export interface Opened {
  readonly it: AppPage;
  readonly page: Page;
}

interface Opening {
  readonly query: string;
  /** Is dropped on the page. */
  readonly recording?: readonly [name: string, bytes: Uint8Array];
  /** Is called before anything is loaded. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** Called when the recording's picture is there. */
  readonly ready?: (it: AppPage) => Promise<unknown>;
}

/**
 * One page for all tests of a group, since opening a page takes longer than most tests. Each test finds it in the same state
 * (`AppPage.reset`), except if the tests `goOn` from what the ones before left. After a test that failed it is opened anew.
 */
export function usePage(app: App, opening: () => Opening, { goOn = false } = {}): Opened {
  let it: AppPage | undefined;
  beforeEach(async () => {
    if (it && !it.page.isClosed()) return goOn ? undefined : it.reset();
    const { query, recording, prepare, ready } = opening();
    it = await app.open(query, prepare);
    it.isShared = true;
    if (recording) {
      await it.drop(...recording);
      await it.picture(20);
    }
    await ready?.(it);
    await it.closeMessages();
  });
  afterAll(() => it?.close());
  const present = () => {
    if (!it) throw new Error("the page is there only inside a test");
    return it;
  };
  return {
    get it() {
      return present();
    },
    get page() {
      return present().page;
    },
  };
}
