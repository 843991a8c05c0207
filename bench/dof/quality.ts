import type { Rgba } from "./light.ts";
import { psnr, ssim } from "./similarity.ts";

/** The similarity of two pictures. */
export interface Similarity {
  /** In dB. */
  readonly psnr: number;
  readonly ssim: number;
}

const rounded = (x: number, digits: number) => Number(x.toFixed(digits));

export const similarity = (reference: Rgba, test: Rgba): Similarity => ({
  // Equal pictures have an infinite PSNR, which JSON cannot express.
  psnr: rounded(Math.min(psnr(reference, test), 99), 2),
  ssim: rounded(ssim(reference, test), 4),
});

/** The best of several results, for each number separately. */
export function bestOf(reference: Rgba, tests: readonly Rgba[]): Similarity {
  const all = tests.map((test) => similarity(reference, test));
  return { psnr: Math.max(...all.map((one) => one.psnr)), ssim: Math.max(...all.map((one) => one.ssim)) };
}

/** The difference between two pictures that should be equal. */
export function apart(a: Rgba, b: Rgba): { readonly largestStep: number; readonly sharePast2: number } {
  let [largestStep, past] = [0, 0];
  for (let p = 0; p < a.rgba.length; p += 4) {
    let step = 0;
    for (let c = 0; c < 3; c++) step = Math.max(step, Math.abs(a.rgba[p + c] - b.rgba[p + c]));
    largestStep = Math.max(largestStep, step);
    if (step > 2) past++;
  }
  return { largestStep, sharePast2: rounded((4 * past) / a.rgba.length, 6) };
}
