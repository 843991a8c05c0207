import type { FrameShape, Intrinsics } from "../../../sources/core/frame.ts";
import { COSINE_UNITS, PIXEL_WEIGHT } from "./layout.ts";

/** Pixels to each side whose depths give a slope. */
const REACH = 2;
/** A surface whose depth bends by more than this share of it between three such pixels has an edge there. */
const BEND = 0.02;
/** Pixels whose normal makes a smaller cosine with their ray are left out: depth is worst there. */
const GRAZING = 0.15;
/** Depth is dealt with by classes of this many metres, whose noise is computed once. */
const CLASS_M = 1 / 64;

/** A sensor's noise: sigma(z) = a + b·z², in mm and mm per m². */
export interface SigmaOfDepth {
  readonly a: number;
  readonly b: number;
}

/** The tables of a lens and a noise: rays, and the weight of a pixel seen from the front, by distance. */
export class PlaneMaker {
  readonly #rayX: Float64Array;
  readonly #rayY: Float64Array;
  readonly #weights: Float64Array;

  constructor(
    readonly lens: Intrinsics,
    { a, b }: SigmaOfDepth,
    /** Depth beyond this is not used, m. */
    readonly farM: number,
  ) {
    const { width, height, fx, fy, cx, cy } = lens;
    this.#rayX = Float64Array.from({ length: width }, (_, x) => (x - cx) / fx);
    this.#rayY = Float64Array.from({ length: height }, (_, y) => (y - cy) / fy);
    const share = (z: number) => Math.min(1, (a + b) / (a + b * z * z));
    this.#weights = Float64Array.from({ length: Math.ceil(farM / CLASS_M) + 1 }, (_, i) => share(i * CLASS_M));
  }

  /**
   * Makes each pixel a small plane: four words of `planes` are its depth in metres, the change of depth per pixel across and down (f32),
   * and its weight and cosine (layout.ts). The weight is that of the noise, sigma(1 m) / sigma(z), times the cosine between normal and ray,
   * and halved at an edge. A pixel without depth has weight 0.
   */
  make(depth: Uint16Array, { metresPerUnit }: Pick<FrameShape, "metresPerUnit">, planes: Float32Array): void {
    const { width, height, fx, fy } = this.lens;
    const words = new Uint32Array(planes.buffer, planes.byteOffset, planes.length);
    const perPixel = metresPerUnit / REACH;
    const far = this.farM / metresPerUnit;
    const down = REACH * width;
    for (let y = 0; y < height; y++) {
      const v = this.#rayY[y];
      const hasAbove = y >= REACH;
      const hasBelow = y + REACH < height;
      for (let x = 0; x < width; x++) {
        const i = y * width + x;
        const d = depth[i];
        words[4 * i + 3] = 0;
        if (d === 0 || d > far) continue;
        const left = x >= REACH ? depth[i - REACH] : 0;
        const right = x + REACH < width ? depth[i + REACH] : 0;
        const above = hasAbove ? depth[i - down] : 0;
        const below = hasBelow ? depth[i + down] : 0;
        const isFlat = !isEdge(left, d, right);
        const isLevel = !isEdge(above, d, below);
        // The normal of the surface z(x, y) whose points are (u z, v z, z) with u = (x - cx) / fx and v = (y - cy) / fy.
        const z = d * metresPerUnit;
        const nx = fx * (isFlat ? (right - left) / 2 : slope(left, d, right)) * perPixel;
        const ny = fy * (isLevel ? (below - above) / 2 : slope(above, d, below)) * perPixel;
        const u = this.#rayX[x];
        const nz = z + u * nx + v * ny;
        const square = nx * nx + ny * ny + nz * nz;
        const cosine = z / Math.sqrt(square * (1 + u * u + v * v));
        if (cosine < GRAZING) continue;
        const trust = isFlat && isLevel ? PIXEL_WEIGHT : PIXEL_WEIGHT / 2;
        const weight = Math.ceil(trust * cosine * this.#weights[Math.floor(z / CLASS_M)]);
        planes[4 * i] = z;
        planes[4 * i + 1] = nx / fx;
        planes[4 * i + 2] = ny / fy;
        const facing = nz > 0 ? nz / Math.sqrt(square) : 0;
        words[4 * i + 3] = (weight << 16) | (facing * COSINE_UNITS + 0.5);
      }
    }
  }
}

/** Whether three depths in a row do not lie on one surface. */
const isEdge = (before: number, d: number, after: number) =>
  before === 0 || after === 0 || Math.abs(before + after - 2 * d) > BEND * d;

/** The change of depth over `REACH` pixels along the surface on which the pixel and one beside it lie; 0 where there is none. */
function slope(before: number, d: number, after: number): number {
  const back = before > 0 ? d - before : Infinity;
  const on = after > 0 ? after - d : Infinity;
  const less = Math.abs(back) < Math.abs(on) ? back : on;
  return Math.abs(less) < BEND * d ? less : 0;
}
