import { Vector3 } from "three/webgpu";
import { FOCUS_DISTANCES } from "./lens.ts";
import type { Rig } from "./rig.ts";

/** The quickness of a focus pull, 1/s: 90% of a pull take 0.35 s, 99% take 0.6 s. */
const QUICKNESS = 11;
/** A pull ends when its distance in dioptres and its speed are below this. */
const SETTLED = 5e-4;
/** How long everything behind the plane of focus stays veiled after a change of the focus, and how long the veil takes to lift. */
const VEILED_MS = 840;
const LIFTING_MS = 420;

type FocusRig = Pick<Rig, "pointAt" | "distanceTo">;

/**
 * The focus of the lens: a point of the world, so that what was clicked stays sharp while the camera moves.
 *
 * A pull is even in dioptres (1/distance), as the ring of a lens is, on a critically damped spring: it starts and ends softly, never
 * overshoots from rest, and takes the same time on slow and fast machines. An interrupted pull continues to the new point from its present
 * place and speed.
 */
export class Focus {
  /** The present distance in focus along the camera's axis, m. */
  distanceM = 1.5;
  /** 1 while the focus changes, falling to 0 soon afterwards. */
  attention = 0;
  readonly #point = new Vector3(0, 0, -1.5);
  /** How far the focus still has to go, in dioptres, and how fast it goes, in dioptres per second. */
  #ahead = 0;
  #speed = 0;
  #pulling = false;
  #lastMs = 0;
  #touchedMs = Number.NEGATIVE_INFINITY;

  /** `still`: whether the user wants reduced motion; then the focus jumps. */
  constructor(
    readonly rig: FocusRig,
    readonly still: () => boolean = () => false,
    readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether the camera has come too near to the point in focus, or has passed it, so that no lens could keep it sharp. */
  get lost(): boolean {
    return this.rig.distanceTo(this.#point) < FOCUS_DISTANCES.min;
  }

  /** Whether no pull is going on and the veil has lifted. */
  get resting(): boolean {
    return !this.#pulling && this.attention === 0;
  }

  /** Pulls the focus to a point of the world. `asked`: the user asked for this focus, so the veil shows where it is. */
  pullTo(point: Vector3, asked = true): void {
    const nowMs = this.now();
    if (!this.#pulling) this.#lastMs = nowMs;
    this.#point.copy(point);
    if (asked) this.#touchedMs = nowMs;
    this.#pulling = !this.still();
    if (!this.#pulling) this.#speed = 0;
    this.#ahead = 1 / this.distanceM - 1 / this.#targetM();
  }

  /** Pulls the focus to a distance along the camera's axis. */
  pullToDistance(distanceM: number, asked = true): void {
    this.pullTo(this.rig.pointAt(0.5, 0.5, distanceM), asked);
  }

  /** Sets the focus at once to a distance along the camera's axis. */
  set(distanceM: number): void {
    this.#point.copy(this.rig.pointAt(0.5, 0.5, distanceM));
    this.#pulling = false;
    this.#speed = 0;
    this.#touchedMs = this.now();
    this.distanceM = this.#targetM();
  }

  /** Call this once for each picture of the screen. Returns whether the distance or the attention changed. */
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

  /** Moves the spring by `seconds`, exactly, so any step length gives the same motion. */
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
