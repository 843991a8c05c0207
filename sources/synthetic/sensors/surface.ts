import type { Intrinsics } from "../../../core/frame.ts";

/**
 * The cosine of the angle between the ray of pixel i = (x, y) and the surface's normal there. On a plane 1 / z is linear in the image. Of
 * the differences to the two sides the smaller one counts, so an outline beside the pixel changes nothing.
 */
export function facing(metres: Float32Array, camera: Intrinsics, x: number, y: number): number {
  const { width, height, fx, fy, cx, cy } = camera;
  const i = y * width + x;
  const q = 1 / metres[i];
  const along = (before: boolean, after: boolean, step: number) => {
    const back = before ? q - 1 / metres[i - step] : Infinity;
    const on = after ? 1 / metres[i + step] - q : Infinity;
    const least = Math.abs(back) < Math.abs(on) ? back : on;
    return Number.isFinite(least) ? least : 0;
  };
  const a = fx * along(x > 0, x + 1 < width, 1);
  const b = fy * along(y > 0, y + 1 < height, width);
  const [u, v] = [(x - cx) / fx, (y - cy) / fy];
  const c = q - a * u - b * v;
  return q / Math.sqrt((a * a + b * b + c * c) * (u * u + v * v + 1));
}
