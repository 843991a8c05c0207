import { Matrix4, type PerspectiveCamera } from "three/webgpu";
import type { ProcessedFrame } from "../../../pipeline/index.ts";
import type { CpuPicture, CpuPoints } from "../../../stages/stage.ts";
import { tintImage } from "./blur.ts";
import type { Segments } from "./guides.ts";
import { nearestTo } from "./pick.ts";
import { drawLine, drawPoints, type Raster } from "./raster.ts";
import { BACKGROUND, type Look, type Surface } from "./surface.ts";

/** A picture that the CPU has to make pixel by pixel has no more than these. */
const MAX_PIXELS = 480 * 300;

/** Where there is no GPU: the twins' picture, points and lines on a plain canvas, scaled up by the browser. */
export class CpuSurface implements Surface {
  readonly #context: CanvasRenderingContext2D;
  #image = new ImageData(1, 1);
  #raster = rasterOf(this.#image);
  #frame: ProcessedFrame | undefined;
  readonly #clip = new Matrix4();
  /** Of the points' picture: asking the canvas for its size at every drawing would lay the page out each time. */
  #height = 1;

  constructor(readonly canvas: HTMLCanvasElement) {
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("this browser draws on no canvas");
    this.#context = context;
  }

  show(frame: ProcessedFrame): void {
    this.#frame = frame;
  }

  resize(width: number, height: number): number {
    const density = Math.min(1, Math.sqrt(MAX_PIXELS / (width * height)));
    this.#height = Math.max(1, Math.round(height * density));
    return density;
  }

  draw(camera: PerspectiveCamera, look: Look): void {
    const { picture, points } = this.#frame?.cpu ?? {};
    if (!this.#frame) return;
    this.#size(look, camera, picture);
    const raster = this.#raster;
    this.#clip.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).multiply(SENSOR);
    if (look.view === "picture" && picture) this.#takePicture(picture, look);
    else this.#takePoints(points, look);
    if (look.blur) tintImage(raster.rgba, raster.distances, look.blur);
    for (const guide of look.guides) this.#drawGuide(guide);
    this.#context.putImageData(this.#image, 0, 0);
  }

  async pick(x: number, y: number): Promise<number> {
    const { width, height, distances } = this.#raster;
    const [column, row] = [Math.floor(x * width), Math.floor(y * height)];
    const at = (i: number, j: number) => distances[(row + j - 4) * width + column + i - 4] ?? 0;
    return nearestTo(4, 4, 9, 9, at);
  }

  /** The canvas has as many pixels as the picture has: the browser scales it. */
  #size(look: Look, camera: PerspectiveCamera, picture: CpuPicture | undefined): void {
    const asPicture = look.view === "picture" && picture;
    const height = asPicture ? picture.height : this.#height;
    const width = asPicture ? picture.width : Math.max(1, Math.round(height * camera.aspect));
    if (width === this.#raster.width && height === this.#raster.height) return;
    this.canvas.width = width;
    this.canvas.height = height;
    this.#image = new ImageData(width, height);
    this.#raster = rasterOf(this.#image);
  }

  #takePicture({ rgba, depth }: CpuPicture, { veil }: Look): void {
    const raster = this.#raster;
    raster.rgba.set(rgba);
    raster.distances.set(depth);
    if (veil.strength < 0.01) return;
    for (let i = 0; i < depth.length; i++) {
      const z = depth[i] ?? 0;
      if (z > 0 && z < veil.distanceM) continue;
      for (let c = 0; c < 3; c++) {
        const at = i * 4 + c;
        raster.rgba[at] = (raster.rgba[at] ?? 0) * (1 - veil.strength) + (BACKGROUND[c] ?? 0) * 255 * veil.strength;
      }
    }
  }

  /** Where there are none, because their stage is off, nothing is to be seen. */
  #takePoints(points: CpuPoints | undefined, { pointPx }: Look): void {
    const raster = this.#raster;
    raster.pixels.fill(BACKGROUND_WORD);
    raster.distances.fill(0);
    if (!points) return;
    const { floats, words, count } = points;
    drawPoints(raster, this.#clip.elements, floats, words, count, Math.max(1, Math.round(pointPx)));
  }

  #drawGuide({ ends, color }: Segments): void {
    for (let i = 0; i + 5 < ends.length; i += 6) drawLine(this.#raster, this.#clip.elements, ends, i, color);
  }

  destroy(): void {
    this.#frame = undefined;
  }
}

/** Three.js' axes from the sensor's. */
const SENSOR = new Matrix4().makeScale(1, -1, -1);
const BACKGROUND_WORD = BACKGROUND.reduce((word, c, i) => word | (Math.round(c * 255) << (8 * i)), 0xff << 24) >>> 0;

/** The image's own memory: nothing is copied to show it. */
function rasterOf({ width, height, data }: ImageData): Raster {
  const distances = new Float32Array(width * height);
  return { width, height, pixels: new Uint32Array(data.buffer), rgba: data, distances };
}
