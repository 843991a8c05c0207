import { type FrameShape, image, type PairGeometry, type StereoPair } from "../../core/frame.ts";
import type { Twin } from "../core/stage.ts";
import { census, contrast, deviation } from "./census.ts";
import { depths } from "./depth.ts";
import { PARTS } from "./layout.ts";
import { DIRECTIONS, PathCosts, winners } from "./match.ts";
import { medians, refine, termsOf } from "./refine.ts";

export interface StereoParameters {
  readonly disparities: 64 | 128 | 256;
  readonly fromPx: number;
  readonly paths: 4 | 8;
  readonly uniquenessPercent: number;
}

/** The depth of a disparity of one part of a px, in the frame's unit, and what is added to disparities before, in parts. */
export const scaleOf = ({ intrinsics, metresPerUnit }: FrameShape, { baselineM, doffsPx = 0 }: PairGeometry) => ({
  scale: Math.min(0xfff00000, Math.round((intrinsics.fx * baselineM * PARTS) / metresPerUnit)),
  shift: Math.round(doffsPx * PARTS),
});

/** The twin of shaders/stereo/, whose comments explain the method. A frame without a pair passes as it is. */
export function stereoTwin(shape: FrameShape, parameters: StereoParameters): Twin {
  const match = matcher(shape, parameters);
  return {
    run(frame) {
      if (frame.pair) frame.raw = frame.depth = match(frame.pair);
    },
  };
}

function matcher(shape: FrameShape, parameters: StereoParameters) {
  const { disparities, fromPx, paths } = parameters;
  const { width, height } = shape.intrinsics;
  const size = { width, height };
  const pixels = width * height;
  const search = { ...size, from: fromPx, count: disparities };
  const make = () => ({
    costs: new PathCosts(search),
    sums: new Uint16Array(pixels * disparities),
    codes: [new Uint32Array(2 * pixels), new Uint32Array(2 * pixels)] as const,
    contrasts: [new Int32Array(pixels), new Int32Array(pixels)] as const,
    deviations: [new Int32Array(pixels), new Int32Array(pixels)] as const,
    terms: [termsOf(pixels), termsOf(pixels)] as const,
    found: [new Uint32Array(pixels), new Uint32Array(pixels)] as const,
    output: image(new Uint16Array(pixels), [height, width]),
  });
  // Frames without a pair need no memory.
  let memory: ReturnType<typeof make> | undefined;
  return (pair: StereoPair) => {
    memory ??= make();
    const { costs, sums, codes, contrasts, deviations, found, terms, output } = memory;
    for (const [i, { data }] of [pair.left, pair.right].entries()) {
      census(data, size, codes[i]);
      deviation(data, size, deviations[0]);
      contrast(deviations[0], deviations[1], size, contrasts[i]);
    }
    sums.fill(0);
    for (const direction of DIRECTIONS.slice(0, paths)) costs.add(direction, codes[0], codes[1], sums);
    winners(sums, search, parameters, found[0]);
    medians(found[0], size, found[1]);
    const [left, right] = contrasts;
    refine(found[1], { ...size, left, right }, terms, found[0]);
    depths(found[0], size, scaleOf(shape, pair), output.data);
    return output;
  };
}
