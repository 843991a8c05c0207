import { describe, expect, test } from "vitest";
import { PANES } from "../../viewer/live/panes/registry.ts";
import { useApp } from "./app.ts";
import type { AppPage } from "./appPage.ts";
import { pngZip, tumZip } from "./recordings.ts";

const app = useApp();
const WIDTHS = [
  [1440, 900],
  [1280, 720],
  [1024, 768],
  [390, 844],
] as const;
const LEAST_MODEL_PX = 240;
const LEAST_READINGS_PX = 80;
/** The least width of an image and of a plot. */
const LEAST_PICTURE_PX = 240;
/** The most of the window that neither picture nor pane covers, below the masthead, and the least of its width that the picture has. */
const MOST_EMPTY = 0.16;
const LEAST_SHARE = 0.45;
/** A newcomer looks through no more than so many controls for the one that is wanted. */
const MOST_CONTROLS = 30;
const names = PANES.map(({ name }) => name);
const opens = (panes: readonly string[]) =>
  panes.map((name) => `pane${name.charAt(0).toUpperCase()}${name.slice(1)}=true`).join("&");

/** What does not fit in the panes that are shown, in words. */
const misfits = ({ page }: AppPage) =>
  page.evaluate(
    ([leastModelPx, leastReadingsPx, leastPicturePx]) => {
      const found: string[] = [];
      const within = (part: DOMRect, whole: DOMRect) =>
        part.left >= whole.left - 1 &&
        part.right <= whole.right + 1 &&
        part.top >= whole.top - 1 &&
        part.bottom <= whole.bottom + 1;
      for (const tab of document.querySelectorAll<HTMLElement>("#panes > .tabs .button"))
        if (tab.scrollWidth > tab.clientWidth + 1) found.push(`the tab ${tab.textContent} is cut`);
      const scene = document.querySelector("#scene")?.getBoundingClientRect();
      const bars = scene && Math.abs(scene.width / scene.height / (4 / 3) - 1);
      if (bars === undefined || bars > 0.01) found.push(`the picture is ${scene?.width} × ${scene?.height} px`);
      for (const menu of document.querySelectorAll("#masthead summary"))
        if (scene && menu.getBoundingClientRect().bottom > scene.top)
          found.push(`${menu.textContent} lies on the picture`);
      for (const pane of document.querySelectorAll<HTMLElement>(".pane")) {
        pane.scrollIntoView({ block: "nearest" });
        const box = pane.getBoundingClientRect();
        if (box.width === 0) continue;
        const name = pane.ariaLabel;
        const view = document.querySelector("#panes")?.getBoundingClientRect() ?? box;
        if (box.left < view.left - 1 || box.right > view.right + 1) found.push(`${name} reaches out of the window`);
        const title = pane.querySelector<HTMLElement>("h2");
        if (title && title.scrollWidth > title.clientWidth + 1) found.push(`${name}: the title is cut`);
        for (const part of pane.querySelectorAll<HTMLElement>("header > h2, header > .icon")) {
          const own = part.getBoundingClientRect();
          if (own.width === 0) continue;
          if (!within(own, box)) found.push(`${name}: ${part.className || "the title"} lies outside`);
          const top = document.elementFromPoint(own.left + own.width / 2, own.top + own.height / 2);
          if (!top || !(part.contains(top) || top.contains(part)))
            found.push(`${name}: ${top?.className} lies over ${part.className || "the title"}`);
        }
        if (!pane.querySelector("header > .icon.close")?.getBoundingClientRect().width) found.push(`${name} has no ×`);
        const tools = [...pane.querySelectorAll<HTMLElement>("header .tools > :not([hidden], legend)")];
        const reached = box.width < 520 && tools.length > 0 ? pane.querySelectorAll(".icon.more") : tools;
        for (const part of reached)
          if (!part.checkVisibility() || !within(part.getBoundingClientRect(), box))
            found.push(`${name}: ${part.className} of its tools cannot be reached`);
        for (const part of [pane, ...pane.querySelectorAll<HTMLElement>("*")]) {
          if (part.clientWidth === 0 || part instanceof SVGElement || part.tagName === "LEGEND") continue;
          const { overflowX, overflowY } = getComputedStyle(part);
          const [wide, high] = [part.scrollWidth > part.clientWidth + 1, part.scrollHeight > part.clientHeight + 1];
          if (wide && overflowX !== "visible") found.push(`${name}: ${part.className} is cut at its side`);
          if (high && ["hidden", "clip"].includes(overflowY)) found.push(`${name}: ${part.className} is cut below`);
        }
        for (const part of pane.querySelectorAll(".image, .plot")) {
          const own = part.getBoundingClientRect();
          if (own.width > 0 && own.width < leastPicturePx)
            found.push(`${name}: ${part.className} is ${own.width} px wide`);
          const strip = pane.parentElement?.getBoundingClientRect() ?? view;
          if (own.height > strip.height) found.push(`${name}: ${part.className} is higher than what is seen of it`);
          if (own.width > 0 && own.height < 139) found.push(`${name}: ${part.className} is ${own.height} px high`);
        }
        const readings = pane.querySelector(".readings:has(tbody tr)")?.getBoundingClientRect();
        if (readings && readings.height < leastReadingsPx) found.push(`${name}: readings ${readings.height} px high`);
        const model = pane.querySelector(".model")?.getBoundingClientRect();
        if (model && model.height < leastModelPx - 1) found.push(`${name}: the model is ${model.height} px high`);
      }
      return [...new Set(found)];
    },
    [LEAST_MODEL_PX, LEAST_READINGS_PX, LEAST_PICTURE_PX] as const,
  );

