import type { DepthArray, DepthFrame, FrameShape } from "../../../../sources/core/frame.ts";
import type { Origin } from "../../show/shown.ts";
import { across, nearestPixel, type Pixel, type Point, pointAt } from "./projection.ts";

/** One frame as the panes show it. */
export interface Snapshot {
  /** What numbers that are read out of it belong to. */
  readonly origin: Origin;
  /** As it came from the source. */
  readonly frame: DepthFrame;
  /** What the stages left of its depth; undefined while nobody has asked for it. */
  readonly filtered: DepthArray | undefined;
  /** Of `filtered`: another than the frame's where a stage makes it smaller. */
  readonly shape: FrameShape;
}

/** What a snapshot has at a pixel of the source; 0 m is no measurement. */
export interface Sample extends Pixel {
  readonly rawM: number;
  /** NaN where it has not been read. */
  readonly filteredM: number;
  /** Where that is, by the filtered depth, or the raw one where there is none; undefined without either. */
  readonly point: Point | undefined;
}

/** What there is at a pixel of the source. */
export function sampleAt({ frame, filtered, shape }: Snapshot, pixel: Pixel): Sample {
  const { intrinsics, metresPerUnit } = frame;
  const rawM = depthAt(frame.depth, nearestPixel(intrinsics, pixel)) * metresPerUnit;
  const there = across(intrinsics, shape.intrinsics, pixel);
  const filteredM = filtered
    ? depthAt(filtered, nearestPixel(shape.intrinsics, there)) * shape.metresPerUnit
    : Number.NaN;
  const zM = filteredM || rawM;
  const isKnown = zM > 0 && Number.isFinite(there.u + there.v);
  return { ...pixel, rawM, filteredM, point: isKnown ? pointAt(shape.intrinsics, there, zM) : undefined };
}

const depthAt = ({ data, shape: [, width] }: DepthArray, pixel: Pixel | undefined): number =>
  pixel ? data[pixel.v * width + pixel.u] : 0;

/**
 * The pixel within `reach` of a place whose depth is nearest to `zM`: a point picked in the picture beside an edge belongs to
 * the thing it was picked on.
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
      // Of two as near in depth the one nearer in the image.
      const off = Math.abs(sample.point[2] - zM) / zM + 2e-3 * Math.hypot(i, j);
      if (off >= least) continue;
      least = off;
      best = { u: sample.u, v: sample.v };
    }
  }
  return best;
}
