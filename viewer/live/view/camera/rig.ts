import { PerspectiveCamera, Quaternion, Vector3 } from "three/webgpu";
import type { Field } from "./lens.ts";
import { type CameraPlace, Motion } from "./motion.ts";

const NEAR = 0.02;
const FAR = 100;

/** A drag over the window's height is a full turn. */
const TURN = 2 * Math.PI;

/**
 * The camera and its motion. The world has the sensor's place as origin and Three.js' axes (y up, looking along −z); the camera starts at
 * the sensor's place.
 */
export class Rig {
  readonly camera = new PerspectiveCamera(45, 1, NEAR, FAR);
  readonly #motion = new Motion();
  #field: Field = { across: 0.6, down: 0.45 };
  #middleM = 2;
  #lastMs: number | undefined;
  /** The camera at the last update. */
  readonly #seenFrom = new Vector3();
  readonly #seenAt = new Quaternion();

  /** `still`: whether the user wants reduced motion; then the camera neither coasts nor travels. */
  constructor(readonly still: () => boolean = () => false) {
    this.#motion.goTo(this.home, true);
    this.#follow();
  }

  /** The sensor's own place, looking at the middle depth of the scene. */
  get home(): CameraPlace {
    return { position: new Vector3(), yaw: 0, pitch: 0, reachM: this.#middleM };
  }

  /** The present place; `goTo` with it restores the view. */
  get place(): CameraPlace {
    return this.#motion.place;
  }

  /** The distance to the point that the camera looks at, m. */
  get reachM(): number {
    return this.#motion.reachM;
  }

  set reachM(metres: number) {
    this.#motion.reachM = metres;
  }

  /** Travels to a place, or goes there at once. */
  goTo(place: CameraPlace, atOnce = this.still()): void {
    this.#motion.goTo(place, atOnce);
    this.#follow();
  }

  /** Goes back to the sensor's own place. */
  reset(): void {
    this.goTo(this.home);
  }

  /** Whether the camera is not at the sensor's place. */
  get moved(): boolean {
    return isMoved(this.camera);
  }

  /** Begins a new scene, whose median depth is `middleM`: goes back to the sensor's place and adapts the flying speed. */
  frame(middleM: number): void {
    this.#middleM = middleM;
    this.#motion.speedM = middleM / 2;
    this.goTo(this.home, true);
  }

  /** Sets the field of view that the window shows at least. */
  setField(field: Field): void {
    this.#field = field;
    this.#fit();
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / height;
    this.#fit();
  }

  /** Turns about a point of the world, by a drag in shares of the window's height. */
  orbit(across: number, down: number, pivot: Vector3): void {
    this.#motion.orbit(-across * TURN, -down * TURN, pivot);
  }

  /** Moves by a drag in shares of the window's height, so that a surface at `distanceM` follows the pointer. */
  pan(across: number, down: number, distanceM: number): void {
    const metres = 2 * this.down * distanceM;
    const shift = new Vector3(-across * metres, down * metres, 0);
    this.#motion.pan(shift.applyQuaternion(this.#motion.rotation(ROTATION)));
  }

  /** Goes towards a point of the world, and multiplies the distance to it by e to the −`amount`. */
  zoom(amount: number, anchor: Vector3): void {
    this.#motion.zoom(amount, anchor);
  }

  /** Flies in a direction of the camera's axes (x right, y up, z back) until the next call. */
  fly(x: number, y: number, z: number): void {
    this.#motion.fly(x, y, z);
  }

  /** Moves as far in a direction as flying there for `seconds` would. */
  nudge(x: number, y: number, z: number, seconds: number): void {
    const shift = new Vector3(x, y, z).multiplyScalar(this.#motion.speedM * seconds);
    this.#motion.pan(shift.applyQuaternion(this.#motion.rotation(ROTATION)));
  }

  /** Whether the camera stays where it is if nobody moves it. */
  get resting(): boolean {
    return this.#motion.resting;
  }

  /** Call this once for each picture of the screen. Returns whether the camera moved. */
  update(nowMs = performance.now()): boolean {
    const seconds = Math.max(0, nowMs - (this.#lastMs ?? nowMs)) / 1000;
    this.#lastMs = nowMs;
    this.#motion.step(seconds, this.still());
    this.#follow();
    const { position, quaternion } = this.camera;
    if (this.#seenFrom.equals(position) && this.#seenAt.equals(quaternion)) return false;
    this.#seenFrom.copy(position);
    this.#seenAt.copy(quaternion);
    return true;
  }

  /** The transform from depth camera to view for dofSplat: 4 × 4 by columns, x right, y down, z forward. */
  pose(): number[] {
    const view = this.camera.matrixWorldInverse.elements;
    return Array.from(view, (value, i) => value * (AXES[i % 4] ?? 1) * (AXES[i >> 2] ?? 1));
  }

  /** Half of the window's vertical field of view, as a tangent. */
  get down(): number {
    return Math.tan((this.camera.fov * Math.PI) / 360);
  }

  /** The point of the world at a place of the window, from (0, 0) top left to (1, 1), and a distance along the camera's axis. */
  pointAt(x: number, y: number, distanceM: number, camera = this.camera): Vector3 {
    const half = Math.tan((camera.fov * Math.PI) / 360) * distanceM;
    const point = new Vector3((2 * x - 1) * half * camera.aspect, (1 - 2 * y) * half, -distanceM);
    return point.applyMatrix4(camera.matrixWorld);
  }

  /** The distance of a point of the world along the camera's axis, m. */
  distanceTo(point: Vector3): number {
    return -POINT.copy(point).applyMatrix4(this.camera.matrixWorldInverse).z;
  }

  #follow(): void {
    this.camera.position.copy(this.#motion.position);
    this.#motion.rotation(this.camera.quaternion);
    this.camera.updateMatrixWorld();
  }

  #fit(): void {
    const { across, down } = this.#field;
    this.camera.fov = (360 / Math.PI) * Math.atan(Math.max(down, across / this.camera.aspect));
    this.camera.updateProjectionMatrix();
  }
}

/** Whether a camera is not at the sensor's place. */
export const isMoved = ({ position, quaternion }: PerspectiveCamera): boolean =>
  position.length() > 1e-3 || Math.abs(quaternion.w) < 1 - 1e-7;

/** Inverts y and z, which turns Three.js' axes into the sensor's and back. */
const AXES = [1, -1, -1, 1];
const POINT = new Vector3();
const ROTATION = new Quaternion();
