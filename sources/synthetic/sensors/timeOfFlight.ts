import type { Intrinsics } from "../../../core/frame.ts";
import { hash } from "../grain.ts";
import { Field, type Grain } from "./field.ts";
import type { Sensor } from "./sensor.ts";

/** The properties of a time-of-flight camera. */
export interface FlightCamera {
  /** The standard deviation in mm at z metres, for a white surface whose normal is `angle` radians from the ray. */
  sigmaMm(z: number, angle: number): number;
  readonly grain: Grain;
  /** How often a binomial 3 × 3 filter widens a pixel's footprint: the footprint mixes the surfaces at an outline. */
  readonly footprint: number;
  /** The share of mixed pixels that the camera itself drops. */
  readonly dropped: number;
  /** The share of the light at a corner that came by way of the other wall. */
  readonly multipath: number;
  readonly nearM: number;
  readonly farM: number;
  /** The smallest measurable amplitude, as a share of a white surface's at 1 m. */
  readonly faint: number;
}

/** Depths that differ by more than this share belong to two surfaces. */
const STEP = 0.03;
const STEEPEST = (80 * Math.PI) / 180;

/**
 * A time-of-flight camera. Its noise depends on the light that returns, and is white in time. A pixel that sees two surfaces becomes a
 * flying pixel: it gets the mean of their depths, weighted by their light. Light that came by way of the other wall rounds corners.
 */
export class TimeOfFlight implements Sensor {
  readonly #field: Field;
  readonly #mixed: Float32Array;
  readonly #light: Float32Array;

  constructor(
    readonly camera: Intrinsics,
    readonly metresPerUnit: number,
    readonly seed: number,
    readonly kind: FlightCamera,
  ) {
    const { width, height } = camera;
    this.#field = new Field(width, height, kind.grain);
    this.#mixed = new Float32Array(width * height);
    this.#light = new Float32Array(width * height);
  }

  measure(metres: Float32Array, ids: Uint8Array, infrared: readonly number[], index: number): Uint16Array {
    const { width, height } = this.camera;
    const { kind, metresPerUnit } = this;
    const { values, white } = this.#field.draw(hash(this.seed, index) >>> 1);
    const withMultipath = kind.multipath > 0 ? corners(metres, this.camera, kind.multipath) : metres;
    const mixed = this.#mix(metres, withMultipath, ids, infrared);
    const depth = new Uint16Array(width * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const i = y * width + x;
        const z = mixed[i];
        if (!(z >= kind.nearM && z <= kind.farM)) continue;
        const cosine = facing(metres, this.camera, x, y);
        const light = infrared[ids[i]] ?? 1;
        if ((light * cosine) / (z * z) < kind.faint) continue;
        // This pixel flies. A camera recognises some flying pixels, and those have no depth.
        const flies = Math.abs(z - withMultipath[i]) > STEP * z;
        if (flies && white[i] * 0.29 + 0.5 < kind.dropped) continue;
        const angle = Math.min(STEEPEST, Math.acos(Math.min(1, cosine)));
        const sigma = (kind.sigmaMm(z, angle) / 1000) * (light < 1 ? 1 / Math.sqrt(Math.max(0.05, light)) : 1);
        const units = Math.round((z + sigma * values[i]) / metresPerUnit);
        if (units > 0 && units <= 65535) depth[i] = units;
      }
    }
    return depth;
  }

  /** Depth as the pixels' footprints see it. Only steps are filtered: elsewhere the mean of a plane is the plane. */
  #mix(metres: Float32Array, withMultipath: Float32Array, ids: Uint8Array, infrared: readonly number[]): Float32Array {
    const { width, height } = this.camera;
    const [mixed, light] = [this.#mixed, this.#light];
    mixed.set(withMultipath);
    for (let i = 0; i < light.length; i++) light[i] = (infrared[ids[i]] ?? 1) / (metres[i] * metres[i]);
    for (let round = 0; round < this.kind.footprint; round++) {
      const from = round === 0 ? withMultipath : mixed.slice();
      for (let y = 1; y < height - 1; y++) {
        for (let x = 1; x < width - 1; x++) {
          const i = y * width + x;
          let [near, far, sum, weight] = [from[i], from[i], 0, 0];
          for (let dy = -1; dy <= 1; dy++) {
            for (let dx = -1; dx <= 1; dx++) {
              const j = i + dy * width + dx;
              const z = from[j];
              if (!Number.isFinite(z)) continue;
              near = Math.min(near, z);
              far = Math.max(far, z);
              const w = (2 - Math.abs(dx)) * (2 - Math.abs(dy)) * light[j];
              sum += w * z;
              weight += w;
            }
          }
          if (far - near > STEP * near && weight > 0) mixed[i] = sum / weight;
        }
      }
    }
    return mixed;
  }
}

