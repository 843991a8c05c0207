import type { Picture } from "../stages/core/resources.ts";
import type { CpuPicture } from "../stages/core/stage.ts";

/** The picture that a stage made of a frame, ready to be drawn on a canvas. */
export interface DrawnPicture {
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /**
   * Draws the picture on a canvas, which gets the picture's size; CSS may show the canvas at another size. On the WebGPU backend nothing is
   * read back. Call this synchronously when you receive the frame: it throws a `StaleFrameError` once a newer frame was submitted. A canvas
   * shows the pictures of one backend only: once the pipeline has lost its GPU, `drawTo` throws an `OptionError`, and another canvas is
   * needed.
   */
  drawTo(canvas: HTMLCanvasElement | OffscreenCanvas): void;
}

/** The devices that canvases were configured for. */
const configured = new WeakMap<HTMLCanvasElement | OffscreenCanvas, GPUDevice>();

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D | GPUCanvasContext;

/** The canvas's context, in the picture's size; `undefined` where the canvas belongs to the other backend. */
function drawingContext<C extends Context>(
  canvas: HTMLCanvasElement | OffscreenCanvas,
  kind: "2d" | "webgpu",
  { width, height }: { readonly width: number; readonly height: number },
): C | undefined {
  // Setting a size clears a canvas even if the size stays.
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  return (canvas.getContext(kind) as C | null) ?? undefined;
}

/** Draws a picture of the GPU. Returns whether the canvas could take it. */
export function drawTexture(canvas: HTMLCanvasElement | OffscreenCanvas, device: GPUDevice, { color }: Picture) {
  const context = drawingContext<GPUCanvasContext>(canvas, "webgpu", color);
  if (!context) return false;
  if (configured.get(canvas) !== device) {
    context.configure({ device, format: "rgba8unorm", usage: GPUTextureUsage.COPY_DST, alphaMode: "opaque" });
    configured.set(canvas, device);
  }
  const encoder = device.createCommandEncoder({ label: "picture to canvas" });
  encoder.copyTextureToTexture({ texture: color }, { texture: context.getCurrentTexture() }, [
    color.width,
    color.height,
  ]);
  device.queue.submit([encoder.finish()]);
  return true;
}

/** Draws a picture of the CPU. Returns whether the canvas could take it. */
export function drawPixels(canvas: HTMLCanvasElement | OffscreenCanvas, picture: CpuPicture) {
  const context = drawingContext<CanvasRenderingContext2D>(canvas, "2d", picture);
  if (!context) return false;
  const { width, height, rgba } = picture;
  // A canvas takes no shared memory, in which a worker leaves its pictures.
  const own = rgba.buffer instanceof ArrayBuffer ? (rgba as Uint8ClampedArray<ArrayBuffer>) : rgba.slice();
  context.putImageData(new ImageData(own, width, height), 0, 0);
  return true;
}
