import { numberOf } from "../../ffi/ffi.ts";
import type { Api } from "./api.ts";

/** How often, in ms, an image is looked for while depth waits for it. */
const LOOK_MS = 2;
/** An image that is older than this, in ms, may show another scene. */
const OLDEST_MS = 1000;

/** The images of a stream beside depth: finds the one that belongs to a frame of depth. */
export class Beside {
  /** The last two images, the newer one last. */
  readonly #frames: { readonly frame: bigint; readonly stampMs: number }[] = [];

  constructor(
    readonly api: Api,
    /** Gives the next image that has come, or 0n. */
    readonly poll: () => bigint,
    readonly fps: number,
  ) {}

  /** Keeps an image that has come. */
  add(frame: bigint): void {
    this.#frames.push({ frame, stampMs: numberOf(this.api.frameTime(frame)) });
    const old = this.#frames.length > 2 ? this.#frames.shift() : undefined;
    if (old) this.api.freeFrame(old.frame);
  }

  /**
   * The image that belongs to the depth taken at a time. The two streams run side by side, so the image may come after depth: this waits
   * for the image, for half a frame's time at most.
   */
  async at(stampMs: number): Promise<bigint | undefined> {
    const halfMs = 500 / this.fps;
    const until = performance.now() + halfMs;
    this.#take();
    while (!((this.#frames.at(-1)?.stampMs ?? -Infinity) >= stampMs - halfMs) && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      this.#take();
    }
    const [nearest] = this.#frames
      .map((one) => ({ ...one, apart: Math.abs(one.stampMs - stampMs) }))
      .sort((a, b) => a.apart - b.apart);
    return nearest && nearest.apart <= OLDEST_MS ? nearest.frame : undefined;
  }

  #take(): void {
    for (let frame = this.poll(); frame !== 0n; frame = this.poll()) this.add(frame);
  }

  close(): void {
    for (const { frame } of this.#frames.splice(0)) this.api.freeFrame(frame);
  }
}
