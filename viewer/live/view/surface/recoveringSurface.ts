import type { PerspectiveCamera } from "three/webgpu";
import type { Gpu, ProcessedFrame } from "../../../../pipeline/index.ts";
import { element } from "../../../dom/controls.ts";
import { CpuSurface } from "./cpuSurface.ts";
import { PictureSurface } from "./pictureSurface.ts";
import type { Look, Surface } from "./surface.ts";

/**
 * Draws on a device, and on the next device after a loss: the canvas stays. Without another device a `CpuSurface` takes over. Three.js is
 * loaded for the first look that shows more than the picture.
 */
export class RecoveringSurface implements Surface {
  #size: readonly [number, number] | undefined;
  #current: Surface;
  /** Was loaded, and draws from the next frame on. */
  #scene: Surface | undefined;
  /** The surface whose successor is loaded, or was: a load that failed is not tried again. */
  #loadedFor: Surface | undefined;
  isLoading = false;

  constructor(
    private readonly base: HTMLCanvasElement,
    gpu: Gpu,
  ) {
    this.#current = new PictureSurface(base, gpu);
  }

  get canvas(): HTMLCanvasElement {
    return this.#current.canvas;
  }

  /** Moves to another device after a loss. Until the next frame there is nothing to see. */
  moveTo(gpu: Gpu): void {
    this.#use(new PictureSurface(this.base, gpu));
  }

  /**
   * Moves to the CPU. A canvas that a GPU has used gives no other context, so another canvas lies over it, through which the pointer
   * passes.
   */
  moveToCpu(): void {
    if (this.#current instanceof CpuSurface) return;
    const over = element("canvas", "over", { "aria-hidden": "true" });
    this.base.after(over);
    this.#use(new CpuSurface(over));
  }

  #use(next: Surface): void {
    this.#current.destroy();
    this.#current = next;
    if (this.#scene !== next) this.#scene?.destroy();
    this.#scene = undefined;
    if (this.#size) next.resize(...this.#size);
  }

  async #load(before: PictureSurface): Promise<void> {
    this.isLoading = true;
    try {
      const { GpuSurface } = await import("./gpuSurface.ts");
      const scene = await GpuSurface.open(this.base, before.gpu);
      if (this.#current === before) this.#scene = scene;
      else scene.destroy();
    } finally {
      this.isLoading = false;
    }
  }

  show(frame: ProcessedFrame): void {
    if (this.#scene) this.#use(this.#scene);
    this.#current.show(frame);
  }

  resize(width: number, height: number): number {
    this.#size = [width, height];
    return this.#current.resize(width, height);
  }

  draw(camera: PerspectiveCamera, look: Look): void {
    const current = this.#current;
    if (current instanceof PictureSurface && !current.suffices(look) && this.#loadedFor !== current) {
      this.#loadedFor = current;
      void this.#load(current);
    }
    current.draw(camera, look);
  }

  pick(x: number, y: number, camera: PerspectiveCamera, look: Look): Promise<number> {
    return this.#current.pick(x, y, camera, look);
  }

  destroy(): void {
    this.#current.destroy();
  }
}
