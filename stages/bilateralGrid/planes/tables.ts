import { OFF_AXIS } from "../depthAxis.ts";
import { DEPTH_TAPS, FLATNESS } from "./fit.ts";
import { LOWER, QUAD_TAPS, RECORD } from "./layout.ts";
import { type PlaneShape, sigmaAt } from "./shape.ts";

// Tables for the WebAssembly form. Cell c has the number c + CELL_ZERO there, so that reads before the first cell and behind the last stay
// inside; number 0 stands for pixels that are left out. Four cells form a quad.

const CELL_ZERO = 4;

/** The quads of an axis, including those that a pixel in its last cell reaches. */
export const quadsOf = ({ axis }: PlaneShape): number => ((axis.cells + CELL_ZERO + 1) >> 2) + 1;

/** Writes two words per depth: its cell's number, and its r in depth units as f32. */
export function writeEntries({ entryOf, scale, axis }: PlaneShape, floats: Float32Array): void {
  const words = new Int32Array(floats.buffer, floats.byteOffset, floats.length);
  floats.fill(0);
  for (let depth = 1; depth <= axis.farthest; depth++) {
    const entry = entryOf[depth];
    if (entry === OFF_AXIS) continue;
    words[2 * depth] = (entry >> 16) + CELL_ZERO;
    floats[2 * depth + 1] = ((entry << 16) >> 16) / scale;
  }
}

/**
 * Writes four words per depth: 64 times the number of the nearer of the two cells between which it lies; its position between them (f32);
 * and the factor of 1/depth and the offset (f32) that give a pixel's scaled distance from a plane.
 */
export function writeDepths(
  { positionOf, axis, sigma, sigmaGrowth, agreement }: PlaneShape,
  floats: Float32Array,
): void {
  const words = new Int32Array(floats.buffer, floats.byteOffset, floats.length);
  floats.fill(0);
  for (let depth = 1; depth <= axis.farthest; depth++) {
    const position = positionOf[depth];
    if (position === OFF_AXIS) continue;
    const steep = depth / (agreement * Math.max(1, sigma + sigmaGrowth * depth * depth));
    words[4 * depth] = RECORD * ((position >> 16) + CELL_ZERO - 1);
    floats[4 * depth + 1] = (position & 0xffff) / 65536;
    floats[4 * depth + 2] = steep * depth;
    floats[4 * depth + 3] = steep;
  }
}

/**
 * Eight numbers for each pixel of a tile, in the order of a bin's moments: 1, u, v, u², uv, v² from the tile's centre; then, for left half
 * and right half, 1 if the pixel lies in the upper half and `LOWER` if in the lower.
 */
export function placesOf({ space }: PlaneShape): Float32Array {
  const places = new Float32Array(space * space * 8);
  for (let i = 0; i < space * space; i++) {
    const [u, v] = [(i % space) - (space - 1) / 2, Math.floor(i / space) - (space - 1) / 2];
    const one = v < 0 ? 1 : LOWER;
    places.set([1, u, v, u * u, u * v, v * v, u < 0 ? one : 0, u < 0 ? 0 : one], i * 8);
  }
  return places;
}

/**
 * For each pixel of a region, and three more per row: its distances to the right of its four columns' centres, and their weights. For each
 * row: its distances below them.
 */
export function regionOf({ space }: PlaneShape): { across: Float32Array; down: Float32Array } {
  const across = new Float32Array(space * (space + 3) * 8);
  const down = new Float32Array(space * 4);
  // If sigma is odd, a region's first pixel lies on its columns' centres.
  const first = space % 2 === 0 ? 0.5 : 0;
  for (let y = 0; y < space; y++) {
    const below = y + first;
    down.set([below, below, below - space, below - space], y * 4);
    const weights = [1 - below / space, below / space].map(Math.fround);
    for (let x = 0; x < space + 3; x++) {
      const away = x + first;
      const shares = [1 - away / space, away / space].map(Math.fround);
      const taps = weights.flatMap((weight) => shares.map((share) => share * weight));
      across.set([away, away - space, away, away - space, ...taps], (y * (space + 3) + x) * 8);
    }
  }
  return { across, down };
}

/** For each quad and each of the five taps along depth: the factors of a cell's n, r and rr in the blurred r and rr of another cell. */
export function tapsOf({ axis, centres }: PlaneShape, quads: number): Float32Array {
  const taps = new Float32Array((quads * QUAD_TAPS) / 4);
  centres.forEach((centre, cell) => {
    DEPTH_TAPS.forEach((k, tap) => {
      const from = cell + tap - 2;
      if (from < 0 || from >= axis.cells) return;
      // 1/depth = (1 − r/c)/c, so one cell's r is linear in another's.
      const ratio = centre / centres[from];
      const [a, b] = [ratio ** 2, centre * (1 - ratio)];
      [k * a, k * b, k * a * a, 2 * k * a * b, k * b * b].forEach((value, part) => {
        taps[laneOf(cell, QUAD_TAPS / 16, tap * 5 + part)] = value;
      });
    });
  });
  return taps;
}

/**
 * For each quad: 1/c, −1/c², 1/v and 1, where c is the depth of a cell's centre and v the variance that a flat plane's pixels have; 0 where
 * there is no cell.
 */
export function cellsOf(shape: PlaneShape, quads: number): Float32Array {
  const cells = new Float32Array(quads * 16);
  shape.centres.forEach((centre, cell) => {
    const flat = FLATNESS * sigmaAt(shape, centre);
    [1 / centre, -1 / centre ** 2, 1 / flat ** 2, 1].forEach((value, part) => {
      cells[laneOf(cell, 4, part)] = value;
    });
  });
  return cells;
}

/** The index of a cell's lane in one of the `vectors` vectors of its quad. */
const laneOf = (cell: number, vectors: number, vector: number): number =>
  (((cell + CELL_ZERO) >> 2) * vectors + vector) * 4 + ((cell + CELL_ZERO) & 3);
