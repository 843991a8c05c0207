import { mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type DecodedPng, decode } from "fast-png";
import type { Locator, Page } from "playwright-core";
import { type Plugin, type PreviewServer, preview } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { built, builtOnce } from "./build.ts";
import { sharedBrowser } from "./chromium.ts";

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const configFile = root("vite.config.ts");
const screenshots = root("test-output/browser");

/** The built app in a headless browser. */
export interface App {
  /** The option of the page's address that selects the adapter under test. */
  readonly adapter: string;
  /**
   * Opens the app in a page of its own; `query` is the address's query, perhaps with settings behind a #; `prepare` is
   * called before anything is loaded.
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
 * `flags` are flags of the browsers.
 */
export function useApp(plugin?: Plugin, flags: readonly string[] = []): App {
  let server: PreviewServer | undefined;
  const browserFor = (query: string) =>
    sharedBrowser(query.includes("backend=cpu") ? [...flags, WITHOUT_GPU] : [...flags]);
  beforeAll(async () => {
    const outDir = plugin ? await built(plugin) : await builtOnce();
    server = await preview({ configFile, preview: { port: 0 }, build: { outDir } });
    mkdirSync(screenshots, { recursive: true });
  });
  afterAll(async () => {
    await server?.close();
  });
  return {
    adapter: process.env.DEPTHLOOM_TEST_ADAPTER === "hardware" ? "adapter=hardware" : "adapter=software",
    async open(query, prepare) {
      const address = server?.httpServer.address();
      if (!address || typeof address === "string") throw new Error("the app is there only inside a test");
      const browser = await browserFor(query);
      const page = await browser.newPage({ viewport: { width: 840, height: 640 } });
      const app = new AppPage(page);
      await prepare?.(page);
      const [search, set] = query.split("#");
      // The governor is off, so that pictures do not depend on the machine's load; small pictures are drawn quickly.
      const hash = ["governor=false", "detail=0.25", set].filter(Boolean).join("&");
      await page.goto(`http://127.0.0.1:${address.port}/?${search}#${hash}`);
      // The browser itself would open a file that is dropped before the page listens.
      await page.locator("#transport .play").waitFor();
      // Over a picture as small as this the latency table starts folded and shows no numbers.
      await page.locator(".latency").evaluate((table: HTMLDetailsElement) => table.toggleAttribute("open", true));
      return app;
    },
  };
}

/**
 * A page for each test of a group, or one for all of them if it is `shared`: a recording is dropped on it, if one is given, and its picture
 * is there when the test begins. The tests of a shared page run in their order, each on what the ones before left.
 */
export function usePage(
  app: App,
  query: () => string,
  recording?: readonly [name: string, bytes: Uint8Array],
  { shared = false } = {},
): { readonly it: AppPage } {
  let it: AppPage | undefined;
  beforeEach(async () => {
    if (it) return;
    it = await app.open(query());
    if (!recording) return;
    await it.drop(...recording);
    await it.picture(20);
  });
  (shared ? afterAll : afterEach)(async () => {
    await it?.close();
    it = undefined;
  });
  return {
    get it() {
      if (!it) throw new Error("the page is there only inside a test");
      return it;
    },
  };
}

/** One open page, as a user sees it. */
export class AppPage {
  readonly #complaints: string[] = [];

  constructor(readonly page: Page) {
    page.setDefaultTimeout(POLL.timeout);
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) this.#complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.#complaints.push(error.message));
  }

  get canvas(): Locator {
    return this.page.locator("#canvas");
  }

