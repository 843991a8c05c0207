import type { PerspectiveCamera } from "three/webgpu";
import type { Gpu, ProcessedFrame } from "../../../../pipeline/index.ts";
import { element } from "../../../dom/controls.ts";
import { CpuSurface } from "./cpuSurface.ts";
import { PictureSurface } from "./pictureSurface.ts";
import type { Look, Surface } from "./surface.ts";

/** After a load that failed, the next look may try again after this time, ms. */
const AGAIN_MS = 5000;

/**
 * Draws on a device, and on the next device after a loss: the canvas stays. Without another device a `CpuSurface` takes over. Three.js is
 * loaded for the first look that shows more than the picture.
 */
export class RecoveringSurface implements Surface {
  #size: readonly [number, number] | undefined;
  #current: Surface;
  /** Was loaded, and draws from the next frame on. */
  #scene: Surface | undefined;
  /** The surface whose successor is loaded, or was; after a load that failed, for some seconds. */
  #loadedFor: Surface | undefined;
  #failed = false;
  isLoading = false;

  constructor(
    private readonly base: HTMLCanvasElement,
    gpu: Gpu,
    /** Called with the error when the first of several loads has failed, and without one when a later one has not. */
    private readonly told: (error?: unknown) => void,
    private readonly code = () => import("./gpuSurface.ts"),
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
      const { GpuSurface } = await this.code();
      const scene = await GpuSurface.open(this.base, before.gpu);
      if (this.#current === before) this.#scene = scene;
      else scene.destroy();
      if (this.#failed) this.told();
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) this.told(error);
      this.#failed = true;
      setTimeout(() => {
        this.#loadedFor = undefined;
      }, AGAIN_MS);
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
    const lacks = current instanceof PictureSurface && !current.suffices(look);
    if (lacks && this.#loadedFor !== current) {
      this.#loadedFor = current;
      void this.#load(current);
    }
    // Where points cannot be drawn, the picture of an earlier frame would stand as if it were the present one: a new size clears it.
    if (lacks && this.#failed && look.view === "points") this.base.width = 1;
    else current.draw(camera, look);
  }

  pick(x: number, y: number, camera: PerspectiveCamera, look: Look): Promise<number> {
    return this.#current.pick(x, y, camera, look);
  }

  destroy(): void {
    this.#current.destroy();
  }
}