/** The picture's share of the window's width, and the share of the window that is empty ground below the masthead. */
const shares = ({ page }: AppPage) =>
  page.evaluate(() => {
    const box = document.querySelector("#panes > .large")?.getBoundingClientRect();
    const room = document.querySelector("#panes")?.getBoundingClientRect();
    const isGround = (x: number, y: number) => document.elementFromPoint(x, y)?.matches("#panes, .beside, .below");
    let empty = 0;
    // The gaps between panes are no wider than 8 px.
    for (let y = (box?.top ?? 0) + 4; y < (room?.bottom ?? 0) - 8; y += 8)
      for (let x = 4; x < (room?.right ?? 0) - 8; x += 8)
        if (isGround(x, y) && isGround(x + 8, y) && isGround(x, y + 8)) empty++;
    return { picture: (box?.width ?? 0) / innerWidth, empty: (64 * empty) / innerWidth / innerHeight };
  });

/** What can be pressed, moved or typed in, by name. */
const controls = ({ page }: AppPage) =>
  page.evaluate(() =>
    [...document.querySelectorAll("button, summary, input, select, a[href], [role=slider], [role=separator]")]
      .filter((one) => {
        const { width, height, top } = one.getBoundingClientRect();
        return one.checkVisibility() && one.ariaHidden !== "true" && width * height > 4 && top < innerHeight;
      })
      .map((one) => one.ariaLabel || one.textContent || one.closest("label")?.textContent || one.className),
  );

/** What has numbers or a pane's head and lies under a message, in words. */
const coveredByMessages = ({ page }: AppPage) =>
  page.evaluate(() => {
    const table = document.querySelector(".depthloom-latency")?.shadowRoot?.querySelectorAll(".latency") ?? [];
    const numbers = [
      ...table,
      ...document.querySelectorAll("#divider .labels > *, #scale, #masthead summary, .pane, .assumed form"),
    ];
    const boxes = (all: Iterable<Element>) => [...all].map((one) => [one, one.getBoundingClientRect()] as const);
    return boxes(document.querySelectorAll("#messages .message")).flatMap(([, m]) =>
      boxes(numbers).flatMap(([{ className, id }, b]) =>
        b.width > 0 && b.left < m.right && m.left < b.right && b.top < m.bottom && m.top < b.bottom
          ? [`${className || id} at ${b.top} under a message that ends at ${m.bottom}`]
          : [],
      ),
    );
  });

