import type { FrameShape } from "../../core/frame.ts";
import type { Rigid } from "../../core/pose.ts";
import type { Twin } from "../core/stage.ts";
import { Layout, openWasm } from "../core/wasm.ts";
import align from "./assembly/align.ts?wasm";
import planesCode from "./assembly/keyframePlanes.ts?wasm";
import pyramid from "./assembly/pyramid.ts?wasm";
import { GUESS, REACHES } from "./constants.ts";
import { type TrackParameters, trackTwin } from "./cpu.ts";
import { MARGIN, PLACE_BYTES, SUMS, SUMS_BYTES } from "./layout.ts";
import type { Loops } from "./loops.ts";
import { type Level, type LevelLens, lensesOf } from "./pyramid.ts";

/** Arguments are addresses, except `across`, `scale`, sizes, the lens, `reach`, `every` and `isCrowded`. */
interface Exports {
  halveDepth(source: number, across: number, scale: number, sink: number, width: number, height: number): void;
  halve(source: number, across: number, sink: number, width: number, height: number): void;
  planesOf(
    z: number,
    inverse: number,
    planes: number,
    width: number,
    height: number,
    reach: number,
    fx: number,
    fy: number,
    cx: number,
    cy: number,
  ): void;
  accumulate(
    sums: number,
    z: number,
    planes: number,
    values: number,
    width: number,
    height: number,
    every: number,
    isCrowded: number,
    rowSums: number,
  ): void;
  explain(
    counts: number,
    z: number,
    planes: number,
    values: number,
    width: number,
    height: number,
    every: number,
    rowSums: number,
  ): void;
}

/** Levels narrower than a vector have no fast form. */
const LEAST_WIDTH = 4;
/** The number of f32 in `values` (assembly/align.ts). */
const VALUES = 24;
/** The rows of the finest level that are made at once. */
const ROWS = 64;

/**
 * `trackTwin` with its loops in WebAssembly; equals it to the last bit. Gives `undefined` where WebAssembly has no vectors or is forbidden,
 * and for frames that are too small for it.
 */
export function trackSimd(shape: FrameShape, parameters: TrackParameters): Twin | undefined {
  const lenses = lensesOf(shape.intrinsics);
  if (lenses.some(({ width }) => width < LEAST_WIDTH)) return undefined;
  const loops = fastLoops(lenses, shape.intrinsics.width);
  return loops && trackTwin(shape, parameters, loops);
}

function fastLoops(lenses: readonly LevelLens[], across: number): Loops | undefined {
  const layout = new Layout();
  const source = layout.take(2 * 2 * ROWS * across);
  const places = (bytes: number) => lenses.map(({ width, height }) => layout.take(bytes * width * height));
  const [first, second, flat] = [places(4), places(4), places(16)];
  const [sums, counts] = [layout.take(2 * 8 * (SUMS + 1)), layout.take(3 * 8 * 4)];
  const valuesAt = layout.take(4 * VALUES);
  const records = layout.take(SUMS_BYTES + Math.ceil(lenses[0].width / 4) * PLACE_BYTES);
  const inverse = lenses.map(({ width, height }) => layout.take(4 * (width + 2 * MARGIN) * (height + 2 * MARGIN)));
  const wasm = openWasm<Exports>([pyramid, planesCode, align], layout.bytes);
  if (!wasm) return undefined;
  const { buffer, exports } = wasm;
  const depthAt = new Uint16Array(buffer, source, 2 * ROWS * across);
  const values = new Float32Array(buffer, valuesAt, VALUES);
  const floats = (at: number, count: number) => new Float32Array(buffer, at, count);
  const levels = (at: readonly number[]) =>
    lenses.map((lens, i) => ({ ...lens, z: floats(at[i], lens.width * lens.height) }));
  const write = (pose: Rigid, { fx, fy, cx, cy, ix, iy }: Level) => {
    values.set(pose);
    values[12] = fx;
    values[13] = fy;
    values[14] = cx;
    values[15] = cy;
    values[16] = ix;
    values[17] = iy;
  };
  let [sumsTaken, countsTaken] = [0, 0];
  return {
    pyramids: [levels(first), levels(second)],
    planes: lenses.map(({ width, height }, i) => floats(flat[i], 4 * width * height)),
    sums: () => new Float64Array(buffer, sums + 8 * (SUMS + 1) * sumsTaken++, SUMS),
    counts: () => new Float64Array(buffer, counts + 8 * 4 * countsTaken++, 4),
    shrink(depth, across, metresPerUnit, [finest, middle, coarsest]) {
      const { z, width, height } = finest;
      for (let y = 0; y < height; y += ROWS) {
        depthAt.set(depth.subarray(2 * y * across, 2 * (y + ROWS) * across));
        const rows = Math.min(ROWS, height - y);
        exports.halveDepth(source, across, metresPerUnit, z.byteOffset + 4 * y * width, width, rows);
      }
      for (const [from, to] of [
        [finest, middle],
        [middle, coarsest],
      ]) {
        exports.halve(from.z.byteOffset, from.width, to.z.byteOffset, to.width, to.height);
      }
    },
    flatten({ z, width, height, fx, fy, cx, cy }, number) {
      exports.planesOf(
        z.byteOffset,
        inverse[number],
        flat[number],
        width,
        height,
        REACHES[number] ?? 2,
        ...([fx, fy, cx, cy] as const),
      );
    },
    accumulate({ guess, pose, extent, sums }, { level, planes, every }, gate, unit) {
      write(pose, level);
      values.set(extent.centre, 18);
      values[21] = extent.radius;
      values[22] = gate;
      values[23] = unit;
      const { z, width, height } = level;
      const isCrowded = guess === GUESS.crowded ? 1 : 0;
      exports.accumulate(
        sums.byteOffset,
        z.byteOffset,
        planes.byteOffset,
        valuesAt,
        width,
        height,
        every,
        isCrowded,
        records,
      );
    },
    explain(counts, { level, planes, every }, pose, { nearM, nearPerM2 }, middle) {
      write(pose, level);
      values[18] = nearM;
      values[19] = nearPerM2;
      values[20] = middle;
      const { z, width, height } = level;
      exports.explain(counts.byteOffset, z.byteOffset, planes.byteOffset, valuesAt, width, height, every, records);
    },
  };
}
