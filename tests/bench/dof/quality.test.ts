import { expect, test } from "vitest";
import { singleLayer } from "../../../bench/dof/bound.ts";
import { Cache } from "../../../bench/dof/cache.ts";
import { lensPoints } from "../../../bench/dof/lens.ts";
import { encode, type Rgba } from "../../../bench/dof/light.ts";
import { drawByKernels, drawByTwins } from "../../../bench/dof/ours.ts";
import { lensesFor, openPeer } from "../../../bench/dof/peer.ts";
import { apart, bestOf, similarity } from "../../../bench/dof/quality.ts";
import { type SceneReport, summaryOf, textOf } from "../../../bench/dof/report.ts";
import { sheetOf } from "../../../bench/dof/sheet.ts";
import { largestRadius, sensor, shotOf } from "../../../bench/dof/shot.ts";
import { Exposure } from "../../../bench/dof/truth.ts";
import { VIEWS, WORLDS } from "../../../bench/dof/views.ts";
import { useGpu } from "../../gpu.ts";
import { useFolder } from "../../sources/fixtures.ts";

const gpu = useGpu();
const disk = useFolder();

test.each([
  ["stage", 1.7, 0.5],
  ["fence", 2.85, 0.4],
] as const)(
  "%s: dofSplat is closer to the single-layer picture than Three.js is, on both backends",
  async (world, focusM, fNumber) => {
    const exposure = new Exposure(WORLDS[world](), sensor(160));
    const shot = shotOf({ name: world, world, focusM, fNumber }, exposure);
    const bound = encode(singleLayer(shot.image, shot.lens, lensPoints(128)));
    const ours = drawByTwins(shot);
    expect(largestRadius(shot)).toBeGreaterThan(1.5);
    expect(similarity(bound, ours).ssim).toBeGreaterThan(0.93);
    expect(apart(ours, await drawByKernels(gpu.device, shot)).sharePast2).toBeLessThan(0.001);
    const peer = await openPeer(gpu.device, 160, 120);
    const theirs: Rgba[] = [];
    for (const lens of lensesFor(shot)) theirs.push(await peer.draw(shot, lens));
    // Without blur Three.js gives the picture back, the right way up.
    const sharp = await peer.draw(shot, { focalLength: 1e6, bokehScale: 0 });
    peer.destroy();
    const image = { ...bound, rgba: new Uint8ClampedArray(shot.image.rgba) };
    expect(apart(image, sharp).largestStep).toBeLessThanOrEqual(2);
    expect(bestOf(bound, theirs).ssim).toBeLessThan(similarity(bound, ours).ssim);
    expect(bestOf(bound, theirs).psnr).toBeLessThan(similarity(bound, ours).psnr);
  },
);

test("shotOf puts a sensor's holes into depth alone, not into colour", () => {
  const exposure = new Exposure(WORLDS.fence(), sensor(160));
  const view = { name: "", world: "fence", focusM: 2, fNumber: 1 } as const;
  const [whole, holed] = [shotOf(view, exposure), shotOf({ ...view, holes: true }, exposure)];
  const holes = holed.image.metres.filter((z) => z === 0).length / (160 * 120);
  expect(whole.image.metres.every((z) => z > 0)).toBe(true);
  expect(holes).toBeGreaterThan(0.01);
  expect(holes).toBeLessThan(0.3);
  expect(holed.image.rgba).toEqual(whole.image.rgba);
});

test("the views of `bench dof` cover every world, under different names", () => {
  expect(new Set(VIEWS.map(({ world }) => world)).size).toBe(Object.keys(WORLDS).length);
  expect(new Set(VIEWS.map(({ name }) => name)).size).toBe(VIEWS.length);
});

test("the picture cache makes a picture once for each key", () => {
  const cache = new Cache(disk.folder({}));
  let made = 0;
  const make = () => ({ width: 2, height: 1, rgba: Uint8ClampedArray.of(1, 2, 3, 255, 4, 5, ++made, 255) });
  const first = cache.picture(["a", 1, Uint8Array.of(7)], make);
  expect(first).toEqual({ width: 2, height: 1, rgba: Uint8ClampedArray.of(1, 2, 3, 255, 4, 5, 1, 255) });
  expect(cache.picture(["a", 1, Uint8Array.of(7)], make)).toEqual(first);
  expect(cache.picture(["a", 1, Uint8Array.of(8)], make).rgba[6]).toBe(2);
});

test("the report of `bench dof` has the mean, the worst scene, and the pictures embedded", () => {
  const scene: SceneReport = {
    ...{ name: "a <scene>", focusM: 1, fNumber: 2, largestRadiusPx: 3, rays: 4, psnr: 40, ssim: 0.99 },
    truth: { psnr: 30, ssim: 0.9 },
    singleLayer: { psnr: 31, ssim: 0.91 },
    errorBar: { psnr: 50, ssim: 0.999 },
    kernels: { largestStep: 1, sharePast2: 0 },
    peer: null,
  };
  const scenes = [scene, { ...scene, name: "b", psnr: 30, ssim: 0.95 }];
  const summary = summaryOf(scenes);
  expect(summary).toEqual({ mean: { psnr: 35, ssim: 0.97 }, worst: { psnr: 30, ssim: 0.95 } });
  const machine = { cpu: "a cpu", cores: 2, memoryGb: 8, os: "linux", node: "20", date: "2026-01-01T00:00:00.000Z" };
  const orbit = [{ name: "beside it", mean: 1.5, p99: 20, truth: { mean: 3, p99: 50 }, psnr: 25 }];
  const report = { machine, adapter: null, width: 1, height: 1, ...summary, scenes, orbit };
  expect(textOf(report)).toMatch(/^a <scene> +3\.0 +40\.0 +0\.990/m);
  expect(textOf(report)).toMatch(/^beside it +1\.50, 20\.0 +3\.00, 50\.0 +25\.0$/m);
  const picture = { width: 1, height: 1, rgba: Uint8ClampedArray.of(1, 2, 3, 255) };
  const page = sheetOf(report, new Map([[scene, new Map([["lens", picture]])]]));
  expect(page).toContain("a &lt;scene&gt;");
  expect(page.match(/src="data:image\/png;base64,/g)).toHaveLength(1);
  expect(page).not.toMatch(/<script|https?:|<link|NaN|undefined/);
});
