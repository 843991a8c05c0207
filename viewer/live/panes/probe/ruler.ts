import { type Reading, reading, underAssumption } from "../../../../measure/reading.ts";
import type { SensorNoise } from "../../../../stages/core/noise.ts";
import type { Gauge, Shown } from "../../show/shown.ts";
import type { Pixel, Point } from "./projection.ts";
import { type Snapshot, sampleAt } from "./snapshot.ts";

/** The result of a measurement, metres. */
export interface Measurement {
  readonly from: Point;
  readonly to: Point;
  /**
   * Its ± comes from the sensor's own noise at the distances of both ends. A filter that makes depth steadier does not make it more
   * accurate, so filters have no effect here. Without a ± while the noise is not known.
   */
  readonly length: Reading;
}

/**
 * Measures between two points of the scene. A pixel shows the same point only within one frame, since camera and things may move; so the
 * ends belong to the frame on which they were put, and disappear when another frame is shown.
 */
export class Ruler {
  readonly #ends: Gauge<readonly Pixel[]>;

  /** `onGone` is called when the ends have disappeared with their frame. */
  constructor(
    readonly shown: Pick<Shown, "gauge" | "origin">,
    onGone: () => void,
  ) {
    this.#ends = shown.gauge("frame", (ends) => ends ?? onGone());
  }

  /** The ends, at most two, as pixels of the source. */
  get ends(): readonly Pixel[] {
    return this.#ends.value ?? [];
  }

  /** Sets an end of the ruler on the frame on the screen: the first end, then the second; a third call begins a new ruler. */
  put(end: Pixel): void {
    const { origin } = this.shown;
    if (origin) this.#ends.put(origin, this.ends.length === 1 ? [...this.ends, end] : [end]);
  }

  clear(): void {
    this.#ends.clear();
  }

  /** The points of the ends; `undefined` for ends without a depth, and if `snapshot` shows another frame. */
  pointsIn(snapshot: Snapshot): readonly (Point | undefined)[] {
    if (snapshot.frame.index !== this.#ends.origin?.frame.index) return this.ends.map(() => undefined);
    return this.ends.map((end) => sampleAt(snapshot, end).point);
  }

  /** Measures; `undefined` without two ends that have a depth. */
  measure(snapshot: Snapshot, noise: SensorNoise | undefined): Measurement | undefined {
    const [from, to] = this.pointsIn(snapshot);
    if (!from || !to) return undefined;
    const way = from.map((value, axis) => to[axis] - value);
    const distanceM = Math.hypot(...way);
    /** The error of the length from the noise of one end, which moves along its ray. */
    const error = (end: Point) => {
      if (!noise) return Number.NaN;
      const [, , z] = end;
      const stretch = way.reduce((sum, along, axis) => sum + (along * end[axis]) / z, 0) / Math.max(distanceM, 1e-9);
      return (stretch * (noise.a + noise.b * z * z)) / 1000;
    };
    const length = reading(1000 * distanceM, 1000 * Math.hypot(error(from), error(to)), "mm");
    return { from, to, length: underAssumption(length, snapshot.frame.assumed) };
  }
}
