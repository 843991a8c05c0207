import {
  Box3,
  type InstancedBufferGeometry,
  type Intersection,
  type Material,
  Matrix4,
  Mesh,
  type PerspectiveCamera,
  type Raycaster,
  type Vector3,
} from "three";
import { OptionError } from "../../core/check.ts";
import { StaleFrameError } from "../../pipeline/errors.ts";
import type { Pipeline, ProcessedFrame } from "../../pipeline/index.ts";
import { boundsOf, fitCamera } from "./extent.ts";
import type { PointForm } from "./form.ts";
import { spreadOf } from "./pointSize.ts";
import { intersectPoints } from "./raycast.ts";
import { Uploaded } from "./uploaded.ts";

/**
 * The points of a depth camera, to be put into a scene: `createDepthPoints` makes it. Its origin is the sensor, which looks along −z with y
 * up; units are metres. A point is a square of the size that the sensor's pixel has at its distance, in the point's own colour, unaffected
 * by lights unless it was made `lit`. It casts shadows if `castShadow` is set.
 */
export class DepthPoints extends Mesh<InstancedBufferGeometry, Material> {
  override readonly type = "DepthPoints";
  /** Tells the class, as Three.js' `isMesh` does. */
  readonly isDepthPoints = true;
  readonly #form: PointForm;
  readonly #pipeline: Pick<Pipeline, "gpu">;
  readonly #uploaded = new Uploaded();
  #frame: ProcessedFrame | undefined;
  #pointSize = 1;
  /** Whether `#uploaded` has points. */
  #isRead = false;
  /** Waits for the points of the next frame. */
  #asked: Deferred | undefined;

  constructor(form: PointForm, pipeline: Pick<Pipeline, "gpu">) {
    super(undefined, form.material);
    this.geometry.dispose();
    this.geometry = this.#uploaded.geometry;
    this.#form = form;
    this.#pipeline = pipeline;
    // The bounds are not known without a readback.
    this.frustumCulled = false;
    if (form.shadowMaterial) {
      this.customDepthMaterial = form.shadowMaterial;
      this.customDistanceMaterial = form.shadowMaterial;
    }
  }

  /** The width of a point, relative to the sensor's pixel at its distance; 1 closes surfaces. */
  get pointSize(): number {
    return this.#pointSize;
  }

  /** Sets the width; takes effect with the next rendering. */
  set pointSize(size: number) {
    this.#pointSize = size;
    this.#grow();
  }

  /** Whether points are drawn from the pipeline's own buffers: it runs on the renderer's device. */
  get isLent(): boolean {
    return this.geometry === this.#form.lender?.geometry;
  }

  /**
   * Shows a frame's points. Call it synchronously when the pipeline hands the frame out. Resolves when the points are in the scene: at once
   * if the pipeline runs on the renderer's device or on the CPU, else when they have been read back, for which the pipeline waits. Rejects
   * if the pipeline makes no points.
   */
  async show(frame: ProcessedFrame): Promise<void> {
    const { lender } = this.#form;
    const cloud = frame.gpu?.points;
    this.#frame = frame;
    this.#grow();
    const asked = this.#asked;
    this.#asked = undefined;
    if (asked) asked.resolve(this.#readPoints(frame));
    if (cloud && lender && lender.device === this.#pipeline.gpu?.device) {
      lender.lend(cloud);
      this.geometry = lender.geometry;
      return;
    }
    const points = frame.cpu?.points;
    if (points) this.#upload(points.words, points.count);
    else {
      const words = await this.#readPoints(frame);
      if (frame === this.#frame) this.#upload(words, words.length / 4);
    }
  }

  /** Puts the points where `placeOf` says that their camera stands, in a scene of several cameras; throws as it does. */
  place(toFirst: readonly number[] | null): this {
    placeOf(toFirst).decompose(this.position, this.quaternion, this.scale);
    return this;
  }

  /** The box around what the sensor saw in the frame that is shown, in the object's own axes; empty before the first frame. */
  bounds(into: Box3 = new Box3()): Box3 {
    return this.#frame ? boundsOf(this.#frame.source, into) : into.makeEmpty();
  }

  /**
   * Moves a camera (which no parent moves) to where it sees all that the sensor saw, and has its near and far planes include that. Returns
   * the scene's middle, for `controls.target`; `undefined`, without moving the camera, before a frame with a valid pixel is shown.
   */
  fit(camera: PerspectiveCamera): Vector3 | undefined {
    return this.#frame && fitCamera(this, this.#frame.source, camera);
  }

  /**
   * Reads back the points that are shown, so that a `Raycaster` can hit them, until it is called again; not needed where points are
   * uploaded anyway. While a stream plays, a newer frame may have taken their place: then those of the next frame that is shown are read.
   */
  async readBack(): Promise<void> {
    const frame = this.#frame;
    if (!frame || !this.isLent) return;
    const words = await this.#readPoints(frame).catch((error) => {
      if (!(error instanceof StaleFrameError)) throw error;
      this.#asked ??= new Deferred();
      return this.#asked.promise;
    });
    this.#uploaded.set(words, words.length / 4);
    this.#isRead = true;
  }

