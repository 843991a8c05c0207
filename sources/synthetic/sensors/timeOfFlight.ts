import type { Intrinsics } from "../../../core/frame.ts";
import { hash } from "../grain.ts";
import { Field, type Grain } from "./field.ts";
import { corners } from "./multipath.ts";
import type { Sensor } from "./sensor.ts";
import { facing } from "./surface.ts";

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
