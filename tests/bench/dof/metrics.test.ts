import { describe, expect, test } from "vitest";
import type { Rgba } from "../../../bench/dof/light.ts";
import { psnr, ssim } from "../../../bench/dof/similarity.ts";

// The expected numbers come from NumPy and SciPy: SSIM by scikit-image 0.26
// (gaussian_weights, sigma 1.5, use_sample_covariance False), on the same pictures.

/** 37 × 29 pixels in blocks of 4 × 4 of random colours. */
function blocks(seed: number): Rgba {
  const [width, height] = [37, 29];
  let state = seed;
  const colours = Array.from({ length: 10 * 8 * 3 }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
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