/**
 * The cosine of the angle between the ray of pixel i = (x, y) and the surface's normal there. On a plane 1 / z is linear in the image. The
 * smaller of the differences to the two sides counts, so an outline beside the pixel changes nothing.
 */
function facing(metres: Float32Array, camera: Intrinsics, x: number, y: number): number {
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

/** The distance from a corner within which the other wall's light has an effect. */
const REACH_M = 0.15;
/** Neighbours with a larger difference in depth belong to another surface. */
const SAME_M = 0.25;
/** Half way along a wall, depth may be off the line by this share of the change. */
const BENT = 0.1;
/** A pixel that is nearer than the line between two others by more than this share stands out. */
const STANDS_OUT = 5e-4;
const AROUND = [
  [1, 0],
  [0, 1],
  [1, 1],
  [1, -1],
] as const;
const ACROSS = Int32Array.from(AROUND, ([dx]) => dx);
const DOWN = Int32Array.from(AROUND, ([, dy]) => dy);

/**
 * Simulates multipath at inner corners: light that came by way of the other wall makes depth too long beside the crease. At the crease
 * itself both ways are equally long, so the corner comes out rounded. The effect reaches a hand's width and amounts to at most some
 * centimetres (Fürsattel et al. 2016; Sarbolandi, Lefloch and Kolb 2015).
 *
 *     depth    true  ──╲    ╱──     measured  ─╮    ╭─
 *              the crease ╲╱                   ╲_╲╱_╱   above the line: farther
 *
 * `share` is the share of the light that takes the longer way.
 */
function corners(metres: Float32Array, { width, height, fx }: Intrinsics, share: number): Float32Array {
  const hollow = new Float32Array(metres.length);
  const withMultipath = new Float32Array(metres.length);
  const inverse = Float64Array.from(metres, (z) => 1 / z);
  // Offsets of opposite neighbours of a pixel, at half the reach and at the whole; they are the same for both rounds.
  const pairs = new Int32Array(2 * 2 * AROUND.length);
  /** Whether a surface leads from a pixel to another one: half way, 1 / z has changed by about half. A step is no corner. */
  const isWall = (i: number, step: number, far: number): boolean => {
    if (!(Math.abs(metres[i + step] - metres[i]) < SAME_M)) return false;
    const half = (step / far) * (far >> 1);
    const [here, there] = [inverse[i], inverse[i + step]];
    const straight = Math.abs(inverse[i + half] - here - ((there - here) * (far >> 1)) / far);
    return straight <= BENT * Math.abs(there - here);
  };
  /** Whether a pixel stands out between two others, as on the edge of a box: light from a corner beyond does not reach around it. */
  const isEdge = (i: number, step: number): boolean =>
    inverse[i] * (1 - STANDS_OUT) > (inverse[i + step] + inverse[i - step]) / 2;
  const near = (i: number, x: number, y: number): number => {
    const reach = Math.max(2, Math.round((REACH_M * fx) / metres[i]));
    let count = 0;
    for (let far = reach >> 1; ; far = reach) {
      const inX = x >= far && x + far < width;
      const inY = y >= far && y + far < height;
      for (let k = 0; k < 4; k++) {
        if ((!inX && k !== 1) || (!inY && k !== 0)) continue;
        const step = far * (DOWN[k] * width + ACROSS[k]);
        if (isEdge(i, step) || !isWall(i, step, far) || !isWall(i, -step, far)) continue;
        pairs[count++] = i + step;
        pairs[count++] = i - step;
      }
      if (far === reach) return count;
    }
  };
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const z = metres[i];
      if (!Number.isFinite(z) || z <= 0) continue;
      // On a plane 1 / z is linear, so a pixel farther than its neighbours' plane lies in a hollow.
      let deepest = 0;
      const count = near(i, x, y);
      for (let k = 0; k < count; k += 2) {
        const deep = z - 2 / (inverse[pairs[k]] + inverse[pairs[k + 1]]);
        if (deep > deepest) deepest = deep;
      }
      hollow[i] = deepest;
    }
  }
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      let sum = 0;
      const count = near(i, x, y);
      for (let k = 0; k < count; k += 2) sum += hollow[pairs[k]] + hollow[pairs[k + 1]];
      withMultipath[i] = metres[i] + (count > 0 ? share * Math.max(0, (2 * sum) / count - hollow[i]) : 0);
    }
  }
  return withMultipath;
}
