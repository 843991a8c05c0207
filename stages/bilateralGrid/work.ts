import type { Kernel } from "../../shaders/kernel.ts";
import { type FrameFacts, type KernelWork, roundShare, type Traffic, workOf } from "../core/work.ts";
import type { GridShape } from "./grid.ts";
import { type BlurSliceUse, type BlurUse, type BuildUse, blurSliceUse, blurUse, buildUse, sliceTrips } from "./use.ts";

/** A kernel with its workgroups. */
export type GridStep = readonly [kernel: Pick<Kernel, "spec">, x: number, y: number];
type Constants = Readonly<Record<string, number>>;
type Runs = NonNullable<Traffic["runs"]>;

const VECTOR_BYTES = 16;
/** Of four columns, four blurred cells each. */
const CHUNK_BYTES = 4 * 4 * 8;

/**
 * A lower bound of the work of the grid's two or three kernels. What each of them does is counted in the frame's pixels. Where these are
 * not at hand, only the image's bytes count, and one trip of `slice`.
 */
export function gridWork(
  steps: readonly GridStep[],
  shape: GridShape,
  stride: number,
  { depth }: Pick<FrameFacts, "depth">,
): KernelWork[] {
  const bytes = 2 * stride * shape.height;
  const [build, ...others] = steps.map(([kernel, x, y]) => ({
    constants: kernel.spec.constants ?? {},
    groups: x * y,
    work: (traffic: Traffic, part = {}) => workOf(kernel, x * y, traffic, part),
  }));
  const [blur, slice] = others;
  const built = depth && buildUse(shape, depth);
  const gridBytes = (built?.vectors ?? 0) * VECTOR_BYTES * shape.planes;
  const buildWork = build.work({
    ...{ read: bytes, scratchWritten: gridBytes },
    runs: built ? buildRuns(shape, stride, built, build.constants) : {},
  });
  if (!slice) {
    const runs = depth ? blurSliceRuns(shape, blurSliceUse(shape, depth), blur.constants) : {};
    return [buildWork, blur.work({ read: bytes, written: bytes, scratchRead: gridBytes, runs })];
  }
  const use = built && blurUse(shape, built, blur.constants.STRETCHES ?? 1);
  const invocations = (stride / 8) * shape.height;
  const trips = depth ? sliceTrips(shape, depth) / invocations : 1;
  return [
    buildWork,
    blur.work({
      ...{ scratchRead: gridBytes, scratchWritten: (use?.chunks ?? 0) * CHUNK_BYTES },
      runs: use ? blurRuns(shape, use, blur.groups, blur.constants) : {},
    }),
    slice.work({ read: bytes, written: bytes, runs: { "next == NONE": roundShare(trips, 8, "end") } }, { invocations }),
  ];
}

/** How often the parts of build.wgsl run. A tile that spans more cells than BINS would take more windows than the one that counts. */
function buildRuns(
  { height, space, columns, rows, planes }: GridShape,
  stride: number,
  { trips, doubles, vectors }: BuildUse,
  { BINS = 1, THREADS = 1 }: Constants,
): Runs {
  let items = 0;
  for (let left = 0; left < columns * space; left += space) {
    items += height * ((Math.min(left + space + 3, stride) >> 2) - (left >> 2));
  }
  const rounds = items / (columns * rows) / THREADS;
  return {
    ...{ loop: 1, "bin < PLANES * BINS": (planes * BINS) / THREADS, "thread < 2u": 2 / THREADS },
    "item >= tile.items": roundShare(rounds, space * space, "begin"),
    "item != thread": rounds > 1 ? 1 - 1 / rounds : 0,
    "farthest <= 0.0": roundShare(trips / items, 4, "begin"),
    "count > 0u && cell - window < width": trips > 0 ? (trips + doubles) / (2 * trips) : 0,
    ...{ "i <= end": vectors / (columns * rows) / THREADS, "thread == 0u": 1 / THREADS },
  };
}

/** How often the parts of blur.wgsl run. */
function blurRuns(
  { columns, rows }: GridShape,
  { blocks, invocations, chunks }: BlurUse,
  workgroups: number,
  { STRETCHES = 1, THREADS = 1 }: Constants,
): Runs {
  const inGrid = (Math.ceil(columns / 2) + 1) * (Math.ceil(rows / 2) + 1) * STRETCHES;
  const near = blocks * STRETCHES;
  // A stretch of chunks has one round more than chunks.
  const rounds = chunks + invocations;
  return {
    "column >= COLUMNS + 2u": 1 - inGrid / (workgroups * THREADS),
    "first == EMPTY_RANGE": 1 - near / inGrid,
    "begin >= end": near > 0 ? 1 - invocations / near : 1,
    ...{ loop: invocations > 0 ? rounds / invocations : 0, "i > begin": rounds > 0 ? chunks / rounds : 0 },
  };
}

/** How often the parts of blurSlice.wgsl run. */
function blurSliceRuns(
  { width, height, space, columns, rows }: GridShape,
  { windows, words, entries, items, trips }: BlurSliceUse,
  { THREADS = 1 }: Constants,
): Runs {
  const regions = (columns + 1) * (rows + 1);
  /** Items of four pixels of a region. */
  const fours = (space * space) / 4;
  const inFrame = (width * height) / 4 / (regions * fours);
  return {
    ...{ "thread < 2u": 2 / THREADS, "item < SPACE * fours": fours / THREADS },
    ...{
      "item != thread": fours > THREADS ? 1 - THREADS / fours : 0,
      "least(boxes) != NONE": items / (regions * fours),
    },
    ...{ loop: windows / regions, "task < 6u * words": (6 * words) / windows / THREADS },
    ...{ "task < 4u * count": (4 * entries) / windows / THREADS, "isInFrame(place)": inFrame },
    "begin != first": 1 - regions / windows,
    "next == NONE": roundShare(trips / (windows * fours * inFrame), 4, "begin"),
    "thread == 0u": 1 / THREADS,
  };
}
