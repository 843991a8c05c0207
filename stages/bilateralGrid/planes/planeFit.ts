import { askedOf, cellAt, isNear, type PlaneMemory } from "./memory.ts";
import { type Design, designOf, sumAround, writeEntry } from "./planeMoments.ts";
import { planeOf, residualOf } from "./planeSolve.ts";
import type { PlaneShape } from "./shape.ts";

/**
 * Fits the planes of a row that pixels need, by weighted least squares in 1/depth, in each column and in one more on each side: the planes
 * of those cells that a pixel of the surrounding 3 × 3 columns lies in or next to. Sums up how far each column's own pixels lie off its
 * planes.
 */
export function planeFit(row: number, shape: PlaneShape, memory: PlaneMemory, design: Design): void {
  for (let column = -1; column <= shape.columns; column++) {
    for (let mask = 0; mask < shape.masks; mask++) {
      for (let bits = askedOf(shape, memory, column, row, mask); bits !== 0; bits &= bits - 1) {
        const cell = 32 * mask + 31 - Math.clz32(bits & -bits);
        const place = cellAt(shape, column, row, cell);
        sumAround(column, row, cell, shape, memory);
        designOf(memory, design);
        planeOf(design, cell, place, memory);
        writeEntry(design, memory.entries, place);
        if (isNear(shape, memory.index, column, row, cell, 1)) residualOf(column, row, cell, shape, memory);
      }
    }
  }
}
