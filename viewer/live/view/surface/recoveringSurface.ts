import type { PerspectiveCamera } from "three/webgpu";
import type { Gpu, ProcessedFrame } from "../../../../pipeline/index.ts";
import { element } from "../../../dom/element.ts";
import { CpuSurface } from "./cpuSurface.ts";
import { GpuSurface } from "./gpuSurface.ts";
import type { Look, Surface } from "./surface.ts";

/**
 * Three.js on a device, and on the next one where that is lost: its scene is made anew, and the canvas stays. Where none is left,
 * the CPU's.
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

  /** The device is gone, and all that was on it. Until a frame is shown on the next there is nothing to see. */
  async moveTo(gpu: Gpu): Promise<void> {
    const before = this.current;
    this.current = await GpuSurface.open(this.base, gpu);
    before.destroy();
    if (this.#size) this.current.resize(...this.#size);
  }

  /** No device comes back. What was a GPU's canvas gives no other context, so another one lies over it, which no pointer feels. */
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
