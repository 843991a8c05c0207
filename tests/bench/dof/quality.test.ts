import { expect, test } from "vitest";
import { singleLayer } from "../../../bench/dof/bound.ts";
import { lensPoints } from "../../../bench/dof/lens.ts";
import { encode, type Rgba } from "../../../bench/dof/light.ts";
import { drawByKernels, drawByTwins } from "../../../bench/dof/ours.ts";
import { lensesFor, openPeer } from "../../../bench/dof/peer.ts";
import { apart, bestOf, similarity } from "../../../bench/dof/quality.ts";
import { type SceneReport, summaryOf, textOf } from "../../../bench/dof/report.ts";
import { sheetOf } from "../../../bench/dof/sheet.ts";
import { largestRadius, sensor, shotOf } from "../../../bench/dof/shot.ts";
import { Exposure } from "../../../bench/dof/truth.ts";
import { WORLDS } from "../../../bench/dof/views.ts";
import { useGpu } from "../../gpu.ts";

const gpu = useGpu();

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
  const report = { machine, adapter: null, width: 1, height: 1, ...summary, scenes };
  expect(textOf(report)).toMatch(/^a <scene> +3\.0 +40\.0 +0\.990/m);
  const picture = { width: 1, height: 1, rgba: Uint8ClampedArray.of(1, 2, 3, 255) };
  const page = sheetOf(report, new Map([[scene, new Map([["lens", picture]])]]));
  expect(page).toContain("a &lt;scene&gt;");
  expect(page.match(/src="data:image\/png;base64,/g)).toHaveLength(1);
  expect(page).not.toMatch(/<script|https?:|<link|NaN|undefined/);
});
