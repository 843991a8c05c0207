import type { DepthArray, DepthFrame, FrameShape } from "../../../../core/frame.ts";
import { pointAt } from "../../../../core/geometry.ts";
import type { Origin } from "../../show/shown.ts";
import { across, nearestPixel, type Pixel, type Point } from "./projection.ts";

/** One frame, as the panes show it. */
export interface Snapshot {
  /** The origin of numbers that are read from the snapshot. */
  readonly origin: Origin;
  /** The frame as it came from the source. */
  readonly frame: DepthFrame;
  /** The depth after the filters; `undefined` if no pane has asked for it. */
  readonly filtered: DepthArray | undefined;
  /** The shape of `filtered`, which a stage may have made smaller than the frame. */
  readonly shape: FrameShape;
}

/** The depths at a pixel of the source; 0 m means no measurement. */
export interface Sample extends Pixel {
  readonly rawM: number;
  /** NaN if filtered depth has not been read. */
  readonly filteredM: number;
  /** The point of the scene by filtered depth, or by raw depth if there is no filtered one; `undefined` without either. */
  readonly point: Point | undefined;
}

/** Reads the depths at a pixel of the source. */
export function sampleAt({ frame, filtered, shape }: Snapshot, pixel: Pixel): Sample {
  const { intrinsics, metresPerUnit } = frame;
  const rawM = depthAt(frame.depth, nearestPixel(intrinsics, pixel)) * metresPerUnit;
  const there = across(intrinsics, shape.intrinsics, pixel);
  const filteredM = filtered
    ? depthAt(filtered, nearestPixel(shape.intrinsics, there)) * shape.metresPerUnit
    : Number.NaN;
  const zM = filteredM || rawM;
  const isKnown = zM > 0 && Number.isFinite(there.u + there.v);
  return { ...pixel, rawM, filteredM, point: isKnown ? pointAt(shape.intrinsics, there.u, there.v, zM) : undefined };
}

const depthAt = ({ data, shape: [, width] }: DepthArray, pixel: Pixel | undefined): number =>
  pixel ? data[pixel.v * width + pixel.u] : 0;

/**
 * The pixel within `reach` of a place whose depth is nearest to `zM`: a point picked beside an edge belongs to the surface at that depth.
 */
export function pixelAtDepth(snapshot: Snapshot, { u, v }: Pixel, zM: number, reach = 2): Pixel | undefined {
  const middle = nearestPixel(snapshot.frame.intrinsics, { u, v });
  if (!middle) return undefined;
  let best: Pixel = middle;
  let least = Number.POSITIVE_INFINITY;
  for (let j = -reach; j <= reach; j++) {
    for (let i = -reach; i <= reach; i++) {
      const sample = sampleAt(snapshot, { u: middle.u + i, v: middle.v + j });
      if (!sample.point) continue;
      // Of two pixels with similar depths, the nearer one in the image wins.
      const off = Math.abs(sample.point[2] - zM) / zM + 2e-3 * Math.hypot(i, j);
      if (off >= least) continue;
      least = off;
      best = { u: sample.u, v: sample.v };
    }
  }
  return best;
}
