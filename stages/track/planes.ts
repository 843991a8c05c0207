import { REACHES, STEEPEST } from "./layout.ts";
import { SURFACE } from "./numbers.ts";
import type { Level } from "./pyramid.ts";

/** A level of the keyframe: four numbers per pixel, the unit normal (away from the camera) and the depth (0 where there is no plane). */
export type Planes = Float32Array;

/**
 * Writes the plane through each pixel. In the image a plane's inverse depth is linear, a·x + b·y + c; a and b are the mean slopes of pairs
 * of pixels on opposite sides of the pixel, in its own row (column) and the two beside it.
 */
export function planesOf({ width, height, fx, fy, cx, cy, z }: Level, level: number, planes: Planes): void {
  const reach = REACHES[level] ?? 2;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const at = 4 * i;
      planes[at + 3] = 0;
      if (z[i] === 0) continue;
      const w = 1 / z[i];
      const nx = slope(x, y, 1, 0, w) * fx;
      const ny = slope(x, y, 0, 1, w) * fy;
      const u = (x - cx) / fx;
      const v = (y - cy) / fy;
      const nz = w - nx * u - ny * v;
      const length = Math.sqrt(nx * nx + ny * ny + nz * nz);
      // A normal is judged against its ray, not against the optical axis: a floor that is seen from above is no steep surface.
      if (!(w / (length * Math.sqrt(1 + u * u + v * v)) > STEEPEST)) continue;
      planes[at] = nx / length;
      planes[at + 1] = ny / length;
      planes[at + 2] = nz / length;
      planes[at + 3] = z[i];
    }
  }

  /** The slope of inverse depth along (dx, dy), per pixel; NaN if no pair in the pixel's own row lies on its surface. */
  function slope(x: number, y: number, dx: number, dy: number, w: number): number {
    let sum = 0;
    let count = 0;
    for (let beside = 0; beside <= 2; beside++) {
      if (beside === 1 && count === 0) return Number.NaN;
      const row = beside === 2 ? -1 : beside;
      const cx = x + row * dy;
      const cy = y + row * dx;
      if (cx < 0 || cy < 0 || cx >= width || cy >= height) continue;
      for (let k = 1; k <= reach; k++) {
        if (cx - k * dx < 0 || cy - k * dy < 0 || cx + k * dx >= width || cy + k * dy >= height) break;
        const step = k * (dy * width + dx);
        const centre = cy * width + cx;
        const after = z[centre + step];
        const before = z[centre - step];
        if (after === 0 || before === 0) continue;
        const p = 1 / after;
        const q = 1 / before;
        const most = SURFACE * k * w;
        if (Math.abs(p - w) >= most || Math.abs(q - w) >= most) continue;
        sum += (p - q) * k;
        count += 2 * k * k;
      }
    }
    return count > 0 ? sum / count : Number.NaN;
  }
}
