import { decode } from "fast-png";
import { beforeEach, expect, test } from "vitest";
import { useApp, usePage } from "./app.ts";
import { pngZip } from "./recordings.ts";

// The first look at a recording: sharp, lit, raw beside filtered with numbers on both sides; missing facts can be corrected.

const app = useApp();
// At full resolution, since the tests look at noise. The latency table would cover it.
/** A recording that says neither unit, rate nor lens; a second file would not be byte for byte the same. */
const PLAIN = pngZip(4, { noiseMm: 40, described: false });
const opened = usePage(app, () => ({
  query: "backend=cpu&source=none#detail=1",
  recording: ["plain.zip", PLAIN],
  ready: (it) => it.page.locator("#divider .handle").waitFor(),
}));
beforeEach(() => opened.it.foldLatency());

/** Red, green and blue of the pixels of a piece of the wall, on the left or right of the picture. */
async function wallAt(side: "left" | "right", height = 40): Promise<number[][]> {
  const { it, page } = opened;
  // Below the labels of both sides, which lie below the assumed facts.
  const [x, y] = await it.at(side === "left" ? 0.03 : 0.88, 0.36);
  const { data, channels } = decode(await page.screenshot({ clip: { x, y, width: 40, height } }));
  return Array.from({ length: data.length / channels }, (_, i) =>
    Array.from(data.slice(i * channels, i * channels + 3)),
  );
}

/** How uneven the light on that piece of the wall is: the standard deviation of green, of 255. */
async function grainAt(side: "left" | "right"): Promise<number> {
  const greens = (await wallAt(side)).map(([, green = 0]) => green);
  const mean = greens.reduce((sum, green) => sum + green, 0) / greens.length;
  return Math.sqrt(greens.reduce((sum, green) => sum + (green - mean) ** 2, 0) / greens.length);
}

const handle = () => opened.page.getByRole("slider", { name: /^Raw up to here/ });
/** Whether a choice of the lens's panel is on; the panel may be folded. */
const lensBlur = (choice: string) =>
  opened.page
    .locator(".segmented", { hasText: "Lens blur" })
    .locator("label", { hasText: choice })
    .locator("input")
    .isChecked();
const percent = async () => Number(await handle().getAttribute("aria-valuenow"));
const GRAINY = 5;

test("a recording opens sharp and lit, with noise on the raw side and next to none on the filtered side", async () => {
  const { it, page } = opened;
  expect(await page.getByRole("radio", { name: "Lit" }).isChecked()).toBe(true);
  expect(await lensBlur("Off")).toBe(true);
  await expect.poll(() => grainAt("left")).toBeGreaterThan(GRAINY);
  await expect.poll(() => grainAt("right")).toBeLessThan(GRAINY / 2);
  const pressable = page.locator("button, a[href], input, select, summary").filter({ visible: true });
  expect(await pressable.count()).toBeLessThanOrEqual(30);
  await it.keep("first-look");
});

test("each side of the divider has its valid share and its noise in numbers", async () => {
  const told = async (side: string) => (await opened.page.locator(`#divider .${side} small`).textContent()) ?? "";
  const noiseOf = (text: string) => Number(text.match(/^\d+\.\d.%.valid, noise.(?:<.)?([\d.]+).mm/)?.[1]);
  await expect.poll(async () => noiseOf(await told("filtered"))).toBeLessThan(9);
  // An even spread of up to ±40 mm has a standard deviation of 23 mm; the column's edges add to it.
  await expect.poll(async () => noiseOf(await told("raw"))).toSatisfy((noise: number) => noise > 18 && noise < 36);
  await expect.poll(() => told("raw")).toMatch(/^100\.0/);
});

test("the divider follows drags and its own keys, which do not move the timeline", async () => {
  const { it, page } = opened;
  await it.pause();
  const time = await page.locator("#transport .time").textContent();
  await handle().press("End");
  await expect.poll(percent).toBe(100);
  await expect.poll(() => grainAt("right")).toBeGreaterThan(GRAINY);
  await handle().press("Home");
  await expect.poll(() => grainAt("left")).toBeLessThan(GRAINY / 2);
  await handle().press("ArrowRight");
  await expect.poll(percent).toBe(2);
  await handle().press("Enter");
  await expect.poll(percent).toBe(50);
  const box = await handle().boundingBox();
  const [x = 0, y = 0] = box ? [box.x + box.width / 2, box.y + box.height / 2] : [];
  const [to] = await it.at(0.8, 0.5);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(to, y + 30, { steps: 3 });
  await page.mouse.up();
  await expect.poll(percent).toBe(80);
  await handle().dblclick();
  await expect.poll(percent).toBe(50);
  expect(await page.locator("#transport .time").textContent()).toBe(time);
});

test("the colours of the difference are warm where raw depth is nearer than filtered, cold where farther", async () => {
  const { it } = opened;
  await it.choose("Difference");
  const scale = it.page.getByRole("region", { name: "What the colours mean" });
  await expect
    .poll(() => scale.textContent())
    .toMatch(/^Raw depth compared with filtered10 mm nearerthe same10 mm farther/);
  const share = async (is: (red: number, blue: number) => boolean) => {
    const pixels = await wallAt("left", 160);
    return pixels.filter(([red = 0, , blue = 0]) => is(red, blue)).length / pixels.length;
  };
  await expect.poll(() => share((red, blue) => red > blue + 60)).toBeGreaterThan(0.2);
  expect(await share((red, blue) => blue > red + 60)).toBeGreaterThan(0.2);
  await it.keep("difference");
  await it.choose("Lit");
  await expect.poll(() => scale.count()).toBe(0);
});

test("assumed facts of a recording are listed, can be corrected, and stay corrected after a reload", async () => {
  const { it, page } = opened;
  const [facts, said] = [page.locator("#masthead .facts"), page.locator(".assumed > button")];
  expect(await said.textContent()).toMatch(/^Assumed: unit 1 mm, 30 fps, lens 58°$/);
  await said.click();
  await page.getByLabel("Frames per second").fill("12");
  await page.getByLabel("Metres in a unit").fill("0.0005");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect.poll(() => facts.textContent()).toMatch(/ · 12 fps · /);
  await page.reload();
  await page.getByRole("button", { name: "Play" }).waitFor();
  await it.drop("plain.zip", PLAIN);
  await expect.poll(() => facts.textContent()).toMatch(/ · 12 fps · /);
  expect(await said.textContent()).toBe("Corrected by you");
  await said.click();
  expect(Number(await page.getByLabel("Metres in a unit").inputValue())).toBe(0.0005);
  await page.getByRole("button", { name: "Forget" }).click();
  await expect.poll(() => facts.textContent()).toMatch(/ · 30 fps · /);
});

test("recordings that follow each other while they play leave no error, though a frame of the one before comes late", async () => {
  const { it } = opened;
  for (const name of ["one.zip", "two.zip", "three.zip", "four.zip", "five.zip"]) {
    await it.drop(name, pngZip(4, { noiseMm: 40 }));
    await it.named(name);
  }
  // Closing the page throws if its console had an error.
});
