import type { DepthFrame } from "../../core/frame.ts";
import { orbitPose, quantileM } from "../../core/view.ts";

/** The distance of a scene's middle before a frame with a valid pixel has come, m. */
const NOWHERE_M = 1;
const STEEPEST_DEG = 85;
const NEAREST = 0.2;
const FARTHEST = 5;

/** The camera that looks at the scene: it turns about the scene's middle, and begins where the depth camera is. */
export class Orbit {
  #middleM: number | undefined;
  #yawDeg = 0;
  #pitchDeg = 0;
  /** The distance from the scene's middle, relative to the depth camera's. */
  #far = 1;

  /** The distance of the scene's middle from the depth camera, m; `undefined` before a frame with a valid pixel. */
  get middleM(): number | undefined {
    return this.#middleM;
  }

  /** Takes the first frame that has a valid pixel for the scene. Returns whether `depth` was that frame. */
  see({ depth, metresPerUnit }: DepthFrame): boolean {
    if (this.#middleM !== undefined) return false;
    this.#middleM = quantileM(depth, metresPerUnit, 0.5);
    return this.#middleM !== undefined;
  }

  turn(yawDeg: number, pitchDeg: number): void {
    this.#yawDeg += yawDeg;
    this.#pitchDeg = Math.min(STEEPEST_DEG, Math.max(-STEEPEST_DEG, this.#pitchDeg + pitchDeg));
  }

  /** Multiplies the distance. */
  zoom(factor: number): void {
    this.#far = Math.min(FARTHEST, Math.max(NEAREST, this.#far * factor));
  }

  /** Goes back to the depth camera's place. */
  reset(): void {
    [this.#yawDeg, this.#pitchDeg, this.#far] = [0, 0, 1];
  }

  /** The distance from the camera to the scene's middle, m. */
  get distanceM(): number {
    return (this.#middleM ?? NOWHERE_M) * this.#far;
  }

  /** From the depth camera to the view, as the stage `dofSplat` takes it. */
  get pose(): number[] {
    const orbit = { yawDeg: this.#yawDeg, pitchDeg: this.#pitchDeg, distanceM: this.distanceM };
    return orbitPose(orbit, this.#middleM ?? NOWHERE_M);
  }
}

const DEG_PER_PX = 0.4;
const DEG_PER_KEY = 5;
const PER_WHEEL_PX = 0.0012;
const PER_KEY = 0.9;

/** Keys, and what they do to the camera. */
const KEYS: Readonly<Record<string, (orbit: Orbit) => void>> = {
  ArrowLeft: (orbit) => orbit.turn(-DEG_PER_KEY, 0),
  ArrowRight: (orbit) => orbit.turn(DEG_PER_KEY, 0),
  ArrowUp: (orbit) => orbit.turn(0, DEG_PER_KEY),
  ArrowDown: (orbit) => orbit.turn(0, -DEG_PER_KEY),
  "+": (orbit) => orbit.zoom(PER_KEY),
  "-": (orbit) => orbit.zoom(1 / PER_KEY),
  "0": (orbit) => orbit.reset(),
};

/**
 * Turns the camera by dragging, by arrow keys, + and −; the wheel zooms only while the target has the focus, so that a page scrolls over
 * it. `moved` is called after each change. `signal` ends listening.
 */
export function steer(target: HTMLElement, orbit: Orbit, moved: () => void, signal: AbortSignal): void {
  const on = <K extends keyof HTMLElementEventMap>(kind: K, heard: (event: HTMLElementEventMap[K]) => void) =>
    target.addEventListener(kind, heard, { signal, passive: false });
  on("pointerdown", ({ pointerId }) => target.setPointerCapture(pointerId));
  on("pointermove", (event) => {
    if (!target.hasPointerCapture(event.pointerId)) return;
    orbit.turn(-DEG_PER_PX * event.movementX, DEG_PER_PX * event.movementY);
    moved();
  });
  on("wheel", (event) => {
    if (!target.matches(":focus")) return;
    event.preventDefault();
    orbit.zoom(Math.exp(PER_WHEEL_PX * event.deltaY));
    moved();
  });
  on("dblclick", () => {
    orbit.reset();
    moved();
  });
  on("keydown", (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act(orbit);
    moved();
  });
}