describe.each(WIDTHS)("at %i × %i", (width, height) => {
  test("each pane by itself, two, and four", async () => {
    const it = await app.open("backend=cpu&source=none#view=points&detail=0.25");
    const { page } = it;
    // Showing a model on a canvas causes these.
    it.allowed = /GPU stall due to ReadPixels/;
    await page.setViewportSize({ width, height });
    expect((await controls(it)).length).toBeLessThanOrEqual(MOST_CONTROLS);
    const two = [
      ["depth", "box"],
      // The second one halves the room of the first.
      ["region"],
      ["region", "box"],
      ["region", "scan"],
    ];
    const more = [
      ["depth", "box", "numbers"],
      ["color", "scan", "region"],
      ["depth", "color", "numbers", "check"],
      ["scan", "region", "box", "frame"],
    ];
    // The facts that are assumed of this recording take a further line under its name.
    await it.drop("tiny.zip", tumZip(2));
    await expect.poll(() => page.locator("#masthead h1").textContent()).toBe("tiny.zip");
    await page.getByRole("button", { name: "Pause" }).click();
    const regions = "regions=Region 1:10,10,40,30;Region 2:60,60,20,20";
    for (const open of [...names.map((name) => [name]), ...two, ...more]) {
      await page.evaluate(
        (hash) => {
          location.hash = hash;
        },
        `view=points&detail=0.25&${opens(open)}&${regions}`,
      );
      await expect.poll(() => page.locator(".pane:not([hidden])").count()).toBe(open.length);
      await expect.poll(() => misfits(it), { message: `${open.join(", ")} at ${width} px` }).toEqual([]);
      const { picture, empty } = await shares(it);
      expect(empty, `${open.join(", ")} at ${width} px: empty`).toBeLessThan(MOST_EMPTY);
      if (width >= 1024 && open.length < 3)
        expect(picture, `${open.join(", ")} at ${width} px: the picture`).toBeGreaterThan(LEAST_SHARE);
    }
    await it.drop("notes.txt", new Uint8Array([1, 2, 3]));
    await page.locator("#messages .message").first().waitFor();
    for (const open of [["depth", "box"], []]) {
      await page.evaluate(
        (hash) => {
          location.hash = hash;
        },
        `color=depth&view=points&detail=0.25&${opens(open)}`,
      );
      await expect.poll(() => page.locator(".pane:not([hidden])").count()).toBe(open.length);
      await expect.poll(() => coveredByMessages(it)).toEqual([]);
    }
    await it.showLatency();
    await expect.poll(() => coveredByMessages(it)).toEqual([]);
    const stages = page.locator(".latency th[scope=row]");
    expect(await stages.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length)).toBe(
      0,
    );
    await it.keep(`fit-${width}`);
  });

  test("notices stand beside an open form, and beside what has numbers", async () => {
    const it = await app.open("backend=cpu&source=none#detail=0.25");
    const { page } = it;
    await page.setViewportSize({ width, height });
    await page.getByText("Drop a recording here").waitFor({ state: width < 640 ? "attached" : "visible" });
    await it.drop("plain.zip", pngZip(4, { noiseMm: 40, described: false }));
    await it.named("plain.zip");
    await expect.poll(() => page.locator("#divider .filtered small").textContent()).toMatch(/valid/);
    await it.foldLatency();
    await page.getByText("Left: as the camera gives it, right: filtered").waitFor();
    await page.locator(".assumed > button").click();
    await it.drop("notes.txt", new Uint8Array([1, 2, 3]));
    await it.drop("depthloom-settings.json", new Uint8Array([1, 2, 3]));
    await expect.poll(() => page.locator("#messages .message").count()).toBe(2);
    await expect.poll(() => coveredByMessages(it)).toEqual([]);
    await it.keep(`notices-${width}`);
    const seen = page.locator(".assumed form").getByRole("button", { name: "Apply" });
    await seen.click({ trial: true });
  });
});

test("panes on the picture leave the numbers of both sides free", async () => {
  const it = await app.open("backend=cpu&source=none#detail=0.25&paneDepth=true&paneColor=true&paneLayout=inset");
  const { page } = it;
  await page.setViewportSize({ width: 1024, height: 768 });
  await it.drop("plain.zip", pngZip(4, { noiseMm: 40 }));
  const small = page.locator("#divider .filtered small");
  await expect.poll(() => small.textContent()).toMatch(/valid/);
  const gap = () =>
    page.evaluate(() => {
      const top = document.querySelector('.pane[aria-label="Depth image"]')?.getBoundingClientRect().top ?? 0;
      return top - (document.querySelector("#divider .filtered")?.getBoundingClientRect().bottom ?? Number.NaN);
    });
  await expect.poll(gap).toBeGreaterThanOrEqual(0);
});

test("while a photo is offered a newcomer still has few controls, and the quality that is given up takes one line on a phone", async () => {
  const it = await app.open("backend=cpu#detail=0.25");
  const { page } = it;
  await page.locator("#messages").getByText("Photo shows this picture at its best.").waitFor({ timeout: 60_000 });
  expect((await controls(it)).length).toBeLessThanOrEqual(MOST_CONTROLS);
  await page.setViewportSize({ width: 390, height: 844 });
  const linesOf = () =>
    page.locator("#eased").evaluate((line) => {
      line.removeAttribute("hidden");
      line.children[0].textContent = "Quality: half size, 2 × 2 points as one";
      return line.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(line).lineHeight);
    });
  expect(await linesOf()).toBeLessThan(1.9);
  // An error leaves no room for the offer.
  await it.drop("notes.txt", new Uint8Array([1, 2, 3]));
  await page.locator("#messages .error").waitFor();
  expect(await page.locator("#messages .message").count()).toBe(1);
});
