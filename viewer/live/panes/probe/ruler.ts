import type { SensorNoise } from "../../../../stages/core/noise.ts";
import type { Gauge, Shown } from "../../show/shown.ts";
import type { Pixel, Point } from "./projection.ts";
import { type Snapshot, sampleAt } from "./snapshot.ts";

/** What a ruler says. Metres. */
export interface Measurement {
  readonly from: Point;
  readonly to: Point;
  readonly distanceM: number;
  /**
   * One standard deviation, by the sensor's own noise at the distances of both ends: a filter that holds them still knows them no
   * better. NaN while the noise is not known.
   */
  readonly errorM: number;
}

/**
 * Measures between two points of the scene. A pixel shows a point in one frame alone (in the next one, camera and things may have
 * moved), so the ends belong to the frame in which they were put, and go when another is shown.
 */
export class Ruler {
  readonly #ends: Gauge<readonly Pixel[]>;

  /** `onGone`: the ends went, with their frame. */
  constructor(
    readonly shown: Pick<Shown, "gauge" | "origin">,
    onGone: () => void,
  ) {
    this.#ends = shown.gauge("frame", (ends) => ends ?? onGone());
  }

  /** Two at most, as the source's pixels. */
  get ends(): readonly Pixel[] {
    return this.#ends.value ?? [];
  }

  /** Puts the first end on what the frame on the screen shows, the second one, and again a first. */
  put(end: Pixel): void {
    const { origin } = this.shown;
    if (origin) this.#ends.put(origin, this.ends.length === 1 ? [...this.ends, end] : [end]);
  }

  clear(): void {
    this.#ends.clear();
  }

  /** The points of the ends, as far as `snapshot`, which may still be of an older frame, has them. */
  pointsIn(snapshot: Snapshot): readonly (Point | undefined)[] {
    if (snapshot.frame.index !== this.#ends.origin?.frame.index) return this.ends.map(() => undefined);
    return this.ends.map((end) => sampleAt(snapshot, end).point);
  }

  /** Measures; undefined without two ends that have a depth. */
  measure(snapshot: Snapshot, noise: SensorNoise | undefined): Measurement | undefined {
    const [from, to] = this.pointsIn(snapshot);
    if (!from || !to) return undefined;
    const way = from.map((value, axis) => to[axis] - value);
    const distanceM = Math.hypot(...way);
    /** By how much an end's noise along its pixel's ray makes the way longer. */
    const error = (end: Point) => {
      if (!noise) return Number.NaN;
      const [, , z] = end;
      const stretch = way.reduce((sum, along, axis) => sum + (along * end[axis]) / z, 0) / Math.max(distanceM, 1e-9);
      return (stretch * (noise.a + noise.b * z * z)) / 1000;
    };
    return { from, to, distanceM, errorM: Math.hypot(error(from), error(to)) };
  }
}
