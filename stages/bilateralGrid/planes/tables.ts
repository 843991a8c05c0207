import { OFF_AXIS } from "../depthAxis.ts";
import { LOWER, QUAD_TAPS, RECORD } from "./layout.ts";
import { DEPTH_TAPS, FLATNESS, type PlaneShape, sigmaAt } from "./shape.ts";

// Tables for the kernels and for the WebAssembly form, which compute with the same f32 (shaders/core/exact.wgsl). In the WebAssembly form
// cell c has the number c + CELL_ZERO, so that reads before the first cell and behind the last stay inside; number 0 stands for pixels that
// are left out. Four cells form a quad.

const { fround } = Math;
const CELL_ZERO = 4;

/** The quads of an axis, including those that a pixel in its last cell reaches. */
export const quadsOf = ({ axis }: PlaneShape): number => ((axis.cells + CELL_ZERO + 1) >> 2) + 1;

/** Writes four words per depth: its cell's number, r in the cell's steps, r² without its low bits, 0. */
export function writeEntries({ entryOf, axis, squareShift }: PlaneShape, words: Int32Array): void {
  words.fill(0);
  for (let depth = 1; depth <= axis.farthest; depth++) {
    const entry = entryOf[depth];
    if (entry === OFF_AXIS) continue;
    const r = (entry << 16) >> 16;
    words[4 * depth] = (entry >> 16) + CELL_ZERO;
    words[4 * depth + 1] = r;
    words[4 * depth + 2] = (r * r) >> squareShift;
  }
}

/**
 * The factor by which a pixel's distance from a plane, as a share of its depth, is scaled: at a scaled distance of 1 a plane has a quarter
 * of its weight.
 */
const steepnessAt = (shape: PlaneShape, depth: number): number =>
  fround(depth / (shape.agreement * sigmaAt(shape, depth)));

/** Two words per depth for planeSlice.wgsl: the position, as in `positionOf`, and `steepnessAt` as f32. */
export function positionsOf(shape: PlaneShape): Int32Array<ArrayBuffer> {
  const words = new Int32Array(2 * shape.positionOf.length);
  const floats = new Float32Array(words.buffer);
  // A loop, not a map: while a slider is dragged, this table is made with every frame.
  for (let depth = 0; depth < shape.positionOf.length; depth++) {
    words[2 * depth] = shape.positionOf[depth];
    floats[2 * depth + 1] = steepnessAt(shape, depth);
  }
  return words;
}

/**
 * Writes four words per depth: 64 times the number of the nearer of the two cells between which it lies; its position between them (f32);
 * and the factor of 1/depth and the offset (f32) that give a pixel's scaled distance from a plane.
 */
export function writeDepths(shape: PlaneShape, floats: Float32Array): void {
  const { positionOf, axis } = shape;
  const words = new Int32Array(floats.buffer, floats.byteOffset, floats.length);
  floats.fill(0);
  for (let depth = 1; depth <= axis.farthest; depth++) {
    const position = positionOf[depth];
    if (position === OFF_AXIS) continue;
    const steep = steepnessAt(shape, depth);
    words[4 * depth] = RECORD * ((position >> 16) + CELL_ZERO - 1);
    floats[4 * depth + 1] = (position & 0xffff) / 65536;
    floats[4 * depth + 2] = steep * depth;
    floats[4 * depth + 3] = steep;
  }
}

/**
 * Twelve words for each pixel of a tile, in the order of a bin's moments. f32: 1, u, v, u², uv, v² from the tile's centre; then, for left
 * half and right half, 1 if the pixel lies in the upper half and `LOWER` if in the lower. Whole numbers: 1, 2u, 2v, 1.
 */
export function writePlaces({ space }: PlaneShape, places: Float32Array): void {
  const words = new Int32Array(places.buffer, places.byteOffset, places.length);
  for (let i = 0; i < space * space; i++) {
    const [u, v] = [(i % space) - (space - 1) / 2, Math.floor(i / space) - (space - 1) / 2];
    const one = v < 0 ? 1 : LOWER;
    places.set([1, u, v, u * u, u * v, v * v, u < 0 ? one : 0, u < 0 ? 0 : one], i * 12);
    words.set([1, 2 * u, 2 * v, 1], i * 12 + 8);
  }
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
    const weights = sharesOf(below, space);
    for (let x = 0; x < space + 3; x++) {
      const away = x + first;
      const shares = sharesOf(away, space);
      const taps = weights.flatMap((weight) => shares.map((share) => share * weight));
      across.set([away, away - space, away, away - space, ...taps], (y * (space + 3) + x) * 8);
    }
  }
  return { across, down };
}

