import { expect, test } from "vitest";
import { useApp, usePage } from "./app.ts";
import type { AppPage } from "./appPage.ts";
import { pairZip, pngZip, tumZip } from "./recordings.ts";

// No number stays beside a picture of another recording, frame, filter or place than it was measured on.

const app = useApp();

const opened = usePage(app, () => ({ query: "backend=cpu&source=none", recording: ["tiny.zip", tumZip(3)] }));

const numbersOf = async ({ page }: AppPage, side: "raw" | "filtered") =>
  ((await page.locator(`#divider .${side} small`).textContent()) ?? "").replaceAll("\u00a0", " ");

/**
 * Drops a recording of one frame while another plays. `raw` and `filtered` match the numbers of its sides. On the sensor's own pixels
 * correcting the lens cuts some off, and no filter adds any.
 */
async function measuresOne(name: string, bytes: Uint8Array, raw: RegExp, filtered: RegExp): Promise<void> {
  const { it, page } = opened;
  await expect.poll(() => numbersOf(it, "raw")).toMatch(/valid, noise/);
  await it.drop(name, bytes);
  await it.named(name);
  await expect.poll(() => numbersOf(it, "raw")).toMatch(raw);
  const told = await numbersOf(it, "raw");
  await expect.poll(() => numbersOf(it, "filtered")).toMatch(filtered);
  await it.keep(`measures-${name}`);
  for (const [preset, says] of [
    ["raw", raw],
    ["strong", filtered],
  ] as const) {
    await page.locator(".stages > label select").first().selectOption(preset);
    await expect.poll(() => numbersOf(it, "filtered")).toMatch(says);
    await expect.poll(() => numbersOf(it, "raw")).toBe(told);
  }
}

test("a recording of one frame, dropped while another plays, gets its own numbers, and new ones with each preset", async () => {
  const bent = pngZip(1, { noiseMm: 4, distortion: [-0.3, 0.05, 0, 0, 0] });
  // An even spread of up to ±4 mm has a standard deviation of 2.3 mm.
  const [raw, filtered] = [
    /^100\.0 % valid, noise 2\.\d mm$/,
    /^8\d\.\d % valid, 1[67]\.\d % cropped by lens correction, noise (< )?[01]\.\d\d? mm/,
  ];
  await measuresOne("bent.zip", bent, raw, filtered);
});

test("lengths by tape belong to the scene that played", async () => {
  const { it, page } = opened;
  await page.evaluate(() => {
    location.hash = `${location.hash}&floorMm=1200&checkTruthMm=1500`;
  });
  await expect.poll(() => page.url()).toMatch(/floorMm=1200.*checkTruthMm=1500|checkTruthMm=1500.*floorMm=1200/);
  await page.waitForTimeout(1000);
  expect(page.url()).toMatch(/floorMm=1200/);
  await it.drop("other.zip", pngZip(1, { noiseMm: 4 }));
  await it.named("other.zip");
  await expect.poll(() => page.url()).not.toMatch(/floorMm|checkTruthMm/);
});

test("of a recording with a pair, raw is the camera's depth or what is matched, as the page is told", async () => {
  const { it, page } = opened;
  await it.drop("pair.zip", pairZip());
  await it.named("pair.zip");
  const from = page.getByLabel("Depth from", { exact: true });
  const share = async (side: "raw" | "filtered") => Number.parseFloat(await numbersOf(it, side));
  await expect.poll(() => numbersOf(it, "raw")).toMatch(/^50\.0 % valid/);
  expect(await from.inputValue()).toBe("camera");
  await from.selectOption("pair");
  await expect.poll(() => share("raw")).toBeGreaterThan(75);
  await expect.poll(() => share("filtered")).toBeGreaterThan(75);
  await it.keep("from-pair");
  await from.selectOption("camera");
  await expect.poll(() => numbersOf(it, "raw")).toMatch(/^50\.0 % valid/);
  await expect.poll(() => share("filtered")).toBeLessThan(60);
  await it.keep("from-camera");
});

test("a pair that is out of step is told of, and not matched", async () => {
  const { it, page } = opened;
  await it.drop("late.zip", pairZip(false, 1));
  await it.named("late.zip");
  const from = page.getByLabel("Depth from", { exact: true });
  await from.selectOption("pair");
  await expect.poll(() => page.locator("#messages").textContent()).toContain("the pair is out of step");
  await expect.poll(() => from.inputValue()).toBe("camera");
});

test("a recording of pairs alone is one scene, whose noise is not measured at each frame", async () => {
  const { it, page } = opened;
  const questions = await page.evaluateHandle(() => {
    const asked = { many: 0 };
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (this: Worker, message: unknown, ...rest: []) {
      if (message && typeof message === "object" && "frames" in message) asked.many++;
      return post.call(this, message, ...rest);
    };
    return asked;
  });
  await it.drop("pairs.zip", pairZip(true));
  await it.named("pairs.zip");
  expect(await page.getByLabel("Depth from", { exact: true }).inputValue()).toBe("pair");
  const share = async (side: "raw" | "filtered") => Number.parseFloat(await numbersOf(it, side));
  await expect.poll(() => share("filtered")).toBeGreaterThan(75);
  await expect.poll(() => page.locator("#panel").textContent()).toMatch(/noise [\d.]+\smm|Too few pixels/);
  // Time for further frames, none of which is measured. A measurement of the recording before may still begin here.
  await page.waitForTimeout(2000);
  const asked = await questions.evaluate(({ many }) => many);
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThan(4);
});
