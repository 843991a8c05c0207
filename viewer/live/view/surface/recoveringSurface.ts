import type { PerspectiveCamera } from "three/webgpu";
import type { Gpu, ProcessedFrame } from "../../../../pipeline/index.ts";
import { element } from "../../../dom/controls.ts";
import { CpuSurface } from "./cpuSurface.ts";
import { GpuSurface } from "./gpuSurface.ts";
import type { Look, Surface } from "./surface.ts";

/**
 * Draws with Three.js on a device, and on the next device after a loss: the scene is made again, and the canvas stays. Without another
 * device a `CpuSurface` takes over.
 */
export class RecoveringSurface implements Surface {
  #size: readonly [number, number] | undefined;

  private constructor(
    private readonly base: HTMLCanvasElement,
    private current: GpuSurface | CpuSurface,
  ) {}

  get canvas(): HTMLCanvasElement {
    return this.current.canvas;
  }

  static async open(canvas: HTMLCanvasElement, gpu: Gpu): Promise<RecoveringSurface> {
    return new RecoveringSurface(canvas, await GpuSurface.open(canvas, gpu));
  }

  /** Moves to another device after a loss. Until the next frame there is nothing to see. */
  async moveTo(gpu: Gpu): Promise<void> {
    const before = this.current;
    this.current = await GpuSurface.open(this.base, gpu);
    before.destroy();
    if (this.#size) this.current.resize(...this.#size);
  }

  /**
   * Moves to the CPU. A canvas that a GPU has used gives no other context, so another canvas lies over it, through which the pointer
   * passes.
   */
  moveToCpu(): void {
    if (this.current instanceof CpuSurface) return;
    const over = element("canvas", "over", { "aria-hidden": "true" });
    this.base.after(over);
    this.current.destroy();
    this.current = new CpuSurface(over);
    if (this.#size) this.current.resize(...this.#size);
  }

  show(frame: ProcessedFrame): void {
    this.current.show(frame);
  }

  resize(width: number, height: number): number {
    this.#size = [width, height];
    return this.current.resize(width, height);
  }

  draw(camera: PerspectiveCamera, look: Look): void {
    this.current.draw(camera, look);
  }

  pick(x: number, y: number, camera: PerspectiveCamera, look: Look): Promise<number> {
    return this.current.pick(x, y, camera, look);
  }

  destroy(): void {
    this.current.destroy();
  }
}
