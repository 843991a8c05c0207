import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { decode } from "fast-png";
import type { Browser, Page } from "playwright-core";
import { build, type PreviewServer, preview } from "vite";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { assembly } from "../../config/assembly.ts";
import { wasm } from "../../config/wasm.ts";
import { wgsl } from "../../config/wgsl.ts";
import { sharedBrowser } from "./chromium.ts";

// Points in a Three.js scene, on each of its renderers, and the example in docs/.

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const alias = {
  "depthloom/pipeline": root("pipeline/index.ts"),
  "depthloom/sources": root("sources/index.ts"),
  "depthloom/stages": root("stages/index.ts"),
  "depthloom/stage": root("stages/core/index.ts"),
  "depthloom/three": root("viewer/three/index.ts"),
};

/** The objects and functions that three/page.js gives the tests. */
interface Scene {
  readonly points: {
    isLent: boolean;
    visible: boolean;
    castShadow: boolean;
    pointSize: number;
    readBack(): Promise<void>;
    dispose(): void;
  };
  readonly scene: { add(object: object): void; remove(object: object): void };
  readonly pipeline: { destroy(): Promise<void> };
  count(): Promise<number>;
  show(): Promise<void>;
  draw(): Promise<void>;
  light(): void;
  lamp(sheet: boolean): void;
  fit(): { at: number[]; middle: number[]; far: number; edge: number; box: number[] };
  hits(x: number, y: number, threshold: number): { index: number; distance: number; at: number[] }[];
}
declare const it: Scene;
declare const open3: (kind: string, stages: string, lit?: boolean) => Promise<{ lent: boolean; backend: string }>;

let browser: Browser;
let server: PreviewServer;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  const outDir = mkdtempSync(join(inject("builds"), "three-"));
  const pages = ["tests/browser/three/index.html", "docs/examples/three/index.html"].map(root);
  await build({
    root: root("."),
    configFile: false,
    logLevel: "warn",
    resolve: { alias },
    plugins: [wasm(), assembly(), wgsl()],
    worker: { format: "es", plugins: () => [wasm(), assembly(), wgsl()] },
    build: { outDir, target: "es2023", rolldownOptions: { input: pages }, reportCompressedSize: false },
  });
  server = await preview({
    root: root("."),
    configFile: false,
    preview: { host: "127.0.0.1", port: 0 },
    build: { outDir },
  });
  browser = await sharedBrowser();
  page = await browser.newPage({ viewport: { width: 400, height: 300 } });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  mkdirSync(root("test-output/browser"), { recursive: true });
});
afterAll(async () => {
  await page?.close();
  await server?.close();
});
beforeEach(() => {
  complaints.length = 0;
});

const address = (path: string) => new URL(path, server.resolvedUrls?.local[0]).href;

async function picture(name: string) {
  const png = await page.locator("canvas").screenshot();
  writeFileSync(root(`test-output/browser/three-${name.replace(/\W+/g, "-")}.png`), png);
  return decode(png);
}

/** The number of red pixels. */
async function reds(name: string) {
  const { data, channels } = await picture(name);
  let red = 0;
  for (let i = 0; i < data.length; i += channels) if (data[i] > 150 && data[i + 1] < 60) red++;
  return red;
}

/** The mean of a channel: green, which the points lack, or red. */
async function brightness(name: string, channel = 1) {
  const { data, channels } = await picture(name);
  let sum = 0;
  for (let i = 0; i < data.length; i += channels) sum += data[i + channel];
  return sum / (data.length / channels);
}

