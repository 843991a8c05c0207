import type { Gpu, ProcessedFrame } from "../../../../pipeline/index.ts";
import { drawTexture } from "../../../../pipeline/picture.ts";
import type { Picture } from "../../../../stages/core/resources.ts";
import { patchAt } from "../pick/pick.ts";
import { densityOf, type Look, type Surface } from "./surface.ts";

/** Copies the stages' picture to the canvas, which has its size and is scaled by the browser. Draws nothing else of a look. */
export class PictureSurface implements Surface {
  #frame: ProcessedFrame | undefined;

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly gpu: Gpu,
  ) {
    if (!canvas.getContext("webgpu")) throw new Error("this browser draws on no canvas");
  }

  show(frame: ProcessedFrame): void {
    this.#frame = frame;
  }

  resize(width: number, height: number): number {
    return densityOf(width, height, devicePixelRatio);
  }

  get #picture(): Picture | undefined {
    return this.#frame?.gpu?.picture;
  }

  /** Whether the look shows the newest frame's picture alone, or there is no frame yet. */
  suffices({ view, veil, guides, blur }: Look): boolean {
    if (!this.#frame) return true;
    return view === "picture" && this.#picture !== undefined && veil.strength < 0.01 && guides.length === 0 && !blur;
  }

  draw(): void {
    const picture = this.#picture;
    if (picture) drawTexture(this.canvas, this.gpu.device, picture);
  }

  pick(x: number, y: number): Promise<number> {
    const { depth } = this.#picture ?? {};
    return depth ? patchAt(this.gpu.device, depth, x, y) : Promise.resolve(0);
  }

  destroy(): void {
    this.#frame = undefined;
  }
}
