import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Euler, PerspectiveCamera, Vector3 } from "three/webgpu";
import type { Field } from "../lens.ts";

const [NEAR, FAR] = [0.02, 100];

/** Where a camera is and where it looks: yaw to the left, then pitch upwards, radians; no roll. */
export interface Place {
  readonly position: Vector3;
  readonly yaw: number;
  readonly pitch: number;
  /** How far away is what it looks at, m. */
  readonly reachM: number;
}

/**
 * The camera and the hand on it. The world is the sensor's, turned to Three.js' axes (y up, looking along −z): the camera
 * starts at the origin, where the sensor is, and orbits the scene's middle depth.
 */
export class Rig {
  readonly camera = new PerspectiveCamera(45, 1, NEAR, FAR);
  readonly #controls: OrbitControls;
  #field: Field = { across: 0.6, down: 0.45 };
  #middleM = 2;

  /** `still`: whether the user has asked for no motion; a swing then ends with the hand's. */
  constructor(
    element: HTMLElement,
    readonly still: () => boolean = () => false,
  ) {
    this.#controls = new OrbitControls(this.camera, element);
    this.#controls.dampingFactor = 0.12;
    this.#controls.minDistance = 0.05;
    this.#controls.maxDistance = 30;
    this.reset();
  }

  /** Puts the camera at the sensor's own place, looking at the depth where most of the scene is. */
  reset(): void {
    this.goTo({ position: new Vector3(), yaw: 0, pitch: 0, reachM: this.#middleM });
  }

  /** Where the camera is; given to `goTo` it is the same view again. */
  get place(): Place {
    const { position, quaternion } = this.camera;
    const { x, y } = new Euler().setFromQuaternion(quaternion, "YXZ");
    return { position: position.clone(), yaw: y, pitch: x, reachM: position.distanceTo(this.#controls.target) };
  }

  goTo({ position, yaw, pitch, reachM }: Place): void {
    // Without damping an update uses up what is left of the last swing, which would carry on.
    this.#controls.enableDamping = false;
    this.#controls.update();
    this.camera.position.copy(position);
    const ahead = new Vector3(0, 0, -reachM).applyEuler(new Euler(pitch, yaw, 0, "YXZ"));
    this.#controls.target.copy(position).add(ahead);
    this.#controls.update();
    this.#controls.enableDamping = !this.still();
    this.camera.updateMatrixWorld();
  }

  /** Whether the camera is no longer where the sensor is. */
  get moved(): boolean {
    const { position, quaternion } = this.camera;
    return position.length() > 1e-3 || Math.abs(quaternion.w) < 1 - 1e-7;
  }

  /** A new scene, most of it about so far away. */
  frame(middleM: number): void {
    this.#middleM = middleM;
    this.reset();
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

  /** To be called once a picture. True if the camera moved. */
  update(): boolean {
    const moved = this.#controls.update();
    this.camera.updateMatrixWorld();
    return moved;
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
  pointAt(x: number, y: number, distanceM: number): Vector3 {
    const half = this.down * distanceM;
    const point = new Vector3((2 * x - 1) * half * this.camera.aspect, (1 - 2 * y) * half, -distanceM);
    return point.applyMatrix4(this.camera.matrixWorld);
  }

  /** Distance of a point of the world along the camera's axis, metres. */
  distanceTo(point: Vector3): number {
    return -POINT.copy(point).applyMatrix4(this.camera.matrixWorldInverse).z;
  }

  #fit(): void {
    const { across, down } = this.#field;
    this.camera.fov = (360 / Math.PI) * Math.atan(Math.max(down, across / this.camera.aspect));
    this.camera.updateProjectionMatrix();
  }

  dispose(): void {
    this.#controls.dispose();
  }
}

/** Turns y and z about: Three.js' axes to the sensor's and back. */
const AXES = [1, -1, -1, 1];
const POINT = new Vector3();
