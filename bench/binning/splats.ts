import { type DepthFrame, shapeOf } from "../../core/frame.ts";
import type { ParametersOf } from "../../stages/core/parameters.ts";
import { AGAIN } from "../../stages/core/resources.ts";
import type { CpuFrame } from "../../stages/core/stage.ts";
import { twinCamera } from "../../stages/dofSplat/camera.ts";
import { pointsOf } from "../../stages/dofSplat/cpu.ts";
import { FIELDS, FIRST, LAST, TILE } from "../../stages/dofSplat/layout.ts";
import { newSplats, projectAll } from "../../stages/dofSplat/project.ts";
import { compact, dofSplat } from "../../stages/index.ts";
import { blurTo } from "../lensBlur.ts";
import { pairsOf } from "./data.ts";
import type { Samples } from "./types.ts";

/**
 * The entries that dofSplat writes to its tiles' lists for a frame, in the order of the points, with the aperture that blurs the frame by
 * `radiusPx` px in the mean: a sample for each splat and tile that it touches. The rest is as by default: a picture of 1280 × 720.
 */
export function splatSamples(frame: DepthFrame, radiusPx: number): Samples {
  const stage = dofSplat();
  const { camera } = blurTo(stage, frame, radiusPx);
  const { width, height, maxReachPx } = stage.parameters as ParametersOf<typeof dofSplat.schema>;
  const shape = shapeOf(frame);
  const made: CpuFrame = { depth: frame.depth, color: undefined, points: undefined, picture: undefined };
  compact().twin(shape).run(made, AGAIN);
  const capacity = shape.intrinsics.width * shape.intrinsics.height;
  const splats = newSplats(capacity);
  const seen = twinCamera(camera, { width, height }, maxReachPx);
  const visible = projectAll(pointsOf(made, capacity), frame.depth, seen, splats);
  const columns = Math.ceil(width / TILE);
  const touched: number[] = [];
  for (let n = 0; n < visible; n++) {
    const [first, last] = [splats.words[n * FIELDS + FIRST], splats.words[n * FIELDS + LAST]];
    for (let y = Math.floor((first >>> 16) / TILE); y <= Math.floor((last >>> 16) / TILE); y++) {
      for (let x = Math.floor((first & 0xffff) / TILE); x <= Math.floor((last & 0xffff) / TILE); x++) {
        touched.push(y * columns + x);
      }
    }
  }
  return {
    data: `dofSplat's lists, mean blur ${radiusPx} px`,
    tiles: columns * Math.ceil(height / TILE),
    pairs: pairsOf(touched.length, (i) => touched[i] ?? 0),
    each: Math.max(1, Math.round(touched.length / Math.max(visible, 1))),
  };
}
