import type { DepthFrame } from "../../core/frame.ts";
import { inBands, SURFACE } from "./depthBands.ts";
import { curveThrough, type Sample } from "./noiseCurve.ts";

/**
 * The distance between neighbouring depth values that occur: in mm as a function of the distance in metres, and its growth with the squared
 * distance in mm per m².
 */
export function stepBetween(images: readonly Pick<DepthFrame, "depth">[], metresPerUnit: number) {
  const mmPerUnit = metresPerUnit * 1000;
  const found = stepsIn(images).map(({ atM, mm, count }) => ({ atM: atM * metresPerUnit, mm: mm * mmPerUnit, count }));
  const [unit, growth] = curveThrough(found);
  return { stepMm: (atM: number) => Math.max(mmPerUnit, unit + growth * atM * atM), perM2Mm: growth };
}

/** The median gap between neighbouring depth values that occur, per band; distance and gap in units of the frame. */
function stepsIn(frames: readonly Pick<DepthFrame, "depth">[]): Sample[] {
  const counts = new Uint32Array(65536);
  for (const { depth } of frames) for (const value of depth.data) counts[value]++;
  const bands = inBands((add) => {
    let last = 0;
    for (let depth = 1; depth < 65536; depth++) {
      if (counts[depth] < 3 * frames.length) continue;
      if (last > 0 && depth - last < SURFACE * depth) add(depth, depth - last);
      last = depth;
    }
  });
  return [...bands.values()]
    .filter(({ values }) => values.length > 2)
    .map(({ depth, values }) => {
      const sorted = values.toSorted((p, q) => p - q);
      return { atM: depth / values.length, mm: sorted[sorted.length >> 1], count: values.length };
    });
}
