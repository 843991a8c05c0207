import type { DepthArray } from "../../../core/frame.ts";
import { nearlyReciprocal } from "../../core/exact.ts";
import { refitResidual } from "./planeRefit.ts";
import { PLANE, type PlaneScratch } from "./scratch.ts";
import type { PlaneShape } from "./shape.ts";

/** No pixel moves farther than this, in sigmas. */
export const REACH = 3;

/**
 * Computes each pixel as a weighted mean of the depths that the eight planes around it predict. A plane's weight is its own, times
 * trilinear interpolation, times a factor that falls with the pixel's distance from the plane. Fits planes when they are first needed.
 */
export function planeSlice(depth: DepthArray, shape: PlaneShape, scratch: PlaneScratch, filtered: DepthArray): void {
  const { width, height, space, inset, columns, positionOf, axis, sigma, sigmaGrowth, agreement } = shape;
  const { refitted: planes, around: at } = scratch;
  const [pixels, out] = [depth.data, filtered.data];
  const { cells, farthest } = axis;
  scratch.frame++;
  const half = (space - 1) / 2;
  const steepest = 1 / agreement;
  for (let y = 0; y < height; y++) {
    // The row coordinate, counted from row −1 of the columns.
    const v = (2 * y + 1 + space) / (2 * space);
    const above = Math.floor(v);
    const fy = v - above;
    const dy = y - (above - 1) * space - half;
    for (let left = 0; left <= columns; left++) {
      const start = left * space - inset - (space + 1) / 2;
      // Neighbouring pixels mostly lie between the same eight cells, whose planes are looked up once per run.
      let held = -2;
      const end = Math.min(width, Math.ceil(start + space));
      for (let x = Math.max(0, Math.ceil(start)); x < end; x++) {
        const i = y * width + x;
        const own = pixels[i];
        const position = positionOf[own];
        if (position < 0) {
          out[i] = own;
          continue;
        }
        const near = (position >> 16) - 1;
        if (near !== held) {
          held = near;
          for (let k = 0; k < 8; k++) {
            const cell = near + (k >> 2);
            const isCell = cell >= 0 && cell < cells;
            at[k] = isCell
              ? refitResidual(left - 1 + (k & 1), above - 1 + ((k >> 1) & 1), cell, shape, scratch) * PLANE
              : -1;
          }
        }
        const dx = x + inset - (left - 1) * space - half;
        const fx = dx / space;
        const fz = (position & 0xffff) / 65536;
        const range = Math.max(1, sigma + sigmaGrowth * own * own);
        const steep = (own * steepest) / range;
        let sum = 0;
        let weight = 0;
        for (let k = 0; k < 8; k++) {
          const p = at[k];
          if (p < 0) continue;
          const inverse =
            planes[p] + planes[p + 1] * (k & 1 ? dx - space : dx) + planes[p + 2] * (k & 2 ? dy - space : dy);
          const off = (inverse * own - 1) * steep;
          const apart = 1 + off * off;
          const share = nearlyReciprocal(apart * apart);
          const w = (k & 1 ? fx : 1 - fx) * (k & 2 ? fy : 1 - fy) * (k & 4 ? fz : 1 - fz) * planes[p + 3] * share;
          sum += w * inverse;
          weight += w;
        }
        const mean = sum > 0 ? weight / sum : own;
        const most = Math.min(own + REACH * range, farthest);
        out[i] = Math.floor(Math.max(own - REACH * range, 1, Math.min(most, mean)) + 0.5);
      }
    }
  }
}
