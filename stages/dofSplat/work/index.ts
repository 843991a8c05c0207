import type { Kernel } from "../../../shaders/kernel.ts";
import {
  type FactDepth,
  type FactPoints,
  type FrameFacts,
  type KernelWork,
  type Traffic,
  workOf,
} from "../../core/work.ts";
import type { Drawing } from "./drawing.ts";
import type { Sorting } from "./sorting.ts";
import type { SplatUse, UseSizes } from "./use.ts";

const [POINT_BYTES, SPLAT_BYTES, ENTRY_BYTES] = [16, 32, 8];
/** Colour and distance of a pixel of the picture. */
const PIXEL_BYTES = 8;
const POINTS_PER_GROUP = 256;
/** Pixels of a tile, and blocks of 2 × 2 of them, one for each invocation of accumulate.wgsl. */
const [TILE_PIXELS, BLOCKS] = [256, 64];

type Kernels = Readonly<Record<"project" | "scan" | "scatter" | "order" | "accumulate", Pick<Kernel, "spec">>>;
type Runs = NonNullable<Traffic["runs"]>;

interface Size {
  readonly width: number;
  readonly height: number;
  readonly tiles: number;
  /** Capacity of the lists. */
  readonly entries: number;
}

/**
 * A lower bound of the work of the five kernels. `use` is what they do for the frame's points. Where these are not at hand, each point is
 * projected, and each pair is written, sorted into its window and read once; no splat covers a pixel.
 */
export function splatWork(
  kernels: Kernels,
  { width, height, tiles, entries }: Size,
  { points, pairs, depth, cloud }: FrameFacts,
  use: (cloud: FactPoints, depth: FactDepth, sizes: UseSizes) => SplatUse,
): KernelWork[] {
  const { LANES = 1, CAPACITY = 1, BUCKETS = 1 } = kernels.order.spec.constants ?? {};
  const { CHUNK = 1 } = kernels.accumulate.spec.constants ?? {};
  const used = cloud && depth && use(cloud, depth, { CAPACITY, BUCKETS, CHUNK, entries });
  const groups = Math.ceil(points / POINTS_PER_GROUP);
  const inFrame = used?.visible ?? Math.min(points, pairs);
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
  const pastEdge = { "any(at >= grid.size)": 1 - (width * height) / (tiles * TILE_PIXELS) };
  const discs = used && inFrame > 0 ? used.discs / inFrame : 0;
  const rounds = tiles > 0 ? pairs / tiles / LANES : 0;
  const drawing = used?.drawing;
  const patches = drawing ? drawing.distinct - drawing.distinctDiscs : 0;
  const staged = drawing ? ENTRY_BYTES * drawing.staged + SPLAT_BYTES * drawing.distinct + POINT_BYTES * patches : 0;
  return [
    workOf(kernels.project, groups, {
      ...{ read: POINT_BYTES * points, scratchWritten: splats + counts },
      runs: {
        ...{ ...around, own: 1 },
        // Every point counts as if it had no run to look for. One whose run has another first point ends there, and so counts one that
        // is not in the picture. What is computed of its pixel is computed once more where its neighbours are looked up.
        ...{ "!drawn || length == 1": 1, "pixelOf(place)": 0, "run.count == 0.0": 1 - share },
        // The search beside a pixel that touches no hole ends at the pixel itself.
        ...{ "there > 0.0": 1, "run.count > 1.0 || r > 3.0 * w + 0.5": discs },
      },
    }),
    workOf(kernels.scan, 1, { scratchRead: counts, scratchWritten: counts }),
    workOf(kernels.scatter, groups, {
      ...{ scratchRead: splats / 4 + counts, scratchWritten: list },
      runs: { ...around, "slot < grid.entries": 1 },
    }),
    workOf(kernels.order, tiles, {
      ...{ scratchRead: list, scratchWritten: list },
      runs: used ? sortRuns(used.sorting, tiles, LANES) : { "at < last": 1, "i < length": rounds },
    }),
    workOf(kernels.accumulate, tiles, {
      ...{ scratchRead: counts + staged, written: PIXEL_BYTES * width * height },
      runs: { ...pastEdge, ...(drawing && drawRuns(drawing, tiles, CHUNK)) },
    }),
  ];
}

/** A mean; 0 of nothing. */
const per = (sum: number, number: number) => (number > 0 ? sum / number : 0);

/** How often the parts of order.wgsl run. The round in which a lane finds no more pairs, and swaps, are left out. */
function sortRuns(use: Sorting, tiles: number, lanes: number): Runs {
  const { lists, entries, windows, merges, mergedWindows, steps, windowSteps } = use;
  return {
    "size < 2u || last > grid.entries": 1 - per(lists, tiles),
    ...{ "lane < 2u": 2 / lanes, "i < last": per(entries, lists) / lanes, "at < last": per(windows, lists) },
    ...{ "i < length": per(entries, windows) / lanes, "j < end": per(use.fours, entries) },
    ...{ "run < 2u * size": per(merges, lists), "step >= CAPACITY": per(steps.steps - merges, merges) },
    ...{ "pair < size": per(steps.pairs, steps.steps) / lanes, "b < size": per(steps.wholePairs, steps.pairs) },
    "window < last": per(mergedWindows, merges),
    "i < held": per(use.mergedEntries, mergedWindows) / lanes,
    "pair < held": per(windowSteps.pairs, windowSteps.steps) / lanes,
    "b < held": per(windowSteps.wholePairs, windowSteps.pairs),
  };
}

/** How often the parts of accumulate.wgsl run. */
function drawRuns(use: Drawing, tiles: number, chunk: number): Runs {
  const { chunks, staged, breaks, open, added } = use;
  const discs = per(use.stagedDiscs, staged);
  const words = chunk / 32;
  return {
    ...{ "lane == 0u": 1 / BLOCKS, "at < last": per(chunks, tiles), "i < CHUNK": chunk / BLOCKS },
    ...{ "at + i < last": per(staged, chunks * chunk), "splat.soft < 0.0": discs, "node.axes.x < 0.0": discs },
    "workgroupUniformLoad(&fullBefore) == BLOCKS": per(breaks, chunks),
    "i < 16u * WORDS": (16 * words) / BLOCKS,
    "any(it.room > vec4f(0.0))": per(open, (chunks - breaks) * BLOCKS),
    ...{ "bits != 0u": per(added, open * words), "axes.x < 0.0": per(use.addedDiscs, added) },
    "all(it.room == vec4f(0.0))": per(use.filled, open),
  };
}
