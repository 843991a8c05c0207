import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type DecodedPng, decode } from "fast-png";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

export const SCREENSHOTS = fileURLToPath(new URL("../../test-output/browser", import.meta.url));
/** The tests' window, px. */
export const SMALL = { width: 840, height: 640 };

/** One open page, as a user sees it. */
export class AppPage {
  readonly #complaints: string[] = [];
  /** Matches errors and warnings that the console may have. */
  allowed: RegExp | undefined;
  /** Whether further tests use the page. */
  isShared = false;

  /** `settings` are those of the address. */
  constructor(
    readonly page: Page,
    readonly settings: string,
  ) {
    page.setDefaultTimeout(30_000);
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
  async stages(): Promise<string[]> {
    await this.showLatency();
    const rows = this.page.locator(".latency tbody tr");
    return rows.evaluateAll((found) => found.map((row) => row.getAttribute("data-stage") ?? ""));
  }

  /** A place of the canvas, from (0, 0) top left to (1, 1), in pixels of the page. */
  async at(x: number, y: number): Promise<[number, number]> {
    const box = await this.canvas.boundingBox();
    if (!box) throw new Error("the canvas has no box");
    return [box.x + x * box.width, box.y + y * box.height];
  }

  /** Clicks on the picture at a place from (0, 0) top left to (1, 1). */
  async click(x: number, y: number, clickCount = 1): Promise<void> {
    await this.page.mouse.click(...(await this.#free(x, y)), { clickCount });
  }

  /** Drags on the picture from a place, by this many pixels. */
  async drag(x: number, y: number, acrossPx: number, downPx = 0): Promise<void> {
    const { mouse } = this.page;
    const [left, top] = await this.#free(x, y);
    await mouse.move(left, top);
    await mouse.down();
    await mouse.move(left + acrossPx, top + downPx, { steps: 4 });
    await mouse.up();
  }

  /** A place of the canvas, in pixels of the page, once nothing lies over it; folds the latency table. */
  async #free(x: number, y: number): Promise<[number, number]> {
    await this.foldLatency();
    const place = await this.at(x, y);
    const uppermost = () =>
      this.page.evaluate(([left, top]) => document.elementFromPoint(left, top)?.closest("[id]")?.id, place);
    await expect.poll(uppermost).toBe("canvas");
    return place;
  }

  /** Waits until the picture has at least `colors` different colours, and returns the picture. */
  async picture(colors: number): Promise<Picture> {
    let picture = await this.#shoot();
    await expect
      .poll(async () => {
        picture = await this.#shoot();
        return picture.colors;
      }, COMPILED)
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

  /** Pauses, if a source plays, and waits until the picture is settled. */
  async pause(): Promise<void> {
    await this.#press("Pause");
    await this.page.getByRole("button", { name: "Play", exact: true }).waitFor();
    await this.settled();
  }

  /** Plays, if the source is paused. */
  async play(): Promise<void> {
    await this.#press("Play");
    await this.page.getByRole("button", { name: "Pause" }).waitFor();
  }

  /** The button's name is right once the transport shows a source. */
  async #press(name: "Pause" | "Play"): Promise<void> {
    await this.page.locator("#transport:not([inert])").waitFor();
    const button = this.page.getByRole("button", { name, exact: true });
    if ((await button.count()) > 0) await button.click();
  }

  /** Waits until the page has that recording open, whose name comes with its first picture. */
  async named(name: string): Promise<void> {
    await this.page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  }

  /** The picture once it is settled. */
  async still(): Promise<Picture> {
    await this.settled();
    return this.#shoot();
  }

  /** Saves a screenshot of the page in test-output/. */
  async keep(name: string): Promise<void> {
    await this.page.screenshot({ path: `${SCREENSHOTS}/${name}.png` });
  }

  /** Folds the latency table, which lies over the middle of a picture as small as this. */
  async foldLatency(): Promise<void> {
    await this.page.locator(".latency").evaluate((table: HTMLDetailsElement) => table.toggleAttribute("open", false));
  }

  /** Unfolds the latency table: over a picture as small as this it starts folded and shows no numbers. */
  async showLatency(): Promise<void> {
    await this.page.locator(".latency").evaluate((table: HTMLDetailsElement) => table.toggleAttribute("open", true));
  }

  /** Closes the page. Throws if the console had an error or warning that is not allowed. */
  async close(): Promise<void> {
    if (this.page.isClosed()) return;
    await this.page.close();
    expect(this.#complaints.filter((complaint) => !this.allowed?.test(complaint))).toEqual([]);
  }

  /**
   * Brings the page into the state in which it was opened, except for recording and frame: window, settings, viewpoint, menus, messages.
   */
  async reset(): Promise<void> {
    const { page, settings } = this;
    await page.setViewportSize(SMALL);
    await page.emulateMedia({ colorScheme: null });
    await page.evaluate((hash) => {
      (document.activeElement as HTMLElement | null)?.blur();
      document.body.classList.remove("settings-open");
      for (const menu of document.querySelectorAll("details.menu")) menu.removeAttribute("open");
      // A text that is new, so that the page applies it even if its address has these settings already.
      location.hash = location.hash === `#${hash}` ? `${hash}&` : hash;
    }, settings);
    await page.keyboard.press("x");
    await page.keyboard.press("r");
    await this.showLatency();
    await this.closeMessages();
    if (await page.locator("#transport:not([inert])").count()) await this.play();
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
export async function unfold(part: Locator): Promise<void> {
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

/** Options for what comes once a software GPU has compiled the filters. */
export const COMPILED = { timeout: 80_000 };
