import type { Depth } from "../image.ts";

const PAD = 2;

/**
 * PCL's FastBilateralFilter (Paris and Durand 2006): counts and sums in a grid of x, y and depth with cells a sigma wide, blurred by 1 2 1
 * twice along each axis, read back by linear interpolation. As in PCL, a hole counts as the farthest depth and comes out filled.
 */
export function fastBilateral(sigmaPx: number, sigmaMm: number): (depth: Depth) => Depth {
  return ({ width, height, mm }) => {
    let [near, far] = [Infinity, 0];
    for (const z of mm) {
      if (z === 0) continue;
      near = Math.min(near, z);
      far = Math.max(far, z);
    }
    if (far === 0) return { width, height, mm: mm.slice() };
    const size = (length: number) => Math.trunc((length - 1) / sigmaPx) + 1 + 2 * PAD;
    const [columns, rows] = [size(width), size(height)];
    const cells = Math.trunc((far - near) / sigmaMm) + 1 + 2 * PAD;
    const strides = [rows * cells, cells, 1];
    let [sums, counts] = [new Float32Array(columns * rows * cells), new Float32Array(columns * rows * cells)];
    for (let i = 0; i < mm.length; i++) {
      const z = mm[i] || far;
      const [x, y] = [i % width, Math.floor(i / width)];
      const cell = (v: number, sigma: number) => Math.trunc(v / sigma + 0.5) + PAD;
      const at = cell(x, sigmaPx) * strides[0] + cell(y, sigmaPx) * strides[1] + cell(z - near, sigmaMm);
      sums[at] += z;
      counts[at]++;
    }
    const blurred = (from: Float32Array, stride: number) => {
      const to = new Float32Array(from.length);
      for (let x = 1; x < columns - 1; x++) {
        for (let y = 1; y < rows - 1; y++) {
          const row = x * strides[0] + y * strides[1];
          for (let i = row + 1; i < row + cells - 1; i++)
            to[i] = (from[i - stride] + from[i + stride] + 2 * from[i]) / 4;
        }
      }
      return to;
    };
    for (const stride of strides) {
      for (let round = 0; round < 2; round++) [sums, counts] = [blurred(sums, stride), blurred(counts, stride)];
    }
    const out = new Float32Array(mm.length);
    for (let i = 0; i < mm.length; i++) {
      const z = mm[i] || far;
      const [gx, gy, gz] = [
        (i % width) / sigmaPx + PAD,
        Math.floor(i / width) / sigmaPx + PAD,
        (z - near) / sigmaMm + PAD,
      ];
      const [x, y, c] = [Math.trunc(gx), Math.trunc(gy), Math.trunc(gz)];
      let [sum, count] = [0, 0];
      for (let corner = 0; corner < 8; corner++) {
        const [i0, j0, k0] = [corner & 1, (corner >> 1) & 1, corner >> 2];
        const weight = part(gx - x, i0) * part(gy - y, j0) * part(gz - c, k0);
        const column = Math.min(columns - 1, x + i0) * strides[0] + Math.min(rows - 1, y + j0) * strides[1];
        const at = column + Math.min(cells - 1, c + k0);
        sum += weight * sums[at];
        count += weight * counts[at];
      }
      out[i] = sum / count;
    }
    return { width, height, mm: out };
  };
}

const part = (share: number, upper: number) => (upper ? share : 1 - share);
