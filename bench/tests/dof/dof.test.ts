import { describe, expect, test } from "vitest";
import { defaultIntrinsics } from "../../../sources/synthetic/camera.ts";
import { dofSplat } from "../../../stages/index.ts";
import { useGpu } from "../../../tests/gpu.ts";
import { uniform } from "../../../tests/random.ts";
import { singleLayer } from "../../dof/bound.ts";
import { disparity, lensPoints } from "../../dof/lens.ts";
import { encode, type Rgba } from "../../dof/light.ts";
import { drawByKernels, drawByTwins } from "../../dof/ours.ts";
import { lensesFor, openPeer } from "../../dof/peer.ts";
import { apart, bestOf, similarity } from "../../dof/quality.ts";
import { type SceneReport, summaryOf, textOf } from "../../dof/report.ts";
import { sheetOf } from "../../dof/sheet.ts";
import { largestRadius, sensor, shotOf } from "../../dof/shot.ts";
import { psnr, ssim } from "../../dof/similarity.ts";
import { Exposure } from "../../dof/truth.ts";
import { WORLDS } from "../../dof/views.ts";
import { room } from "../../dof/worlds.ts";

describe("the traced truth and the single layer", () => {
  test("agree on the blur of a room, the better the more rays they take", () => {
    const intrinsics = defaultIntrinsics(96, 72);
    const exposure = new Exposure(room(), intrinsics);
    const lens = { blur: 6, inverseFocus: 1 / 1.6 };
    expect(disparity(lens, 4)).toBeCloseTo(2.25, 9);
    const sharp = encode(exposure.light({ ...lens, blur: 0 }, lensPoints(16)));
    const metres = exposure.layer().metres;
    const image = { width: 96, height: 72, rgba: new Uint8Array(sharp.rgba), metres };
    const truth = encode(exposure.light(lens, lensPoints(128)));
    const error = (count: number) => psnr(encode(singleLayer(image, lens, lensPoints(count))), truth);
    expect(psnr(sharp, truth)).toBeLessThan(24);
    expect(error(128)).toBeGreaterThan(33);
    expect(error(128)).toBeGreaterThan(error(8));
    expect(ssim(encode(singleLayer(image, lens, lensPoints(128))), truth)).toBeGreaterThan(0.97);
  });
});

/** Points of a pentagon in the lens, with a corner at y = −1, or at y = 1 when upside down. */
function pentagon(count: number, up: 1 | -1) {
  const edges = [1, 3, 5, 7, 9].map((i) => [Math.sin((i * Math.PI) / 5), -Math.cos((i * Math.PI) / 5)] as const);
  const inside = (x: number, y: number) => edges.every(([a, b]) => a * x + b * up * y <= Math.cos(Math.PI / 5));
  return lensPoints(count).filter(({ x, y }) => inside(x, y));
}

test("dofSplat with five blades draws a pentagon's blur, the right way up before and behind the focus", () => {
  const exposure = new Exposure(WORLDS.lamps(), sensor(160));
  const shot = shotOf({ name: "", world: "lamps", focusM: 1.7, fNumber: 0.05 }, exposure);
  const { width, height } = exposure.intrinsics;
  const drawn = (blades: number) =>
    drawByTwins({ ...shot, stage: dofSplat({ width, height, focusM: 1.7, fNumber: 0.05, blades }) });
  const [five, round] = [drawn(5), drawn(0)];
  const upright = encode(singleLayer(shot.image, shot.lens, pentagon(1400, 1)));
  const inverted = encode(singleLayer(shot.image, shot.lens, pentagon(1400, -1)));
  const psnr = (one: typeof upright, other: typeof five) => similarity(one, other).psnr;
  expect(psnr(upright, five)).toBeGreaterThan(38);
  expect(psnr(upright, five)).toBeGreaterThan(psnr(inverted, five) + 1);
  expect(psnr(upright, five)).toBeGreaterThan(psnr(upright, round) + 1);
});

// The expected numbers come from NumPy and SciPy: SSIM by scikit-image 0.26
// (gaussian_weights, sigma 1.5, use_sample_covariance False), on the same pictures.

/** 37 × 29 pixels in blocks of 4 × 4 of random colours. */
function blocks(seed: number): Rgba {
  const [width, height] = [37, 29];
  const random = uniform(seed);
  const colours = Array.from({ length: 10 * 8 * 3 }, () => Math.floor(256 * random()));
  return image(width, height, (x, y, c) => colours[((y >> 2) * 10 + (x >> 2)) * 3 + c] ?? 0);
}

function image(width: number, height: number, at: (x: number, y: number, c: number) => number): Rgba {
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let i = 0; i < rgba.length; i++) {
    const p = i >> 2;
    rgba[i] = i % 4 === 3 ? 255 : at(p % width, Math.floor(p / width), i % 4);
  }
  return { width, height, rgba };
}

const a = blocks(1);
const b = blocks(2);
const mixed = image(37, 29, (x, y, c) => {
  const i = 4 * (y * 37 + x) + c;
  return Math.floor(0.7 * (a.rgba[i] ?? 0) + 0.3 * (b.rgba[i] ?? 0));
});

describe("PSNR", () => {
  test("equals NumPy's", () => {
    expect(psnr(a, b)).toBeCloseTo(7.723463194945528, 9);
    expect(psnr(a, mixed)).toBeCloseTo(18.200205514711723, 9);
  });
});

describe("SSIM", () => {
  test("equals scikit-image's of the luma rounded to 8 bits", () => {
    expect(ssim(a, b)).toBeCloseTo(-0.17957219527713358, 9);
    expect(ssim(a, mixed)).toBeCloseTo(0.7888060318152466, 9);
    expect(ssim(a, a)).toBeCloseTo(1, 12);
  });
});

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
