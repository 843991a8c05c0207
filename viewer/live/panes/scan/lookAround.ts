import type { Vector3 } from "three/webgpu";
import type { Rigid } from "../../../../core/pose.ts";
import { listenToGestures } from "../../view/camera/gestures.ts";
import { Rig } from "../../view/camera/rig.ts";
import { sightOf } from "./modelView.ts";

/** How far behind the sensor the view stands, as a share of the distance to what the sensor sees. */
const BEHIND = 0.45;
/** The distance to what a sensor sees, m, before a hand has changed it. */
const REACH_M = 1.5;
/** An arrow key turns by 1/36 of a circle; plus and minus go nearer or farther by a tenth. */
const KEY_TURN = 1 / 36;
const KEY_ZOOM = 0.105;
const KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [KEY_TURN, 0],
  ArrowRight: [-KEY_TURN, 0],
  ArrowUp: [0, KEY_TURN],
  ArrowDown: [0, -KEY_TURN],
};

/** The view of a model: behind the sensor as long as nobody turns it, then where gestures and keys lead it. */
export class LookAround {
  readonly rig = new Rig(() => true);
  /** Whether the view follows the sensor. */
  isFollowing = true;

  constructor(
    readonly canvas: HTMLCanvasElement,
    /** The view has changed. */
    readonly onMove: () => void,
  ) {
    this.rig.setField({ across: 0.6, down: 0.45 });
    listenToGestures(canvas, {
      take: () => {},
      orbit: (across, down) => this.#turn(across, down),
      pan: (across, down) => this.#move(() => this.rig.pan(across, down, this.rig.reachM)),
      wheel: (amount) => this.#zoom(amount),
      pinch: (amount) => this.#zoom(amount),
    });
    canvas.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Goes behind a sensor, if the view follows it. */
  follow(toWorld: Rigid): void {
    if (!this.isFollowing) return;
    const { eye, forward } = sightOf(toWorld);
    const position = eye.addScaledVector(forward, -BEHIND * REACH_M);
    const pitch = Math.asin(Math.max(-1, Math.min(1, forward.y)));
    const yaw = Math.atan2(-forward.x, -forward.z);
    this.rig.goTo({ position, yaw, pitch, reachM: (1 + BEHIND) * REACH_M }, true);
    this.onMove();
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const turn = KEYS[event.key];
    if (turn) this.#turn(...turn);
    else if (event.key === "+" || event.key === "=") this.#zoom(KEY_ZOOM);
    else if (event.key === "-") this.#zoom(-KEY_ZOOM);
    else return;
    // Otherwise the page's own keys would step through the recording.
    event.preventDefault();
    event.stopPropagation();
  }

  #turn(across: number, down: number): void {
    this.#move(() => this.rig.orbit(across, down, this.#middle));
  }

  #zoom(amount: number): void {
    this.#move(() => this.rig.zoom(amount, this.#middle));
  }

  get #middle(): Vector3 {
    return this.rig.pointAt(0.5, 0.5, this.rig.reachM, this.rig.camera);
  }

  #move(work: () => void): void {
    this.isFollowing = false;
    work();
    this.rig.update();
    this.onMove();
  }
}