  /** Drops a file on the page. */
  async drop(name: string, bytes: Uint8Array): Promise<void> {
    const transfer = await this.page.evaluateHandle(
      ([fileName, base64]) => {
        const made = new DataTransfer();
        made.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], fileName));
        return made;
      },
      [name, Buffer.from(bytes).toString("base64")] as const,
    );
    await this.page.dispatchEvent("body", "drop", { dataTransfer: transfer });
  }

  /** Removes the messages, which would cover the picture for a while. */
  async closeMessages(): Promise<void> {
    await this.page.locator("#messages").evaluate((messages) => messages.replaceChildren());
  }

  /** The distance in focus, as the panel shows it. */
  async focus(): Promise<number> {
    return Number(await this.field("Focus").inputValue());
  }

  /** The number field of that name on the panel, the first if there are several. */
  field(name: string): Locator {
    const named = this.page.getByText(name, { exact: true });
    return this.page.locator("label.range").filter({ has: named }).locator("input[type=number]").first();
  }

  /** Types a number into the field of that name. */
  async type(name: string, value: number): Promise<void> {
    await unfold(this.field(name));
    await this.field(name).fill(`${value}`);
    await this.field(name).press("Enter");
  }

  /** Clicks a choice on the panel, by its label. */
  async choose(label: string): Promise<void> {
    const choice = this.page.locator(".segmented").getByText(label, { exact: true });
    await unfold(choice);
    await choice.click();
  }

  /** The download that a button of the save menu starts. */
  async saved(name: string): Promise<Buffer> {
    const button = this.page.getByRole("button", { name, exact: true });
    const [download] = await Promise.all([this.page.waitForEvent("download"), button.click()]);
    return readFileSync(await download.path());
  }

  /** The mean colour of `size` × `size` pixels at a place of the canvas, from (0, 0) top left to (1, 1). */
  async color(x: number, y: number, size = 8): Promise<[red: number, green: number, blue: number]> {
    const [left, top] = await this.at(x, y);
    const { data, channels } = await this.#bare({ x: left, y: top, width: size, height: size });
    const mean = (c: number) =>
      Array.from(data).reduce((sum, v, i) => sum + (i % channels === c ? v : 0), 0) / size ** 2;
    return [mean(0), mean(1), mean(2)];
  }

  /** The stages in the latency table, by their names on the command line. */
  stages(): Promise<string[]> {
    const rows = this.page.locator(".latency tbody tr");
    return rows.evaluateAll((found) => found.map((row) => row.getAttribute("data-stage") ?? ""));
  }

  /** A place of the canvas, from (0, 0) top left to (1, 1), in pixels of the page. */
  async at(x: number, y: number): Promise<[number, number]> {
    const box = await this.canvas.boundingBox();
    if (!box) throw new Error("the canvas has no box");
    return [box.x + x * box.width, box.y + y * box.height];
  }

  /** Waits until the picture has at least `colors` different colours, and returns the picture. */
  async picture(colors: number): Promise<Picture> {
    let picture = await this.#shoot();
    await expect
      .poll(async () => {
        picture = await this.#shoot();
        return picture.colors;
      }, POLL)
      .toBeGreaterThanOrEqual(colors);
    return picture;
  }

  /**
   * Waits until the picture is settled (`aria-busy`); nothing may be playing. The page has handled earlier input when it has drawn two more
   * pictures.
   */
  async settled(): Promise<void> {
    await this.page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const canvas = document.querySelector("#canvas");
          const look = () => {
            if (canvas?.getAttribute("aria-busy") !== "false") return;
            observer.disconnect();
            resolve();
          };
          const observer = new MutationObserver(look);
          const begin = () => {
            if (canvas) observer.observe(canvas, { attributeFilter: ["aria-busy"] });
            look();
          };
          requestAnimationFrame(() => requestAnimationFrame(begin));
        }),
    );
  }

  /** Pauses, if a source plays. The button's name is right once the transport shows a source. */
  async pause(): Promise<void> {
    await this.page.locator("#transport:not([inert])").waitFor();
    const button = this.page.getByRole("button", { name: "Pause" });
    if ((await button.count()) > 0) await button.click();
  }

  /** The picture once it is settled. */
  async still(): Promise<Picture> {
    await this.settled();
    return this.#shoot();
  }

  /** Saves a screenshot of the page in test-output/. */
  async keep(name: string): Promise<void> {
    await this.page.screenshot({ path: `${screenshots}/${name}.png` });
  }

  /** Folds the latency table, which lies over the middle of a picture as small as this. */
  async foldLatency(): Promise<void> {
    await this.page.locator(".latency").evaluate((table: HTMLDetailsElement) => table.toggleAttribute("open", false));
  }

  /** Closes the page. Throws if the console had an error or warning that `allowed` does not match. */
  async close(allowed?: RegExp): Promise<void> {
    await this.page.close();
    expect(this.#complaints.filter((complaint) => !allowed?.test(complaint))).toEqual([]);
  }

  /** The picture in a part of the canvas. */
  async #shoot(): Promise<Picture> {
    const [[left, top], [right, bottom]] = [await this.at(0.1, 0.21), await this.at(0.9, 0.36)];
    const clip = { x: left, y: top, width: right - left, height: bottom - top };
    const { data, channels } = await this.#bare(clip);
    const colors = new Set<number>();
    for (let i = 0; i + 2 < data.length; i += channels) {
      colors.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    }
    return { colors: colors.size, data: Uint8Array.from(data) };
  }

  /** A part of the page without the numbers and messages that lie over the canvas. */
  async #bare(clip: { x: number; y: number; width: number; height: number }): Promise<DecodedPng> {
    const over = this.page.locator("#divider :is(.handle, .labels), #masthead, #messages, #scale, #latency");
    const show = (visibility: string) =>
      over.evaluateAll((parts: HTMLElement[], to) => {
        for (const { style } of parts) style.visibility = to;
      }, visibility);
    await show("hidden");
    const png = await this.page.screenshot({ clip });
    await show("");
    return decode(png);
  }
}

/** Opens every fold that a part of the page lies in. */
async function unfold(part: Locator): Promise<void> {
  await part.evaluate((node) => {
    for (let fold = node.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null)
      fold.open = true;
  });
}

export interface Picture {
  /** The number of different colours. */
  readonly colors: number;
  readonly data: Uint8Array;
}

/** The share of bytes that differ by more than a little between two pictures of the same size. */
export function difference(a: Picture, b: Picture): number {
  const differing = a.data.filter((byte, i) => Math.abs(byte - b.data[i]) > 8).length;
  return differing / a.data.length;
}

/** Options for `expect.poll` on a picture: two cores take a second or more to draw one, and ten times as long if they are busy. */
export const POLL = { timeout: 60_000, interval: 50 };
