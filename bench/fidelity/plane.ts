import type { Intrinsics } from "../../sources/core/frame.ts";
import { hash } from "../../sources/synthetic/grain.ts";

type Vector = readonly [number, number, number];

/** A plane, given by a point on it and its unit normal. */
export interface Plane {
  readonly point: Vector;
  readonly normal: Vector;
}

/** Points in mm, three numbers each. */
class Points {
  readonly #xyz: number[] = [];

  get count(): number {
    return this.#xyz.length / 3;
  }

  /** The point of a pixel in space. */
  push({ fx, fy, cx, cy, width }: Intrinsics, i: number, mm: number): void {
    const [x, y] = [i % width, Math.floor(i / width)];
    this.#xyz.push(((x - cx) / fx) * mm, ((y - cy) / fy) * mm, mm);
  }

  at(k: number): Vector {
    return [this.#xyz[3 * k], this.#xyz[3 * k + 1], this.#xyz[3 * k + 2]];
  }

  off(k: number, { point, normal }: Plane): number {
    let sum = 0;
    for (let c = 0; c < 3; c++) sum += (this.#xyz[3 * k + c] - point[c]) * normal[c];
    return sum;
  }

  /** The plane with the least squared distances to the points that `holds` accepts. */
  fit(holds: (k: number) => boolean): Plane {
    const mean = [0, 0, 0];
    const chosen: number[] = [];
    for (let k = 0; k < this.count; k++) {
      if (!holds(k)) continue;
      chosen.push(k);
      for (let c = 0; c < 3; c++) mean[c] += this.#xyz[3 * k + c];
    }
    for (let c = 0; c < 3; c++) mean[c] /= chosen.length || 1;
    const m = new Float64Array(9);
    for (const k of chosen) {
      for (let a = 0; a < 3; a++) {
        for (let b = 0; b < 3; b++) m[3 * a + b] += (this.#xyz[3 * k + a] - mean[a]) * (this.#xyz[3 * k + b] - mean[b]);
      }
    }
    return { point: [mean[0], mean[1], mean[2]], normal: leastAxis(m).axis };
  }
}

/** The root mean square distance in mm of the mask's pixels to the plane that fits them best. */
export function planeRms(mm: Float32Array, mask: Uint8Array, { fx, fy, cx, cy, width }: Intrinsics): number {
  let [n, sx, sy, sz, xx, xy, xz, yy, yz, zz] = new Float64Array(10);
  for (let i = 0; i < mm.length; i++) {
    const z = mm[i];
    if (!mask[i] || !(z > 0)) continue;
    const [x, y] = [(((i % width) - cx) / fx) * z, ((Math.floor(i / width) - cy) / fy) * z];
    n++;
    sx += x;
    sy += y;
    sz += z;
    xx += x * x;
    xy += x * y;
    xz += x * z;
    yy += y * y;
    yz += y * z;
    zz += z * z;
  }
  if (n === 0) return Number.NaN;
  const [a, b, c] = [xy - (sx * sy) / n, xz - (sx * sz) / n, yz - (sy * sz) / n];
  const m = Float64Array.of(xx - (sx * sx) / n, a, b, a, yy - (sy * sy) / n, c, b, c, zz - (sz * sz) / n);
  return Math.sqrt(Math.max(0, leastAxis(m).value) / n);
}

/** The smallest eigenvalue of a symmetric 3 × 3 matrix, and its eigenvector, by Jacobi's rotations. */
function leastAxis(m: Float64Array): { readonly axis: Vector; readonly value: number } {
  const v = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
  for (let sweep = 0; sweep < 30; sweep++) {
    for (const [p, q] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      const apart = m[3 * p + q];
      if (Math.abs(apart) < 1e-300) continue;
      const angle = 0.5 * Math.atan2(2 * apart, m[3 * q + q] - m[3 * p + p]);
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      for (let k = 0; k < 3; k++) {
        const [a, b] = [m[3 * k + p], m[3 * k + q]];
        [m[3 * k + p], m[3 * k + q]] = [c * a - s * b, s * a + c * b];
      }
      for (let k = 0; k < 3; k++) {
        const [a, b] = [m[3 * p + k], m[3 * q + k]];
        [m[3 * p + k], m[3 * q + k]] = [c * a - s * b, s * a + c * b];
      }
      for (let k = 0; k < 3; k++) {
        const [a, b] = [v[3 * k + p], v[3 * k + q]];
        [v[3 * k + p], v[3 * k + q]] = [c * a - s * b, s * a + c * b];
      }
    }
  }
  const least = [0, 1, 2].reduce((a, b) => (m[4 * b] < m[4 * a] ? b : a));
  return { axis: [v[least], v[3 + least], v[6 + least]], value: m[4 * least] };
}

const TRIES = 300;
const SAMPLED = 37;

/** The largest plane of an image, with the pixels within 25 mm of it, found by RANSAC; undefined if too few pixels are valid. */
export function largestPlane(mm: Float32Array, camera: Intrinsics): Uint8Array | undefined {
  const points = new Points();
  mm.forEach((z, i) => {
    if (z > 0) points.push(camera, i, z);
  });
  if (points.count < 1000) return undefined;
  let best: { plane: Plane; inliers: number } | undefined;
  for (let t = 0; t < TRIES; t++) {
    const [a, b, c] = [0, 1, 2].map((k) => points.at(hash(3 * t + k, 1) % points.count));
    const [u, v] = [b, c].map((p): Vector => [p[0] - a[0], p[1] - a[1], p[2] - a[2]]);
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const length = Math.hypot(n[0], n[1], n[2]);
    if (length < 1000) continue;
    const plane: Plane = { point: a, normal: [n[0] / length, n[1] / length, n[2] / length] };
    let inliers = 0;
    for (let k = 0; k < points.count; k += SAMPLED) if (Math.abs(points.off(k, plane)) < 30) inliers++;
    if (inliers > (best?.inliers ?? 0)) best = { plane, inliers };
  }
  if (!best) return undefined;
  let plane = best.plane;
  for (const tolerance of [30, 25]) {
    const from = plane;
    plane = points.fit((k) => Math.abs(points.off(k, from)) < tolerance);
  }
  const mask = new Uint8Array(mm.length);
  for (let i = 0, k = 0; i < mm.length; i++) if (mm[i] > 0) mask[i] = Math.abs(points.off(k++, plane)) < 25 ? 1 : 0;
  return mask;
}
