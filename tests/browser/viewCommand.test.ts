import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { decode } from "fast-png";
import type { Browser } from "playwright-core";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import WebSocket from "ws";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writePngFolder } from "../../write/index.ts";
import { serving, start } from "../cli/command.ts";
import { useFolder } from "../sources/fixtures.ts";
import { SCREENSHOTS } from "./appPage.ts";
import { sharedBrowser } from "./chromium.ts";

// `depthloom view`: the command serves the viewer and a stream, and pages show them.

const disk = useFolder();
const recording = join(disk.root, "room");
let browser: Browser;
beforeAll(async () => {
  await writePngFolder(syntheticRoom({ width: 80, height: 60, frames: 12 }), recording, { truth: false });
  browser = await sharedBrowser(["--disable-gpu-compositing"]);
});

const viewing = (...args: string[]) => serving(["view", ...args, "--no-open", "--port", "0"]);

/** Opens the address in a page and waits for a frame. `frame` returns the number of the frame that is shown. */
async function shown(address: string) {
  const page = await browser.newPage({ viewport: { width: 840, height: 640 } });
  onTestFinished(() => page.close());
  await page.goto(`${address}${address.includes("?") ? "&" : "?"}backend=cpu#governor=false&detail=0.25`);
  const time = page.locator("#transport .time");
  const frame = async () => Number(/(\d+)/.exec((await time.textContent()) ?? "")?.[1] ?? 0);
  await expect.poll(frame).toBeGreaterThan(0);
  return { page, frame, time };
}

test("`view` streams to two pages at once, refuses other origins, and ends on Ctrl-C", async () => {
  // A recording about which the command line says something is streamed, since the page would not know what was said.
  const { child, ended, address } = await viewing(recording, "--fps", "30");
  const { origin, searchParams } = new URL(address);
  const stream = searchParams.get("source") ?? "";
  const pages = [await shown(address), await shown(address)];
  // The page connects without asking, since it comes from the stream's own server.
  for (const { page, frame, time } of pages) {
    expect(await page.getByRole("button", { name: "Connect" }).count()).toBe(0);
    expect(await time.textContent()).toMatch(/^live · /);
    expect(await page.locator("#masthead h1").textContent()).toBe("room");
    const before = await frame();
    await expect.poll(frame).toBeGreaterThan(before);
  }
  // The page shows the latency from capture to picture, with its parts.
  const [{ page }] = pages as [Awaited<ReturnType<typeof shown>>];
  await page.locator(".latency").evaluate((table: HTMLDetailsElement) => table.toggleAttribute("open", true));
  for (const name of ["camera", "wire", "capture to picture"]) {
    const fact = page
      .locator(".latency .facts > div")
      .filter({ has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) });
    await expect.poll(() => fact.locator("dd").textContent()).toMatch(/^\d+ ms$/);
  }
  const opened = (where: string, own?: string) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(where, ["foxglove.websocket.v1"], own === undefined ? {} : { origin: own });
      socket
        .on("error", (error) => resolve(error.message))
        .on("open", () => {
          socket.close();
          resolve("open");
        });
    });
  expect(await opened(stream, "https://example.com")).toContain("401");
  expect(await opened(stream.replace(/\?.*/, ""))).toContain("401");
  expect(await opened(stream, origin)).toBe("open");
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ status: 130 });
  await expect(fetch(origin)).rejects.toThrow();
});

test("`view` of a recording in one file lets the page seek in it, and serves no other file", async () => {
  const file = join(disk.root, "room.mcap");
  const { ended: written } = start(["convert", recording, file]);
  expect((await written).status).toBe(0);
  const { child, ended, address } = await viewing(file);
  const { origin } = new URL(address);
  const { time } = await shown(address);
  expect(await time.textContent()).toMatch(/^frame \d+, 12 in all/);
  const status = async (path: string, init?: RequestInit) => (await fetch(origin + path, init)).status;
  expect(await status("/recording/other.mcap")).toBe(404);
  expect(await status("/..%2fpackage.json")).toBe(404);
  expect(await status("/", { method: "POST" })).toBe(405);
  expect((await fetch(origin)).headers.get("cross-origin-resource-policy")).toBe("same-origin");
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ status: 130 });
});

