import type { Vector3 } from "three/webgpu";
import type { Focus } from "./focus.ts";
import { listenToGestures } from "./gestures.ts";
import { REACH } from "./motion.ts";
import type { Rig } from "./rig.ts";

/** What is under the pointer is asked for again when the wheel has rested so long, ms, or the pointer moved so far, of the window. */
const [RESTED_MS, ELSEWHERE] = [250, 0.02];

/** What a drag turns about or takes along, and the wheel goes to. */
interface Grip {
  point: Vector3;
  distanceM: number;
  /** It is not known yet what is there. */
  asking: boolean;
  /** Something is, and focus has not been pulled to it. */
  found: boolean;
}

/** The hand on the picture: it takes hold of what is under it, turns about that, takes it along, or goes to it. Focus goes along. */
export class DragAndZoom {
  /** What it holds. */
  #grip: Grip;
  /** Where the wheel was turned last, and what has not been done of it. */
  #wheel = { atMs: Number.NEGATIVE_INFINITY, x: 0, y: 0 };
  #zoomLeft = 0;

  constructor(
    canvas: HTMLElement,
    readonly rig: Rig,
    readonly focus: Pick<Focus, "pullTo">,
    /** What is at a place of the window, or nothing. */
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

  /** A wheel that has rested, or is turned elsewhere, goes to what is there now. */
  turnWheel(amount: number, x: number, y: number): void {
    const { atMs, ...before } = this.#wheel;
    const nowMs = performance.now();
    const same = nowMs - atMs < RESTED_MS && Math.hypot(x - before.x, y - before.y) < ELSEWHERE;
    this.#wheel = { atMs: nowMs, ...(same ? before : { x, y }) };
    if (!same) void this.#take(x, y);
    this.#zoom(amount);
  }

  /** Until it is known what is there, it is taken to be as far away as what was held last. */
  #guess(x: number, y: number): Grip {
    const distanceM = this.rig.reachM;
    return { point: this.rig.pointAt(x, y, distanceM), distanceM, asking: true, found: false };
  }

  async #take(x: number, y: number): Promise<void> {
    const grip = this.#guess(x, y);
    this.#grip = grip;
    const point = await this.at(x, y);
    grip.asking = false;
    // Something else is held by now.
    if (grip !== this.#grip) return;
    if (point) {
      const distanceM = Math.max(REACH.min, this.rig.distanceTo(point));
      Object.assign(grip, { point, distanceM, found: true });
      this.rig.reachM = distanceM;
    }
    this.#zoom(0);
  }

  /** Waits until it is known what it goes to; what comes meanwhile is added up. Focus goes to what is approached. */
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
