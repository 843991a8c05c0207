import { PerspectiveCamera, Quaternion, Vector3 } from "three/webgpu";
import type { Field } from "./lens.ts";
import { Motion, type Place } from "./motion.ts";

const [NEAR, FAR] = [0.02, 100];

/** A full turn is a drag over the window's height. */
const TURN = 2 * Math.PI;

/**
 * The camera and how it moves. The world is the sensor's, turned to Three.js' axes (y up, looking along −z): the camera
 * starts at the origin, where the sensor is.
 */
export class Rig {
  readonly camera = new PerspectiveCamera(45, 1, NEAR, FAR);
  readonly #motion = new Motion();
  #field: Field = { across: 0.6, down: 0.45 };
  #middleM = 2;
  #lastMs: number | undefined;
  /** The camera as it was at the last update. */
  readonly #seenFrom = new Vector3();
  readonly #seenAt = new Quaternion();

  /** `still`: whether the user has asked for no motion; a swing then ends with the hand's. */
  constructor(readonly still: () => boolean = () => false) {
    this.#motion.goTo(this.home, true);
    this.#follow();
  }

  /** The sensor's own place, looking at the depth where most of the scene is. */
  get home(): Place {
    return { position: new Vector3(), yaw: 0, pitch: 0, reachM: this.#middleM };
  }

  /** Where the camera is; kept and given to `goTo` it is the same view again. */
  get place(): Place {
    return this.#motion.place;
  }

  /** How far away is what is looked at. */
  get reachM(): number {
    return this.#motion.reachM;
  }

  set reachM(metres: number) {
    this.#motion.reachM = metres;
  }

  /** Goes there, in a moment, or at once. */
  goTo(place: Place, atOnce = this.still()): void {
    this.#motion.goTo(place, atOnce);
    this.#follow();
  }

  /** Goes back to the sensor's own place. */
  reset(): void {
    this.goTo(this.home);
  }

  /** Whether the camera is no longer where the sensor is. */
  get moved(): boolean {
    const { position, quaternion } = this.camera;
    return position.length() > 1e-3 || Math.abs(quaternion.w) < 1 - 1e-7;
  }

  /** A new scene, most of it about so far away. */
  frame(middleM: number): void {
    this.#middleM = middleM;
    this.#motion.speedM = middleM / 2;
    this.goTo(this.home, true);
  }

  /** What has to be in the window, at least. */
  setField(field: Field): void {
    this.#field = field;
    this.#fit();
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / height;
    this.#fit();
  }

  /** Turns as a drag by so many windows' heights does, about a point of the world. */
  orbit(across: number, down: number, pivot: Vector3): void {
    this.#motion.orbit(-across * TURN, -down * TURN, pivot);
  }

  /** Moves so that what is at `distanceM` goes along with a drag by so many windows' heights. */
  pan(across: number, down: number, distanceM: number): void {
    const metres = 2 * this.down * distanceM;
    const shift = new Vector3(-across * metres, down * metres, 0);
    this.#motion.pan(shift.applyQuaternion(this.#motion.rotation(ROTATION)));
  }

  /** Goes nearer to a point of the world: its distance becomes e to the −`amount` of what it is. */
  zoom(amount: number, anchor: Vector3): void {
    this.#motion.zoom(amount, anchor);
  }

  /** Flies, in the camera's axes (x right, y up, z back), until told otherwise. */
  fly(x: number, y: number, z: number): void {
    this.#motion.fly(x, y, z);
  }

  /** Goes as far in a direction as flying there for so long does. */
  nudge(x: number, y: number, z: number, seconds: number): void {
    const shift = new Vector3(x, y, z).multiplyScalar(this.#motion.speedM * seconds);
    this.#motion.pan(shift.applyQuaternion(this.#motion.rotation(ROTATION)));
  }

  /** Whether the camera stays where it is if nobody moves it. */
  get resting(): boolean {
    return this.#motion.resting;
  }

  /** To be called once a picture. True if the camera moved. */
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

  /** Depth camera to view, 4 × 4 by columns, x right, y down, z forward: as dofSplat takes it. */
  pose(): number[] {
    const view = this.camera.matrixWorldInverse.elements;
    return Array.from(view, (value, i) => value * (AXES[i % 4] ?? 1) * (AXES[i >> 2] ?? 1));
  }

  /** Half of what the window shows from top to bottom, as a tangent. */
  get down(): number {
    return Math.tan((this.camera.fov * Math.PI) / 360);
  }

  /** The point of the world at a place of the window (from (0, 0) top left to (1, 1)) and a distance along the axis. */
  pointAt(x: number, y: number, distanceM: number, camera = this.camera): Vector3 {
    const half = Math.tan((camera.fov * Math.PI) / 360) * distanceM;
    const point = new Vector3((2 * x - 1) * half * camera.aspect, (1 - 2 * y) * half, -distanceM);
    return point.applyMatrix4(camera.matrixWorld);
  }

  /** Distance of a point of the world along the camera's axis, metres. */
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

/** Turns y and z about: Three.js' axes to the sensor's and back. */
const AXES = [1, -1, -1, 1];
const POINT = new Vector3();
const ROTATION = new Quaternion();