test("`view` of a batch shows its table, whose rows open the recordings, a file and a folder", async () => {
  const [folder, out] = [join(disk.root, "fleet"), join(disk.root, "results")];
  mkdirSync(folder);
  cpSync(recording, join(folder, "a folder"), { recursive: true });
  expect((await start(["convert", recording, join(folder, "file.mcap")]).ended).status).toBe(0);
  writeFileSync(join(folder, "broken.bag"), "no bag");
  expect((await start(["batch", folder, "--out", out]).ended).status).toBe(1);
  const { child, ended, address } = await viewing(out);
  expect(new URL(address).pathname).toBe("/table.html");
  const page = await browser.newPage({ viewport: { width: 1280, height: 640 } });
  onTestFinished(() => page.close());
  for (const name of ["a folder", "file.mcap"]) {
    await page.goto(address);
    expect(await page.locator("tbody.failed").textContent()).toContain("broken.bag");
    const pictures = page.locator("tbody img");
    await expect
      .poll(() => pictures.evaluateAll((all) => all.map((image) => (image as HTMLImageElement).naturalWidth > 0)))
      .toEqual([true, true]);
    const link = await page.getByRole("link", { name, exact: true }).getAttribute("href");
    const { time } = await shown(new URL(link ?? "", address).href);
    expect([name, await time.textContent()]).toEqual([name, expect.stringMatching(/^frame \d+, 12 in all/)]);
  }
  // Every column is in the window, and a click on a head sorts.
  await page.goto(address);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1280);
  const order = () => page.locator("td[data-column=recording]").allTextContents();
  expect(await order()).toEqual(["broken.bag", "a folder", "file.mcap"]);
  await page.getByRole("button", { name: "recording" }).click();
  expect(await order()).toEqual(["a folder", "broken.bag", "file.mcap"]);
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ status: 130 });
});

test("`view` of two ends where the second cannot be opened, and leaves the stream that it opened first", async () => {
  const { address } = await serving(["serve", recording, "--port", "0"]);
  const { status, stderr } = await start(["view", address, "missing.mcap", "--no-open"]).ended;
  expect([status, stderr]).toEqual([1, expect.stringContaining("missing.mcap: there is no such file")]);
});

test("`view` without a recording shows the synthetic scene", async () => {
  const { address } = await viewing();
  expect(new URL(address).search).toBe("");
  const { page } = await shown(address);
  // The page is isolated, so that the stages' worker has threads as in Node.
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  const threads = () => page.workers().filter((worker) => worker.url().startsWith("blob:")).length;
  await expect.poll(threads).toBe(Math.min(8, availableParallelism()) - 1);
});

test("`view` with what `align --json` has printed shows all cameras in one space, each of which can be switched off", async () => {
  // A software GPU draws point by point, so there are few.
  const small = join(disk.root, "small");
  await writePngFolder(syntheticRoom({ width: 40, height: 30, frames: 4 }), small, { truth: false });
  const places = join(disk.root, "places.json");
  const toFirst = [0, 0, 1, -3, 0, 1, 0, 0, -1, 0, 0, 2.5];
  const first = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
  const write = (...cameras: object[]) => writeFileSync(places, JSON.stringify({ cameras, warnings: [] }));
  write({ toFirst: first }, { toFirst: null, why: "the views have too little in common" });
  const refused = start(["view", small, small, "--align", places, "--no-open"]);
  expect((await refused.ended).stderr).toMatch(
    /places\.json: camera 2 has no place: the views have too little in common/,
  );
  write({ toFirst: first }, { toFirst });
  const { address } = await viewing(small, small, "--align", places);
  // Without Chromium's GPU compositing, screenshots lack what WebGPU draws.
  const page = await (await sharedBrowser()).newPage({ viewport: { width: 400, height: 300 } });
  onTestFinished(() => page.close());
  await page.goto(address);
  const canvas = page.locator(".space canvas");
  const second = page.getByRole("switch", { name: /^Camera 2: / });
  await second.waitFor();
  /** The share of the picture that points cover. */
  const covered = async () => {
    const { data, channels } = decode(await canvas.screenshot());
    let lit = 0;
    for (let i = 0; i < data.length; i += channels) if (data[i] + data[i + 1] + data[i + 2] > 60) lit++;
    return lit / (data.length / channels);
  };
  await expect.poll(covered).toBeGreaterThan(0.15);
  await page.screenshot({ path: `${SCREENSHOTS}/rig.png` });
  const both = await covered();
  await second.uncheck();
  await expect.poll(covered).toBeLessThan(both - 0.02);
  await page.getByRole("switch", { name: /^Camera 1: / }).uncheck();
  // The bar's edge is in the screenshot.
  await expect.poll(covered).toBeLessThan(0.01);
  expect(await page.locator(".says").textContent()).toBe("Drag to turn, scroll or pinch to zoom");
  // Where the first camera cannot be opened, the page says so, and looks at what the second one sees.
  await page.goto("about:blank");
  await page.goto(address.replace("small", "missing"));
  await expect.poll(covered).toBeGreaterThan(0.05);
  expect(await page.locator(".says").textContent()).toMatch(/^Camera 1: /);
});

test("`view` opens a folder of two cameras, and the page offers the choice between them", async () => {
  const rig = join(disk.root, "rig");
  for (const side of ["left", "right"])
    cpSync(join(recording, "depth"), join(rig, `${side}_depth`), { recursive: true });
  const { child, ended, address } = await viewing(rig);
  const { page } = await shown(address);
  const topics = page.getByRole("combobox", { name: "Depth topic" });
  expect(await topics.locator("option").allTextContents()).toEqual(["left_depth/*.png", "right_depth/*.png"]);
  // What can be chosen is not told as something that is not read.
  expect(await page.locator("#messages").textContent()).not.toContain("right_depth");
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ status: 130 });
});
