import { Matrix4, type PerspectiveCamera, Vector3 } from "three/webgpu";
import { isMoved, type Rig } from "../../view/camera/rig.ts";
import { type PixelPicture, type Pointing, stepOf } from "../pixelPicture.ts";
import { listenToAreas } from "./areas.ts";
import { Marks, type Spot } from "./marks.ts";
import { across, type Pixel, type Point, pixelOf } from "./projection.ts";
import { pixelAtDepth, type Snapshot } from "./snapshot.ts";

/** Questions to the 3D picture. Places go from (0, 0) top left to (1, 1). */
export interface Sight {
  /** The camera that the picture on the screen is seen with. */
  camera(): PerspectiveCamera;
  /** The distance along the camera's axis, m; 0 without a surface. */
  pick(x: number, y: number): Promise<number>;
  /** The point of the world, in Three.js' axes, at a place and a distance. */
  pointAt: Rig["pointAt"];
}

/** A click this near to the pointer's last place counts as being there, CSS px. */
const SAME_PX = 1;
/** Looking up a pixel takes a moment, so it happens at most once in this time, ms, and takes at most this share of the time. */
const PICK_MS = 60;
const PICK_SHARE = 0.25;
/** How far an arrow key moves the cursor, CSS px: pressed once, and while it is held. */
const [ONCE_PX, HELD_PX] = [2, 12];

/** The 3D picture as a place to point at: looks up the pixel of the sensor's own image under the pointer. */
export class SceneView implements PixelPicture {
  readonly marks = new Marks();
  #picking = false;
  #wanted: { readonly x: number; readonly y: number } | undefined;
  /** Whether keys brought it there, not the pointer. */
  #byKeys = false;
  #nextMs = Number.NEGATIVE_INFINITY;
  /** Whether the pointer or the camera has moved since the last look-up. */
  #stale = false;
  /** The pixel that the readout shows. */
  #reported: Pixel | undefined;
  readonly #from = new Matrix4();

