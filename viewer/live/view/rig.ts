import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { PerspectiveCamera, Vector3 } from "three/webgpu";
import type { Intrinsics } from "../../../sources/frame.ts";

const [NEAR, FAR] = [0.02, 100];

/**
 * The camera and the hand on it. The world is the sensor's, turned to Three.js' axes (y up, looking along −z): the camera
 * starts at the origin, where the sensor is, and orbits the scene's middle depth.
 */
export class Rig {
  readonly camera = new PerspectiveCamera(45, 1, NEAR, FAR);
  /** Whether the camera is no longer where the sensor is. */
  moved = false;
  readonly #controls: OrbitControls;
  #intrinsics: Intrinsics | undefined;
  #middleM = 2;

  constructor(element: HTMLElement) {
    this.#controls = new OrbitControls(this.camera, element);
    this.#controls.dampingFactor = 0.12;
    this.#controls.minDistance = 0.05;
    this.#controls.maxDistance = 30;
    this.#controls.addEventListener("start", () => {
      this.moved = true;
    });
    this.reset();
  }

  /** Puts the camera at the sensor's own place, looking at the depth where most of the scene is. */
  reset(): void {
    // Without damping an update uses up what is left of the last swing, which would carry on.
    this.#controls.enableDamping = false;
    this.#controls.update();
    this.camera.position.set(0, 0, 0);
    this.#controls.target.set(0, 0, -this.#middleM);
    this.#controls.update();
    this.#controls.enableDamping = true;
    this.camera.updateMatrixWorld();
    this.moved = false;
  }

  /** A new scene: what the sensor is, and its middle depth in metres. */
  frame(intrinsics: Intrinsics, middleM: number): void {
    this.#intrinsics = intrinsics;
    this.#middleM = middleM;
    this.#fit();
    this.reset();
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

  /** The point of the world at a place of the window (from (0, 0) top left to (1, 1)) and a distance along the axis. */
  pointAt(x: number, y: number, distanceM: number): Vector3 {
    const half = Math.tan((this.camera.fov * Math.PI) / 360) * distanceM;
    const point = new Vector3((2 * x - 1) * half * this.camera.aspect, (1 - 2 * y) * half, -distanceM);
    return point.applyMatrix4(this.camera.matrixWorld);
  }

  /** Distance of a point of the world along the camera's axis, metres. */
  distanceTo(point: Vector3): number {
    return -POINT.copy(point).applyMatrix4(this.camera.matrixWorldInverse).z;
  }

  /** All that the sensor sees is in the window. */
  #fit(): void {
    const { width, height, fx, fy } = this.#intrinsics ?? { width: 4, height: 3, fx: 3.3, fy: 3.3 };
    const [across, down] = [width / 2 / fx, height / 2 / fy];
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
