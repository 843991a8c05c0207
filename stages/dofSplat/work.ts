import type { Kernel } from "../../shaders/kernel.ts";
import { type FrameFacts, type KernelWork, workOf } from "../core/work.ts";

const [POINT_BYTES, SPLAT_BYTES, ENTRY_BYTES] = [16, 32, 8];
/** Colour and distance of a pixel of the picture. */
const PIXEL_BYTES = 8;
const POINTS_PER_GROUP = 256;

/**
 * A lower bound of the work of the five kernels. Each point is projected, and each pair is written, sorted and read once. How many pixels a
 * splat covers, and how soon a tile is full, is not known.
 */
export function splatWork(
  kernels: Readonly<Record<"project" | "scan" | "scatter" | "order" | "accumulate", Kernel>>,
  { width, height, tiles }: { readonly width: number; readonly height: number; readonly tiles: number },
  { points, pairs }: FrameFacts,
): KernelWork[] {
  const groups = Math.ceil(points / POINTS_PER_GROUP);
  const inFrame = Math.min(points, pairs);
  const share = points > 0 ? inFrame / points : 0;
  const [splats, list, counts] = [SPLAT_BYTES * inFrame, ENTRY_BYTES * pairs, 4 * tiles];
  const each = points > 0 ? pairs / points : 0;
  const around = {
    "x <= last.x": each,
    "y <= last.y": 1,
    "point < args[11]": 1,
    "tiles != NO_TILES": share,
    "size <= ROOM": 1,
  };
  const { LANES = 1 } = kernels.order.spec.constants ?? {};
  const rounds = tiles > 0 ? pairs / tiles / LANES : 0;
  return [
    workOf(kernels.project, groups, {
      ...{ read: POINT_BYTES * points, scratchWritten: splats + counts },
      // A point that is not drawn ends early; every other point makes a splat of its own, without neighbours.
      runs: { ...around, "!drawn || length == 1": 1, own: 1 },
    }),
    workOf(kernels.scan, 1, { scratchRead: counts, scratchWritten: counts }),
    workOf(kernels.scatter, groups, {
      ...{ scratchRead: splats / 4 + counts, scratchWritten: list },
      runs: { ...around, "slot < grid.entries": 1 },
    }),
    workOf(kernels.order, tiles, {
      scratchRead: list,
      scratchWritten: list,
      runs: { "at < last": 1, "i < length": rounds },
    }),
    workOf(kernels.accumulate, tiles, { scratchRead: counts, written: PIXEL_BYTES * width * height }),
  ];
}