describe.each([
  ["WebGPURenderer", "the renderer's GPU", true, "webgpu"],
  ["WebGPURenderer", "CPU", false, "cpu"],
  ["WebGPURenderer on WebGL", "CPU", false, "cpu"],
  ["WebGLRenderer", "CPU", false, "cpu"],
  ["WebGLRenderer", "own GPU", false, "webgpu"],
])("points drawn by a %s, from a pipeline on: %s", (kind, stages, lent, backend) => {
  const name = `${kind} ${stages}`;

  test("are squares as wide as the sensor's pixels, in their own colours", async () => {
    await page.goto(address("tests/browser/three/index.html"));
    await page.waitForFunction(() => "open3" in window);
    const opened = await page.evaluate(([a, b]) => open3(a, b), [kind, stages] as const);
    expect(opened.backend).toBe(backend);
    await page.evaluate(() => it.draw());
    expect(await reds(`${name} empty`)).toBe(0);
    await page.evaluate(async () => {
      it.scene.add(it.points);
      await it.show();
      await it.draw();
    });
    expect(await page.evaluate(() => it.points.isLent)).toBe(lent);
    // 8 × 6 points; seen from the sensor's place each is one pixel of the sensor, 10 × 10 of the canvas.
    expect(await reds(name)).toBe(48 * 100);
    await page.evaluate(async () => {
      it.points.pointSize = 0.5;
      await it.show();
      await it.draw();
    });
    expect(await reds(`${name} half`)).toBe(48 * 25);
    await page.evaluate(async () => {
      it.points.visible = false;
      await it.draw();
    });
    expect(await reds(`${name} hidden`)).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("are hit by a raycaster once they are on the CPU", async () => {
    // A point at 1 m: column 2 of 32, row 2 of 24.
    const [x, y] = [(2 + 0.5) / 16 - 1, 1 - (2 + 0.5) / 12];
    const hits = (threshold: number) => page.evaluate(([u, v, t]) => it.hits(u, v, t), [x, y, threshold] as const);
    if (lent) expect(await hits(0.01)).toEqual([]);
    await page.evaluate(() => it.points.readBack());
    const [hit, ...others] = await hits(0.01);
    expect(others).toEqual([]);
    expect(hit?.index).toBe(0);
    const expected = [(2 - 15.5) / 32, -(2 - 11.5) / 32, -1];
    for (const [axis, value] of expected.entries()) expect(hit?.at[axis]).toBeCloseTo(value, 4);
    expect((await hits(0.2)).length).toBeGreaterThan(1);
    // While a stream plays, the shown frame's points are gone: those of the next frame are read.
    await page.evaluate(async () => {
      await it.count();
      const reading = it.points.readBack();
      await it.show();
      await reading;
    });
    expect(await hits(0.01)).toHaveLength(1);
  });

  test("cast a shadow when castShadow is set", async () => {
    await page.evaluate(async () => {
      it.light();
      it.points.pointSize = 4;
      it.points.visible = true;
      await it.draw();
    });
    const without = await brightness(`${name} no shadow`);
    await page.evaluate(async () => {
      it.points.castShadow = true;
      await it.draw();
      await it.draw();
    });
    expect(await brightness(`${name} shadow`)).toBeLessThan(without - 1);
    expect(complaints).toEqual([]);
  });

  test("have bounds, and a camera is moved to where it sees them all", async () => {
    const { at, middle, far, edge, box } = await page.evaluate(() => it.fit());
    expect(at.slice(0, 2)).toEqual([0, 0]);
    expect(at[2]).toBeGreaterThan(1);
    expect(middle).toEqual([0, 0, expect.closeTo(-1, 5)]);
    expect(far).toBeGreaterThan(3);
    expect(edge).toBeLessThan(1.5);
    // Column 2 at 1 m and column 30 at 2 m; rows 2 and 22.
    const [left, right, bottom, top] = [2 - 15.5, 2 * (30 - 15.5), -2 * (22 - 11.5), 2 * 9.5].map((px) => px / 32);
    for (const [i, value] of [left, bottom, -2, right, top, -1].entries()) expect(box[i]).toBeCloseTo(value, 4);
  });
});

test.each([
  ["WebGPURenderer", "the renderer's device"],
  ["WebGLRenderer", "CPU"],
])("lit points of a %s have the light and the shadows of their scene", async (kind, stages) => {
  await page.goto(address("tests/browser/three/index.html"));
  await page.waitForFunction(() => "open3" in window);
  await page.evaluate(([a, b]) => open3(a, b, true), [kind, stages] as const);
  await page.evaluate(() => it.draw());
  const look = async (sheet: boolean | undefined) => {
    await page.evaluate(async (shade) => {
      if (shade === undefined) it.scene.add(it.points);
      else it.lamp(shade);
      await it.show();
      await it.draw();
      await it.draw();
    }, sheet);
    return brightness(`lit ${kind} ${sheet}`, 0);
  };
  const [dark, bright, shaded] = [await look(undefined), await look(false), await look(true)];
  // An empty canvas may be white.
  expect(bright).toBeGreaterThan(dark + 1);
  expect(shaded - dark).toBeLessThan((bright - dark) / 2);
  expect(complaints).toEqual([]);
});

test.each([
  ["webgpu", "WebGPURenderer: points drawn from the GPU's own buffer"],
  ["webgl", "WebGLRenderer: points read back"],
])("the Three.js example in docs/ draws its room with renderer=%s", async (renderer, told) => {
  // Slows the example to two pictures a second for the software GPU, and stops it for the screenshot.
  await page.addInitScript(() => {
    const next = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (draw) => Number(setTimeout(() => "still" in window || next(draw), 500));
  });
  await page.setViewportSize({ width: 480, height: 360 });
  await page.goto(address(`docs/examples/three/index.html?fps=1&renderer=${renderer}`));
  await page.waitForFunction((text) => document.getElementById("told")?.textContent === text, told, { polling: 200 });
  await page.evaluate(async () => {
    for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
    Reflect.set(window, "still", true);
  });
  const png = await page.screenshot({
    timeout: 60_000,
    path: root(`test-output/browser/three-example-${renderer}.png`),
  });
  const { data, channels } = decode(png);
  const colours = new Set<number>();
  for (let i = 0; i < data.length; i += channels) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  expect(colours.size).toBeGreaterThan(1000);
  expect(complaints).toEqual([]);
});
