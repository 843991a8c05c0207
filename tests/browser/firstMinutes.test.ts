import { expect, test } from "vitest";
import { mcapOf } from "../sources/logs/files.ts";
import * as write from "../sources/logs/messages.ts";
import { useApp, usePage } from "./app.ts";
import { pngZip, tumZip } from "./recordings.ts";

// What somebody meets in the first minutes: an empty page, a recording with a damaged frame, a first click, the ways to colour.

const app = useApp();
const opened = usePage(app, () => ({ query: "backend=cpu&source=none" }));

const message = (text: RegExp) => opened.page.locator("#messages .message").filter({ hasText: text });
const lensBlur = (choice: string) =>
  opened.page
    .locator(".segmented", { hasText: "Lens blur" })
    .locator("label", { hasText: choice })
    .locator("input")
    .isChecked();

test("a frame that cannot be read is told once, however often the loop comes to it, and no longer beside another recording", async () => {
  const { it, page } = opened;
  await it.drop("torn.zip", pngZip(3, { torn: 1 }));
  await message(/Frame 1 was left out: .*1\.png/).waitFor();
  await it.closeMessages();
  const unreadable = page.locator(".latency .facts > div", { hasText: "unreadable" });
  const count = async () => Number((await unreadable.textContent())?.replace("unreadable", ""));
  const before = await count();
  await expect.poll(count).toBeGreaterThan(before + 1);
  expect(await message(/was left out/).count()).toBe(0);
  await it.drop("torn.zip", pngZip(3, { torn: 1 }));
  await message(/Frame 1 was left out/).waitFor();
  await it.drop("flat.zip", pngZip(3));
  await it.named("flat.zip");
  expect(await message(/was left out/).count()).toBe(0);
});

test("the picture is busy as soon as another recording is chosen, whose name comes with its first picture", async () => {
  const { it, page } = opened;
  // A picture of this size takes longer than the screen takes to show the name.
  await it.choose("Full");
  await it.pause();
  const changed = page.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        const canvas = document.querySelector<HTMLCanvasElement>("#canvas");
        const before = canvas?.toDataURL();
        const compare = () => resolve(canvas?.toDataURL() !== before);
        const named = new MutationObserver(() => requestAnimationFrame(() => requestAnimationFrame(compare)));
        named.observe(document.head, { subtree: true, childList: true, characterData: true });
      }),
  );
  const file = { name: "other.zip", mimeType: "application/zip", buffer: Buffer.from(tumZip(4)) };
  await page.getByLabel("Choose a recording").setInputFiles(file);
  expect(await it.canvas.getAttribute("aria-busy")).toBe("true");
  expect(await changed).toBe(true);
  expect(await page.title()).toBe("other.zip – Depthloom");
});

test("beside a picture that a click has blurred is the way back", async () => {
  const { it, page } = opened;
  await it.pause();
  const sharp = page.getByRole("button", { name: "Lens blur off" });
  expect(await sharp.count()).toBe(0);
  await it.click(0.92, 0.5);
  await sharp.waitFor();
  expect(await lensBlur("On")).toBe(true);
  await sharp.click();
  expect(await lensBlur("Off")).toBe(true);
  expect(await sharp.count()).toBe(0);
});

test("an address that cannot be opened is answered by a sentence of the page's own beside the field", async () => {
  const { page } = opened;
  await page.locator("#masthead summary", { hasText: "Open" }).click();
  const field = page.getByLabel("Live stream");
  await field.fill("http://example.com/desk.mcap");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("http:// works for a server on this computer").waitFor();
  await field.fill("desk.mcap");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("An address begins with ws:// or wss://").waitFor();
});

test("an error that stands goes when another recording opens", async () => {
  const { it } = opened;
  await it.drop("depthloom-settings.json", Buffer.from("{"));
  await message(/depthloom-settings.json/).waitFor();
  await it.drop("flat.zip", pngZip(3));
  await it.named("flat.zip");
  await expect.poll(() => message(/depthloom-settings.json/).count()).toBe(0);
});

test("a file with two depth topics plays the first, and the second when the user chooses it", async () => {
  const { it, page } = opened;
  const image = write.ros2Depth(0);
  // The second topic has half the frame rate.
  const entries = [0, 1, 2, 3].flatMap((i) => [
    { topic: "/near", time: i * 100, message: image },
    { topic: "/far", time: i * 200, message: image },
  ]);
  await it.drop("two.mcap", await mcapOf(entries, { compression: "zstd" }));
  const facts = page.locator("#masthead .facts");
  const rate = () => facts.textContent();
  await expect.poll(rate).toMatch(/^MCAP · 6 × 4 · 10 fps · CPU$/);
  const choice = page.getByLabel("Depth topic");
  expect(await choice.locator("option").allTextContents()).toEqual(["/near", "/far"]);
  await choice.first().selectOption("/far");
  await expect.poll(rate).toMatch(/ · 5 fps · CPU$/);
  expect(await choice.first().inputValue()).toBe("/far");
});
