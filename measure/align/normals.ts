import type { Look } from "../../scan/place/look.ts";
import { type Scene, sigmaAt } from "../scene.ts";

/** A normal is that of the plane through the largest of these squares around its pixel that is flat: pixels to each side. */
const REACHES = [5, 3, 2, 1];
/** A square is flat if its pixels are off their plane by this share of the distance (root mean square), or by this many times the noise. */
const FLAT = 0.0012;
const SIGMAS = 2;
/** The number of sums over squares: of 1, of 1 / z, and of 1 / z times the column, the line and 1 / z. */
const SUMS = 5;

/** The noise of a pixel's mean, m. */
const meanSigmaAt = (scene: Scene, z: number): number => sigmaAt(scene, z) / Math.sqrt(scene.frames);

/**
 * The same image with normals of planes through squares of pixels: wide ones on walls and floors, where the normals of a few pixels would
 * waver with the noise and show a fit directions that the scene does not, and small ones on things. A plane's 1 / z is linear in the image.
 */
export function withFlatNormals(look: Look, scene: Scene): Look {
  const { across, down, lens, depths } = look;
  const sums = summed(look);
  const normals = new Float32Array(3 * depths.length);
  let count = 0;
  for (let at = 0; at < depths.length; at++) {
    const [x, y, z] = [at % across, Math.floor(at / across), depths[at]];
    if (z === 0) continue;
    for (const reach of REACHES) {
      if (x < reach || y < reach || x + reach >= across || y + reach >= down) continue;
      const side = 2 * reach + 1;
      const low = (y - reach) * (across + 1) + x - reach;
      const high = low + side * (across + 1);
      const [all, q, qx, qy, qq] = sums.map((sum) => sum[high + side] - sum[low + side] - sum[high] + sum[low]);
      const pixels = side * side;
      if (all < pixels) continue;
      const spread = (pixels * reach * (reach + 1)) / 3;
      const [mean, along, downwards] = [q / pixels, (qx - x * q) / spread, (qy - y * q) / spread];
      const square = qq / pixels - mean * mean - (spread / pixels) * (along * along + downwards * downwards);
      if (Math.sqrt(Math.max(0, square)) * z > Math.max(FLAT, (SIGMAS * meanSigmaAt(scene, z)) / z)) continue;
      const [nx, ny] = [along * lens.fx, downwards * lens.fy];
      const nz = mean - (nx * (x - lens.cx)) / lens.fx - (ny * (y - lens.cy)) / lens.fy;
      const length = -Math.hypot(nx, ny, nz);
      normals.set([nx / length, ny / length, nz / length], 3 * at);
      count++;
      break;
    }
  }
  return { ...look, normals, count };
}

/** Sums over all pixels above and to the left (Crow 1984, "Summed-area tables for texture mapping"). */
function summed({ across, down, depths }: Look): Float64Array[] {
  const wide = across + 1;
  const sums = Array.from({ length: SUMS }, () => new Float64Array(wide * (down + 1)));
  for (let y = 0; y < down; y++) {
    const line = new Float64Array(SUMS);
    for (let x = 0; x < across; x++) {
      const z = depths[y * across + x];
      const q = z > 0 ? 1 / z : 0;
      for (const [k, value] of [z > 0 ? 1 : 0, q, x * q, y * q, q * q].entries()) {
        line[k] += value;
        sums[k][(y + 1) * wide + x + 1] = sums[k][y * wide + x + 1] + line[k];
      }
    }
  }
  return sums;
}