  constructor(
    readonly canvas: HTMLElement,
    readonly sight: Sight,
    readonly pointing: Pointing,
    readonly snapshot: () => Snapshot | undefined,
  ) {
    const over = (event: PointerEvent) => {
      // With a button pressed the pointer turns the camera.
      if (event.pointerType === "mouse" && event.buttons !== 0) return;
      // Browsers report a pointer that stands still while the page moves under it.
      if (this.#byKeys && event.type === "pointermove" && !event.movementX && !event.movementY) return;
      this.#byKeys = false;
      const { left, top, width, height } = canvas.getBoundingClientRect();
      const [x, y] = [(event.clientX - left) / width, (event.clientY - top) / height];
      // A press of the button without a movement changes nothing.
      this.#stale ||= x !== this.#wanted?.x || y !== this.#wanted.y;
      this.#wanted = { x, y };
    };
    const at = ({ offsetX, offsetY }: Pick<PointerEvent, "offsetX" | "offsetY">) =>
      this.pixelAt(offsetX / canvas.clientWidth, offsetY / canvas.clientHeight);
    listenToAreas(
      canvas,
      () => pointing.wantsArea,
      (corners) =>
        void Promise.all(corners.map(at)).then((pixels) => pointing.takeArea(pixels.flatMap((pixel) => pixel ?? []))),
      (place) => void at(place).then((pixel) => pointing.take(this, pixel)),
    );
    canvas.addEventListener("pointermove", over);
    canvas.addEventListener("pointerdown", over);
    canvas.addEventListener("pointerleave", (event) => {
      if (event.pointerType !== "mouse" || this.#byKeys) return;
      this.#wanted = undefined;
      pointing.away(this);
    });
    canvas.addEventListener("keydown", (event) => {
      const by = stepOf(event, this.cursor !== undefined);
      if (!pointing.tool || !by || event.shiftKey) return;
      // Otherwise the page's own keys would step through the recording, or play.
      event.preventDefault();
      event.stopPropagation();
      if (by.some((step) => step !== 0) || !this.cursor) this.point(by, event.repeat ? HELD_PX : ONCE_PX);
      else if (this.#wanted) this.take(this.#wanted.x, this.#wanted.y);
    });
  }

  /** The place that the arrow keys have moved to while a tool is up. */
  get cursor(): Spot | undefined {
    if (!this.#byKeys || !this.pointing.tool || !this.#wanted) return undefined;
    const { clientWidth, clientHeight } = this.canvas;
    return { x: this.#wanted.x * clientWidth, y: this.#wanted.y * clientHeight };
  }

  /** Moves the cursor by keys, from where the pointer was or from the middle. */
  point([across, down]: readonly [number, number], px = 0): void {
    const { clientWidth, clientHeight } = this.canvas;
    const within = (share: number) => Math.min(1, Math.max(0, share));
    const { x, y } = this.#wanted ?? { x: 0.5, y: 0.5 };
    this.#wanted = { x: within(x + (across * px) / clientWidth), y: within(y + (down * px) / clientHeight) };
    this.#byKeys = this.#stale = true;
  }

  /** Gives the tool that is up the pixel at a place. */
  take(x: number, y: number): void {
    void this.clicked(x, y).then((pixel) => this.pointing.take(this, pixel));
  }

  /**
   * Call this once for each picture of the screen while the readout is open. Looks up the pixel under the pointer, if that may have
   * changed.
   */
  async update(nowMs: number): Promise<void> {
    if (this.#byKeys && !this.pointing.tool) {
      this.#byKeys = false;
      this.#wanted = undefined;
      this.pointing.away(this);
    }
    const place = this.#wanted;
    if (!place || this.#picking || nowMs < this.#nextMs) return;
    const { matrixWorldInverse } = this.sight.camera();
    if (!this.#stale && this.#from.equals(matrixWorldInverse)) return;
    this.#stale = false;
    this.#from.copy(matrixWorldInverse);
    this.#picking = true;
    this.#reported = undefined;
    const beganMs = performance.now();
    const pixel = await this.pixelAt(place.x, place.y);
    this.#nextMs = nowMs + Math.max(PICK_MS, (performance.now() - beganMs) / PICK_SHARE);
    this.#picking = false;
    if (this.#wanted === undefined) return;
    this.#reported = pixel;
    // A later frame may have a depth there.
    this.#stale ||= pixel === undefined;
    if (pixel) this.pointing.over(this, pixel, this.#byKeys ? "keys" : "pointer");
    else this.pointing.away(this);
  }

  /** The source's pixel at the place of a click. The readout knows this pixel, unless the pointer has only just come there. */
  async clicked(x: number, y: number): Promise<Pixel | undefined> {
    const { clientWidth, clientHeight } = this.canvas;
    const seen = this.#wanted;
    const far = seen ? Math.hypot((seen.x - x) * clientWidth, (seen.y - y) * clientHeight) : Number.POSITIVE_INFINITY;
    const isReported = far <= SAME_PX && !this.#stale && this.#from.equals(this.sight.camera().matrixWorldInverse);
    if (isReported && this.#reported) return this.#reported;
    const pixel = await this.pixelAt(x, y);
    if (pixel) this.pointing.over(this, pixel, this.#byKeys ? "keys" : "pointer");
    return pixel;
  }

  /** The source's pixel at a place of the canvas. */
  async pixelAt(x: number, y: number): Promise<Pixel | undefined> {
    const { sight } = this;
    // The camera may move before the answer arrives.
    let from = sight.camera();
    const pick = () => {
      from = sight.camera().clone();
      return sight.pick(x, y);
    };
    // A pick fails where a newer frame has come, which is asked then.
    const picked = await pick()
      .catch(pick)
      .catch(() => undefined);
    const snapshot = this.snapshot();
    if (!snapshot || picked === undefined) return undefined;
    // From the sensor's own place every place has a pixel, also without a measurement.
    if (picked <= 0 && isMoved(from)) return undefined;
    const seen = fromWorld(sight.pointAt(x, y, picked > 0 ? picked : 1, from));
    if (seen[2] <= 0) return undefined;
    const { frame, shape } = snapshot;
    const there = across(shape.intrinsics, frame.intrinsics, pixelOf(shape.intrinsics, seen));
    return pixelAtDepth(snapshot, there, seen[2], picked > 0 ? 2 : 0);
  }

  spotOf(_pixel: Pixel, point: Point | undefined): Spot | undefined {
    if (!point) return undefined;
    const camera = this.sight.camera();
    const [x, y, z] = point;
    CLIP.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    const { elements: m } = CLIP;
    // Three.js' projection would give points behind the camera a place, too.
    const w = m[3] * x - m[7] * y - m[11] * z + m[15];
    if (w <= 0) return undefined;
    PLACE.set(x, -y, -z).applyMatrix4(CLIP);
    const { clientWidth, clientHeight } = this.canvas;
    return { x: ((PLACE.x + 1) / 2) * clientWidth, y: ((1 - PLACE.y) / 2) * clientHeight };
  }
}

const CLIP = new Matrix4();
const PLACE = new Vector3();

/** From Three.js' axes to the sensor's. */
const fromWorld = ({ x, y, z }: Vector3): Point => [x, -y, -z];
