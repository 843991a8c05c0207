import { Vector3 } from "three/webgpu";
import type { Rig } from "./rig.ts";

const PULL_MS = 420;

/**
 * Where the lens is focused: on a point of the world, so that what was clicked stays sharp while the camera moves.
 * A change is pulled like a lens is, evenly in 1/distance.
 */
export class Focus {
  /** Metres along the camera's axis, now. */
  distanceM = 1.5;
  /** From 1 while focus is being changed down to 0 soon after. */
  attention = 0;
  readonly #point = new Vector3(0, 0, -1.5);
  #from = 0;
  #startMs = Number.NEGATIVE_INFINITY;
  #touchedMs = Number.NEGATIVE_INFINITY;

  constructor(readonly rig: Rig) {}

  /** Pulls focus to a point of the world. */
  pullTo(point: Vector3): void {
    this.#from = this.distanceM;
    this.#point.copy(point);
    this.#startMs = performance.now();
    this.#touchedMs = this.#startMs;
  }

  /** Focuses at once on whatever is so far along the camera's axis. */
  set(distanceM: number): void {
    this.#point.copy(this.rig.pointAt(0.5, 0.5, distanceM));
    this.#startMs = Number.NEGATIVE_INFINITY;
    this.#touchedMs = performance.now();
    this.distanceM = distanceM;
  }

  /** To be called once a picture. True if the distance or the attention changed. */
  update(nowMs: number): boolean {
    const [distance, attention] = [this.distanceM, this.attention];
    const target = Math.max(0.05, this.rig.distanceTo(this.#point));
    const t = Math.min(1, Math.max(0, (nowMs - this.#startMs) / PULL_MS));
    const eased = t * t * (3 - 2 * t);
    this.distanceM = t < 1 ? 1 / (1 / this.#from + (1 / target - 1 / this.#from) * eased) : target;
    this.attention = Math.min(1, Math.max(0, 1 - (nowMs - this.#touchedMs - 2 * PULL_MS) / PULL_MS));
    return Math.abs(this.distanceM - distance) > 1e-5 || this.attention !== attention;
  }
}
