import type { DepthFrame, FrameShape } from "../../core/frame.ts";
import { Pool } from "../../stages/core/pool.ts";
import type { FrameResources } from "../../stages/core/resources.ts";
import type { Holding } from "./runner.ts";
import { Transfer } from "./transfer.ts";

/** The source's frame on the GPU: its buffers, and the upload into them. */
export class Input {
  readonly #pool: Pool;
  /** Once a frame had colour the colour buffer stays, so that colour that comes and goes allocates nothing. */
  #hadColor = false;
  #hadPair = false;
  #resources: FrameResources | undefined;
  #transfer: Transfer | undefined;
  #held: DepthFrame | undefined;

  constructor(readonly device: GPUDevice) {
    this.#pool = new Pool(device, "input");
  }

  /** Makes the buffers for frames of this shape. Passes a function to `retire` that frees the buffers they replace. */
  async prepare(shape: FrameShape, has: Holding, retire: (free: () => void) => void): Promise<FrameResources> {
    const { width, height } = shape.intrinsics;
    const { color: hasColor, pair: cameras } = has;
    const before = this.#resources;
    const same = before?.depth.width === width && before.depth.height === height;
    const standAlike = before?.pair?.baselineM === cameras?.baselineM && before?.pair?.doffsPx === cameras?.doffsPx;
    if (same && (before.color !== undefined) === hasColor && standAlike) return before;
    this.#resources = undefined;
    const { STORAGE, COPY_DST } = GPUBufferUsage;
    this.#pool.begin();
    const depth = this.#pool.depthImage("depth", width, height);
    const { stride } = depth;
    const size = stride * height * 4;
    this.#hadColor ||= hasColor;
    const color = this.#hadColor ? { buffer: this.#pool.buffer("color", size, STORAGE | COPY_DST), stride } : undefined;
    const side = (name: string) => this.#pool.depthImage(name, width, height);
    this.#hadPair ||= cameras !== undefined;
    const sides = this.#hadPair ? { left: side("left"), right: side("right") } : undefined;
    const { baselineM, doffsPx } = { ...cameras };
    const pair = sides && baselineM !== undefined ? { ...sides, baselineM, doffsPx } : undefined;
    retire(this.#pool.finish());
    if (depth.buffer !== before?.depth.buffer) this.#held = undefined;
    if (this.#transfer?.pixels !== stride * height) {
      this.#transfer?.destroy();
      this.#transfer = new Transfer(this.device, stride * height);
    }
    await this.#pool.made();
    const blank = { points: undefined, picture: undefined, raw: depth };
    const resources = { depth, color: hasColor ? color : undefined, pair, ...blank };
    this.#resources = resources;
    return resources;
  }

  write(frame: DepthFrame): void {
    const { resources, transfer } = this.ready;
    transfer.writeDepth(frame.depth, resources.depth);
    if (frame.color && resources.color) transfer.writeColor(frame.color, resources.color);
    if (frame.pair && resources.pair) {
      transfer.writeGrey(frame.pair.left, resources.pair.left);
      transfer.writeGrey(frame.pair.right, resources.pair.right);
    }
    this.#held = frame;
  }

  holds(frame: DepthFrame): boolean {
    return this.#held === frame;
  }

  get ready() {
    const [resources, transfer] = [this.#resources, this.#transfer];
    if (!resources || !transfer) throw new Error("no frame shape is prepared: call prepare first");
    return { resources, transfer };
  }

  clear(): void {
    this.#pool.destroy();
    this.#transfer?.destroy();
    this.#transfer = undefined;
    this.#resources = this.#held = undefined;
    this.#hadColor = this.#hadPair = false;
  }
}
