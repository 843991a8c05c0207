import { Vector3 } from "three/webgpu";
import { FOCUS_DISTANCES } from "./lens.ts";
import type { Rig } from "./rig.ts";

/** How quick the hand on the focus ring is, 1/s: nine tenths of a pull take 0.35 s, all but a hundredth 0.6 s. */
const QUICKNESS = 11;
/** A pull is over when it is so near its end, dioptres, and so slow. */
const SETTLED = 5e-4;
/** For so long what is behind the plane of focus stays veiled, and for so long the veil lifts. */
const [VEILED_MS, LIFTING_MS] = [840, 420];

type FocusRig = Pick<Rig, "pointAt" | "distanceTo">;

/**
 * Where the lens is focused: on a point of the world, so that what was clicked stays sharp while the camera moves.
 *
 * A pull goes evenly in dioptres (1/distance), as the ring of a lens does, on a critically damped spring: it starts and
 * ends softly, never overshoots from rest, takes as long on slow machines as on fast ones, and when it is interrupted the
 * ring turns to the new place from where it is, at the speed it has.
 */
export class Focus {
  /** Metres along the camera's axis, now. */
  distanceM = 1.5;
  /** From 1 while focus is being changed down to 0 soon after. */
  attention = 0;
  readonly #point = new Vector3(0, 0, -1.5);
  /** What a pull has still to go, in dioptres, and how fast it goes, per second. */
  #ahead = 0;
  #speed = 0;
  #pulling = false;
  #lastMs = 0;
  #touchedMs = Number.NEGATIVE_INFINITY;

  /** `still`: whether the user has asked for no motion; focus is then where it shall be at once. */
  constructor(
    readonly rig: FocusRig,
    readonly still: () => boolean = () => false,
    readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether the camera has come so near to what is in focus, or has passed it, that no lens could keep it sharp. */
  get lost(): boolean {
    return this.rig.distanceTo(this.#point) < FOCUS_DISTANCES.min;
  }

  /** No pull is going on, and what it veiled is seen again. */
  get resting(): boolean {
    return !this.#pulling && this.attention === 0;
  }

  /** Pulls focus to a point of the world. `asked`: by somebody who is looking where it goes, and is shown. */
  pullTo(point: Vector3, asked = true): void {
    const nowMs = this.now();
    if (!this.#pulling) this.#lastMs = nowMs;
    this.#point.copy(point);
    if (asked) this.#touchedMs = nowMs;
    this.#pulling = !this.still();
    if (!this.#pulling) this.#speed = 0;
    this.#ahead = 1 / this.distanceM - 1 / this.#targetM();
  }

  /** Pulls focus to whatever is so far along the camera's axis. */
  pullToDistance(distanceM: number, asked = true): void {
    this.pullTo(this.rig.pointAt(0.5, 0.5, distanceM), asked);
  }

  /** Focuses at once on whatever is so far along the camera's axis. */
  set(distanceM: number): void {
    this.#point.copy(this.rig.pointAt(0.5, 0.5, distanceM));
    this.#pulling = false;
    this.#speed = 0;
    this.#touchedMs = this.now();
    this.distanceM = distanceM;
  }

  /** To be called once a picture. True if the distance or the attention changed. */
  update(nowMs: number): boolean {
    const [distance, attention] = [this.distanceM, this.attention];
    const target = this.#targetM();
    if (this.#pulling) this.#pull(Math.max(0, nowMs - this.#lastMs) / 1000);
    this.#lastMs = Math.max(nowMs, this.#lastMs);
    this.distanceM = this.#pulling ? 1 / Math.max(1 / target + this.#ahead, 1e-3) : target;
    this.attention = Math.min(1, Math.max(0, 1 - (nowMs - this.#touchedMs - VEILED_MS) / LIFTING_MS));
    return Math.abs(this.distanceM - distance) > 1e-5 || this.attention !== attention;
  }

  #targetM(): number {
    return Math.max(FOCUS_DISTANCES.min, this.rig.distanceTo(this.#point));
  }

  /** The spring's own motion over `seconds`, exactly: any step is right. */
  #pull(seconds: number): void {
    const gone = Math.exp(-QUICKNESS * seconds);
    const push = this.#speed + QUICKNESS * this.#ahead;
    this.#ahead = (this.#ahead + push * seconds) * gone;
    this.#speed = (this.#speed - QUICKNESS * push * seconds) * gone;
    if (Math.abs(this.#ahead) > SETTLED || Math.abs(this.#speed) > SETTLED * QUICKNESS) return;
    this.#pulling = false;
    this.#speed = 0;
  }
}
