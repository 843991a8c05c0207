import type { Vector3 } from "three/webgpu";
import type { Focus } from "./focus.ts";
import { listenToGestures } from "./gestures.ts";
import { REACH } from "./motion.ts";
import type { Rig } from "./rig.ts";

/**
 * The wheel takes hold of a new point after RESTED_MS without a turn, or when the pointer has moved by the share ELSEWHERE of the window.
 */
const RESTED_MS = 250;
const ELSEWHERE = 0.02;

/** The point that a drag turns about or takes along, and that the wheel zooms to. */
interface Grip {
  point: Vector3;
  distanceM: number;
  /** Whether the point is still being looked up. */
  asking: boolean;
  /** Whether there is a surface at the point and the focus has not been pulled to it. */
  found: boolean;
}

/**
 * Drag and zoom on the picture: the camera turns about the point under the pointer, takes it along, or goes towards it. The focus follows.
 */
export class DragAndZoom {
  /** The point that is held. */
  #grip: Grip;
  /** When and where the wheel was turned last. */
  #wheel = { atMs: Number.NEGATIVE_INFINITY, x: 0, y: 0 };
  #zoomLeft = 0;

  constructor(
    canvas: HTMLElement,
    readonly rig: Rig,
    readonly focus: Pick<Focus, "pullTo">,
    /** The point at a place of the window; `undefined` if there is no surface. */
    readonly at: (x: number, y: number) => Promise<Vector3 | undefined>,
  ) {
    this.#grip = this.#guess(0.5, 0.5);
    listenToGestures(canvas, {
      take: (x, y) => void this.#take(x, y),
      orbit: (across, down) => rig.orbit(across, down, this.#grip.point),
      pan: (across, down) => rig.pan(across, down, this.#grip.distanceM),
      pinch: (amount) => this.#zoom(amount),
      wheel: (amount, x, y) => this.turnWheel(amount, x, y),
    });
  }

  /** Zooms. After a rest, or at another place, the wheel takes hold of the point under the pointer first. */
  turnWheel(amount: number, x: number, y: number): void {
    const { atMs, ...before } = this.#wheel;
    const nowMs = performance.now();
    const same = nowMs - atMs < RESTED_MS && Math.hypot(x - before.x, y - before.y) < ELSEWHERE;
    this.#wheel = { atMs: nowMs, ...(same ? before : { x, y }) };
    if (!same) void this.#take(x, y);
    this.#zoom(amount);
  }

  /** While the point is looked up, its distance is taken to be that of the last one. */
  #guess(x: number, y: number): Grip {
    const distanceM = this.rig.reachM;
    return { point: this.rig.pointAt(x, y, distanceM), distanceM, asking: true, found: false };
  }

  async #take(x: number, y: number): Promise<void> {
    const grip = this.#guess(x, y);
    this.#grip = grip;
    const point = await this.at(x, y);
    grip.asking = false;
    // Another point is held by now.
    if (grip !== this.#grip) return;
    if (point) {
      const distanceM = Math.max(REACH.min, this.rig.distanceTo(point));
      Object.assign(grip, { point, distanceM, found: true });
      this.rig.reachM = distanceM;
    }
    this.#zoom(0);
  }

  /**
   * Zooms towards the point that is held; amounts that come while it is looked up add up. The focus goes to the point that the camera
   * approaches.
   */
  #zoom(amount: number): void {
    this.#zoomLeft += amount;
    const { asking, found, point } = this.#grip;
    if (asking || this.#zoomLeft === 0) return;
    this.rig.zoom(this.#zoomLeft, point);
    if (this.#zoomLeft > 0 && found) {
      this.#grip.found = false;
      this.focus.pullTo(point, false);
    }
    this.#zoomLeft = 0;
  }
}