/** The shares of two columns at a distance behind the first one's centre. The kernel computes the same by a product with 1 / `space`. */
function sharesOf(away: number, space: number): readonly [number, number] {
  const share = fround(away * fround(1 / space));
  return [fround(1 - share), share];
}

/**
 * Five factors of one tap of the blur along depth. The blurred r of a cell gets r · [0] + n · [1] of the cell `tap` − 2 away; its blurred
 * rr gets rr · [2] + r · [3] + n · [4]. All 0 if there is no such cell. f32, rounded as planeBuild.wgsl does.
 */
function tapOf({ axis, centres, steps, squareShift }: PlaneShape, cell: number, tap: number): readonly number[] {
  const from = cell + tap - 2;
  // A first cell of one depth, which is 0, has no pixels.
  if (from < 0 || from >= axis.cells || centres[from] * centres[cell] === 0) return [0, 0, 0, 0, 0];
  // 1/depth = (1 − r/c)/c, so one cell's r is linear in another's.
  const ratio = tap === 2 ? 1 : fround(centres[cell] * fround(1 / centres[from]));
  const scale = fround(ratio * ratio) * steps[from];
  const base = fround(centres[cell] * fround(1 - ratio));
  const squares = [fround(scale * scale) * 2 ** squareShift, 2 * fround(scale * base), fround(base * base)];
  return [scale, base, ...squares].map((factor) => fround(DEPTH_TAPS[tap] * factor));
}

/** The values of `tapOf` for each quad of cells and each of the five taps, four cells at a time. */
export function quadTapsOf(shape: PlaneShape, quads: number): Float32Array {
  const taps = new Float32Array((quads * QUAD_TAPS) / 4);
  eachCell(shape, (cell) => {
    for (let tap = 0; tap < DEPTH_TAPS.length; tap++) {
      for (const [part, value] of tapOf(shape, cell, tap).entries()) {
        taps[laneOf(cell, QUAD_TAPS / 16, tap * 5 + part)] = value;
      }
    }
  });
  return taps;
}

/** For planeBuild.wgsl: each cell's `Centre`. */
export function centresOf(shape: PlaneShape): Float32Array<ArrayBuffer> {
  const centres = new Float32Array(shape.masks * 32 * 3);
  eachCell(shape, (cell) =>
    centres.set([shape.centres[cell], inverse(shape.centres[cell]), shape.steps[cell]], 3 * cell),
  );
  return centres;
}

function eachCell({ centres }: PlaneShape, visit: (cell: number) => void): void {
  for (let cell = 0; cell < centres.length; cell++) visit(cell);
}

/** 1/c, −1/c², 1/v and −c², where c is the depth of a cell's centre and v the variance that a flat plane's pixels have. */
function cellOf(shape: PlaneShape, cell: number): readonly number[] {
  const centre = shape.centres[cell];
  const flat = FLATNESS * sigmaAt(shape, centre);
  return [inverse(centre), -(inverse(centre) ** 2), 1 / flat ** 2, -(centre ** 2)];
}

/** 1/c; 0 for the centre of a cell that holds depth 0 alone. */
const inverse = (centre: number): number => (centre === 0 ? 0 : 1 / centre);

/** The values of `cellOf` for each quad of cells, four cells at a time; 0 where there is no cell. */
export function quadCellsOf(shape: PlaneShape, quads: number): Float32Array {
  const cells = new Float32Array(quads * 16);
  eachCell(shape, (cell) => {
    for (const [part, value] of cellOf(shape, cell).entries()) cells[laneOf(cell, 4, part)] = value;
  });
  return cells;
}

/** For the kernels: `cellOf` of each cell. */
export function cellsOf(shape: PlaneShape): Float32Array<ArrayBuffer> {
  const cells = new Float32Array(shape.masks * 32 * 4);
  eachCell(shape, (cell) => cells.set(cellOf(shape, cell), 4 * cell));
  return cells;
}

/** The index of a cell's lane in one of the `vectors` vectors of its quad. */
const laneOf = (cell: number, vectors: number, vector: number): number =>
  (((cell + CELL_ZERO) >> 2) * vectors + vector) * 4 + ((cell + CELL_ZERO) & 3);
