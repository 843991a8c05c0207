import type { Intrinsics } from "../../../../core/frame.ts";
import { element } from "../../../dom/controls.ts";
import { type PixelPicture, type Pointing, stepOf } from "../pixelPicture.ts";
import { listenToAreas } from "../probe/areas.ts";
import { Marks, type Spot } from "../probe/marks.ts";
import { across, nearestPixel, type Pixel } from "../probe/projection.ts";

/** Steps of the arrow keys with shift, pixels. */
const LEAP = 10;

/** An image in the sensor's own pixels, as large as its place allows. People point at pixels with the pointer or the arrow keys. */
export class ImageView implements PixelPicture {
  readonly element = element("div", "image");
  readonly canvas = element("canvas", "", { tabIndex: 0, role: "img" });
  readonly marks = new Marks();
  readonly #context: CanvasRenderingContext2D;
  #image = new ImageData(1, 1);
  /** The image's pixels, an RGBA word each; `flush` shows them. */
  words = new Uint32Array(this.#image.data.buffer);
  #shown: Intrinsics | undefined;
  #source: Intrinsics | undefined;
  /** The image's place in `element` and the size of a pixel, CSS px. */
  #left = 0;
  #top = 0;
  #scale = 1;
  #cursor: Pixel | undefined;

  constructor(
    label: string,
    readonly pointing: Pointing,
  ) {
    // The CPU makes the pixels, so the canvas stays in the CPU's memory.
    const context = this.canvas.getContext("2d", { willReadFrequently: true });
    if (!context) throw new Error("this browser draws on no canvas");
    this.#context = context;
    this.label = label;
    this.element.append(this.canvas, this.marks.element);
    new ResizeObserver(() => this.#fit()).observe(this.element);
    listenToAreas(
      this.canvas,
      () => pointing.wantsArea,
      (corners) => pointing.takeArea(corners.flatMap((corner) => this.#pixelAt(corner) ?? [])),
    );
    this.#listen();
  }

  set label(label: string) {
    this.canvas.ariaLabel = `${label}: arrow keys point at a pixel, Enter takes it`;
  }

  /**
   * Sets the camera of the image, and the source's camera, in whose pixels the readout counts. Without the source's camera nobody can
   * point at a pixel.
   */
  size(shown: Intrinsics, source: Intrinsics | undefined): void {
    this.#source = source;
    const same = this.#shown?.width === shown.width && this.#shown.height === shown.height;
    this.#shown = shown;
    if (same) return;
    this.canvas.width = shown.width;
    this.canvas.height = shown.height;
    this.#image = new ImageData(shown.width, shown.height);
    this.words = new Uint32Array(this.#image.data.buffer);
    this.#fit();
  }

  flush(): void {
    this.#context.putImageData(this.#image, 0, 0);
  }

  spotOf(pixel: Pixel): Spot | undefined {
    if (!this.#shown || !this.#source) return undefined;
    const { u, v } = across(this.#source, this.#shown, pixel);
    return { x: this.#left + (u + 0.5) * this.#scale, y: this.#top + (v + 0.5) * this.#scale };
  }

  #fit(): void {
    const { clientWidth, clientHeight } = this.element;
    const { width, height } = this.canvas;
    this.#scale = Math.min(clientWidth / width, clientHeight / height);
    this.#left = (clientWidth - width * this.#scale) / 2;
    this.#top = (clientHeight - height * this.#scale) / 2;
    const { style } = this.canvas;
    style.left = `${this.#left}px`;
    style.top = `${this.#top}px`;
    style.width = `${width * this.#scale}px`;
    style.height = `${height * this.#scale}px`;
    // Enlarged pixels stay visible as squares; a reduced image is smoothed, since it would leave pixels out otherwise.
    style.imageRendering = this.#scale * devicePixelRatio > 1.2 ? "pixelated" : "auto";
  }

  #pixelAt({ offsetX, offsetY }: Pick<PointerEvent, "offsetX" | "offsetY">): Pixel | undefined {
    if (!this.#shown || !this.#source) return undefined;
    const there = { u: offsetX / this.#scale - 0.5, v: offsetY / this.#scale - 0.5 };
    return nearestPixel(this.#source, across(this.#shown, this.#source, there));
  }

  #listen(): void {
    const { canvas, pointing } = this;
    const over = (event: PointerEvent) => {
      this.#cursor = this.#pixelAt(event);
      if (this.#cursor) pointing.over(this, this.#cursor, "pointer");
    };
    canvas.addEventListener("pointermove", over);
    canvas.addEventListener("pointerdown", over);
    // After a finger is lifted, the readout of its pixel stays.
    canvas.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && pointing.away(this));
    canvas.addEventListener("blur", () => pointing.away(this));
    // Takes the pixel of the readout, since the coordinates of a click are rounded.
    canvas.addEventListener("click", () => {
      if (this.#cursor) pointing.take(this, this.#cursor);
    });
    canvas.addEventListener("keydown", (event) => {
      const by = stepOf(event, pointing.tool !== undefined);
      if (!by || !this.#source) return;
      const { width, height } = this.#source;
      const cursor = this.#cursor ?? { u: width >> 1, v: height >> 1 };
      const [dx, dy] = by;
      if (dx === 0 && dy === 0) pointing.take(this, cursor);
      else {
        const step = event.shiftKey ? LEAP : 1;
        const inside = (value: number, size: number) => Math.min(size - 1, Math.max(0, value));
        this.#cursor = { u: inside(cursor.u + dx * step, width), v: inside(cursor.v + dy * step, height) };
        pointing.over(this, this.#cursor, "keys");
      }
      // Otherwise the page's own keys would step through the recording.
      event.preventDefault();
      event.stopPropagation();
    });
  }
}
