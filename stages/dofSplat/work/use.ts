import { image } from "../../../sources/core/array.ts";
import type { FrameShape } from "../../../sources/core/frame.ts";
import { type FactDepth, type FactPoints, valueAt } from "../../core/work.ts";
import { cameraOf, twinCamera } from "../camera.ts";
import { ALONG_X, DISTANCE, FIELDS, FIRST, LAST } from "../layout.ts";
import { NEAR_BITS } from "../lists.ts";
import type { Parameters } from "../parameters.ts";
import { newSplats, project, type Splats } from "../project.ts";
import { type Drawing, drawingOf } from "./drawing.ts";
import { type Sorting, type SortSizes, sorted } from "./sorting.ts";

/** What the kernels do for a frame, counted with the twin's functions. */
export interface SplatUse {
  /** Splats that touch the picture, and those of them that are discs. */
  readonly visible: number;
  readonly discs: number;
  readonly sorting: Sorting;
  readonly drawing: Drawing;
}

/** The kernels' own tiles are 1 << BITS pixels wide and high. */
const BITS = 4;

/** The constants of `order` and `accumulate` on which their work depends, and the capacity of the lists. */
export interface UseSizes extends SortSizes {
  readonly CHUNK: number;
  readonly entries: number;
}

/** Counts what project.wgsl, order.wgsl and accumulate.wgsl do for a frame's points. Takes some 2 µs for a point. */
export function splatUse(
  shape: FrameShape,
  parameters: Parameters,
  points: FactPoints,
  depth: FactDepth,
  sizes: UseSizes,
): SplatUse {
  const { width, height, maxReachPx, blades } = parameters;
  const camera = twinCamera(cameraOf(shape, parameters), { width, height }, maxReachPx);
  const pixels = image(pixelsOf(depth), [depth.height, depth.width]);
  const splats = newSplats(points.count);
  /** By splat: its point, and its order of distance. */
  const pointOf = new Uint32Array(points.count);
  const keys = new Uint32Array(points.count);
  let [visible, discs] = [0, 0];
  for (let i = 0; i < points.count; i++) {
    pointOf[visible] = i;
    if (!project(points, i, pixels, camera, splats, visible)) continue;
    if (splats.floats[visible * FIELDS + ALONG_X] < 0) discs++;
    keys[visible] = (splats.words[visible * FIELDS + DISTANCE] - NEAR_BITS) << 5;
    visible++;
  }
  const [columns, rows] = [width, height].map((size) => Math.ceil(size / (1 << BITS)));
  const { starts, list } = listsOf(splats, visible, columns, rows);
  const sorting = sorted(starts, list, sizes, { keys, points: pointOf });
  const drawing = drawingOf(splats, starts, list, { ...sizes, width, height, columns, blades });
  return { visible, discs, sorting, drawing };
}

/** The depth of all pixels, without padding. */
function pixelsOf(depth: FactDepth): Uint16Array<ArrayBuffer> {
  const pixels = new Uint16Array(depth.width * depth.height);
  for (let y = 0, i = 0; y < depth.height; y++) {
    for (let x = 0; x < depth.width; x++, i++) pixels[i] = valueAt(depth, x, y);
  }
  return pixels;
}

/** The splats that touch each tile, in the order of their points, list after list. */
function listsOf({ words }: Splats, visible: number, columns: number, rows: number) {
  const starts = new Uint32Array(columns * rows + 1);
  /** Adds each splat to the lists of its tiles, or only counts them where there is no list yet. */
  const scatter = (next: Uint32Array, list?: Uint32Array) => {
    for (let splat = 0; splat < visible; splat++) {
      const start = words[splat * FIELDS + FIRST];
      const end = words[splat * FIELDS + LAST];
      const right = (end & 0xffff) >> BITS;
      for (let y = start >>> (16 + BITS); y <= end >>> (16 + BITS); y++) {
        for (let x = (start & 0xffff) >> BITS; x <= right; x++) {
          const at = next[y * columns + x]++;
          if (list) list[at] = splat;
        }
      }
    }
  };
  scatter(starts.subarray(1));
  for (let tile = 0; tile < columns * rows; tile++) starts[tile + 1] += starts[tile];
  const list = new Uint32Array(starts[columns * rows]);
  scatter(starts.slice(), list);
  return { starts, list };
}
