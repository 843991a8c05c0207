import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFindings } from "../browser/axe.ts";
import { sharedBrowser } from "../browser/chromium.ts";
import { HEIGHT, tumZip, WIDTH } from "../browser/recordings.ts";
import { useFolder } from "../sources/fixtures.ts";
import { install, packed } from "./install.ts";
import { serveStrictly } from "./strictServer.ts";

// Each file in docs/examples runs unchanged, beside the package as npm installs it. (The example packages have tests of their own.)

const root = fileURLToPath(new URL("../..", import.meta.url));
const examples = join(root, "docs/examples");
const disk = useFolder();
const folder = join(disk.root, "user");
let zip = "";

beforeAll(async () => {
  mkdirSync(folder);
  install(await packed(), folder);
  for (const name of ["filter-depth.js", "own-source.js", "page.html"])
    cpSync(join(examples, name), join(folder, name));
  zip = disk.file("tiny.zip", tumZip(3));
});

function node(...args: string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  return { lines: stdout.trim().split("\n"), stderr, status };
}

test("every file in docs/examples has a test here", () => {
  const files = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isFile());
  const programs = files.map(({ name }) => name).filter((name) => name !== "README.md");
  // tests/sources/decode/depthV2.test.ts runs the Python reader, and element.test.ts the element's page.
  const others = ["element.html", "read_depth_v2.py"];
  expect(programs.filter((name) => !others.includes(name)).sort()).toEqual([
    ...["filter-depth.js", "own-source.js", "page.html"],
  ]);
});

describe("filter-depth.js", () => {
  test("writes the filtered depth of each frame in metres, as arrays that open as a recording", async () => {
    const paths = [0, 1, 2].map((i) => join("filtered", `00000${i}.npy`));
    const warning = expect.stringMatching(/^warning: no intrinsics are given: .*\n$/);
    expect(node("filter-depth.js", zip, "filtered")).toEqual({ lines: paths, stderr: warning, status: 0 });
    const written = await disk.open(join(folder, "filtered"));
    expect(written.length).toBe(3);
    const { depth, metresPerUnit } = await written.read(1);
    expect(depth.shape).toEqual([HEIGHT, WIDTH]);
    const metres = (y: number, x: number) => depth.get(y, x) * metresPerUnit;
    expect(metres(36, 31)).toBeCloseTo(1, 2);
    expect(metres(36, 80)).toBeCloseTo(3, 2);
    expect(metres(36, 0)).toBe(0);
  });

  test("prints its usage, and an error on a missing file", () => {
    expect(node("filter-depth.js")).toMatchObject({ stderr: expect.stringContaining("usage:"), status: 2 });
    const { status, stderr } = node("filter-depth.js", "none.bag", "out");
    expect([status, stderr]).toEqual([1, expect.stringMatching(/SourceError: .*none\.bag/)]);
  });
});

test("the first program of docs/library.md prints the points of each frame", () => {
  const [, program = ""] = /```js\n(.*?)```/s.exec(readFileSync(join(root, "docs/library.md"), "utf8")) ?? [];
  writeFileSync(join(folder, "points.js"), program);
  const { lines, stderr, status } = node("points.js", zip);
  expect([stderr, status]).toEqual([expect.stringMatching(/^no intrinsics are given: .*\n$/), 0]);
  const metres = "-?\\d+(\\.\\d+)?";
  const line = (index: number) => `^frame ${index}: \\d{3,} points, the first at ${metres}, ${metres}, ${metres} m$`;
  expect(lines).toEqual([0, 1, 2].map((index) => expect.stringMatching(line(index))));
});

test("own-source.js: each of the camera's frames is processed or counted as dropped", () => {
  const { lines, stderr, status } = node("own-source.js");
  expect([stderr, status]).toEqual(["", 0]);
  const [, frames = "", dropped = ""] = /^(\d+) frames processed, (\d+) dropped$/.exec(lines.pop() ?? "") ?? [];
  expect(Number(frames) + Number(dropped)).toBe(30);
  expect(lines).toHaveLength(Number(frames));
  const near = lines.flatMap((line) => /^frame \d+: (\d+) pixels are nearer than 2 m$/.exec(line)?.[1] ?? []);
  expect(near.length).toBeGreaterThan(0);
  // The ball has a radius of 30 pixels.
  for (const pixels of near) expect(Math.abs(Number(pixels) - Math.PI * 30 ** 2)).toBeLessThan(60);
});

describe("page.html, served without a bundler under a strict policy", () => {
  const complaints: string[] = [];
  let server: Server | undefined;
  let browser: Browser | undefined;
  let page: Page;
  const status = () => page.locator("#status").textContent();

  beforeAll(async () => {
    const served = await serveStrictly(folder);
    server = served.server;
    browser = await sharedBrowser();
    page = await browser.newPage({ viewport: { width: 900, height: 1000 } });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await page.goto(`${served.url}/page.html`);
  });
  afterAll(async () => {
    await page?.close();
    server?.close();
  });

  /** The colour at a place of the picture. */
  const colorAt = (x: number, y: number) =>
    page.evaluate(
      ([x, y]) => {
        const context = document.querySelector("canvas")?.getContext("2d");
        return [...(context?.getImageData(x, y, 1, 1).data ?? [])];
      },
      [x, y] as const,
    );

  test("shows the synthetic room at once", async () => {
    await page.waitForFunction(() => Number(document.querySelector("canvas")?.dataset.frame) > 0);
    expect(await status()).toMatch(/^synthetic room: \d+ frames, on (cpu|webgpu)$/);
    expect(page.workers().map((worker) => worker.url())).toContainEqual(expect.stringContaining("noiseWorker"));
    await page.screenshot({ path: join(root, "test-output/browser/example-page.png") });
    expect(await axeFindings(page)).toEqual([]);
  });

  test("plays a chosen recording, filtered", async () => {
    await page.setInputFiles("#file", zip);
    await page.waitForFunction((width) => document.querySelector("canvas")?.width === width, WIDTH);
    expect(await status()).toMatch(/^tiny\.zip: 3 frames, on (cpu|webgpu)$/);
    expect(await colorAt(80, 36)).toEqual([102, 102, 102, 255]);
    expect(await colorAt(31, 36)).toEqual([204, 204, 204, 255]);
    expect(await colorAt(0, 36)).toEqual([0, 0, 0, 255]);
  });

  test("shows an error on a file that is no recording, and requests nothing that its policy refuses", async () => {
    await page.setInputFiles("#file", { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") });
    await expect.poll(status).toContain("notes.txt");
    expect(complaints).toEqual([]);
  });
});