  /** Like `Points.raycast`, on the CPU's copy of the points: see `readBack`. */
  override raycast(raycaster: Raycaster, intersects: Intersection[]): void {
    if (this.#isRead) intersectPoints(this.#uploaded.words, this, raycaster, intersects);
  }

  /** Frees the object's own resources; the pipeline's buffers stay. */
  override dispose(): void {
    const { lender, material, shadowMaterial } = this.#form;
    super.dispose();
    // Three.js destroys the buffers of a geometry that it disposes of.
    lender?.lend(undefined);
    lender?.geometry.dispose();
    this.#uploaded.dispose();
    material.dispose();
    shadowMaterial?.dispose();
    this.#frame = undefined;
    this.#isRead = false;
  }

  #grow(): void {
    if (this.#frame) this.#form.spread.value = spreadOf(this.#frame.shape.intrinsics, this.#pointSize);
  }

  #upload(words: Uint32Array, count: number): void {
    this.#uploaded.set(words, count);
    this.geometry = this.#uploaded.geometry;
    this.#isRead = true;
  }

  async #readPoints(frame: ProcessedFrame): Promise<Uint32Array> {
    const reading = frame.readPoints();
    // A failure is the caller's, and no end of the stream.
    frame.waitUntil(reading.catch(() => {}));
    const { data } = await reading;
    return new Uint32Array(data.buffer, data.byteOffset, data.length);
  }
}

/**
 * The place of an object whose camera stands at `toFirst`, as `align` tells it (three rows of a 4 × 4 matrix, metres, x right, y down, z
 * forward), in the first camera's scene: of a mesh of `meshGeometry`, or of points (`DepthPoints.place`). Throws an `OptionError` for
 * anything else, and for `null`, with which `align` says that it cannot tell the place.
 *
 * @example
 * new Mesh(meshGeometry(meshOfFrame(frame)), material).applyMatrix4(placeOf(toFirst));
 */
export function placeOf(toFirst: readonly number[] | null): Matrix4 {
  if (toFirst === null) throw new OptionError("place: align tells no place of this camera; its why says the reason");
  if (toFirst?.length !== 12 || !toFirst.every(Number.isFinite))
    throw new OptionError("place: 12 numbers are needed, three rows of a 4 × 4 matrix, as align tells them in toFirst");
  // The scene's y and z are opposite to the camera's.
  const flip = new Matrix4().makeScale(1, -1, -1);
  const place = new Matrix4().fromArray([...toFirst, 0, 0, 0, 1]).transpose();
  return place.premultiply(flip).multiply(flip);
}

class Deferred {
  resolve = (_: Promise<Uint32Array>): void => {};
  readonly promise = new Promise<Uint32Array>((settle) => {
    this.resolve = settle;
  });
}
