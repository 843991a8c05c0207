import type { Kernel } from "../../../shaders/kernel.ts";
import { type FrameFacts, type KernelWork, workOf } from "../../core/work.ts";
import { occupiedBy } from "./occupied.ts";
import { MOMENTS, type PlaneShape } from "./shape.ts";

export const PLANE_BYTES = 16;
const RESIDUAL_BYTES = 16;
/** Every occupied cell needs planes in itself and in the cells on both sides, in its own column at the least. */
const LEAST_PLANES = 3;
/** Of planeFit: columns around a workgroup's own ones, words of bits of a chunk with those beside it, and invocations. */
const [AROUND, WORDS, FITTING] = [6, 10, 96];

/** The kernels of one band of rows of planes, and the workgroups of each. */
interface Band {
  readonly build: readonly [Kernel, number];
  readonly fit: readonly [Kernel, number];
  readonly refit: readonly [Kernel, number];
  readonly slice: readonly [Kernel, number];
  /** Rows of tiles that are summed up for this band and no other (there may be none), of planes, and of pixels. */
  readonly built: number;
  readonly fitted: number;
  readonly pixelRows: number;
}

/**
 * A lower bound of the work of the kernels that fit planes. Occupied cells and their planes are counted in the frame; where it is not at
 * hand, one cell per tile with the planes that it needs in its own column.
 */
export function planesWork(
  bands: readonly Band[],
  shape: PlaneShape,
  { lanes, run, entryBytes }: { readonly lanes: number; readonly run: number; readonly entryBytes: number },
  { valid, depth }: FrameFacts,
): KernelWork[] {
  const { width, height, space, columns, rows, masks, entryOf, positionOf } = shape;
  const imageBytes = 2 * width * height;
  const least = columns * rows * valid;
  const { cells, planes: asked } = depth ? occupiedBy(shape, depth) : { cells: least, planes: LEAST_PLANES * least };
  /** Cells of a tile, and planes of a column. */
  const [each, eachAsked] = [cells, asked].map((count) => count / Math.max(1, columns * rows));
  const [momentBytes, indexBytes] = [4 * MOMENTS, columns * rows * masks * 8];
  const runs = Math.ceil(space / run) * space;
  const hasAny = Number(valid > 0);
  const buildRuns = {
    ...{ "mask < MASKS": masks / lanes, "item < runs * SPACE": runs / lanes, "place.x < COLUMNS": 1 },
    // A run of pixels lies in one cell at least, so it is added at least once.
    ...{ "cell != NOTHING && cell != last": valid / run, "cell == NOTHING": 1 - valid, "cell != last": 1 / run },
    ...{ "sums.n == 0": 0.5, "window < most": hasAny, "word < count * WORDS": (10 * each) / lanes },
    ...{ "i < 3u * count": (3 * each) / lanes, "word < 8u": 2 / 3 },
  };
  return bands.flatMap(({ build, fit, refit, slice, built, fitted, pixelRows }) => {
    const own = built / Math.max(1, rows);
    const share = Math.min(1, fitted / Math.max(1, rows));
    const planes = asked * share;
    const eachSlot = (4 * eachAsked) / FITTING;
    const moments = cells * share * momentBytes;
    const entries = planes * entryBytes;
    const planeBytes = planes * PLANE_BYTES;
    const residualBytes = cells * share * RESIDUAL_BYTES;
    const fitRuns = {
      ...{ "chunk < min(last + 1u, MASKS)": hasAny, "i < 3u * AROUND * WORDS": (3 * AROUND * WORDS) / FITTING },
      ...{ "i < PARTS * WORDS": (4 * WORDS) / FITTING, "thread < PARTS": 4 / FITTING, "window < total": hasAny },
      ...{ "slot < end": eachSlot, "slot < min(end, window + SLOTS - first)": eachSlot },
      // Each occupied cell has a residual; whether the planes beside it have one, is not counted.
      ...{ "entry < arrayLength(&entries)": 1, "home == NOTHING": planes > 0 ? 1 - (cells * share) / planes : 0 },
      "cell / 32u >= chunk && cell / 32u < chunk + CHUNK && place < COLUMNS + 2u": 1,
    };
    const refitRuns = (groups: number) => ({ "i < count": planes / (groups * 64), isListed: 1, "isColumn(at)": 1 });
    const summed = workOf(...build, {
      read: imageBytes * own,
      scratchRead: entryOf.byteLength,
      scratchWritten: (indexBytes + cells * momentBytes) * own,
      runs: buildRuns,
    });
    return [
      ...(built > 0 ? [summed] : []),
      workOf(...fit, {
        scratchRead: indexBytes * share + moments,
        scratchWritten: entries + planeBytes + residualBytes,
        runs: fitRuns,
      }),
      workOf(...refit, {
        scratchRead: entries + planeBytes + residualBytes,
        scratchWritten: planeBytes,
        runs: refitRuns(refit[1]),
      }),
      workOf(
        ...slice,
        {
          ...{ read: 2 * width * pixelRows, written: 2 * width * pixelRows },
          scratchRead: positionOf.byteLength + planeBytes,
          runs: { "position == NOTHING": 1 - valid },
        },
        { invocations: (width / 2) * pixelRows },
      ),
    ];
  });
}
