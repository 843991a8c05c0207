import { type FrameShape, image, type PairGeometry, type StereoPair } from "../../core/frame.ts";
import type { Twin } from "../core/stage.ts";
import { censuses, contrasts } from "./census.ts";
import { depths } from "./depth.ts";
import { PARTS } from "./layout.ts";
import { costs, DIRECTIONS, Paths, winners } from "./match.ts";
import { medians, noTerms, refine, spread, terms } from "./refine.ts";

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

/**
 * The twin of shaders/stereo/, whose comments explain the method. A frame without a pair passes as it is.
 *
 *     census.wgsl, contrast.wgsl (box.wgsl, grey.wgsl)      census.ts
 *     costs.wgsl, paths*.wgsl (line.wgsl), winner.wgsl      match.ts
 *     median.wgsl, terms.wgsl                               medians and terms of refine.ts
 *     spread.wgsl, refine.wgsl (gather.wgsl)                spread and refine of refine.ts
 *     depth.wgsl                                            depth.ts
 *
 * A pixel without a disparity has 0; median.wgsl alone writes NOTHING, the largest number, which terms.wgsl takes for none. The kernels
 * compute a pixel's arms in terms.wgsl, the twin in `gather` of refine.ts.
 */
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
  const directions = DIRECTIONS.slice(0, paths);
  const make = () => ({
    columns: new Float64Array(width),
    row: [new Uint32Array(width), new Uint32Array(width)] as const,
    codes: [new Uint32Array(2 * pixels), new Uint32Array(2 * pixels)] as const,
    deviations: [new Int32Array(pixels), new Int32Array(pixels)] as const,
    contrasted: { ...size, left: new Int32Array(pixels), right: new Int32Array(pixels) },
    own: new Uint8Array(pixels * disparities),
    ways: new Paths(search),
    sums: new Uint16Array(pixels * disparities),
    around: new Uint32Array(25),
    found: [new Uint32Array(pixels), new Uint32Array(pixels)] as const,
    both: [noTerms(pixels), noTerms(pixels)] as const,
    output: image(new Uint16Array(pixels), [height, width]),
  });
  // Frames without a pair need no memory.
  let memory: ReturnType<typeof make> | undefined;
  return (pair: StereoPair) => {
    memory ??= make();
    const { columns, row, codes, deviations, contrasted, own, ways, sums, around, found, both, output } = memory;
    for (const [i, side] of (["left", "right"] as const).entries()) {
      censuses(pair[side].data, size, columns, codes[i], deviations[0]);
      contrasts(deviations[0], deviations[1], size, columns, contrasted[side]);
    }
    costs(codes[0], codes[1], search, own);
    sums.fill(0);
    for (const direction of directions) ways.add(direction, own, sums);
    winners(sums, search, parameters, row, found[0]);
    medians(found[0], size, around, found[1]);
    terms(found[1], contrasted, both[0]);
    spread(found[1], size, both);
    refine(found[1], size, both, found[0]);
    depths(found[0], size, scaleOf(shape, pair), output.data);
    return output;
  };
}
