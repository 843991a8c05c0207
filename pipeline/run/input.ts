import type { DepthFrame, FrameShape } from "../../sources/frame.ts";
import { Pool } from "../../stages/pool.ts";
import type { FrameResources } from "../../stages/resources.ts";
import { Transfer } from "./transfer.ts";

/** A frame as it comes, on the GPU: the buffers that it is uploaded into, and the way there. */
export class Input {
  readonly #pool: Pool;
  /** Once there was colour its buffer stays: colour that comes and goes allocates nothing. */
  #hadColor = false;
  #resources: FrameResources | undefined;
  #transfer: Transfer | undefined;
  #held: DepthFrame | undefined;

  constructor(readonly device: GPUDevice) {
    this.#pool = new Pool(device, "input");
  }

  /** Makes the buffers for frames of a shape; `retire` is handed what frees those of before. */
  async prepare(shape: FrameShape, hasColor: boolean, retire: (free: () => void) => void): Promise<FrameResources> {
    const { width, height } = shape.intrinsics;
    const before = this.#resources;
    const same = before?.depth.width === width && before.depth.height === height;
    if (same && (before.color !== undefined) === hasColor) return before;
    this.#resources = undefined;
    const { STORAGE, COPY_DST } = GPUBufferUsage;
    this.#pool.begin();
    const depth = this.#pool.depthImage("depth", width, height);
    const { stride } = depth;
    const size = stride * height * 4;
    this.#hadColor ||= hasColor;
    const color = this.#hadColor ? { buffer: this.#pool.buffer("color", size, STORAGE | COPY_DST), stride } : undefined;
    retire(this.#pool.finish());
    if (depth.buffer !== before?.depth.buffer) this.#held = undefined;
    if (this.#transfer?.pixels !== stride * height) this.#transfer = new Transfer(this.device, stride * height);
    await this.#pool.made();
    const resources = { depth, color: hasColor ? color : undefined, points: undefined, picture: undefined, raw: depth };
    this.#resources = resources;
    return resources;
  }

  write(frame: DepthFrame): void {
    const { resources, transfer } = this.ready;
    transfer.writeDepth(frame.depth, resources.depth);
    if (frame.color && resources.color) transfer.writeColor(frame.color, resources.color);
    this.#held = frame;
  }

  holds(frame: DepthFrame): boolean {
    return this.#held === frame;
  }

  get ready() {
    const [resources, transfer] = [this.#resources, this.#transfer];
    if (!resources || !transfer) throw new Error("nothing is prepared");
    return { resources, transfer };
  }

  clear(): void {
    this.#pool.destroy();
    this.#resources = this.#held = undefined;
    this.#hadColor = false;
  }
}
