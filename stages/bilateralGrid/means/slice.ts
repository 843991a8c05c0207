import type { DepthArray } from "../../../core/frame.ts";
import type { GridShape } from "./grid.ts";
import type { GridScratch } from "./scratch.ts";

/**
 * Reads the blurred grid at each pixel's position and depth by trilinear interpolation of sum and weight, and rounds their quotient once. A
 * valid pixel stays valid. Invalid pixels and pixels beyond the axis are copied.
 */
export function slice(depth: DepthArray, shape: GridShape, { blurred }: GridScratch, filtered: DepthArray): void {
  const { width, height, space, columns, blurredDepths } = shape;
  const { positionOf } = shape.axis;
  const [pixels, grid, out] = [depth.data, blurred.data, filtered.data];
  const across = 2 * blurredDepths;
  const down = across * (columns + 2);
  const step = 1 / space;
  const tick = 1 / 65536;
  for (let y = 0; y < height; y++) {
    // Row coordinate in columns, counted from the centre of the row above the first.
    const v = (2 * y + 1 + space) / (2 * space);
    const above = Math.floor(v);
    const fy = v - above;
    for (let between = 0; between <= columns; between++) {
      const start = between * space - space / 2;
      const left = Math.max(0, start);
      const right = Math.min(width, start + space);
      const base = above * down + between * across;
      // Neighbouring pixels mostly lie between the same eight cells. These are interpolated along y once for the whole run, which leaves
      // sum = a + x·b + z·(c + x·d), and likewise for the weight.
      let held = -1;
      let a = 0.5;
      let b = 0.5;
      let c = 0.5;
      let d = 0.5;
      let wa = 0.5;
      let wb = 0.5;
      let wc = 0.5;
      let wd = 0.5;
      for (let x = left; x < right; x++) {
        const at = (y * width + x) | 0;
        const pixel = pixels[at];
        const position = positionOf[pixel];
        if (position < 0) {
          out[at] = pixel;
          continue;
        }
        const p = position >> 16;
        if (p !== held) {
          held = p;
          const i = (base + 2 * p) | 0;
          const j = (i + across) | 0;
          a = mixed(grid, i, down, fy);
          b = mixed(grid, j, down, fy) - a;
          c = mixed(grid, i + 2, down, fy) - a;
          d = mixed(grid, j + 2, down, fy) - a - b - c;
          wa = mixed(grid, i + 1, down, fy);
          wb = mixed(grid, j + 1, down, fy) - wa;
          wc = mixed(grid, i + 3, down, fy) - wa;
          wd = mixed(grid, j + 3, down, fy) - wa - wb - wc;
        }
        const fx = (x - start + 0.5) * step;
        const fz = (position & 0xffff) * tick;
        const mean = ((a + fx * b + fz * (c + fx * d)) / (wa + fx * wb + fz * (wc + fx * wd)) + 0.5) | 0;
        out[at] = mean > 0 ? mean : 1;
      }
    }
  }
}

function mixed(grid: Float32Array, i: number, down: number, t: number): number {
  const near = grid[i];
  return near + t * (grid[(i + down) | 0] - near);
}
