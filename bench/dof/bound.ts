import { disparity, type LensPoint, type ThinLens } from "./lens.ts";
import { LINEAR, type Light } from "./light.ts";

/** A picture and each pixel's distance along the optical axis in metres; 0 where it is unknown. */
export interface Rgbd {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
  readonly metres: Float32Array;
}

/** Neighbours belong to one surface if their distances differ by less than this share, as in the stage. */
const EDGE = 0.0203;

/**
 * The best result that a picture and its distances allow. Each pixel is a patch of surface. For each point of the lens the patches are
 * warped to where that point sees them, the nearest in front. A pixel's light is the mean over the lens points that saw anything there.
 * Patches of one surface share corners, so slanted surfaces have no cracks.
 */
export function singleLayer(image: Rgbd, lens: ThinLens, points: readonly LensPoint[]): Light {
  const { width, height, rgba, metres } = image;
  const pixels = width * height;
  const corners = cornersOf(image, lens);
  const nearest = new Float32Array(pixels);
  const seen = new Int32Array(pixels);
  const rgb = new Float32Array(pixels * 3);
  const hits = new Uint32Array(pixels);
  for (const { x, y, u, v } of points) {
    nearest.fill(Infinity);
    seen.fill(-1);
    for (let row = 0, p = 0; row < height; row++) {
      for (let column = 0; column < width; column++, p++) {
        const z = metres[p];
        if (z === 0) continue;
        const a = corners[4 * p];
        const b = corners[4 * p + 1];
        const c = corners[4 * p + 2];
        const d = corners[4 * p + 3];
        // The patch's corners (upper left, upper right, lower left, lower right), with the pixel's centre at a whole number.
        const [ax, ay] = [column - u - 0.5 + x * a, row - v - 0.5 + y * a];
        const [bx, by] = [column - u + 0.5 + x * b, row - v - 0.5 + y * b];
        const [cx, cy] = [column - u - 0.5 + x * c, row - v + 0.5 + y * c];
        const [dx, dy] = [column - u + 0.5 + x * d, row - v + 0.5 + y * d];
        const left = Math.max(Math.ceil(Math.min(ax, cx, bx, dx)), 0);
        const right = Math.min(Math.floor(Math.max(bx, dx, ax, cx)), width - 1);
        const top = Math.max(Math.ceil(Math.min(ay, by, cy, dy)), 0);
        const bottom = Math.min(Math.floor(Math.max(cy, dy, ay, by)), height - 1);
        for (let j = top; j <= bottom; j++) {
          for (let i = left; i <= right; i++) {
            const q = j * width + i;
            if (z >= nearest[q]) continue;
            if ((bx - ax) * (j - ay) < (by - ay) * (i - ax)) continue;
            if ((dx - bx) * (j - by) < (dy - by) * (i - bx)) continue;
            if ((cx - dx) * (j - dy) < (cy - dy) * (i - dx)) continue;
            if ((ax - cx) * (j - cy) < (ay - cy) * (i - cx)) continue;
            nearest[q] = z;
            seen[q] = p;
          }
        }
      }
    }
    for (let q = 0; q < pixels; q++) {
      const p = seen[q];
      if (p < 0) continue;
      hits[q] = hits[q] + 1;
      for (let c = 0; c < 3; c++) {
        rgb[3 * q + c] = rgb[3 * q + c] + LINEAR[rgba[4 * p + c]];
      }
    }
  }
  for (let i = 0; i < rgb.length; i++) rgb[i] = rgb[i] / Math.max(hits[Math.floor(i / 3)], 1);
  return { width, height, rgb };
}

/** How far the rim of the lens moves each corner of each patch, in px: upper left, upper right, lower left, lower right. */
function cornersOf({ width, height, metres }: Rgbd, lens: ThinLens): Float32Array {
  const corners = new Float32Array(width * height * 4);
  for (let row = 0, p = 0; row < height; row++) {
    for (let column = 0; column < width; column++, p++) {
      const z = metres[p];
      if (z === 0) continue;
      for (let corner = 0; corner < 4; corner++) {
        const [stepX, stepY] = [corner & 1 ? 1 : -1, corner & 2 ? 1 : -1];
        let [sum, count] = [0, 0];
        for (let k = 0; k < 4; k++) {
          const [i, j] = [column + (k & 1) * stepX, row + (k >> 1) * stepY];
          if (i < 0 || j < 0 || i >= width || j >= height) continue;
          const other = metres[j * width + i];
          if (other === 0 || Math.abs(other - z) >= EDGE * z) continue;
          sum += disparity(lens, other);
          count++;
        }
        corners[4 * p + corner] = sum / count;
      }
    }
  }
  return corners;
}
