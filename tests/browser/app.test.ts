import { strToU8 } from "fflate";
import { describe, expect, test } from "vitest";
import { useApp, usePage } from "./app.ts";
import { difference } from "./appPage.ts";
import { openFold } from "./folds.ts";
import { blurTests, COLUMN, WALL } from "./lens.ts";
import { FPS, pngZip, tumZip } from "./recordings.ts";
import { FILTERED, gridTests, presetTests, stageTests } from "./stages.ts";
import { viewTests } from "./views.ts";

// The built app in a real browser, on a software GPU and without a GPU. The recordings and the pictures
// are small, so that two cores can draw them.

const app = useApp();

describe("the app with WebGPU", () => {
  const opened = usePage(app, () => ({ query: `${app.adapter}&source=none`, recording: ["tiny.zip", tumZip(4)] }));

  blurTests(opened);

  test("turns the view by a drag, and resets the view by R", async () => {
    const { it } = opened;
    const { page } = it;
    await it.pause();
    const before = await it.still();
    await it.drag(0.5, 0.3, 90, 20);
    expect(difference(before, await it.still())).toBeGreaterThan(0.05);
    await it.keep("turned");
    await page.keyboard.press("r");
    expect(difference(before, await it.still())).toBeLessThan(0.01);
  });

  viewTests(opened);

  stageTests(opened);
});

describe("the app without a GPU", () => {
  test("opens with the synthetic desk, and runs its stages in one worker", async () => {
    // The workers' names as the page gives them: one whose thread waits for others does not answer.
    const it = await app.open("backend=cpu", (page) =>
      page.addInitScript(() => {
        const names: string[] = [];
        window.Worker = class extends Worker {
          constructor(address: string | URL, options?: WorkerOptions) {
            super(address, options);
            names.push(options?.name ?? "");
          }
        };
        Object.assign(window, { names });
      }),
    );
    await it.named("Synthetic desk");
    const fps = Number(await it.page.evaluate("navigator.hardwareConcurrency")) >= 8 ? 60 : 30;
    expect(await it.page.locator("#masthead .facts").textContent()).toBe(`640 × 480 · ${fps} fps · CPU`);
    await it.picture(300);
    await it.keep("cpu-desk");
    const names = (await it.page.evaluate("names")) as string[];
    expect(names.filter((name) => name.startsWith("depthloom stages"))).toHaveLength(1);
  });

  test("runs the stages on the page's own thread when their worker does not start, and says so", async () => {
    const it = await app.open("backend=cpu&source=none", (page) =>
      page.addInitScript(() => {
        window.Worker = class extends Worker {
          constructor(address: string | URL, options?: WorkerOptions) {
            super(options?.name?.startsWith("depthloom stages") ? "no-such-file.js" : address, options);
          }
        };
      }),
    );
    await expect.poll(() => it.page.locator("#messages").textContent()).toContain("cannot run in the background here");
    await it.drop("flat.zip", pngZip(3));
    it.allowed = /no-such-file|404/;
    await it.picture(20);
  });

  test.skipIf(process.env.DEPTHLOOM_TEST_ADAPTER === "hardware")("says why no GPU runs the stages", async () => {
    const { page } = await app.open("source=none");
    const notice = page.getByRole("status").filter({ hasText: "CPU" });
    await expect.poll(() => notice.textContent()).toMatch("running on the CPU, at a lower resolution");
  });
});

describe("the app without a GPU, on a recording without colour", () => {
  const opened = usePage(app, () => ({ query: "backend=cpu&source=none", recording: ["flat.zip", pngZip(3)] }));

  test("plays a recording without colour as clay, timed by the wall clock", async () => {
    const { it } = opened;
    await expect.poll(() => it.page.locator("#masthead .facts").textContent()).toMatch(` · ${FPS} fps · CPU`);
    await expect.poll(() => it.stages()).toEqual(FILTERED);
    expect(await it.page.locator(".latency .clock").textContent()).toMatch(/^wall clock/);
    // A window as low as this has no room for more rows below the stages.
    const rows = await it.page.locator(".latency tfoot tr:visible th").allTextContents();
    expect(rows).toEqual(["all stages", "total"]);
    await it.picture(20);
  });

  presetTests(opened);

  gridTests(opened);

  test("shows a message on a file that cannot be opened, and plays the present recording on", async () => {
    const { it } = opened;
    const { page } = it;
    const bytes = tumZip(2);
    await it.drop("cut.zip", bytes.slice(0, bytes.length / 2));
    const error = page.getByRole("alert");
    await expect.poll(() => error.textContent()).toMatch(/cut\.zip/);
    await it.drop("letter.txt", strToU8("Dear reader"));
    await expect.poll(() => error.textContent()).toMatch(/letter\.txt/);
    expect(await error.count()).toBe(1);
    await it.keep("error");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toMatch("flat");
    expect(await page.getByRole("button", { name: "Pause" }).count()).toBe(1);
    await it.picture(20);
    await error.getByRole("button", { name: "Close" }).click();
    expect(await error.count()).toBe(0);
  });

  test("shows the circle of confusion in colours, and keeps its buttons usable in a small window", async () => {
    const { it } = opened;
    const { page } = it;
    await it.pause();
    await it.type("Focus", 3);
    await it.choose("Blur");
    const warmth = async ([x, y]: readonly [number, number]) => {
      await it.settled();
      const [red, , blue] = await it.color(x, y);
      return red - blue;
    };
    expect(await warmth(COLUMN)).toBeGreaterThan(40);
    expect(Math.abs(await warmth(WALL))).toBeLessThan(25);
    await page.setViewportSize({ width: 420, height: 700 });
    const reset = page.getByRole("button", { name: "Reset view" });
    await reset.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await openFold(page, "More of the view");
    await reset.click();
    await it.keep("small");
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.locator("#masthead summary", { hasText: "Open" }).click();
    const room = page.getByRole("button", { name: "Synthetic room" });
    await room.waitFor();
    expect((await room.boundingBox())?.x).toBeGreaterThan(0);
  });
});
