import { Matrix4, type PerspectiveCamera } from "three/webgpu";
import type { ProcessedFrame } from "../../../../pipeline/index.ts";
import type { CpuPicture, CpuPoints } from "../../../../stages/core/stage.ts";
import { growthOf } from "../../../three/pointSize.ts";
import { nearestTo } from "../pick/pick.ts";
import { tintImage } from "./blur.ts";
import { GROUND } from "./ground.ts";
import { matrixOf, type Segments } from "./guides.ts";
import { createRaster, drawLine, drawPoints, type Raster } from "./raster.ts";
import { createSimdRaster, type SimdRaster } from "./rasterSimd.ts";
import { densityOf, type Look, type Surface } from "./surface.ts";

/** Draws the twins' picture, points and lines on a plain canvas, which the browser scales; for machines without a GPU. */
export class CpuSurface implements Surface {
  readonly #context: CanvasRenderingContext2D;
  #sheet = sheetOf(1, 1);
  #frame: ProcessedFrame | undefined;
  readonly #clip = new Matrix4();
  readonly #guideClip = new Matrix4();
  readonly #toSensor = new Matrix4();
  /** The height of the points' picture. Asking the canvas at every drawing would lay out the page each time. */
  #height = 1;

  constructor(readonly canvas: HTMLCanvasElement) {
    // Until the first picture the page's own ground shows through.
    const context = canvas.getContext("2d");
    if (!context) throw new Error("this browser draws on no canvas");
    this.#context = context;
  }

  show(frame: ProcessedFrame): void {
    this.#frame = frame;
  }

  resize(width: number, height: number): number {
    const density = densityOf(width, height, devicePixelRatio);
    this.#height = Math.max(1, Math.round(height * density));
    return density;
  }

  draw(camera: PerspectiveCamera, look: Look): void {
    const { picture, points } = this.#frame?.cpu ?? {};
    if (!this.#frame) return;
    this.#size(look, camera, picture);
    const { raster } = this.#sheet;
    this.#clip.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).multiply(SENSOR);
    if (look.view === "picture" && picture) this.#takePicture(picture, look);
    else this.#takePoints(points, camera, look);
    if (look.blur) tintImage(raster.rgba, raster.distances, look.blur);
    for (const guide of look.guides) this.#drawGuide(guide);
    this.#context.putImageData(this.#sheet.image, 0, 0);
  }

  async pick(x: number, y: number): Promise<number> {
    const { width, height, distances } = this.#sheet.raster;
    const [column, row] = [Math.floor(x * width), Math.floor(y * height)];
    const at = (i: number, j: number) => {
      const near = column + i - 4;
      return near < 0 || near >= width ? 0 : (distances[(row + j - 4) * width + near] ?? 0);
    };
    return nearestTo(4, 4, 9, 9, at);
  }

  /** Gives the canvas as many pixels as the picture has. */
  #size(look: Look, camera: PerspectiveCamera, picture: CpuPicture | undefined): void {
    const asPicture = look.view === "picture" && picture;
    const height = asPicture ? picture.height : this.#height;
    const width = asPicture ? picture.width : Math.max(1, Math.round(height * camera.aspect));
    const { raster } = this.#sheet;
    if (width === raster.width && height === raster.height) return;
    this.canvas.width = width;
    this.canvas.height = height;
    this.#sheet = sheetOf(width, height);
  }

  #takePicture({ rgba, depth }: CpuPicture, { veil }: Look): void {
    const { raster } = this.#sheet;
    raster.rgba.set(rgba);
    raster.distances.set(depth);
    if (veil.strength < 0.01) return;
    for (let i = 0; i < depth.length; i++) {
      const z = depth[i] ?? 0;
      if (z > 0 && z < veil.distanceM) continue;
      for (let c = 0; c < 3; c++) {
        const at = i * 4 + c;
        raster.rgba[at] = (raster.rgba[at] ?? 0) * (1 - veil.strength) + (GROUND[c] ?? 0) * 255 * veil.strength;
      }
    }
  }

  /** Draws the points; without points, because their stage is off, only the background. */
  #takePoints(points: CpuPoints | undefined, camera: PerspectiveCamera, { pointSize }: Look): void {
    const { raster, simd } = this.#sheet;
    raster.pixels.fill(GROUND_WORD);
    raster.distances.fill(0);
    if (!points || !this.#frame) return;
    const { floats, words, count } = points;
    const growth = growthOf(this.#frame.shape.intrinsics, camera, raster.height, pointSize);
    if (simd) simd.drawPoints(this.#clip.elements, floats, count, growth);
    else drawPoints(raster, this.#clip.elements, floats, words, count, growth);
  }

  #drawGuide({ ends, color, growing }: Segments): void {
    const { raster } = this.#sheet;
    const clip = this.#guideClip.copy(this.#clip);
    if (growing) clip.multiply(matrixOf(growing.toSensor, this.#toSensor));
    const length = growing ? 6 * growing.count : ends.length;
    for (let i = 0; i + 5 < length; i += 6) drawLine(raster, clip.elements, ends, i, color);
  }

  destroy(): void {
    this.#frame = undefined;
  }
}

/** From the sensor's axes to Three.js'. */
const SENSOR = new Matrix4().makeScale(1, -1, -1);
const wordOf = (color: readonly number[]) =>
  color.reduce((word, c, i) => word | (Math.round(c * 255) << (8 * i)), 0xff << 24) >>> 0;
const GROUND_WORD = wordOf(GROUND);

interface Sheet {
  readonly image: ImageData;
  readonly raster: Raster;
  readonly simd: SimdRaster | undefined;
}

/** Makes an image over the raster's own memory, so that showing it copies nothing. */
function sheetOf(width: number, height: number): Sheet {
  const simd = createSimdRaster(width, height);
  const raster = simd?.raster ?? createRaster(width, height);
  return { image: new ImageData(raster.rgba, width, height), raster, simd };
}
