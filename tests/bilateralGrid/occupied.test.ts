import { describe, expect, test } from "vitest";
import { occupiedBy } from "../../stages/bilateralGrid/planes/occupied.ts";
import { planeShape } from "../../stages/bilateralGrid/planes/shape.ts";

// occupiedBy counts the cells of a grid of planes that a frame's pixels lie in, and the planes that they need.

const parameters = { sigmaSpacePx: 8, sigmaDepthMm: 3, sigmaDepthPerM2Mm: 2, maxDepthM: 10 };

function countedIn(width: number, height: number, depthAt: (x: number, y: number) => number) {
  const stride = Math.ceil(width / 8) * 8;
  const rows = Uint16Array.from({ length: stride * height }, (_, i) => {
    const [x, y] = [i % stride, Math.floor(i / stride)];
    return x < width ? depthAt(x, y) : 0;
  });
  const shape = planeShape(width, height, 0.001, parameters);
  const words = new Uint32Array(rows.buffer);
  return { shape, ...occupiedBy(shape, { words, width, height, stride }) };
}

describe("occupiedBy counts, as computed by hand,", () => {
  const { axis } = planeShape(16, 8, 0.001, parameters);
  const middleOf = (cell: number) => Math.floor((axis.bases[cell] + axis.bases[cell + 1]) / 2);
  // The frame fills two adjacent tiles. Planes are fitted in the 4 × 3 columns around both, in the occupied cell and its two neighbours.
  test.each([
    ["pixels of one cell in both tiles", () => middleOf(40), 2, 12 * 3],
    ["pixels of the nearest cell, which has one neighbour", () => axis.bases[1] - 1, 2, 12 * 2],
    ["pixels of the farthest cell, which has one neighbour", () => axis.bases[axis.cells - 1], 2, 12 * 2],
    ["cells on both sides of a word's end", (x: number) => middleOf(x % 2 === 0 ? 31 : 32), 4, 12 * 4],
    ["cells that are far apart", (x: number) => (x < 8 ? middleOf(10) : middleOf(70)), 2, 2 * 9 * 3],
    ["a single pixel", (x: number, y: number) => (x + y === 0 ? middleOf(40) : 0), 1, 9 * 3],
    ["a frame without depth", () => 0, 0, 0],
  ] as const)("%s", (_, depthAt, cells, planes) => {
    expect(countedIn(16, 8, depthAt)).toMatchObject({ cells, planes });
  });
});

test("occupiedBy equals a slow count on a frame whose size is no multiple of a tile's", () => {
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const frame = new Map<string, number>();
  const depthAt = (x: number, y: number) => {
    const z = random() < 0.2 ? 0 : Math.floor(500 + 9000 * random() ** 3);
    frame.set(`${x} ${y}`, z);
    return z;
  };
  const { shape, cells, planes } = countedIn(37, 21, depthAt);
  const [occupied, asked] = [new Set<string>(), new Set<string>()];
  for (const [at, z] of frame) {
    const [x = 0, y = 0] = at.split(" ").map(Number);
    const cell = shape.entryOf[z] >> 16;
    if (cell < 0) continue;
    const [column, row] = [Math.floor((x + shape.inset) / shape.space), Math.floor(y / shape.space)];
    occupied.add(`${column} ${row} ${cell}`);
    for (let i = 0; i < 27; i++) {
      const beside = cell + Math.floor(i / 9) - 1;
      if (beside < 0 || beside >= shape.axis.cells) continue;
      asked.add(`${column + (i % 3) - 1} ${row + (Math.floor(i / 3) % 3) - 1} ${beside}`);
    }
  }
  expect([cells, planes]).toEqual([occupied.size, asked.size]);
});
